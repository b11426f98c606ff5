"""A histogram of scores beside the few of them that somebody looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabeledHistogram"]


@dataclass(frozen=True, eq=False, repr=False)
class LabeledHistogram(FrozenArrays):
    """What takes the place of X, y and sample_weight in `fit`; `ScoreHistogram.with_labels`.

    Rows are the items that were given with their scores, in the order given, and then the bins.

    Attributes
    ----------
    scores : ndarray of shape (n_rows,)
    y : ndarray of object of shape (n_rows,)
        Labels as they were given; None for bins.
    counts : ndarray of shape (n_rows,)
        How many items each row stands for.
    """

    scores: np.ndarray
    y: np.ndarray
    counts: np.ndarray

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"
