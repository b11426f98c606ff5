"""The histogram of the scores of a data set, with the scores of labeled items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..curves._operating_points import FINEST_CELLS

__all__ = ["ScoreColumns"]

N_COLUMNS = 48
# With a larger share of all items in one bin, the others are invisible.
SATURATED = 0.3


@dataclass(frozen=True, eq=False)
class ScoreColumns(FrozenArrays):
    """Bins over the range of the scores, on the user's scale."""

    edges: np.ndarray  # (n_columns + 1,); increasing
    counts: np.ndarray  # (n_columns,); number of items
    positives: np.ndarray  # (n_columns,); labeled positives plus expected unlabeled ones
    negative: np.ndarray  # distinct scores of labeled negatives
    positive: np.ndarray  # distinct scores of labeled positives

    @classmethod
    def of(cls, performance) -> ScoreColumns:
        """Return the bins for a performance estimator for one ranking."""
        posterior, score_direction = performance.posterior_, performance.score_direction_
        sample = posterior.sample
        low, high = np.sort(score_direction.flip(sample.scores[[0, -1]]))
        # Halves: the difference of two large scores may overflow.
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        edges = 2.0 * np.linspace(low / 2.0, high / 2.0, N_COLUMNS + 1)
        cells = sample.grouped(FINEST_CELLS, edges=np.sort(score_direction.flip(edges)))
        positives = cells.positive + cells.unlabeled * posterior.expected_probability(cells.scores)
        at = np.searchsorted(edges, score_direction.flip(cells.scores), side="right") - 1
        columns = (
            np.bincount(np.clip(at, 0, N_COLUMNS - 1), part, N_COLUMNS)
            for part in (cells.counts, positives)
        )
        known = (
            score_direction.flip(sample.scores[w > 0.0]) for w in (sample.negative, sample.positive)
        )
        return cls(edges, *columns, *known)

    @property
    def is_saturated(self) -> bool:
        """Whether one bin is so high that the others are visible on a logarithmic axis only."""
        return bool(self.counts.max() > SATURATED * self.counts.sum())
