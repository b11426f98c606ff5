"""The best threshold for a goal, and its worst-case and best-case bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..data._sample import MAX_SCORES, ScoreSample
from ..inputs._arrays import FrozenArrays
from ..metrics._metric import ThresholdMetric
from ..posterior._operating_points import Task, mean_over_draws
from ..posterior._posterior_estimates import threshold_estimate
from ..results._estimates import ScalarEstimate
from ._goal import ROUNDING, Goal, decision_value, needed_probability
from ._label_support import is_supported


def worst_case_bounds(
    goal: Goal, sample: ScoreSample, thresholds: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each selection meets a goal in the worst and in the best case.

    Each bound on a ratio of sums over items requires a nonnegative sum; its extremes have one class
    for all unlabeled items on each side of the threshold. Other bounds are undecided while labels
    are missing: not met in the worst case, met in the best. Returns two arrays of bool,
    (n_thresholds,).
    """
    above = np.searchsorted(sample.lower, thresholds)
    n_above = np.r_[np.cumsum(sample.unlabeled[::-1])[::-1], 0.0][above]
    sides = np.array([sample.unlabeled.sum() - n_above, n_above])
    known = np.diag([sample.negative.sum(), sample.positive.sum()])
    n_items = sample.counts.sum()
    rounding = ROUNDING * max(n_items, 1.0)

    def extreme(terms: Any, pick: Any) -> Any:
        return (terms * known).sum() + pick(terms, axis=0) @ sides

    worst_case = possible = np.ones(len(above), dtype=bool)
    for bound in goal.bounds:
        conditions = bound.conditions(n_items)
        if conditions is None:
            worst_case = np.zeros(len(above), dtype=bool)
            continue
        for condition, denominator in conditions:
            # The ratio of an empty selection is undefined and meets no goal.
            counted = extreme(denominator, np.min) > rounding
            worst_case = worst_case & counted & (extreme(condition, np.min) >= -rounding)
            possible = possible & (extreme(condition, np.max) >= -rounding)
    return worst_case, possible


# A selection is useful enough, unless a value is given, once the metric that its goal leaves open
# is at least this share of what the best threshold is expected to reach.
USEFUL_SHARE = 0.5
# Relative margin above the highest score, so that rounding does not move the threshold below it.
ABOVE_ALL = 2.0**-35


class BestThreshold(NamedTuple):
    """The threshold of a selection, larger scores being positive, and its probability.

    If no threshold meets the goal with the required probability, the most probable one.
    """

    threshold: float
    probability: float
    is_kept: bool
    # Whether more useful selections have the required probability, but too few labels.
    lacks_labels: bool = False


