"""Question: a metric with its arguments, or a goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._validation import check_number
from ..metrics._decision import Precision
from ..metrics._metric import Metric, RankingMetric, ThresholdMetric, TradeoffMetric
from ..metrics._registry import METRICS, as_metric
from ..metrics._tradeoff import ProbabilityMetric
from ..posterior._operating_points import (
    CURVES,
    PRECISION_RECALL,
    Curve,
    increasing_thresholds,
    precision_at_recall,
    recall_at_precision,
)
from ..posterior._posterior_estimates import (
    callable_estimate,
    probability_estimate,
    ranking_estimate,
    rate_estimate,
    threshold_estimate,
    tradeoff_estimate,
)
from ..results._estimates import ScalarEstimate
from ._best_threshold import goal_estimate
from ._goal import Goal

# Metrics at a threshold, which are curves over all thresholds.
OVER_THRESHOLDS = (ThresholdMetric, TradeoffMetric)
# Metrics at a given value of another metric.
AT_A_RATE: dict[tuple[str, str], Callable[..., np.ndarray]] = {
    ("precision", "recall"): precision_at_recall,
    ("recall", "precision"): recall_at_precision,
}


@dataclass(frozen=True, eq=False)
class Question:
    """A metric with its arguments."""

    # a curve, a metric, any ``metric(y_true, y_score)``, or a goal, which means the best selection
    # that meets it
    metric: Any
    where: dict  # `threshold`, `recall` or `precision`, as in `PerformanceCurveEstimator.estimate`

    @classmethod
    def of(cls, metric: Any, **where: Any) -> Question:
        """Parse a question."""
        where = {name: value for name, value in where.items() if value is not None}
        if isinstance(metric, Question):
            _no_place(where, "A question already has its arguments")
            return metric
        metric = CURVES.get(metric, metric) if isinstance(metric, str) else metric
        if isinstance(metric, Goal):
            _no_place(where, "A goal already has its bounds, as in Goal.of(precision=0.9),")
            return cls(metric, where)
        if isinstance(metric, Curve):
            _no_place(where, f"{metric.name!r} is a curve of the ranking")
            return cls(metric, where)
        if callable(metric) and not isinstance(metric, (type, Metric)):
            _no_place(where, "A callable metric is a function of the labels and scores")
            return cls(metric, where)
        if isinstance(metric, str) and metric not in METRICS:
            raise ValueError(
                f"Unknown metric {metric!r}; choose one of {', '.join(METRICS)}, a curve "
                f"({', '.join(CURVES)}), an instance such as sklearn_spe.metrics.FBeta(beta=2), or "
                f"a callable metric(y_true, y_score)."
            )
        metric = as_metric(metric)
        if isinstance(metric, RankingMetric):
            _no_place(where, f"{metric.name!r} is a metric of the ranking")
        elif isinstance(metric, ProbabilityMetric):
            _no_place(where, f"{metric.name!r} is a metric of predicted probabilities")
        elif not isinstance(metric, OVER_THRESHOLDS):
            raise ValueError(f"{metric.name!r} is for several classes; these scores have two.")
        elif len(where) > 1:
            raise _needs_one_place(metric.name, where)
        for name, value in where.items():
            if name != "threshold" and (metric.name, name) not in AT_A_RATE:
                raise ValueError(f"{metric.name!r} is not available at {name}=; use threshold=.")
            check_number(value, name, "(-inf, inf)" if name == "threshold" else "(0, 1]")
        return cls(metric, where)

    @property
    def is_open(self) -> bool:
        """Whether it needs a decision threshold and has none."""
        return isinstance(self.metric, OVER_THRESHOLDS) and not self.where

    def closed(self) -> Question:
        """Return the question; raise if it lacks a threshold."""
        if self.is_open:
            raise _needs_one_place(self.name, ["none"])
        return self

    def at(self, threshold: float) -> Question:
        """Return the question at a threshold, on the user's scale."""
        return replace(self, where={"threshold": threshold})

    @property
    def name(self) -> str:
        """Name of the metric or curve."""
        if self.is_goal:
            return str(self.metric)
        return getattr(self.metric, "name", getattr(self.metric, "__name__", "metric"))

    @property
    def is_goal(self) -> bool:
        """Whether it is a goal."""
        return isinstance(self.metric, Goal)

    @property
    def is_curve(self) -> bool:
        """Whether the result is a curve, not a number."""
        return isinstance(self.metric, Curve)

    @property
    def is_ranking(self) -> bool:
        """Whether it is a metric of the ranking."""
        return isinstance(self.metric, RankingMetric)

    @property
    def of_probabilities(self) -> bool:
        """Whether it is a metric of predicted probabilities."""
        return isinstance(self.metric, ProbabilityMetric)

    def estimate(
        self, posterior: Any, score_direction: Any, task: Any, *, predicted: Any = None
    ) -> ScalarEstimate:
        """Return the estimate."""
        metric = self.metric
        if self.is_goal:
            return goal_estimate(metric, posterior, score_direction, task)
        if self.is_ranking:
            return ranking_estimate(metric, posterior, task)
        if self.of_probabilities:
            return probability_estimate(metric, posterior, task, predicted=predicted)
        if not self.where:
            return callable_estimate(metric, posterior, task)
        ((place, value),) = self.where.items()
        if place != "threshold":
            function = AT_A_RATE[metric.name, place]
            return rate_estimate(metric, posterior, task, function=function, rate=value)
        (flipped,) = increasing_thresholds([value], score_direction)
        at = tradeoff_estimate if isinstance(metric, TradeoffMetric) else threshold_estimate
        return replace(at(metric, posterior, task, threshold=flipped), threshold=float(value))

    def selection(self, performance: Any) -> Any:
        """Return the result of a performance estimator, a ScalarEstimate or a CurveBand.

        Undefined draws (no positive, nothing above the threshold) are excluded; if all are
        undefined, the result is NaN.
        """
        if self.is_curve:
            return performance.curve(self.metric)
        return performance.estimate(self, zero_division=np.nan)

    @property
    def has_expectation(self) -> bool:
        """Whether the metric has an expectation under label probabilities."""
        known = isinstance(self.metric, Metric) and self.metric.has_expectation
        return known and set(self.where) <= {"threshold"}

    def above(self, scores: Any, score_direction: Any) -> np.ndarray | None:
        """Return which items are predicted positive; None if the metric has no decision."""
        if "threshold" in self.where:
            return scores >= score_direction.flip_threshold(self.where["threshold"])
        return self.metric.decided_above(scores) if isinstance(self.metric, Metric) else None

    def terms(self, above: Any) -> tuple[np.ndarray, np.ndarray] | None:
        """Return each item's terms of numerator and denominator, as `Metric.item_terms`."""
        is_known = isinstance(self.metric, Metric) and set(self.where) <= {"threshold"}
        return self.metric.item_terms(above) if is_known else None

    def has_design(self, terms: Any) -> bool:
        """Return whether a design-based estimate exists, given `terms`."""
        is_point = isinstance(self.metric, Precision) and "recall" in self.where
        is_of_curve = is_point or self.metric == PRECISION_RECALL
        return terms is not None or self.is_ranking or is_of_curve


