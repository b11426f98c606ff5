"""Metrics that scikit-learn defines of all classes at once, and not as a mean over classes."""

from __future__ import annotations

import numpy as np

from ..metrics._contingency import BalancedAccuracy, CohenKappa, MatthewsCorrcoef
from ..metrics._division import ratio

__all__ = ["OF_ALL_CLASSES"]

# Of the shares of hits, of predictions and of items of each class, (n_draws, n_classes) each.


def _balanced_accuracy(hits, predicted, items) -> np.ndarray:
    """Return the mean recall of the classes that have items."""
    return np.nanmean(ratio(hits, items), axis=1)


def _cohen_kappa(hits, predicted, items) -> np.ndarray:
    """Return one less the share of mistakes, relative to that of predictions by chance."""
    wrong = items.sum(axis=1) - hits.sum(axis=1)
    by_chance = _differing(items, predicted)
    return 1.0 - ratio(wrong, by_chance)


def _matthews_corrcoef(hits, predicted, items) -> np.ndarray:
    """Return the correlation of the indicators of classes and of predictions."""
    covariance = hits.sum(axis=1) - (items * predicted).sum(axis=1)
    spread = np.sqrt(_differing(items, items)) * np.sqrt(_differing(predicted, predicted))
    return ratio(covariance, spread)


def _differing(a, b) -> np.ndarray:
    """Return how probable it is that independent classes of two laws differ; zero has no error."""
    return ((a @ (1.0 - np.eye(a.shape[1]))) * b).sum(axis=1)


OF_ALL_CLASSES = {
    BalancedAccuracy: _balanced_accuracy,
    CohenKappa: _cohen_kappa,
    MatthewsCorrcoef: _matthews_corrcoef,
}
