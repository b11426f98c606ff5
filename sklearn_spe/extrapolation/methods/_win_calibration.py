"""Calibration of a tail statistic by wins against held-out classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from ._score_transform import split_scores, wrong_columns
from ._tail_axis import TailAxis

__all__ = ["Calibration", "split_ties"]

# The normal prior of the calibration (intercept, slope, log spread), chosen on the design problems
# of examples/benchmarks/extrapolation; with slope 1 and intercept 0 true and wrong classes with the
# same statistic are exchangeable.
PRIOR_MEANS = np.array([0.1, 1.0, np.log(0.1)])
PRIOR_STDS = np.array([0.25, 0.1, 0.4])
BOUNDS = ((-4.0, 4.0), (0.05, 4.0), (np.log(0.01), np.log(3.0)))
# Maximum number of parts of an item with ties.
MAX_PARTS = 5


def _gauss_hermite(n_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes of a standard normal distribution, and the logarithms of their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    return nodes, np.log(weights / weights.sum())


# A likelihood of few trials is smooth; a power of U with many classes is steep.
FEW_NODES, LOG_FEW_WEIGHTS = _gauss_hermite(12)
NODES, LOG_NODE_WEIGHTS = _gauss_hermite(20)


@dataclass(frozen=True)
class Calibration:
    r"""The distribution of the conditional accuracy given the tail statistic.

    :math:`U = \Phi((a + b x) \sqrt{1 + \sigma^2} + \sigma \varepsilon)`, with a the intercept, b
    the slope and :math:`\sigma^2` the squared spread plus the variance of the statistic.
    """

    intercept: float
    slope: float
    log_std: float

    @classmethod
    def learn(cls, pilot, n_folds: int, rng) -> Calibration:
        """Return the posterior mode by composite likelihood over folds of classes."""
        x, variance, wins, trials, weights = _held_out(pilot, n_folds, rng)

        def loss(parameters):
            value, gradient = cls(*parameters).log_likelihood(x, variance, wins, trials, weights)
            off = (parameters - PRIOR_MEANS) / PRIOR_STDS
            return 0.5 * off @ off - value, off / PRIOR_STDS - gradient

        found = optimize.minimize(loss, PRIOR_MEANS, jac=True, method="L-BFGS-B", bounds=BOUNDS)
        return cls(*found.x)

    def probits(self, x, variance, nodes):
        """Return the probits of U at the nodes, of shape (n_items, n_nodes)."""
        spread = np.exp(2.0 * self.log_std) + variance
        centre = (self.intercept + self.slope * x) * np.sqrt(1.0 + spread)
        return centre[:, np.newaxis] + np.sqrt(spread)[:, np.newaxis] * nodes

    def posterior(self, x, variance, wins, trials):
        """Return probits of U, and the posterior probabilities of each given the wins."""
        probits = self.probits(x, variance, NODES)
        log_joint = _log_binomial(probits, wins, trials) + LOG_NODE_WEIGHTS
        return probits, special.softmax(log_joint, axis=1)

    def log_likelihood(self, x, variance, wins, trials, weights):
        """Return the log likelihood and its gradient."""
        probits = self.probits(x, variance, FEW_NODES)
        log_win, log_loss = special.log_ndtr(probits), special.log_ndtr(-probits)
        wins, losses = wins[:, np.newaxis], (trials - wins)[:, np.newaxis]
        log_joint = wins * log_win + losses * log_loss + LOG_FEW_WEIGHTS
        total = special.logsumexp(log_joint, axis=1, keepdims=True)
        log_density = -0.5 * (probits**2 + np.log(2.0 * np.pi))
        slopes = wins * np.exp(log_density - log_win) - losses * np.exp(log_density - log_loss)
        slopes *= np.exp(log_joint - total) * weights[:, np.newaxis]
        spread = np.exp(2.0 * self.log_std) + variance
        widening = np.sqrt(1.0 + spread)
        of_centre = slopes.sum(axis=1)
        centre = self.intercept + self.slope * x
        of_spread = of_centre * centre / widening + slopes @ FEW_NODES / np.sqrt(spread)
        gradient = (
            of_centre @ widening,
            of_centre @ (widening * x),
            of_spread.sum() * np.exp(2.0 * self.log_std),
        )
        return float(weights @ total[:, 0]), np.array(gradient)


def split_ties(wins, ties):
    """Return items with ties as several without: with 0, 1, ... or all of the ties won.

    Counting half a win per tie would imply a precise U near 1/2; a long run of ties is thinned.
    """
    n_parts = np.minimum(ties + 1, MAX_PARTS)
    rows = np.repeat(np.arange(len(wins)), n_parts)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    gaps = ties / np.maximum(n_parts - 1, 1)
    return rows, wins[rows] + place * gaps[rows], 1.0 / n_parts[rows]


def _log_binomial(probits, wins, trials):
    wins, losses = wins[:, np.newaxis], (trials - wins)[:, np.newaxis]
    return wins * special.log_ndtr(probits) + losses * special.log_ndtr(-probits)


def _held_out(pilot, n_folds, rng):
    """Return statistics, their variances, wins, trials and weights, over all folds."""
    weights = pilot.weights * pilot.effective_items
    own, wrong = split_scores(pilot.scores, pilot.columns)
    wrong_classes = wrong_columns(pilot.columns[:, np.newaxis], pilot.n_classes)
    fold_of = rng.permutation(np.arange(pilot.n_classes) % n_folds)[wrong_classes]
    parts = [_fold(own, wrong, fold_of == fold, weights) for fold in range(n_folds)]
    return [np.concatenate(part) for part in zip(*parts, strict=True)]


def _fold(own, wrong, inside, weights):
    """Return statistics from the classes outside a fold, and the wins against those inside."""
    # Items of a class outside the fold have one wrong class less there: all use the same number.
    taken = ~inside
    n_outside = taken.sum(axis=1)
    longer = np.flatnonzero(n_outside > n_outside.min())
    taken[longer, taken.shape[1] - 1 - np.argmax(taken[longer, ::-1], axis=1)] = False
    outside = wrong[taken].reshape(len(wrong), n_outside.min())
    x, variance = TailAxis.learn(outside)(own, outside)
    own = own[:, np.newaxis]
    wins, ties = (inside & (wrong < own)).sum(axis=1), (inside & (wrong == own)).sum(axis=1)
    rows, wins, shares = split_ties(wins, ties)
    return (
        x[rows],
        variance[rows],
        wins,
        inside.sum(axis=1)[rows].astype(float),
        shares * weights[rows],
    )