@dataclass(frozen=True, eq=False)
class ThresholdOdds(FrozenArrays):
    """Probability that each threshold's selection meets a goal, and its expected metric."""

    posterior: Any
    goal: Goal
    metric: ThresholdMetric  # posterior mean to maximize
    task: Task
    thresholds: np.ndarray  # (n_thresholds,), increasing
    probability: np.ndarray  # (n_thresholds,), of meeting the goal
    # (n_thresholds,), posterior mean of the metric, negated if less is better
    usefulness: np.ndarray

    @classmethod
    def of(
        cls, posterior: Any, goal: Goal, task: Task, *, prefer: Any = None, highest: float = np.inf
    ) -> ThresholdOdds:
        """Evaluate all candidate thresholds up to the highest one under a posterior.

        `prefer` is as in `Goal.metric_to_prefer`.
        """
        metric = goal.metric_to_prefer(prefer)
        for asked in (metric, *(bound.metric for bound in goal.bounds)):
            task.check_metric(asked)
        thresholds = posterior.sample.grouped(MAX_SCORES).lower
        if task.counts_known:
            # A threshold above all scores still selects the known positives.
            thresholds = np.r_[thresholds, above_all(posterior.ends)]
        return cls.at(posterior, goal, metric, task, thresholds[thresholds <= highest])

    @classmethod
    def at(
        cls, posterior: Any, goal: Any, metric: Any, task: Any, thresholds: Any
    ) -> ThresholdOdds:
        """Evaluate given thresholds under a posterior."""
        both = partial(_kept_and_value, goal, metric)
        mean = mean_over_draws(posterior, both, task, thresholds=thresholds)
        probability, value = mean.reshape(2, -1)
        # The weights of draws sum to one only up to rounding.
        probability = np.clip(probability, 0.0, 1.0)
        useful = value if metric.greater_is_better else -value
        return cls(posterior, goal, metric, task, thresholds, probability, useful)

    def best(self, confidence_level: float, *, model_weight: Any = 1.0) -> BestThreshold:
        """Return the best selection that meets the goal, and that labels support.

        `confidence_level` is that of the guarantee, see `needed_probability`; `model_weight` in [0,
        1] is the posterior probability of the model. If the model is wrong, only selections that
        meet the goal for any labels count.
        """
        probability = self.probability
        if model_weight < 1.0:
            worst_case, _ = worst_case_bounds(self.goal, self.posterior.sample, self.thresholds)
            probability = model_weight * probability + (1.0 - model_weight) * worst_case
        is_probable = probability >= needed_probability(confidence_level) - ROUNDING
        unsupported = self.usefulness[is_probable & ~self.is_supported]
        kept = np.flatnonzero(is_probable & self.is_supported)

        if not len(kept):
            best = int(np.argmax(probability))
            at, lacks_labels = float(self.thresholds[best]), bool(len(unsupported))
            return BestThreshold(at, float(probability[best]), False, lacks_labels)

        useful = self.usefulness[kept]
        tied = kept[useful == useful.max()]
        best = self._best_rule(tied) if len(tied) > 1 and self.task.counts_known else tied[0]
        lacks_labels = bool(unsupported.max(initial=-np.inf) > self.usefulness[best])
        at = float(self.thresholds[best])
        return BestThreshold(at, float(probability[best]), True, lacks_labels)

    @cached_property
    def is_supported(self) -> np.ndarray:
        """Whether enough labels lie where they decide on the goal, (n_thresholds,)."""
        return is_supported(self.goal, self.posterior.sample, self.thresholds, self.task)

    def _best_rule(self, tied: Any) -> int:
        """Return the best rule among thresholds with the same selection."""
        at = self.thresholds[tied]
        rules = self.at(self.posterior, self.goal, self.metric, self.task.of_rule(), at)
        return int(tied[np.lexsort((-rules.usefulness, -rules.probability))[0]])

    def reach(self) -> float:
        """Return the probability that some threshold meets the goal as a decision rule."""
        anywhere, rules = partial(_kept_anywhere, self.goal), self.task.of_rule()
        at = self.thresholds
        share = mean_over_draws(self.posterior, anywhere, rules, thresholds=at)
        return float(np.clip(share[0], 0.0, 1.0))

    def attainable(self) -> float:
        """Return the expected metric of the best rule that meets the goal, 0 where none does."""
        best, rules = partial(_best_value, self.goal, self.metric), self.task.of_rule()
        mean = mean_over_draws(self.posterior, best, rules, thresholds=self.thresholds)
        return float(mean[0])

    def estimate(self, best: BestThreshold) -> ScalarEstimate:
        """Return the metric of a selection."""
        at = best.threshold
        return threshold_estimate(self.metric, self.posterior, self.task, threshold=at)


def _kept_and_value(goal: Any, metric: Any, points: Any) -> np.ndarray:
    """Return whether a goal is met, and a metric, side by side: (n_draws, 2 * n_thresholds)."""
    return np.hstack([goal.holds(points), decision_value(metric, points)])


def _kept_anywhere(goal: Any, points: Any) -> np.ndarray:
    """Return whether a goal is met at any threshold, (n_draws, 1)."""
    return goal.holds(points).any(axis=1, keepdims=True)


def _best_value(goal: Any, metric: Any, points: Any) -> np.ndarray:
    """Return the largest metric of the rules that meet a goal, 0 without one, (n_draws, 1)."""
    value = np.where(goal.holds(points), decision_value(metric, points), 0.0)
    return value.max(axis=1, keepdims=True)


def goal_estimate(goal: Goal, posterior: Any, score_direction: Any, task: Task) -> ScalarEstimate:
    """Estimate the complementary metric of the best selection that meets a goal.

    At the confidence level of the task; for the most probable selection if none meets the goal.
    """
    odds = ThresholdOdds.of(posterior, goal, task.of_selection())
    best = odds.best(task.confidence_level)
    shown = float(score_direction.flip_threshold(best.threshold))
    return replace(odds.estimate(best), threshold=shown)


def above_all(ends: Any) -> float:
    """Return a threshold above all scores, given the lowest and highest score."""
    return float(np.nextafter(ends[1] + ABOVE_ALL * np.abs(ends).max(), np.inf))
