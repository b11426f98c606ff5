"""The best threshold for a goal, and its worst-case and best-case bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ..data._sample import MAX_SCORES, ScoreSample
from ..inputs._arrays import FrozenArrays
from ..inputs._scores import ScoreDirection
from ..metrics._metric import MetricLike, ThresholdMetric
from ..posterior._operating_points import OperatingPoints, Task, mean_over_draws
from ..posterior._posterior import Posterior
from ..posterior._posterior_estimates import threshold_estimate
from ..results._estimates import ScalarEstimate
from ._goal import ROUNDING, Goal, decision_value, needed_probability
from ._label_support import is_supported

# A selection is useful enough, unless a value is given, once the metric that its goal leaves open
# is at least this share of what the best threshold is expected to reach.
USEFUL_SHARE = 0.5
# Relative margin above the highest score, so that rounding does not move the threshold below it.
ABOVE_ALL = 2.0**-35


def worst_case_bounds(
    goal: Goal, sample: ScoreSample, thresholds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each selection meets a goal in the worst and in the best case.

    Each bound on a ratio of sums over items requires a nonnegative sum; its extremes have one class
    for all unlabeled items on each side of the threshold. Other bounds are undecided while labels
    are missing: not met in the worst case, met in the best. Returns two arrays of bool,
    (n_thresholds,).
    """
    # Unlabeled items below, and at or above, each threshold: (2, n_thresholds).
    n_unlabeled = sample.around(thresholds, sample.unlabeled)

    # A known negative counts as below, and a known positive as above, whatever the threshold.
    n_labeled = np.diag([sample.negative.sum(), sample.positive.sum()])
    n_items = sample.counts.sum()
    rounding = ROUNDING * max(n_items, 1.0)

    def extreme(terms: np.ndarray, over_classes: Callable[..., np.ndarray]) -> np.ndarray:
        return (terms * n_labeled).sum() + over_classes(terms, axis=0) @ n_unlabeled

    worst_case = np.ones(len(thresholds), dtype=bool)
    possible = worst_case
    for bound in goal.bounds:
        conditions = bound.conditions(n_items)
        if conditions is None:
            worst_case = np.zeros(len(thresholds), dtype=bool)
            continue

        for condition, denominator in conditions:
            # The ratio of an empty selection is undefined and meets no goal.
            is_defined = extreme(denominator, np.min) > rounding
            worst_case = worst_case & is_defined & (extreme(condition, np.min) >= -rounding)
            possible = possible & (extreme(condition, np.max) >= -rounding)
    return worst_case, possible


class BestThreshold(NamedTuple):
    """The threshold of a selection, larger scores being positive, and its probability.

    If no threshold meets the goal with the required probability, the most probable one.
    """

    threshold: float
    probability: float
    is_kept: bool
    # Whether more useful selections have the required probability, but too few labels.
    lacks_labels: bool = False
    # The threshold of the most useful of these, if there are any.
    candidate: float | None = None


