"""EM with kernel densities of the log-odds of several systems: SSME, implemented here."""

import numpy as np
from cells import log_odds
from scipy import special
from scipy.spatial.distance import cdist

# As in the authors' code: rounds, and the weight of a labelled item.
N_ROUNDS, LABELED_WEIGHT = 20, 10.0


def ssme_probability(z, scores, y):
    """Return the probability of each item to be positive, by own implementation of SSME [1]_.

    Each class has a kernel density of all log-odds, with the bandwidth of the normal reference
    rule; EM starts from the mean of the scores read as probabilities, and alternates densities and
    responsibilities, which are expected here and not drawn. Margins are read as log-odds: the
    method needs probabilities.

    Parameters
    ----------
    z : ndarray of shape (n, n_systems)
        Standardized log-odds.
    scores : ndarray of shape (n, n_systems)
    y : ndarray of shape (n,)
        0, 1 or -1 for unknown.

    References
    ----------
    .. [1] D. Shanmugam, S. Sadhuka et al. "Evaluating multiple models using labeled and
       unlabeled data." NeurIPS 2025.
    """
    n, n_systems = z.shape
    width = 1.06 * z.std(axis=0) * n ** (-1.0 / (n_systems + 4.0))
    kernel = np.exp(-0.5 * cdist(z / width, z / width, "sqeuclidean"))
    probability = np.mean([special.expit(log_odds(column)) for column in scores.T], axis=0)
    known = np.stack([y == 0, y == 1]).astype(float)
    for _ in range(N_ROUNDS):
        shares = np.where(y < 0, np.stack([1.0 - probability, probability]), 0.0)
        weights = shares + LABELED_WEIGHT * known
        # A class of which nothing is left has a tiny share, and not none.
        total = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        joint = (kernel @ (weights / total).T) * (shares + known).sum(axis=1)
        probability = joint[:, 1] / joint.sum(axis=1)
    return probability
