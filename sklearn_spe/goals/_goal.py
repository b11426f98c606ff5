"""Goals: bounds on metrics of a decision, and the probability that they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..exceptions import ParameterError
from ..inputs._validation import is_number
from ..metrics._decision import OfPredictions
from ..metrics._metric import MetricLike, ThresholdMetric
from ..metrics._registry import METRICS, as_metric, canonical, remedy_of_name
from ..posterior._operating_points import OperatingPoints, Task, mean_over_draws
from ..posterior._posterior import Posterior
from ..results._distributions import Proportions
from ..results._estimates import CurveBand

# A bound on a metric as a user passes it: a number, or a pair of which one end may be None.
GoalBound: TypeAlias = float | Sequence[float | None]
# One or several bounds, by the names of metrics, or on a metric without a name.
GoalLike: TypeAlias = "Goal | Mapping[str, GoalBound] | tuple[MetricLike, GoalBound]"
# Tolerance: sums of weights reach a bound only up to rounding.
ROUNDING = 1e-12
# Fraction of the risk of a guarantee that is allotted to the posterior. The rest is reserved for
# selection bias, as the best of many selections is chosen, and for misspecification.
MODELED_RISK = 0.5
# A threshold trades the metric on the left for those on the right, such as recall for precision: if
# a goal bounds only metrics on the right, the one on the left is left to maximize.
COMPLEMENT_OF = {
    "recall": {"precision", "specificity", "false_positive_rate", "false_positives"},
    "precision": {"recall", "true_positives", "false_negatives"},
    "specificity": {"negative_predictive_value"},
}
# The number of predicted positives.
SIZE = "predicted_positives"


@dataclass(frozen=True)
class Bound:
    """Lower and upper bound of a metric."""

    metric: ThresholdMetric
    low: float
    high: float

    @classmethod
    def of(cls, metric: MetricLike, wanted: GoalBound) -> Bound:
        """Parse a bound: a number, or a pair of which one end may be None."""
        metric = as_decision(metric)
        name = metric.name

        # A number bounds the metric on its bad side.
        if isinstance(wanted, (tuple, list)) and len(wanted) == 2:
            low, high = wanted
        elif metric.greater_is_better:
            low = wanted
            high = None
        else:
            low = None
            high = wanted

        ends = [_check_end(metric, end, wanted) for end in (low, high) if end is not None]
        if not ends:
            raise ValueError(f"{name}={wanted!r} is not a bound; give at least one end.")
        if len(ends) == 2 and ends[0] > ends[1]:
            raise ValueError(f"{name}={wanted!r} is contradictory: the ends are not in order.")

        # A missing end is that of the range of the metric.
        smallest, largest = metric.limits
        low = smallest if low is None else low
        high = largest if high is None else high
        return cls(metric, float(low), float(high))

    def conditions(self, n_items: float) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """Return the linear conditions of a bound on a ratio of sums; None for other metrics.

        Pairs of arrays, ``[z, above]`` as those of `Metric.item_terms`: the sum of the first over
        all items must be nonnegative, and the second sums to the denominator of the ratio.
        """
        terms = self.metric.item_terms(n_items=n_items)
        if terms is None:
            return None
        numerator, denominator = terms

        # The ratio is at least `low` where numerator - low * denominator is nonnegative.
        conditions = []
        if self.has_low:
            conditions.append((numerator - self.low * denominator, denominator))
        if self.has_high:
            conditions.append((self.high * denominator - numerator, denominator))
        return conditions

    @property
    def wanted(self) -> tuple[float | None, float | None]:
        """Both ends as a user writes them, None if unbounded."""
        return (self.low if self.has_low else None, self.high if self.has_high else None)

    @property
    def has_name(self) -> bool:
        """Whether the metric is the registered one of its name."""
        return (
            self.metric.name in metrics_of_decisions()
            and as_metric(self.metric.name) == self.metric
        )

    @property
    def asks_for_more(self) -> bool:
        """Whether it bounds the metric on its bad side."""
        return self.has_low if self.metric.greater_is_better else self.has_high

    @property
    def has_low(self) -> bool:
        """Whether there is a lower bound."""
        return self.low > self.metric.limits[0]

    @property
    def has_high(self) -> bool:
        """Whether there is an upper bound."""
        return self.high < self.metric.limits[1]

    def holds(self, points: OperatingPoints) -> np.ndarray:
        """Return whether the bound holds, for each draw and threshold."""
        value = decision_value(self.metric, points)
        return (value >= self.low - ROUNDING) & (value <= self.high + ROUNDING)

    def __str__(self) -> str:
        name = self.metric.name
        if self.has_low and self.has_high:
            return f"{self.low:g} <= {name} <= {self.high:g}"
        return f"{name} >= {self.low:g}" if self.has_low else f"{name} <= {self.high:g}"


@dataclass(frozen=True)
class Goal:
    r"""Joint bounds on metrics: the condition C(tau) of Welinder et al. (2013), section 4.4.

    .. versionadded:: 0.1

    Attributes
    ----------
    bounds : tuple of Bound

    Examples
    --------
    >>> from sklearn_spe import Goal
    >>> print(Goal.of(precision=0.9, recall=(0.2, None)))
    precision >= 0.9 and recall >= 0.2
    """

    bounds: tuple[Bound, ...]

    def __post_init__(self) -> None:
        bounds = self.bounds
        are_bounds = isinstance(bounds, tuple) and all(isinstance(b, Bound) for b in bounds)
        if not are_bounds or not bounds:
            raise TypeError(
                f"Create a goal by Goal.of(precision=0.9); got bounds {bounds!r}, which is not a "
                "tuple of bounds."
            )

    @classmethod
    def of(cls, *bounds: Any, **wanted: GoalBound) -> Goal:
        """Create a goal from bounds on metrics.

        Parameters
        ----------
        *bounds : pair, dict or Goal
            Bounds on any metric, as ``(metric, bound)`` or ``{metric: bound}``. A metric is a name,
            a :class:`~sklearn_spe.metrics.ThresholdMetric` such as ``FBeta(2)``, or a callable
            ``metric(y_true, y_pred, sample_weight=...)`` of labels and decisions. A callable is
            called once for each distinct confusion matrix.
        **wanted : float or pair of float
            One bound for each metric, by its name. None means no bound.

        Returns
        -------
        goal : Goal

        Raises
        ------
        TypeError
            If a bound is not a pair, dict or Goal.
        ValueError
            If no bound is given, a value lies outside the range of its metric ((0, 1) for most), a
            metric is bounded twice, or the bounds contradict each other.

        Examples
        --------
        >>> from sklearn_spe import Goal
        >>> from sklearn_spe.metrics import FBeta
        >>> print(Goal.of((FBeta(2), 0.8), precision=0.5))
        f2 >= 0.8 and precision >= 0.5
        """
        arguments = (*bounds, wanted)
        bounds = tuple(bound for argument in arguments for bound in _bounds_of(argument))
        if not bounds:
            raise ValueError(
                f"No goal is set: give at least one of {', '.join(metrics_of_decisions())}, such "
                "as precision=0.9."
            )

        metrics = [bound.metric for bound in bounds]
        twice = {metric.name for metric in metrics if metrics.count(metric) > 1}
        if twice:
            raise ValueError(
                f"The goal bounds {', '.join(sorted(twice))} twice; give both ends as one pair "
                f"(at least, at most)."
            )

        # A custom metric may have the name of a registered one.
        registered = {name: as_metric(name) for name in metrics_of_decisions()}
        names = [name for name, metric in registered.items() if metric in metrics]
        _check_together({name: bounds[metrics.index(registered[name])] for name in names})
        return cls(bounds)

    def holds(self, points: OperatingPoints) -> np.ndarray:
        """Return whether all bounds are met, for each draw and threshold."""
        return np.logical_and.reduce([bound.holds(points) for bound in self.bounds])

    def to_dict(self) -> dict[Any, Any]:
        """Return the bounds as a dict that :meth:`of` takes, by name if the metric has one.

        Examples
        --------
        >>> from sklearn_spe import Goal
        >>> Goal.of(precision=0.9, recall=(0.2, 0.8)).to_dict()
        {'precision': (0.9, None), 'recall': (0.2, 0.8)}
        """
        return {
            bound.metric.name if bound.has_name else bound.metric: bound.wanted
            for bound in self.bounds
        }

    def metric_to_prefer(self, prefer: MetricLike | None = None) -> ThresholdMetric:
        """Return the metric to maximize among thresholds that meet the goal.

        Parameters
        ----------
        prefer : str or ThresholdMetric, default=None
            None means the default for the goal, see
            :meth:`~sklearn_spe.PerformanceCurveEstimator.threshold_for`.
        """
        if prefer is None:
            prefer = self._complement()
        metric = as_metric(prefer)
        if not isinstance(metric, ThresholdMetric):
            raise ValueError(
                f"prefer={prefer!r} is not a metric of the decision score >= threshold; choose "
                f"from {', '.join(metrics_of_decisions())}."
            )
        return metric

    def _complement(self) -> str:
        of_size = [bound for bound in self.bounds if bound.metric.name == SIZE]
        others = [bound for bound in self.bounds if bound.metric.name != SIZE]
        names = {bound.metric.name for bound in others}
        if not others:
            return "precision" if of_size[0].has_low else "recall"
        # A bound on the wrong side, such as a recall of at most 0.8, has no complement.
        if all(bound.asks_for_more for bound in others):
            for metric, bounded in COMPLEMENT_OF.items():
                if names <= bounded:
                    return metric
        return "f1"

    def __str__(self) -> str:
        return " and ".join(map(str, self.bounds))

    def __repr__(self) -> str:
        return f"Goal({self})"


def needed_probability(confidence_level: float) -> float:
    """Return the posterior probability required for a guarantee at a confidence level.

    Half of the risk is reserved for selection bias and misspecification, so a guarantee at 0.9
    requires 0.95; levels below one half are increased by half.
    """
    reserve = (1.0 - MODELED_RISK) * min(confidence_level, 1.0 - confidence_level)
    return confidence_level + reserve


def goal_probability(
    posterior: Posterior, goal: Goal, thresholds: np.ndarray, task: Task
) -> CurveBand:
    """Return the posterior probability that a goal is met, as a function of the threshold.

    For selections, in which known labels count, if the task evaluates them.
    """
    for bound in goal.bounds:
        task.check_metric(bound.metric)

    probability = mean_over_draws(posterior, goal.holds, task, thresholds=thresholds)
    return CurveBand(
        str(goal),
        thresholds,
        Proportions(np.clip(probability, 0.0, 1.0), posterior.ess),
        x_name="threshold",
        y_name="probability",
        confidence_level=task.confidence_level,
        kind="simulation",
    )


def decision_value(metric: ThresholdMetric, points: OperatingPoints) -> np.ndarray:
    """Return a metric of operating points, its `zero_division` where undefined."""
    value = metric.value(points.tp, points.fp, points.n_positive, points.n_negative)
    return np.where(np.isnan(value), metric.zero_division, value)


def _bounds_of(given: GoalLike) -> list[Bound]:
    """Return the bounds in one argument."""
    if isinstance(given, Goal):
        return list(given.bounds)

    if isinstance(given, Mapping):
        pairs: list[tuple[Any, Any]] = list(given.items())
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        pairs = [(given[0], given[1])]
    else:
        raise TypeError(
            f"A bound is a pair (metric, value), such as (FBeta(2), 0.8), or a keyword, such as "
            f"precision=0.9; got {given!r}."
        )

    return [Bound.of(metric, ends) for metric, ends in pairs if ends is not None]


def as_decision(metric: object) -> ThresholdMetric:
    """Return the metric of a decision given as a name, an instance or a callable."""
    if isinstance(metric, str) and canonical(metric) in metrics_of_decisions():
        metric = as_metric(metric)
    if isinstance(metric, ThresholdMetric):
        return metric
    # A callable counts the classes of labels and decisions.
    if callable(metric) and not isinstance(metric, type):
        return OfPredictions(metric)

    names = metrics_of_decisions()
    raise ParameterError(
        f"{metric!r} is not a metric of the decision score >= threshold, which a goal can bound."
        f"{remedy_of_name(metric, names)} Choose from {', '.join(names)},",
        "or pass an instance such as sklearn_spe.metrics.FBeta(beta=2), or a callable "
        "metric(y_true, y_pred, sample_weight).",
        "metric",
    )


def _check_end(metric: ThresholdMetric, end: Any, wanted: object) -> float:
    low, high = metric.limits
    if not is_number(end) or not low < end < high:
        raise ParameterError(
            f"A goal lies strictly between {low:g} and {high:g}; got {metric.name}={wanted!r}.",
            "Pass a number, or a pair (at least, at most) of which one may be None.",
            metric.name,
        )

    if metric.counts_items and end != np.round(end):
        raise ValueError(
            f"{metric.name!r} is a number of items: give a whole number, got {wanted!r}. For "
            "shares, bound precision, recall or false_positive_rate."
        )

    return float(end)


def _check_together(bounds: dict[str, Bound]) -> None:
    """Raise if no table of counts can satisfy these bounds."""

    def ends(name: str) -> tuple[float, float]:
        bound = bounds.get(name)
        return (bound.low, bound.high) if bound else as_metric(name).limits

    if "specificity" in bounds and "false_positive_rate" in bounds:
        low, high = ends("false_positive_rate")
        _check_overlap(bounds, ("specificity", "false_positive_rate"), 1.0 - high, 1.0 - low)

    if SIZE in bounds:
        tp_low, tp_high = ends("true_positives")
        fp_low, fp_high = ends("false_positives")
        names = (SIZE, "true_positives", "false_positives")
        _check_overlap(bounds, names, tp_low + fp_low, tp_high + fp_high)

    if "f1" in bounds:
        # It increases in both precision and recall.
        precision_low, precision_high = ends("precision")
        recall_low, recall_high = ends("recall")
        low = _harmonic(precision_low, recall_low)
        high = _harmonic(precision_high, recall_high)
        _check_overlap(bounds, ("f1", "precision", "recall"), low, high)


def _check_overlap(
    bounds: dict[str, Bound], names: tuple[str, ...], low: float, high: float
) -> None:
    """Raise if the bound of the first metric misses the range that the other bounds imply."""
    first = bounds[names[0]]
    if max(first.low, low) > min(first.high, high) + ROUNDING:
        goal = " and ".join(str(bounds[name]) for name in names if name in bounds)
        raise ValueError(
            f"The goal is contradictory: {goal}. The other bounds imply {low:.4g} <= {names[0]} "
            f"<= {high:.4g}."
        )


def _harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean."""
    total = precision + recall
    return 2.0 * precision * recall / total if total else 0.0


def metrics_of_decisions() -> list[str]:
    """Return the names of the metrics that a goal may bound."""
    return [
        name
        for name, metric in METRICS.items()
        if issubclass(metric, ThresholdMetric) and not metric.takes_threshold
    ]
