"""Goals: bounds on what a decision achieves, and how probable it is that they hold."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from functools import partial

import numpy as np

from .._laws import Proportions
from ..bands import CurveBand
from ..exceptions import UnreachableGoalError
from ..metrics import METRICS, ThresholdMetric, as_metric
from ._operating_points import FINEST_CELLS, mean_over_draws

# Sums of weights reach a bound only up to rounding.
ROUNDING = 1e-12
# What is wanted of the items that are called positive, and of those that should be.
PURITY = {"precision", "specificity", "false_positive_rate"}
COVERAGE = {"recall"}


@dataclass(frozen=True)
class Bound:
    """A metric that must lie between two values."""

    metric: ThresholdMetric
    low: float
    high: float

    @classmethod
    def of(cls, name: str, wanted) -> Bound:
        """Read a bound as a user writes it: a number, or a pair of which one end may be None."""
        if name not in _decisions():
            raise ValueError(
                f"{name!r} is not a metric of the decision score >= threshold, of which a goal can "
                f"be set; choose from {', '.join(_decisions())}."
            )
        metric = as_metric(name)
        if isinstance(wanted, (tuple, list)) and len(wanted) == 2:
            low, high = wanted
        elif metric.greater_is_better:
            low, high = wanted, None
        else:
            low, high = None, wanted
        ends = [_check_end(name, end, wanted) for end in (low, high) if end is not None]
        if not ends:
            raise ValueError(f"{name}={wanted!r} bounds nothing; give at least one end.")
        if len(ends) == 2 and ends[0] > ends[1]:
            raise ValueError(f"{name}={wanted!r} is contradictory: its ends are not in order.")
        return cls(metric, 0.0 if low is None else float(low), 1.0 if high is None else float(high))

    @property
    def asks_for_more(self) -> bool:
        """Whether it keeps the metric from being bad."""
        return self.low > 0.0 if self.metric.greater_is_better else self.high < 1.0

    def holds(self, points) -> np.ndarray:
        """Return whether the bound holds, for each draw and threshold."""
        value = decision_value(self.metric, points)
        return (value >= self.low - ROUNDING) & (value <= self.high + ROUNDING)

    def __str__(self) -> str:
        name = self.metric.name
        if self.low and self.high < 1.0:
            return f"{self.low:g} <= {name} <= {self.high:g}"
        return f"{name} >= {self.low:g}" if self.low else f"{name} <= {self.high:g}"


@dataclass(frozen=True)
class Goal:
    r"""Bounds that must hold together: the condition C(tau) of section 4.4 of the 2013 paper.

    Attributes
    ----------
    bounds : tuple of Bound
    """

    bounds: tuple[Bound, ...]

    @classmethod
    def of(cls, **wanted) -> Goal:
        """Read a goal as a user writes it, one keyword a metric; None means no bound.

        Raises
        ------
        ValueError
            If nothing is wanted, a value lies outside (0, 1), or the bounds cannot hold together.
        """
        bounds = tuple(Bound.of(name, w) for name, w in wanted.items() if w is not None)
        if not bounds:
            raise ValueError(
                f"No goal is set: give at least one of {', '.join(_decisions())}, such as "
                f"precision=0.9."
            )
        _check_together({bound.metric.name: bound for bound in bounds})
        return cls(bounds)

    def holds(self, points) -> np.ndarray:
        """Return whether all bounds hold, for each draw and threshold."""
        return np.logical_and.reduce([bound.holds(points) for bound in self.bounds])

    def metric_to_prefer(self, prefer=None) -> ThresholdMetric:
        """Return the metric that is to be best among thresholds that meet the goal.

        Parameters
        ----------
        prefer : str or ThresholdMetric, default=None
            None means what the goal leaves open.
        """
        if prefer is None:
            prefer = self._left_open()
        metric = as_metric(prefer)
        if not isinstance(metric, ThresholdMetric):
            raise ValueError(
                f"prefer={prefer!r} is not a metric of the decision score >= threshold; choose "
                f"from {', '.join(_decisions())}."
            )
        return metric

    def _left_open(self) -> str:
        names = {bound.metric.name for bound in self.bounds}
        # A bound on the wrong side, such as a recall of at most 0.8, asks for neither.
        if all(bound.asks_for_more for bound in self.bounds):
            if names <= PURITY:
                return "recall"
            if names <= COVERAGE:
                return "precision"
        return "f1"

    def __str__(self) -> str:
        return " and ".join(map(str, self.bounds))


def goal_probability(posterior, goal: Goal, thresholds, *, confidence_level, **task) -> CurveBand:
    """Return the posterior probability that a goal is met, against the threshold."""
    probability = mean_over_draws(posterior, goal.holds, thresholds=thresholds, **task)
    return CurveBand(
        str(goal),
        thresholds,
        Proportions(np.clip(probability, 0.0, 1.0), posterior.ess),
        x_name="threshold",
        y_name="probability",
        confidence_level=confidence_level,
        kind="simulation",
    )


def best_threshold(
    posterior,
    goal: Goal,
    *,
    confidence_level,
    prefer=None,
    turn=lambda t: t,
    pos_label=None,
    **task,
) -> float:
    """Return the most useful threshold that meets a goal with a probability.

    Parameters
    ----------
    posterior : Posterior
    goal : Goal
    confidence_level : float
    prefer : str or ThresholdMetric, default=None
        What is to be best in posterior expectation, as `Goal.metric_to_prefer` takes it.
    turn : callable
        To the scale of the user, on which an error names the best threshold.
    pos_label : object, default=None
        The positive class, which an error names.
    **task
        As `mean_over_draws` takes them.

    Raises
    ------
    UnreachableGoalError
        If no threshold meets the goal with that probability.
    """
    metric = goal.metric_to_prefer(prefer)
    candidates = posterior.sample.grouped(FINEST_CELLS).lower
    probability = mean_over_draws(posterior, goal.holds, thresholds=candidates, **task)
    kept = np.flatnonzero(probability >= confidence_level - ROUNDING)
    if not len(kept):
        best = int(np.argmax(probability))
        shown = turn(candidates[best])
        raise UnreachableGoalError(goal, confidence_level, probability[best], shown, pos_label)
    value = partial(decision_value, metric)
    expected = mean_over_draws(posterior, value, thresholds=candidates[kept], **task)
    best = np.argmax(expected if metric.greater_is_better else -expected)
    return float(candidates[kept[best]])


def decision_value(metric, points) -> np.ndarray:
    """Return a metric of operating points, its `zero_division` where it is not defined."""
    value = metric.value(points.tp, points.fp, points.n_positive, points.n_negative)
    return np.where(np.isnan(value), metric.zero_division, value)


def _check_end(name, end, wanted) -> float:
    if not isinstance(end, numbers.Real) or isinstance(end, bool) or not 0.0 < end < 1.0:
        raise ValueError(
            f"A goal lies strictly between 0 and 1, as a number or a pair (at least, at most) of "
            f"which one may be None; got {name}={wanted!r}."
        )
    return end


def _check_together(bounds: dict[str, Bound]) -> None:
    """Raise if no counts at all could meet these bounds."""

    def ends(name):
        bound = bounds.get(name)
        return (bound.low, bound.high) if bound else (0.0, 1.0)

    if "specificity" in bounds and "false_positive_rate" in bounds:
        low, high = ends("false_positive_rate")
        _check_overlap(bounds, ("specificity", "false_positive_rate"), 1.0 - high, 1.0 - low)
    if "f1" in bounds:
        (p_low, p_high), (r_low, r_high) = ends("precision"), ends("recall")
        reachable = _harmonic(p_low, r_low), _harmonic(p_high, r_high)
        _check_overlap(bounds, ("f1", "precision", "recall"), *reachable)


def _check_overlap(bounds, names, low, high) -> None:
    first = bounds[names[0]]
    if max(first.low, low) > min(first.high, high) + ROUNDING:
        goal = " and ".join(str(bounds[name]) for name in names if name in bounds)
        raise ValueError(
            f"The goal is contradictory: {goal}. What is asked beside it leaves "
            f"{low:.4g} <= {names[0]} <= {high:.4g}."
        )


def _harmonic(precision, recall) -> float:
    both = precision + recall
    return 2.0 * precision * recall / both if both else 0.0


def _decisions() -> list[str]:
    return [name for name, metric in METRICS.items() if issubclass(metric, ThresholdMetric)]
