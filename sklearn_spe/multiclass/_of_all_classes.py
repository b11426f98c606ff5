"""Metrics that are defined for all classes at once, not as a mean over classes."""

from __future__ import annotations

import numpy as np

from ..metrics._contingency import BalancedAccuracy, CohenKappa, MatthewsCorrcoef
from ..metrics._division import ratio

__all__ = ["OF_ALL_CLASSES"]

# Arguments are the shares of hits, of predictions and of items by class, (n_draws, n_classes) each.


def _balanced_accuracy(hits, predicted, items) -> np.ndarray:
    """Return the mean recall of the classes with items."""
    return np.nanmean(ratio(hits, items), axis=1)


def _cohen_kappa(hits, predicted, items) -> np.ndarray:
    """Return one minus the error rate relative to that of independent predictions."""
    wrong = items.sum(axis=1) - hits.sum(axis=1)
    by_chance = _differing(items, predicted)
    return 1.0 - ratio(wrong, by_chance)


def _matthews_corrcoef(hits, predicted, items) -> np.ndarray:
    """Return the correlation of the class and prediction indicators."""
    covariance = hits.sum(axis=1) - (items * predicted).sum(axis=1)
    spread = np.sqrt(_differing(items, items)) * np.sqrt(_differing(predicted, predicted))
    return ratio(covariance, spread)


def _differing(a, b) -> np.ndarray:
    """Return the probability that independent classes of two distributions differ."""
    return ((a @ (1.0 - np.eye(a.shape[1]))) * b).sum(axis=1)


OF_ALL_CLASSES = {
    BalancedAccuracy: _balanced_accuracy,
    CohenKappa: _cohen_kappa,
    MatthewsCorrcoef: _matthews_corrcoef,
}
