"""Kernel-smoothed labels of all items: ssROC, implemented here."""

import numpy as np
from answers import Answer
from scipy import special

N_DRAWS = 500


def ssroc_kernel(scores, y, seed):
    """Own implementation of ssROC [1]_, read off as precision and recall.

    The expected label of every item is a kernel regression of the labels on the rank of the
    score, with bandwidth std / n_labels^0.45. Its uncertainty is that of perturbing the weights of
    the labelled items by 4 Beta(1/2, 3/2), which has mean and variance 1. If the labels hold one
    class only, the answer is anything from 0 to 1.

    References
    ----------
    .. [1] J. Gao et al. "Semi-supervised ROC analysis for reliable and streamlined evaluation of
       phenotyping algorithms." JAMIA 2024.
    """
    rng = np.random.default_rng(seed)
    labeled = y >= 0
    labels = y[labeled]
    _, cell, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    # The middle of the ranks that items of one score share.
    rank = (np.cumsum(counts) - 0.5 * counts) / len(scores)
    known = rank[cell[labeled]]
    bandwidth = max(known.std(ddof=1), 1e-3) / len(labels) ** 0.45
    log_kernel = -0.5 * ((rank[:, np.newaxis] - known) / bandwidth) ** 2
    # The nearest labelled item always has some weight, however far away it is.
    kernel = special.softmax(log_kernel, axis=1)
    weights = 4.0 * rng.beta(0.5, 1.5, (N_DRAWS, len(labels)))
    expected = ((weights * labels) @ kernel.T) / (weights @ kernel.T)
    positives = expected * counts
    if labels.min() == labels.max():
        return Answer.nothing_but(positives.sum(axis=1) / len(scores))
    return Answer.from_draws(positives, counts)
