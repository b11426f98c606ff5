"""Of all answers that keep a goal with a probability, the most useful one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._arrays import FrozenArrays
from ..exceptions import UnreachableGoalError
from ..metrics._metric import ThresholdMetric
from ..results._bands import ScalarEstimate
from ..results._levels import warn_of_few_draws
from ._estimates import answer_estimate, threshold_estimate
from ._goals import ROUNDING, Goal, decision_value, needed_probability
from ._operating_points import FINEST_CELLS, mean_over_draws
from ._sure_answers import sure_answers
from ._task import Task

__all__ = ["AnswerOdds", "BestAnswer", "above_all", "best_threshold", "goal_estimate"]

# Relative to the scores: so far above them a threshold stays above when they are rounded.
ABOVE_ALL = 2.0**-35


class BestAnswer(NamedTuple):
    """The threshold of an answer, larger scores being positive, and how probably it keeps a goal.

    Where none keeps it with the probability that is wanted, it is the most probable one.
    """

    threshold: float
    probability: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class AnswerOdds(FrozenArrays):
    """How probable it is of each threshold that what it decides keeps a goal, and how useful it is.

    Attributes
    ----------
    posterior : Posterior
    goal : Goal
    metric : ThresholdMetric
        What is to be best in posterior expectation.
    task : Task
    thresholds : ndarray of shape (n_thresholds,)
        Rising.
    probability : ndarray of shape (n_thresholds,)
        By the posterior.
    usefulness : ndarray of shape (n_thresholds,)
        The posterior mean of the metric, of its negative if less is better.
    """

    posterior: Any
    goal: Goal
    metric: ThresholdMetric
    task: Task
    thresholds: np.ndarray
    probability: np.ndarray
    usefulness: np.ndarray

    @classmethod
    def of(cls, posterior, goal: Goal, task: Task, *, prefer=None) -> AnswerOdds:
        """Ask a posterior about all thresholds that may be chosen.

        Parameters
        ----------
        posterior : Posterior
        goal : Goal
        task : Task
        prefer : str or ThresholdMetric, default=None
            As `Goal.metric_to_prefer` takes it.
        """
        metric = goal.metric_to_prefer(prefer)
        for asked in (metric, *(bound.metric for bound in goal.bounds)):
            task.check_metric(asked)
        thresholds = posterior.sample.grouped(FINEST_CELLS).lower
        if task.counts_known:
            # With nothing above the threshold what is known to be positive is an answer still.
            thresholds = np.r_[thresholds, above_all(posterior.ends)]
        return cls.at(posterior, goal, metric, task, thresholds)

    @classmethod
    def at(cls, posterior, goal, metric, task, thresholds) -> AnswerOdds:
        """Ask a posterior about some thresholds."""
        both = partial(_kept_and_value, goal, metric)
        mean = mean_over_draws(posterior, both, task, thresholds=thresholds)
        probability, value = mean.reshape(2, -1)
        useful = value if metric.greater_is_better else -value
        return cls(posterior, goal, metric, task, thresholds, probability, useful)

    def up_to(self, highest: float) -> AnswerOdds:
        """Return the odds of the thresholds that are no higher."""
        kept = self.thresholds <= highest
        arrays = (self.thresholds, self.probability, self.usefulness)
        thresholds, probability, usefulness = (array[kept] for array in arrays)
        return replace(self, thresholds=thresholds, probability=probability, usefulness=usefulness)

    def best(self, confidence_level, *, model_weight=1.0) -> BestAnswer:
        """Return the most useful answer that keeps the goal.

        Parameters
        ----------
        confidence_level : float in (0, 1)
            The probability with which it must be kept; see `needed_probability`.
        model_weight : float in [0, 1], default=1.0
            How far the posterior is believed. Where it is wrong, answers that keep the goal
            whatever the labels are keep it still, and of others nothing is said.
        """
        probability = self.probability
        if model_weight < 1.0:
            sure, _ = sure_answers(self.goal, self.posterior.sample, self.thresholds)
            probability = model_weight * probability + (1.0 - model_weight) * sure
        needed = needed_probability(confidence_level)
        kept = np.flatnonzero(probability >= needed - ROUNDING)
        if not len(kept):
            best = int(np.argmax(probability))
            return BestAnswer(float(self.thresholds[best]), float(probability[best]), False)
        useful = self.usefulness[kept]
        tied = kept[useful == useful.max()]
        best = self._best_rule(tied) if len(tied) > 1 and self.task.counts_known else tied[0]
        return BestAnswer(float(self.thresholds[best]), float(probability[best]), True)

    def _best_rule(self, tied) -> int:
        """Return the best rule: thresholds between which all is labelled are one answer."""
        at = self.thresholds[tied]
        rules = self.at(self.posterior, self.goal, self.metric, self.task.of_rule(), at)
        return int(tied[np.lexsort((-rules.usefulness, -rules.probability))[0]])

    def reach(self) -> float:
        """Return how probable it is that any threshold keeps the goal as a rule, labels or not."""
        anywhere, rules = partial(_kept_anywhere, self.goal), self.task.of_rule()
        at = self.thresholds
        share = mean_over_draws(self.posterior, anywhere, rules, thresholds=at)
        return float(np.clip(share[0], 0.0, 1.0))

    def estimate(self, best: BestAnswer) -> ScalarEstimate:
        """Return the metric of an answer."""
        estimate = answer_estimate if self.task.counts_known else threshold_estimate
        return estimate(self.metric, self.posterior, self.task, threshold=best.threshold)


def _kept_and_value(goal, metric, points) -> np.ndarray:
    """Return whether a goal holds, and a metric, side by side: (n_draws, 2 * n_thresholds)."""
    return np.hstack([goal.holds(points), decision_value(metric, points)])


def _kept_anywhere(goal, points) -> np.ndarray:
    """Return whether a goal holds at any threshold, (n_draws, 1)."""
    return goal.holds(points).any(axis=1, keepdims=True)


def goal_estimate(goal: Goal, posterior, orientation, task: Task) -> ScalarEstimate:
    """Return the metric that a goal leaves open, of the best answer that keeps it.

    With the confidence level of the task; of the most probable one if none keeps it.
    """
    odds = AnswerOdds.of(posterior, goal, task.of_answer())
    best = odds.best(task.confidence_level)
    shown = float(orientation.turn_threshold(best.threshold))
    return replace(odds.estimate(best), threshold=shown)


def above_all(ends) -> float:
    """Return a threshold above all scores, of which the lowest and the highest are given."""
    return float(np.nextafter(ends[1] + ABOVE_ALL * np.abs(ends).max(), np.inf))


def best_threshold(
    posterior,
    goal: Goal,
    task,
    *,
    confidence_level,
    prefer=None,
    highest=np.inf,
    turn=lambda t: t,
    pos_label=None,
) -> float:
    """Return the most useful threshold that meets a goal with a probability.

    Parameters
    ----------
    posterior : Posterior
    goal : Goal
    task : Task
    confidence_level : float
        The probability with which the goal must be met; see `needed_probability`.
    prefer : str or ThresholdMetric, default=None
        What is to be best in posterior expectation, as `Goal.metric_to_prefer` takes it.
    highest : float, default=infinity
        No threshold above this is taken.
    turn : callable
        To the scale of the user, on which an error names the best threshold.
    pos_label : object, default=None
        The positive class, which an error names.

    Raises
    ------
    UnreachableGoalError
        If no threshold meets the goal with that probability.
    """
    # With all labels known nothing is left to draws.
    if task.target == "population" or posterior.sample.unlabeled.any():
        warn_of_few_draws(confidence_level, posterior.n_draws, n_sides=1, stacklevel=5)
    odds = AnswerOdds.of(posterior, goal, task, prefer=prefer).up_to(highest)
    best = odds.best(confidence_level)
    if not best.is_kept:
        shown = turn(best.threshold)
        needed = needed_probability(confidence_level)
        raise UnreachableGoalError(
            goal, confidence_level, best.probability, shown, pos_label, needed
        )
    return best.threshold
