"""Curves that must not rise: compared with themselves at fewer classes."""

from __future__ import annotations

import numpy as np

__all__ = ["fewer_classes"]

GRID_RATIO = 1.25


def fewer_classes(n_classes) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of classes to compare with, and for each given one the last that is no larger.

    They are the same whatever else is asked, so that no answer depends on it.

    Parameters
    ----------
    n_classes : ndarray of shape (n_counts,)

    Returns
    -------
    grid : ndarray of shape (n_points,)
        Rising from 1, about geometrically.
    before : ndarray of shape (n_counts,), dtype=int
        Places in it.
    """
    n_steps = np.log(float(n_classes.max())) / np.log(GRID_RATIO)
    grid = np.unique(np.floor(GRID_RATIO ** np.arange(n_steps + 1.0)))
    return grid, np.searchsorted(grid, n_classes, side="right") - 1
