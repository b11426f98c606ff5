"""What a design notes of the free items, of which one is about to be drawn."""

from __future__ import annotations

import numpy as np

__all__ = ["rest_and_reach"]


def rest_and_reach(predictions, chances, above):
    """Return what a design notes of the free items before one is drawn.

    Parameters
    ----------
    predictions, chances : ndarray of shape (n_free,)
        The predicted probability of each free item to be positive, and its chance to be drawn.
    above : ndarray of shape (n_free,), of bool
        Whether the item lies at or above the threshold.

    Returns
    -------
    rest : ndarray of shape (2,)
        Expected positives below, and at or above the threshold.
    reach : ndarray of shape (2, 2)
        ``reach[z, above]``: the largest ``abs(z - prediction) / chance``; 0 without such an item.
    """
    rest, reach = np.zeros(2), np.zeros((2, 2))
    for side in (0, 1):
        here = above == side
        if here.any():
            p, q = predictions[here], chances[here]
            rest[side] = p.sum()
            reach[:, side] = (p / q).max(), ((1.0 - p) / q).max()
    return rest, reach
