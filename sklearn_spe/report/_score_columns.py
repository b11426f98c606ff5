"""The scores of a data set as columns of a histogram, and where the labelled ones stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..curves._operating_points import FINEST_CELLS

__all__ = ["ScoreColumns"]

N_COLUMNS = 48
# One column that holds such a share of all items leaves nothing to be seen of the others.
SATURATED = 0.3


@dataclass(frozen=True, eq=False)
class ScoreColumns(FrozenArrays):
    """Columns over the range of the scores, on the user's scale.

    Attributes
    ----------
    edges : ndarray of shape (n_columns + 1,)
        Rising.
    counts : ndarray of shape (n_columns,)
        How many items each holds.
    positives : ndarray of shape (n_columns,)
        How many of these are positive: those labelled so, and those expected without a label.
    negative, positive : ndarray of shape (n_negative,), (n_positive,)
        The distinct scores of the items labelled negative and positive.
    """

    edges: np.ndarray
    counts: np.ndarray
    positives: np.ndarray
    negative: np.ndarray
    positive: np.ndarray

    @classmethod
    def of(cls, performance) -> ScoreColumns:
        """Return those of a fitted performance estimator that shows one ranking."""
        posterior, orientation = performance.posterior_, performance.orientation_
        sample = posterior.sample
        low, high = np.sort(orientation.turn(sample.scores[[0, -1]]))
        # Halves: the difference of two large scores may be more than float64 holds.
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        edges = 2.0 * np.linspace(low / 2.0, high / 2.0, N_COLUMNS + 1)
        cells = sample.grouped(FINEST_CELLS, edges=np.sort(orientation.turn(edges)))
        positives = cells.positive + cells.unlabeled * posterior.expected_probability(cells.scores)
        at = np.searchsorted(edges, orientation.turn(cells.scores), side="right") - 1
        columns = (
            np.bincount(np.clip(at, 0, N_COLUMNS - 1), part, N_COLUMNS)
            for part in (cells.counts, positives)
        )
        known = (
            orientation.turn(sample.scores[w > 0.0]) for w in (sample.negative, sample.positive)
        )
        return cls(edges, *columns, *known)

    @property
    def is_saturated(self) -> bool:
        """Whether one column is so high that the others are seen on a logarithmic axis only."""
        return bool(self.counts.max() > SATURATED * self.counts.sum())
