"""What is asked of the pool: a metric, and where it is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..inputs._numbers import check_number
from ..metrics._metric import Metric, RankingMetric
from ..metrics._precision_at_k import PrecisionAtK
from ..metrics._probability_metric import ProbabilityMetric
from ..metrics._ratios import Precision
from ..metrics._registry import METRICS, as_metric
from ._registry import CURVES

__all__ = ["Question"]


@dataclass(frozen=True, eq=False)
class Question:
    """A metric and where it is taken.

    Attributes
    ----------
    metric : Metric, str or callable
        The name of a curve, a metric, or any ``metric(y_true, y_score)``.
    where : dict
        `threshold`, `recall` or `precision`, as `PerformanceCurveEstimator.estimate` takes them.
    """

    metric: Any
    where: dict

    @classmethod
    def of(cls, metric, **where) -> Question:
        """Check what a user asks for.

        Raises
        ------
        ValueError
            If the metric is unknown, needs a place and has none, or has one too many.
        """
        where = {name: value for name, value in where.items() if value is not None}
        if isinstance(metric, str) and metric in CURVES:
            _no_place(where, f"The curve {metric!r} is")
            return cls(metric, where)
        if callable(metric) and not isinstance(metric, (type, Metric)):
            _no_place(where, "A callable metric is")
            return cls(metric, where)
        if isinstance(metric, str) and metric not in METRICS:
            raise ValueError(
                f"Unknown metric {metric!r}; choose one of {', '.join([*METRICS, *CURVES])}, an "
                f"instance such as sklearn_spe.metrics.PrecisionAtK(50), or a callable "
                f"metric(y_true, y_score)."
            )
        metric = as_metric(metric)
        if isinstance(metric, (RankingMetric, ProbabilityMetric)):
            _no_place(where, f"{metric.name!r} is")
        elif len(where) != 1:
            raise ValueError(
                f"{metric.name!r} needs exactly one of threshold= (or recall= for precision, "
                f"precision= for recall); got {sorted(where)}."
            )
        for name, value in where.items():
            check_number(value, name, "(-inf, inf)" if name == "threshold" else "(0, 1]")
        return cls(metric, where)

    @property
    def name(self) -> str:
        """What is asked for, in a word."""
        if isinstance(self.metric, str):
            return self.metric
        return getattr(self.metric, "name", getattr(self.metric, "__name__", "metric"))

    @property
    def is_curve(self) -> bool:
        """Whether the answer is a curve and no number."""
        return isinstance(self.metric, str)

    @property
    def is_ranking(self) -> bool:
        """Whether the answer is a number of the whole ranking."""
        return isinstance(self.metric, RankingMetric)

    def answer(self, performance):
        """Return the answer of a performance estimator, a ScalarEstimate or a CurveBand.

        What is asked for is taken to exist: draws without it (no positive, nothing above the
        threshold) are left out; if there are no others the answer is NaN.
        """
        if self.is_curve:
            return performance.curve(self.metric)
        return performance.estimate(self.metric, **self.where, zero_division=np.nan)

    @property
    def has_expectation(self) -> bool:
        """Whether the metric knows its expectation under label probabilities."""
        known = isinstance(self.metric, Metric) and self.metric.has_expectation
        return known and set(self.where) <= {"threshold"}

    def above(self, scores, orientation) -> np.ndarray | None:
        """Return which items the decision calls positive; None if the metric has no decision.

        Parameters
        ----------
        scores : ndarray of shape (n_items,)
            Turned, so that larger ones mean positive.
        orientation : Orientation
        """
        if "threshold" in self.where:
            return scores >= orientation.turn_threshold(self.where["threshold"])
        if isinstance(self.metric, PrecisionAtK):
            k = min(self.metric.k, len(scores))
            lowest = np.partition(scores, -k)[-k]
            return scores >= lowest
        return None

    def terms(self, above) -> tuple[np.ndarray, np.ndarray] | None:
        """Return what an item adds to numerator and denominator, if the metric is such a ratio.

        Parameters
        ----------
        above : ndarray of bool of shape (n_items,), or None

        Returns
        -------
        numerator, denominator : ndarray of shape (2, 2)
            ``[z, above]``.
        """
        if isinstance(self.metric, PrecisionAtK):
            # A tie at the boundary is no decision.
            return Precision().item_terms() if above.sum() == self.metric.k else None
        if hasattr(self.metric, "item_terms") and set(self.where) <= {"threshold"}:
            return self.metric.item_terms()
        return None

    def has_design(self, terms) -> bool:
        """Return whether the labels of a design answer by themselves, given `terms`."""
        if terms is not None or self.is_ranking or self.asks_for_precision_at_recall:
            return True
        return self.is_curve and self.metric == "precision_recall"

    @property
    def asks_for_precision_at_recall(self) -> bool:
        """Whether a point of the precision-recall curve is asked for."""
        return isinstance(self.metric, Precision) and "recall" in self.where


def _no_place(where, what) -> None:
    if where:
        raise ValueError(
            f"{what} of the whole ranking and does not take {', '.join(sorted(where))}=."
        )
