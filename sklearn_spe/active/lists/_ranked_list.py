"""One list, ranked by one system, and the metric of its labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays
from ...metrics._division import ratio
from ...metrics._label_distribution import LabelDistribution
from ...metrics._metric import RankingMetric, ThresholdMetric

__all__ = ["RankedList"]


@dataclass(frozen=True, eq=False)
class RankedList(FrozenArrays):
    """Rows in decreasing order of the scores of one system."""

    metric: RankingMetric | ThresholdMetric
    rows: np.ndarray  # (n_ranked,), of int; row indices
    ends: np.ndarray  # (n_distinct,), of int; last position of each tie
    system: int  # the system of the list
    group: int  # the category of the list
    n_above: int | None = None  # number of rows at or above the threshold, for a threshold metric
    # Number of positives, including those missing from the list; None if none is.
    n_positive: int | None = None

    @classmethod
    def ranked(cls, metric, rows, scores, system, group, *, threshold=None, n_positive=None):
        """Rank rows by their scores."""
        order = np.argsort(-scores, kind="stable")
        decreasing = scores[order]
        ends = np.flatnonzero(
            np.r_[decreasing[1:] != decreasing[:-1], np.ones(min(len(scores), 1), bool)]
        )
        n_above = None if threshold is None else int(np.count_nonzero(scores >= threshold))
        return cls(metric, rows[order], ends, system, group, n_above, n_positive)

    @cached_property
    def tie(self) -> np.ndarray:
        """The index of the tie of each row."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=-1))

    def values(self, labels, weights=None, share=1.0) -> np.ndarray:
        """Return the metric of completed labels, (n_draws,); NaN where it is undefined."""
        if not len(self.rows):
            return self._of_nothing(len(labels), share)
        labels = labels[:, self.rows].astype(float)
        counts = np.ones(len(self.rows)) if weights is None else weights[self.rows]
        tp = np.cumsum(labels * counts, axis=1)
        called = np.cumsum(counts)
        if isinstance(self.metric, ThresholdMetric):
            n_positive = tp[:, -1]
            true = false = 0.0 * n_positive
            if self.n_above:
                true = tp[:, self.n_above - 1]
                false = called[self.n_above - 1] - true
            return self.metric.value(true, false, n_positive, called[-1] - n_positive)
        sizes = np.diff(self.ends, prepend=-1)
        share_called = self.metric.share_called(self.ends + 1 - sizes, sizes)
        if weights is not None and share_called is not None:
            # Weights of the rows classified as positive; of a tie that does not fit, the share.
            counts = counts * share_called[self.tie]
            return ratio((labels * counts).sum(axis=1), counts.sum())
        tp, called = tp[:, self.ends], called[self.ends]
        values = self.metric.value(tp, called - tp)
        if self.n_positive is None:
            return values
        # Positives missing from the list have zero precision.
        values = np.where(tp[:, -1] > 0.0, values, 0.0) * tp[:, -1]
        return ratio(values, np.full(len(values), share * self.n_positive))

    def expected(self, probability):
        """Return the metric of expected labels, (n_draws,), and its slopes, (n_draws, n_ranked).

        Tied rows have the mean of their probabilities.
        """
        if not len(self.rows):
            return self._of_nothing(len(probability), 1.0), np.empty((len(probability), 0))
        p = probability[:, self.rows]
        starts = np.r_[0, self.ends[:-1] + 1]
        sizes = np.diff(self.ends, prepend=-1)
        distribution = LabelDistribution(
            sizes, np.clip(np.add.reduceat(p, starts, axis=1) / sizes, 0.0, 1.0)
        )
        above = None
        if isinstance(self.metric, ThresholdMetric):
            above = (self.ends < self.n_above).astype(float)
        known = None if self.n_positive is None else np.full(len(p), float(self.n_positive))
        expected = self.metric.expected_ratio(distribution, above, known)
        return expected.plain, expected.gradient[:, self.tie]

    def _of_nothing(self, n: int, share) -> np.ndarray:
        """Return the metric of an empty list: zero if there are positives."""
        n_positive = 0.0 if self.n_positive is None else share * self.n_positive
        return ratio(np.zeros(n), np.full(n, n_positive))
