r"""Expected information of one more label on a goal: how much closer it comes to being met.

A bound on a ratio of sums over items is a sum itself: :math:`G(\tau) = \sum_i c[z_i, a_i] \ge 0`,
with :math:`a_i` whether item i is selected, and c the contribution of one item. G is approximated
as normal, given a posterior draw and over all draws, with mean m and variance :math:`s^2`; a bound
holds with the required probability once :math:`m - z s \ge 0`. The label of an item reduces the
variance by :math:`A^2 / V`, as in `ExpectedInformation`, with A its covariance with G. It also
moves m, as labeled items are selected or not by their label. Both together are its gain,

.. math:: z \left(s - \sqrt{s^2 - A^2 / V}\right) + E [\Delta m] .

The target threshold maximizes the usefulness times the probability that labels will show that it
meets the goal; it is not the best one that meets the goal now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..curves._best_threshold import ThresholdOdds
from ..curves._goals import Goal, decision_value, needed_probability
from ..curves._operating_points import OperatingPoints, over_draws
from ..curves._task import Task
from ..sample._cells import ScoreCells
from ._expected_information import (
    ExpectedInformation,
    cell_counts,
    label_covariance,
    probability_draws,
)

__all__ = ["Aim", "GoalInformation", "aim_of", "goal_information"]

MIN_VARIANCE = 1e-12
# Planning horizon in labels for choosing the target: the number of labels so far, at least this.
MIN_HORIZON = 20
# The smallest share of the variance left after n more labels, and the number that halves it.
MIN_LEFT, HALF_LEFT = 0.05, 20


@dataclass(frozen=True, eq=False)
class GoalInformation(FrozenArrays):
    """Expected information on a goal of one label in each cell."""

    of_sum: ExpectedInformation  # of the sum that must not be negative, at the target threshold
    variance: float  # of that sum
    drift: np.ndarray  # (n_cells,); expected shift of the sum by a label
    quantile: float  # standard normal quantile of the required probability

    # Gains are the weights of the sampling.
    are_inclusion_proba: ClassVar[bool] = False

    @cached_property
    def gains(self) -> np.ndarray:
        """The expected increase of the lower bound of the sum by one label, (n_cells,)."""
        left = np.maximum(self.variance - self.of_sum.gains, 0.0)
        nearer = self.quantile * (np.sqrt(self.variance) - np.sqrt(left))
        return np.maximum(nearer + self.drift, 0.0)

    def after(self, cell: int) -> GoalInformation:
        """Return the information after querying a label of a cell, by linear regression on it."""
        variance = max(self.variance - self.of_sum.gains[cell], MIN_VARIANCE)
        return replace(self, of_sum=self.of_sum.after(cell), variance=variance)


def goal_information(
    goal: Goal, performance, cells: ScoreCells, *, confidence_level
) -> GoalInformation | ExpectedInformation:
    """Compute the information from the posterior of a performance estimator."""
    n_items = performance.posterior_.sample.counts.sum()
    if any(bound.conditions(n_items) is None for bound in goal.bounds):
        return _by_labels(goal, performance, cells)
    aim = aim_of(goal, performance, cells, confidence_level)
    return aim.of_bound.information(aim.p, aim.place, aim.quantile)


class Aim(NamedTuple):
    """The target threshold of a goal, and its hardest bound."""

    of_bound: BoundSums
    p: np.ndarray  # draws of the cell probabilities, (n_draws, n_cells)
    counts: Sequence[np.ndarray]  # unlabeled, negative and positive items in each cell
    place: int
    quantile: float


def aim_of(goal: Goal, performance, cells: ScoreCells, confidence_level: float) -> Aim:
    """Return the target threshold, for a goal on ratios of sums over items."""
    _, p = probability_draws(performance.posterior_, cells)
    counts = cell_counts(performance.posterior_.sample, cells)
    n_items = np.sum(counts)
    asked = (bound.conditions(n_items) for bound in goal.bounds)
    conditions = [condition for ends in asked for condition, _ in ends or ()]
    sums = [BoundSums.of(condition, p, counts) for condition in conditions]
    quantile = float(special.ndtri(needed_probability(confidence_level)))
    n_labels = float(counts[1].sum() + counts[2].sum())
    chance = np.array([own.chance(quantile, n_labels) for own in sums])
    place = int(np.argmax(chance.min(axis=0) * _usefulness(goal, p, counts)))
    # Among several bounds, labels are spent on the hardest one.
    return Aim(sums[int(np.argmin(chance[:, place]))], p, counts, place, quantile)


@dataclass(frozen=True, eq=False)
class BoundSums(FrozenArrays):
    """The sum that a bound requires not to be negative, at each cell edge and above all."""

    condition: np.ndarray  # (2, 2); contribution of an item, [z, above]
    expected: np.ndarray  # (n_draws, n_cells + 1); expectation in each draw
    variance: np.ndarray  # (n_cells + 1,); over labels and draws

    @classmethod
    def of(cls, condition, p, counts) -> BoundSums:
        """Sum over cells of increasing scores, given probabilities for each draw."""
        unlabeled, negative, positive = counts
        known = negative.sum() * condition[0, 0] + positive.sum() * condition[1, 1]
        (low0, high0), (low1, high1) = condition
        expected = known + _sums_around(
            unlabeled * (low0 + p * (low1 - low0)), unlabeled * (high0 + p * (high1 - high0))
        )
        spread = unlabeled * p * (1.0 - p)
        of_labels = _sums_around(spread * (low1 - low0) ** 2, spread * (high1 - high0) ** 2)
        return cls(condition, expected, of_labels.mean(axis=0) + expected.var(axis=0))

    def chance(self, quantile: float, n_labels: float) -> np.ndarray:
        """Return the probability that labels will show that the bound holds, (n_cells + 1,)."""
        horizon = max(n_labels, MIN_HORIZON)
        left = self.variance * max(1.0 - horizon / (horizon + HALF_LEFT), MIN_LEFT)
        moved = np.sqrt(np.maximum(self.variance - left, MIN_VARIANCE))
        return special.ndtr((self.expected.mean(axis=0) - quantile * np.sqrt(left)) / moved)

    def information(self, p, aim: int, quantile: float) -> GoalInformation:
        """Return the information of labels on the sum at one threshold."""
        above = (np.arange(p.shape[1]) >= aim).astype(int)
        negative, positive = self.condition[0, above], self.condition[1, above]
        expected, mean = self.expected[:, aim], p.mean(axis=0)
        covariance = np.einsum("i,ij->j", expected - expected.mean(), p - mean) / len(p)
        covariance = covariance + np.mean(p * (1.0 - p), axis=0) * (positive - negative)
        known = (1.0 - mean) * self.condition[0, 0] + mean * self.condition[1, 1]
        drift = known - ((1.0 - mean) * negative + mean * positive)
        of_sum = ExpectedInformation.made(p, covariance[np.newaxis])
        variance = max(float(self.variance[aim]), MIN_VARIANCE)
        return GoalInformation(of_sum, variance, drift, quantile)


def _sums_around(below, above) -> np.ndarray:
    """Return sums below, and at or above each threshold, (n_draws, n_cells + 1)."""
    nothing = np.zeros((len(below), 1))
    from_top = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    return np.hstack([from_top, nothing]) + np.hstack([nothing, np.cumsum(below, axis=1)])


def _usefulness(goal: Goal, p, counts) -> np.ndarray:
    """Return the expectation of the metric that a goal leaves open, 0 at its worst."""
    unlabeled, negative, positive = counts
    metric, nothing = goal.metric_to_prefer(), np.zeros_like(p)
    tp = _sums_around(nothing, unlabeled * p) + positive.sum()
    fp = _sums_around(nothing, unlabeled * (1.0 - p))
    n_positive = (unlabeled * p).sum(axis=1, keepdims=True) + positive.sum()
    n_negative = (unlabeled * (1.0 - p)).sum(axis=1, keepdims=True) + negative.sum()
    points = OperatingPoints(tp, fp, n_positive, n_negative, steps=True)
    return decision_value(metric, points).mean(axis=0)


def _by_labels(goal: Goal, performance, cells: ScoreCells) -> ExpectedInformation:
    """Return the information of labels on the bounded metrics, where these are not sums.

    At the threshold that maximizes the usefulness times the probability of meeting the goal.
    """
    posterior, seed = performance.posterior_, performance.seed_
    task = Task("sample", seed).of_selection()
    odds = ThresholdOdds.of(posterior, goal, task)
    aim = odds.thresholds[[int(np.argmax(odds.probability * odds.usefulness))]]
    values = over_draws(posterior, partial(_bounded, goal), task, thresholds=aim)
    chosen, p = probability_draws(posterior, cells)
    return ExpectedInformation.made(p, label_covariance(values[chosen], performance, cells, chosen))


def _bounded(goal: Goal, points) -> np.ndarray:
    """Return the bounded metrics as columns."""
    return np.hstack([decision_value(bound.metric, points) for bound in goal.bounds])
