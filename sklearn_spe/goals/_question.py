"""Question: a metric with its arguments, or a goal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..exceptions import ParameterError
from ..inputs._scores import ScoreDirection
from ..inputs._validation import check_number, listed
from ..metrics._decision import Precision
from ..metrics._metric import Metric, RankingMetric, TradeoffMetric
from ..metrics._registry import METRICS, as_metric, canonical, remedy_of_name
from ..metrics._rows import RowMetric
from ..metrics._tradeoff import ProbabilityMetric
from ..posterior._operating_points import (
    Curve,
    Task,
    false_positive_rate_at_recall,
    precision_at_recall,
    recall_at_precision,
    specificity_at_recall,
)
from ..posterior._posterior import Posterior
from ..posterior._posterior_estimates import (
    probability_estimate,
    ranking_estimate,
    rate_estimate,
    threshold_estimate,
    tradeoff_estimate,
)
from ..posterior._registry import CURVES, OVER_THRESHOLDS, PRECISION_RECALL
from ..posterior._row_estimates import SampleRows, callable_estimate, row_estimate
from ..results._estimates import ScalarEstimate
from ._best_threshold import goal_estimate
from ._goal import Goal

# Those that need a threshold.
OF_DECISIONS = (*OVER_THRESHOLDS, RowMetric)
# Metrics at a given value of another metric.
AT_A_RATE: dict[tuple[str, str], Callable[..., np.ndarray]] = {
    ("precision", "recall"): precision_at_recall,
    ("recall", "precision"): recall_at_precision,
    ("false_positive_rate", "recall"): false_positive_rate_at_recall,
    ("specificity", "recall"): specificity_at_recall,
}


@dataclass(frozen=True, eq=False)
class Question:
    """A metric with its arguments."""

    # a curve, a metric, any ``metric(y_true, y_score)``, or a goal, which means the best selection
    # that meets it
    metric: Any
    where: dict[
        str, Any
    ]  # `threshold`, `recall` or `precision`, as in `PerformanceCurveEstimator.estimate`
    sample_columns: Any = None  # columns of the rows of X that the metric gets, as passed

    @classmethod
    def of(cls, metric: Any, *, sample_columns: Any = None, **where: Any) -> Question:
        """Parse a question."""
        where = {name: value for name, value in where.items() if value is not None}
        if isinstance(metric, Question):
            _no_place(where, "A question already has its arguments")
            question = metric
        else:
            question = cls(_metric_at(metric, where), where)
        if sample_columns is None:
            return question
        if not question.is_of_rows:
            raise ParameterError(
                f"{question.name!r} is a function of scores and labels and takes no "
                "sample_columns=.",
                "Leave it out, or pass a callable metric(y_true, y_score, **columns).",
                "sample_columns",
            )
        return replace(question, sample_columns=sample_columns)

    @property
    def is_open(self) -> bool:
        """Whether it needs a decision threshold and has none."""
        return isinstance(self.metric, OF_DECISIONS) and not self.where

    @property
    def is_of_rows(self) -> bool:
        """Whether it is computed on rows: a callable metric, or one of rows with values."""
        if isinstance(self.metric, RowMetric):
            return True
        return callable(self.metric) and not isinstance(self.metric, (Metric, Curve, Goal))

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

    def estimate(
        self,
        posterior: Posterior,
        score_direction: ScoreDirection,
        task: Task,
        *,
        predicted: Callable[[np.ndarray], np.ndarray] | None = None,
        rows: Callable[[], SampleRows | None] = lambda: None,
    ) -> ScalarEstimate:
        """Return the estimate of a number; a metric of rows reads them, unless scores are counted.

        Each kind of question has one function, which returns the value and the ends of intervals.
        """
        metric = self.metric
        if isinstance(metric, Curve):
            raise ValueError(f"{self.name!r} is a curve, not a number; use curve({self.name!r}).")
        if isinstance(metric, ProbabilityMetric):
            return probability_estimate(metric, posterior, task, predicted=predicted)
        if predicted is not None:
            raise ValueError(
                f"{self.name!r} is not a metric of predicted probabilities and does not take "
                "predicted=."
            )
        if isinstance(metric, Goal):
            return goal_estimate(metric, posterior, score_direction, task)
        if isinstance(metric, RankingMetric):
            return ranking_estimate(metric, posterior, task)

        # A callable without a threshold, and metrics at a rate.
        if not self.where:
            return callable_estimate(
                metric, posterior, task, rows=rows(), sample_columns=self.sample_columns
            )
        ((place, value),) = self.where.items()
        if place != "threshold":
            function = AT_A_RATE[metric.name, place]
            return rate_estimate(metric, posterior, task, function=function, rate=value)

        # Metrics at a threshold, which the posterior has for increasing scores.
        flipped = float(score_direction.flip(value))
        if isinstance(metric, RowMetric):
            estimate = row_estimate(
                metric,
                posterior,
                task,
                threshold=flipped,
                rows=rows(),
                sample_columns=self.sample_columns,
            )
        elif isinstance(metric, TradeoffMetric):
            estimate = tradeoff_estimate(metric, posterior, task, threshold=flipped)
        else:
            estimate = threshold_estimate(metric, posterior, task, threshold=flipped)
        return replace(estimate, threshold=float(value))

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

    def above(self, scores: np.ndarray, score_direction: ScoreDirection) -> np.ndarray | None:
        """Return which items are predicted positive; None if the metric has no decision."""
        if "threshold" in self.where:
            return scores >= score_direction.flip_threshold(self.where["threshold"])
        return self.metric.decided_above(scores) if isinstance(self.metric, Metric) else None

    def terms(self, above: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
        """Return each item's terms of numerator and denominator, as `Metric.item_terms`."""
        is_known = isinstance(self.metric, Metric) and set(self.where) <= {"threshold"}
        return self.metric.item_terms(above) if is_known else None

    def has_design(self, terms: tuple[np.ndarray, np.ndarray] | None) -> bool:
        """Return whether a design-based estimate exists, given `terms`."""
        is_point = isinstance(self.metric, Precision) and "recall" in self.where
        is_of_curve = is_point or self.metric == PRECISION_RECALL
        return terms is not None or self.is_ranking or is_of_curve


