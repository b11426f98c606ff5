"""Shares of counted items on the logit scale: their logits, and how far off counting may be."""

from __future__ import annotations

import numpy as np
from scipy import special

__all__ = ["counting_variance", "logits"]

LEAST = 1e-9


def logits(accuracies, n_items, share=1.0) -> np.ndarray:
    """Return the logits of accuracies; those of 0 and 1 are within half an item of it.

    Parameters
    ----------
    accuracies : ndarray
    n_items : float or ndarray
    share : float or ndarray, default=1.0
        Of the half item: an average over many subsets of classes is finer than one item.
    """
    least = np.maximum(0.5 / (n_items + 1.0) * share, LEAST)
    return special.logit(np.clip(accuracies, least, 1.0 - least))


def counting_variance(accuracy: float, n_items: float) -> float:
    """Return the variance of the logit of a share of independent items, half an item added."""
    errors = (1.0 - accuracy) * n_items
    return 1.0 / (errors + 0.5) + 1.0 / (n_items - errors + 0.5)