def as_curve(name: Any) -> Curve | Metric:
    """Return the curve of two rates, or the metric over thresholds, of a name."""
    curve = CURVES.get(name, name) if isinstance(name, str) else name
    if isinstance(curve, Curve):
        return curve
    if not isinstance(name, Metric) and (not isinstance(name, str) or name not in METRICS):
        known = [n for n, metric in METRICS.items() if issubclass(metric, OVER_THRESHOLDS)]
        raise ValueError(
            f"Unknown curve {name!r}; choose one of {', '.join(CURVES)}, or a metric against "
            f"the threshold: {', '.join(known)}."
        )
    metric = as_metric(name)
    if not isinstance(metric, OVER_THRESHOLDS):
        raise ValueError(
            f"{metric.name!r} is a number, not a curve; use estimate({metric.name!r})."
        )
    return metric


def _no_place(where: Any, what: str) -> None:
    if where:
        raise ParameterError(
            f"{what} and does not take {', '.join(f'{name}=' for name in where)}.",
            parameter=next(iter(where)),
        )


def _needs_one_place(name: str, got: Any) -> ParameterError:
    return ParameterError(
        f"{name!r} needs exactly one of threshold= (or recall= for precision, precision= for "
        f"recall); got {' and '.join(sorted(got))}.",
        parameter="threshold",
    )