def _metric_at(metric: Any, where: dict[str, Any]) -> Any:
    """Return a metric, curve or goal, read; raise unless it takes these arguments."""
    # Questions that take no threshold.
    if isinstance(metric, str):
        metric = CURVES.get(metric, canonical(metric))
    if isinstance(metric, Goal):
        _no_place(where, "A goal already has its bounds, as in Goal.of(precision=0.9),")
        return metric
    if isinstance(metric, Curve):
        _no_place(where, f"{metric.name!r} is a curve of the ranking")
        return metric
    if callable(metric) and not isinstance(metric, (type, Metric)):
        _no_place(where, "A callable metric is a function of the labels and scores")
        return metric

    if isinstance(metric, str) and metric not in METRICS:
        raise ValueError(
            f"Unknown metric {metric!r}.{remedy_of_name(metric, [*METRICS, *CURVES])} Choose "
            f"one of {', '.join(METRICS)}, a curve ({', '.join(CURVES)}), an instance such as "
            "sklearn_spe.metrics.FBeta(beta=2), or a callable metric(y_true, y_score)."
        )
    metric = as_metric(metric)

    for name, value in where.items():
        if isinstance(value, tuple | list):
            raise ValueError(
                f"{name}={value!r} is a bound, but {name}= must be the number at which "
                f"{metric.name!r} is evaluated. To bound a metric pass a goal instead of the "
                f"metric: Goal.of({name}={value!r})."
            )

    # Only metrics of decisions take an argument, and one.
    if isinstance(metric, RankingMetric):
        _no_place(where, f"{metric.name!r} is a metric of the ranking")
    elif isinstance(metric, ProbabilityMetric):
        _no_place(where, f"{metric.name!r} is a metric of predicted probabilities")
    elif not isinstance(metric, OF_DECISIONS):
        raise ValueError(f"{metric.name!r} is for several classes; these scores have two.")
    elif len(where) > 1:
        raise _needs_one_place(metric.name, where)

    for name, value in where.items():
        if name != "threshold" and (metric.name, name) not in AT_A_RATE:
            known = [of for of, rate in AT_A_RATE if rate == name]
            raise ValueError(
                f"{metric.name!r} is not available at {name}=; use threshold=. At {name}= "
                f"there {'are' if len(known) > 1 else 'is'} {listed(map(repr, known))}."
            )
        check_number(value, name, "(-inf, inf)" if name == "threshold" else "(0, 1]")
    return metric


def _no_place(where: dict[str, Any], subject: str) -> None:
    """Raise if there are arguments: the subject of the message takes none."""
    if where:
        raise ParameterError(
            f"{subject} and does not take {', '.join(f'{name}=' for name in where)}.",
            parameter=next(iter(where)),
        )


def _needs_one_place(name: str, got: Iterable[str]) -> ParameterError:
    return ParameterError(
        f"{name!r} needs exactly one of threshold= (or recall= for precision, "
        "false_positive_rate and specificity, precision= for recall); got "
        f"{' and '.join(sorted(got))}.",
        parameter="threshold",
    )
