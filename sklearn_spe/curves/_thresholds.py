"""Thresholds on the scale of the scores."""

from __future__ import annotations

import numpy as np

from ..inputs._array_like import as_numbers
from ..inputs._orientation import Orientation
from ..sample._sample import ScoreSample

# Relative to the largest score.
CLOSE = 1e-9


def threshold_grid(sample: ScoreSample, n_points: int) -> np.ndarray:
    """Return rising thresholds, evenly spaced by rank."""
    return np.unique(sample.quantile(np.linspace(0.0, 1.0, n_points)))


def rising_thresholds(sample: ScoreSample, thresholds, orientation: Orientation) -> np.ndarray:
    """Return given thresholds in order, on the scale on which larger scores mean positive.

    Raises
    ------
    ValueError
        If there are none, or one lies outside the range of the scores.
    """
    grid = as_numbers(thresholds, "thresholds")
    if grid.ndim != 1 or not len(grid):
        raise ValueError(
            f"thresholds must hold at least one score, of shape (n_points,); got {thresholds!r}."
        )
    low, high = np.sort(orientation.turn(sample.scores[[0, -1]]))
    # The threshold of a classifier lies a little below the score that it lets pass.
    slack = CLOSE * max(abs(low), abs(high))
    wrong = ~((grid >= low - slack) & (grid <= high + slack))
    if wrong.any():
        raise ValueError(
            f"A threshold must lie in the range of the scores, from {low:.6g} to {high:.6g}; "
            f"got {grid[wrong][0]}. Below or above them every item is treated alike."
        )
    return np.unique(orientation.turn(grid))