@dataclass(frozen=True, eq=False)
class ThresholdOdds(FrozenArrays):
    """Probability that each threshold's selection meets a goal, and its expected metric."""

    posterior: Posterior
    goal: Goal
    metric: ThresholdMetric  # posterior mean to maximize
    task: Task
    thresholds: np.ndarray  # (n_thresholds,), increasing
    probability: np.ndarray  # (n_thresholds,), of meeting the goal
    # (n_thresholds,), posterior mean of the metric, negated if less is better
    usefulness: np.ndarray

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        goal: Goal,
        task: Task,
        *,
        prefer: MetricLike | None = None,
        highest: float = np.inf,
    ) -> ThresholdOdds:
        """Evaluate all candidate thresholds up to the highest one under a posterior.

        `prefer` is as in `Goal.metric_to_prefer`.
        """
        metric = goal.metric_to_prefer(prefer)
        for evaluated in (metric, *(bound.metric for bound in goal.bounds)):
            task.check_metric(evaluated)

        thresholds = posterior.sample.grouped(MAX_SCORES).lower
        if task.counts_known:
            # A threshold above all scores still selects the known positives.
            thresholds = np.r_[thresholds, above_all(posterior.ends)]
        return cls.at(posterior, goal, metric, task, thresholds[thresholds <= highest])

    @classmethod
    def at(
        cls,
        posterior: Posterior,
        goal: Goal,
        metric: ThresholdMetric,
        task: Task,
        thresholds: np.ndarray,
    ) -> ThresholdOdds:
        """Evaluate given thresholds under a posterior."""
        # One pass over the draws computes both means.
        indicator_and_value = partial(_goal_and_value, goal, metric)
        means = mean_over_draws(posterior, indicator_and_value, task, thresholds=thresholds)
        probability, value = means.reshape(2, -1)

        # The weights of draws sum to one only up to rounding.
        probability = np.clip(probability, 0.0, 1.0)
        usefulness = value if metric.greater_is_better else -value
        return cls(posterior, goal, metric, task, thresholds, probability, usefulness)

    def best(self, confidence_level: float, *, model_weight: float = 1.0) -> BestThreshold:
        """Return the best selection that meets the goal, and that labels support.

        `confidence_level` is that of the guarantee, see `needed_probability`; `model_weight` in [0,
        1] is the posterior probability of the model. If the model is wrong, only selections that
        meet the goal for any labels count.
        """
        probability = self.probability
        if model_weight < 1.0:
            worst_case, _ = worst_case_bounds(self.goal, self.posterior.sample, self.thresholds)
            probability = model_weight * probability + (1.0 - model_weight) * worst_case

        # The goal is met with enough probability, and labels test it.
        is_probable = probability >= needed_probability(confidence_level) - ROUNDING
        unsupported = np.where(is_probable & ~self.is_supported, self.usefulness, -np.inf)
        most_useful = float(self.thresholds[np.argmax(unsupported)])
        candidates = np.flatnonzero(is_probable & self.is_supported)

        # Without a candidate: the most probable selection, marked as not keeping the goal.
        if not len(candidates):
            best = int(np.argmax(probability))
            usefulness_of_best = -np.inf
        else:
            # Selections with the same items differ only as rules for new items.
            usefulness = self.usefulness[candidates]
            tied = candidates[usefulness == usefulness.max()]
            best = self._best_rule(tied) if len(tied) > 1 and self.task.counts_known else tied[0]
            usefulness_of_best = self.usefulness[best]

        lacks_labels = bool(unsupported.max() > usefulness_of_best)
        return BestThreshold(
            float(self.thresholds[best]),
            float(probability[best]),
            bool(len(candidates)),
            lacks_labels,
            most_useful if lacks_labels else None,
        )

    @cached_property
    def is_supported(self) -> np.ndarray:
        """Whether enough labels lie where they decide on the goal, (n_thresholds,)."""
        return is_supported(self.goal, self.posterior.sample, self.thresholds, self.task)

    def _best_rule(self, tied: np.ndarray) -> int:
        """Return the best rule among thresholds, given by index, with the same selection."""
        thresholds = self.thresholds[tied]
        rules = self.at(self.posterior, self.goal, self.metric, self.task.of_rule(), thresholds)
        order = np.lexsort((-rules.usefulness, -rules.probability))
        return int(tied[order[0]])

    def reach(self) -> float:
        """Return the probability that some threshold meets the goal as a decision rule."""
        is_met = partial(_is_met_anywhere, self.goal)
        rules = self.task.of_rule()
        probability = mean_over_draws(self.posterior, is_met, rules, thresholds=self.thresholds)
        return float(np.clip(probability[0], 0.0, 1.0))

    def attainable(self) -> float:
        """Return the expected metric of the best rule that meets the goal, 0 where none does."""
        best_value = partial(_best_value, self.goal, self.metric)
        rules = self.task.of_rule()
        mean = mean_over_draws(self.posterior, best_value, rules, thresholds=self.thresholds)
        return float(mean[0])

    def estimate(self, best: BestThreshold) -> ScalarEstimate:
        """Return the metric of a selection."""
        return threshold_estimate(self.metric, self.posterior, self.task, threshold=best.threshold)


def _goal_and_value(goal: Goal, metric: ThresholdMetric, points: OperatingPoints) -> np.ndarray:
    """Return whether a goal is met, and a metric, side by side: (n_draws, 2 * n_thresholds)."""
    return np.hstack([goal.holds(points), decision_value(metric, points)])


def _is_met_anywhere(goal: Goal, points: OperatingPoints) -> np.ndarray:
    """Return whether a goal is met at any threshold, (n_draws, 1)."""
    return np.any(goal.holds(points), axis=1, keepdims=True)


def _best_value(goal: Goal, metric: ThresholdMetric, points: OperatingPoints) -> np.ndarray:
    """Return the largest metric of the rules that meet a goal, 0 without one, (n_draws, 1)."""
    value = np.where(goal.holds(points), decision_value(metric, points), 0.0)
    return value.max(axis=1, keepdims=True)


def goal_estimate(
    goal: Goal, posterior: Posterior, score_direction: ScoreDirection, task: Task
) -> ScalarEstimate:
    """Estimate the complementary metric of the best selection that meets a goal.

    At the confidence level of the task; for the most probable selection if none meets the goal.
    """
    odds = ThresholdOdds.of(posterior, goal, task.of_selection())
    best = odds.best(task.confidence_level)
    threshold = float(score_direction.flip_threshold(best.threshold))
    return replace(odds.estimate(best), threshold=threshold)


def above_all(ends: np.ndarray) -> float:
    """Return a threshold above all scores, given the lowest and highest score."""
    return float(np.nextafter(ends[1] + ABOVE_ALL * np.abs(ends).max(), np.inf))
