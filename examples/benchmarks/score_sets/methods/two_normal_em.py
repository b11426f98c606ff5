"""Semi-supervised EM of two normal densities."""

import numpy as np
from answers import Answer
from cells import Cells, standardized
from scipy import special

N_DRAWS = 500
N_ROUNDS = 300
# Finite differences of the log posterior, whose parameters are of the order of one.
STEP = 1e-3


def two_normal_em(scores, y, seed):
    """Fit one normal to each class by EM over all items; intervals by observed information.

    The mode and the curvature there make a normal distribution of (logit prevalence, means, log
    deviations), from which parameters and then labels are drawn. One made-up item a class, one
    deviation of all scores away from the class's mean, keeps a class of few items from
    collapsing onto one score.
    """
    rng = np.random.default_rng(seed)
    cells = Cells.from_items(scores, y)
    z = standardized(cells)
    mode = _em(cells, z)
    draws = rng.multivariate_normal(mode, _covariance(cells, z, mode), N_DRAWS, method="eigh")
    negative, positive = _log_joint(draws, z)
    probability = special.expit(positive - negative)
    return Answer.from_draws(cells.complete(rng, probability), cells.counts)


def _em(cells, z):
    """Return the mode, as (logit prevalence, two means, two log deviations)."""
    # At first the top scores are positive, as many in proportion as among the labels.
    n_positive, n_negative = cells.positive.sum(), cells.negative.sum()
    share = (n_positive + 1.0) / (n_positive + n_negative + 2.0)
    positive = np.cumsum(cells.counts) <= share * cells.counts.sum()
    for _ in range(N_ROUNDS):
        weights = np.stack([cells.negative, cells.positive]).astype(float)
        weights += cells.unlabeled * np.stack([1.0 - positive, positive])
        total = weights.sum(axis=1)
        mean = weights @ z / total
        square = ((z - mean[:, np.newaxis]) ** 2 * weights).sum(axis=1)
        log_std = 0.5 * np.log((square + 1.0) / (total + 1.0))
        theta = np.r_[np.log((total[1] + 1.0) / (total[0] + 1.0)), mean, log_std]
        negatives, positives = _log_joint(theta[np.newaxis], z)
        positive = special.expit(positives - negatives)[0]
    return theta


def _log_joint(theta, z):
    """Return log p(score, class), up to a constant, for both classes and every row of theta."""
    logit, mean0, mean1, log_std0, log_std1 = theta.T[..., np.newaxis]
    return [
        special.log_expit(sign * logit) - log_std - 0.5 * ((z - mean) * np.exp(-log_std)) ** 2
        for sign, mean, log_std in ((-1.0, mean0, log_std0), (1.0, mean1, log_std1))
    ]


def _log_posterior(theta, cells, z):
    negative, positive = _log_joint(theta, z)
    value = positive @ cells.positive + negative @ cells.negative
    value += np.logaddexp(positive, negative) @ cells.unlabeled
    logit, log_stds = theta[:, 0], theta[:, 3:]
    value += special.log_expit(logit) + special.log_expit(-logit)
    return value - (log_stds + 0.5 * np.exp(-2.0 * log_stds)).sum(axis=1)


def _covariance(cells, z, mode):
    """Return the inverse of the observed information, by central differences."""
    steps = STEP * np.eye(len(mode))
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    points = [mode + i * a + j * b for a in steps for b in steps for i, j in signs]
    values = _log_posterior(np.array(points), cells, z).reshape(len(mode), len(mode), 4)
    information = -(values @ [1.0, -1.0, -1.0, 1.0]) / (4.0 * STEP**2)
    # Along a direction that the data leave open, no more than a prior of deviation 1.
    size, axes = np.linalg.eigh(information)
    return (axes / np.maximum(size, 1.0)) @ axes.T
