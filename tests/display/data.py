"""Scores of which pictures are made."""

import numpy as np
from scipy import stats

from sklearn_spe import SemisupervisedScoreMixture
from tests.quick import EXPERTS


def even_scores(n=300, n_labeled=None):
    """Return scores as even as those of two normals can be, and labels; some of them may be -1.

    No verdict doubts them, whatever the seed of a fit is.
    """
    n_positive = 3 * n // 10
    scores = [
        shift + stats.norm.ppf((np.arange(k) + 0.5) / k)
        for shift, k in ((0.0, n - n_positive), (2.0, n_positive))
    ]
    labels = np.repeat([0, 1], [n - n_positive, n_positive])
    # In an order in which any first items are spread over all scores.
    order = np.argsort(np.arange(n) * (np.sqrt(5.0) - 1.0) / 2.0 % 1.0)
    order = np.argsort(np.concatenate(scores))[order]
    known = np.arange(n) < (n if n_labeled is None else n_labeled)
    return np.concatenate(scores)[order], np.where(known, labels[order], -1)


def quick_mixture(seed, **parameters):
    """Return a mixture of few draws and of experts that are quick to fit."""
    defaults = {"experts": EXPERTS, "n_draws": 100}
    return SemisupervisedScoreMixture("norm", "norm", random_state=seed, **defaults | parameters)
