r"""What one more label would tell of a goal: how much nearer it brings the answer that is aimed at.

A bound on a ratio of sums over items is a sum itself: :math:`G(\tau) = \sum_i c[z_i, a_i] \ge 0`,
with :math:`a_i` whether item i is in the answer, and c what the bound asks of one item. Given a
draw of the posterior G is nearly normal, and so is it over all draws, with a mean m and a variance
:math:`s^2`; a bound is kept with a probability once :math:`m - z s \ge 0`. The label of an item
takes :math:`A^2 / V` from the variance, as in `ExpectedInformation`, with A its covariance with G.
And it moves m, as what is known is in the answer or out of it by its label. Both together are its
gain,

.. math:: z \left(s - \sqrt{s^2 - A^2 / V}\right) + E [\Delta m] .

The threshold that is aimed at is the one whose usefulness, times the chance that labels will make
it keep the goal, is largest: not the best one that keeps it now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ..curves._best_answer import AnswerOdds
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

LEAST_VARIANCE = 1e-12
# So many labels ahead the aim is chosen: as many as there are, and not fewer than these.
LEAST_HORIZON = 20
# What is left of the variance after n more labels, at least, and after how many half of it.
LEAST_LEFT, HALF_LEFT = 0.05, 20


@dataclass(frozen=True, eq=False)
class GoalInformation(FrozenArrays):
    """What a label of an item in each cell would tell of a goal.

    Attributes
    ----------
    of_sum : ExpectedInformation
        Of the sum that must not be negative, where it is aimed at.
    variance : float
        Of that sum.
    drift : ndarray of shape (n_cells,)
        How far a label is expected to move it, as known labels count.
    quantile : float
        Of the standard normal, at the probability with which the goal must be kept.
    """

    of_sum: ExpectedInformation
    variance: float
    drift: np.ndarray
    quantile: float

    # Gains, of which chances are made.
    are_chances: ClassVar[bool] = False

    @cached_property
    def gains(self) -> np.ndarray:
        """How far a label is expected to raise the lower bound of the sum, (n_cells,)."""
        left = np.maximum(self.variance - self.of_sum.gains, 0.0)
        nearer = self.quantile * (np.sqrt(self.variance) - np.sqrt(left))
        return np.maximum(nearer + self.drift, 0.0)

    def after(self, cell: int) -> GoalInformation:
        """Return what is left once a label of a cell is asked for, by linear regression on it."""
        variance = max(self.variance - self.of_sum.gains[cell], LEAST_VARIANCE)
        return replace(self, of_sum=self.of_sum.after(cell), variance=variance)


def goal_information(
    goal: Goal, performance, cells: ScoreCells, *, confidence_level
) -> GoalInformation | ExpectedInformation:
    """Look ahead from the posterior of a performance estimator.

    Parameters
    ----------
    goal : Goal
    performance : PerformanceCurveEstimator
    cells : ScoreCells
    confidence_level : float
        With what probability the goal must be kept.
    """
    n_items = performance.posterior_.sample.counts.sum()
    if any(bound.conditions(n_items) is None for bound in goal.bounds):
        return _by_labels(goal, performance, cells)
    aim = aim_of(goal, performance, cells, confidence_level)
    return aim.of_bound.information(aim.p, aim.place, aim.quantile)


class Aim(NamedTuple):
    """The threshold whose answer labels may bring to keep a goal, and the bound that is hardest.

    `p` are draws of the probabilities of cells, `counts` how many items there are in each of them
    without a label, negative and positive.
    """

    of_bound: BoundSums
    p: np.ndarray
    counts: Sequence[np.ndarray]
    place: int
    quantile: float


def aim_of(goal: Goal, performance, cells: ScoreCells, confidence_level: float) -> Aim:
    """Return what labels are for, of a goal of ratios of sums over items."""
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
    # Of several bounds labels are for the one that is hardest to keep.
    return Aim(sums[int(np.argmin(chance[:, place]))], p, counts, place, quantile)


@dataclass(frozen=True, eq=False)
class BoundSums(FrozenArrays):
    """The sum that a bound asks not to be negative, at the lower end of each cell and above all.

    Attributes
    ----------
    condition : ndarray of shape (2, 2)
        What one item adds, ``[z, above]``.
    expected : ndarray of shape (n_draws, n_cells + 1)
        Its expectation in each draw.
    variance : ndarray of shape (n_cells + 1,)
        Over labels and draws.
    """

    condition: np.ndarray
    expected: np.ndarray
    variance: np.ndarray

    @classmethod
    def of(cls, condition, p, counts) -> BoundSums:
        """Sum over cells of rising scores, of which probabilities are given for each draw."""
        unlabeled, negative, positive = counts
        known = negative.sum() * condition[0, 0] + positive.sum() * condition[1, 1]
        (low0, high0), (low1, high1) = condition
        expected = known + _on_sides(
            unlabeled * (low0 + p * (low1 - low0)), unlabeled * (high0 + p * (high1 - high0))
        )
        spread = unlabeled * p * (1.0 - p)
        of_labels = _on_sides(spread * (low1 - low0) ** 2, spread * (high1 - high0) ** 2)
        return cls(condition, expected, of_labels.mean(axis=0) + expected.var(axis=0))

    def chance(self, quantile: float, n_labels: float) -> np.ndarray:
        """Return how probably labels will show that the bound is kept, (n_cells + 1,)."""
        horizon = max(n_labels, LEAST_HORIZON)
        left = self.variance * max(1.0 - horizon / (horizon + HALF_LEFT), LEAST_LEFT)
        moved = np.sqrt(np.maximum(self.variance - left, LEAST_VARIANCE))
        return special.ndtr((self.expected.mean(axis=0) - quantile * np.sqrt(left)) / moved)

    def information(self, p, aim: int, quantile: float) -> GoalInformation:
        """Return what labels tell of the sum at one threshold."""
        above = (np.arange(p.shape[1]) >= aim).astype(int)
        negative, positive = self.condition[0, above], self.condition[1, above]
        expected, mean = self.expected[:, aim], p.mean(axis=0)
        covariance = np.einsum("i,ij->j", expected - expected.mean(), p - mean) / len(p)
        covariance = covariance + np.mean(p * (1.0 - p), axis=0) * (positive - negative)
        known = (1.0 - mean) * self.condition[0, 0] + mean * self.condition[1, 1]
        drift = known - ((1.0 - mean) * negative + mean * positive)
        of_sum = ExpectedInformation.made(p, covariance[np.newaxis])
        variance = max(float(self.variance[aim]), LEAST_VARIANCE)
        return GoalInformation(of_sum, variance, drift, quantile)


def _on_sides(below, above) -> np.ndarray:
    """Return sums over what lies below a threshold and at or above it, (n_draws, n_cells + 1)."""
    nothing = np.zeros((len(below), 1))
    from_top = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    return np.hstack([from_top, nothing]) + np.hstack([nothing, np.cumsum(below, axis=1)])


def _usefulness(goal: Goal, p, counts) -> np.ndarray:
    """Return what the metric that a goal leaves open is expected to be, 0 at its worst."""
    unlabeled, negative, positive = counts
    metric, nothing = goal.metric_to_prefer(), np.zeros_like(p)
    tp = _on_sides(nothing, unlabeled * p) + positive.sum()
    fp = _on_sides(nothing, unlabeled * (1.0 - p))
    n_positive = (unlabeled * p).sum(axis=1, keepdims=True) + positive.sum()
    n_negative = (unlabeled * (1.0 - p)).sum(axis=1, keepdims=True) + negative.sum()
    points = OperatingPoints(tp, fp, n_positive, n_negative, steps=True)
    return decision_value(metric, points).mean(axis=0)


def _by_labels(goal: Goal, performance, cells: ScoreCells) -> ExpectedInformation:
    """Return what labels tell of the metrics that are bounded, where these are no sums.

    At the threshold whose usefulness, times the probability that it keeps the goal, is largest.
    """
    posterior, seed = performance.posterior_, performance.seed_
    task = Task("sample", seed).of_answer()
    odds = AnswerOdds.of(posterior, goal, task)
    aim = odds.thresholds[[int(np.argmax(odds.probability * odds.usefulness))]]
    values = over_draws(posterior, partial(_bounded, goal), task, thresholds=aim)
    chosen, p = probability_draws(posterior, cells)
    return ExpectedInformation.made(p, label_covariance(values[chosen], performance, cells, chosen))


def _bounded(goal: Goal, points) -> np.ndarray:
    """Return the metrics that are bounded, side by side."""
    return np.hstack([decision_value(bound.metric, points) for bound in goal.bounds])
