"""EM with kernel densities of the log-odds of several systems: SSME, implemented here."""

import numpy as np
from cells import log_odds
from scipy import special
from scipy.spatial.distance import cdist

# As in the authors' code: rounds, the weight of a labelled item, and by how much the bandwidth is
# smaller than that of the normal reference rule.
N_ROUNDS, LABELED_WEIGHT, NARROWER = 20, 10.0, 4.0


def ssme_probability(z, scores, y, rng):
    """Return the probability of each item to be positive, by own implementation of SSME [1]_.

    EM starts from the mean of the scores read as probabilities. Margins are read as log-odds: the
    method needs probabilities.

    Parameters
    ----------
    z : ndarray of shape (n, n_systems)
        Log-odds.
    scores : ndarray of shape (n, n_systems)
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.
    rng : numpy.random.Generator

    References
    ----------
    .. [1] D. Shanmugam, S. Sadhuka et al. "Evaluating multiple models using labeled and
       unlabeled data." NeurIPS 2025.
    """
    positive = np.mean([special.expit(log_odds(column)) for column in scores.T], axis=0)
    return ssme_class_probability(z, np.column_stack([1.0 - positive, positive]), y, rng)[:, 1]


def ssme_class_probability(z, probability, y, rng):
    """Return the probability of each class, (n, n_classes), starting from one.

    Each class has a kernel density of all columns of `z`, log-odds or log ratios of classes, with
    one bandwidth: the smallest that the normal reference rule has for a single column, and a
    quarter of it. EM starts from one drawing of the classes: kernels are so narrow that it is not
    forgotten where items lie alone. Then densities and responsibilities alternate.
    """
    quartiles = np.subtract(*np.quantile(z, [0.75, 0.25], axis=0)) / 1.34
    width = 1.06 * np.minimum(z.std(axis=0), quartiles).min() * len(z) ** -0.2 / NARROWER
    kernel = np.exp(-0.5 * cdist(z / width, z / width, "sqeuclidean"))
    is_known = (y >= 0)[:, np.newaxis]
    classes = np.arange(probability.shape[1])
    known = y[:, np.newaxis] == classes
    levels = probability.cumsum(axis=1)[:, :-1]
    drawn = (rng.random((len(y), 1)) > levels).sum(axis=1, keepdims=True) == classes
    # Labels enter by the start and by the shares of the classes; later they weigh their place more,
    # for whatever class is probable there.
    weights = assigned = np.where(is_known, known, drawn).astype(float)
    for _ in range(N_ROUNDS):
        # A class of which nothing is left has a tiny share, and not none.
        density = kernel @ (weights / np.maximum(weights.sum(axis=0), np.finfo(float).tiny))
        joint = density * assigned.mean(axis=0)
        probability = joint / joint.sum(axis=1, keepdims=True)
        weights = np.where(is_known, LABELED_WEIGHT, 1.0) * probability
        assigned = np.where(is_known, known, probability)
    return probability
