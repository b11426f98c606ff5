r"""Expected information in a label on a goal, its guarantee, and its proof.

Expected information of one more label on a goal: how much closer it comes to being met.

A bound on a ratio of sums over items is a sum itself: :math:`G(\tau) = \sum_i c[z_i, a_i] \ge 0`,
with :math:`a_i` whether item i is selected, and c the contribution of one item. G is approximated
as normal, given a posterior draw and over all draws, with mean m and variance :math:`s^2`; a bound
holds with the required probability once :math:`m - z s \ge 0`. The label of an item reduces the
variance by :math:`A^2 / V`, as in `ExpectedInformation`, with A its covariance with G. It also
moves m, as labeled items are selected or not by their label. Both together are its gain,

.. math:: z \left(s - \sqrt{s^2 - A^2 / V}\right) + E [\Delta m] .

The target threshold maximizes the usefulness times the probability that labels will show that it
meets the goal; it is not the best one that meets the goal now.

Inclusion probabilities with which a proof that a selection meets a goal takes few labels.

A test that a sum over items is not negative (`SumTest`) gains power as the variance of the draws
decreases. Item i, drawn with inclusion probability :math:`q_i`, contributes :math:`s_i^2 / q_i` to
the variance, with :math:`s_i^2` the squared deviation of its contribution from the mean of its side
of the threshold; the variance is smallest for :math:`q_i` proportional to :math:`s_i`. Predictions
are shrunk towards one half, as models are overconfident, and small inclusion probabilities limit
all bets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..design._label_design import shrunk_predictions
from ..estimators._performance import PerformanceCurveEstimator
from ..goals._best_threshold import ThresholdOdds
from ..goals._goal import Goal, decision_value, needed_probability
from ..inputs._arrays import FrozenArrays
from ..posterior._operating_points import OperatingPoints, Task, over_draws
from ..results._estimates import ScalarEstimate
from ..results._verdict import Reason
from ._information import ExpectedInformation, cell_counts, label_covariance, probability_draws

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
        variance_left = np.maximum(self.variance - self.of_sum.gains, 0.0)
        narrowing = self.quantile * (np.sqrt(self.variance) - np.sqrt(variance_left))
        return np.maximum(narrowing + self.drift, 0.0)

    def after(self, cell: int) -> GoalInformation:
        """Return the information after querying a label of a cell, by linear regression on it."""
        variance = max(self.variance - self.of_sum.gains[cell], MIN_VARIANCE)
        return replace(self, of_sum=self.of_sum.after(cell), variance=variance)


def goal_information(
    goal: Goal,
    performance: PerformanceCurveEstimator,
    cells: ScoreCells,
    *,
    confidence_level: float,
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


def aim_of(
    goal: Goal, performance: PerformanceCurveEstimator, cells: ScoreCells, confidence_level: float
) -> Aim:
    """Return the target threshold, for a goal on ratios of sums over items."""
    _, p = probability_draws(performance.posterior_, cells)
    counts = cell_counts(performance.posterior_.sample, cells)
    n_items = np.sum(counts)

    # Each bound requires one sum, or two for both its ends, not to be negative.
    conditions = [
        condition for bound in goal.bounds for condition, _ in bound.conditions(n_items) or ()
    ]
    sums = [BoundSums.of(condition, p, counts) for condition in conditions]

    # The most useful threshold, weighted by the probability that labels will show its bounds.
    quantile = float(special.ndtri(needed_probability(confidence_level)))
    _, n_negatives, n_positives = (part.sum() for part in counts)
    n_labels = float(n_negatives + n_positives)
    probability = np.array([bound_sums.chance(quantile, n_labels) for bound_sums in sums])
    usefulness = _usefulness(goal, p, counts)
    place = int(np.argmax(probability.min(axis=0) * usefulness))

    # Among several bounds, labels are spent on the hardest one.
    hardest = int(np.argmin(probability[:, place]))
    return Aim(sums[hardest], p, counts, place, quantile)


@dataclass(frozen=True, eq=False)
class BoundSums(FrozenArrays):
    """The sum that a bound requires not to be negative, at each cell edge and above all."""

    condition: np.ndarray  # (2, 2); contribution of an item, [z, above]
    expected: np.ndarray  # (n_draws, n_cells + 1); expectation in each draw
    variance: np.ndarray  # (n_cells + 1,); over labels and draws

    @classmethod
    def of(cls, condition: np.ndarray, p: np.ndarray, counts: Sequence[np.ndarray]) -> BoundSums:
        """Sum over cells of increasing scores, given probabilities for each draw."""
        unlabeled, negative, positive = counts
        known = negative.sum() * condition[0, 0] + positive.sum() * condition[1, 1]

        # The contribution of a negative below and above the threshold, and its change by a label.
        negative_below, negative_above = condition[0]
        change_below, change_above = condition[1] - condition[0]
        below = unlabeled * (negative_below + p * change_below)
        above = unlabeled * (negative_above + p * change_above)
        expected = known + _sums_around(below, above)

        # The variance over the labels of a draw, and over draws.
        label_variance = unlabeled * p * (1.0 - p)
        within = _sums_around(label_variance * change_below**2, label_variance * change_above**2)
        return cls(condition, expected, within.mean(axis=0) + expected.var(axis=0))

    def chance(self, quantile: float, n_labels: float) -> np.ndarray:
        """Return the probability that labels will show that the bound holds, (n_cells + 1,)."""
        horizon = max(n_labels, MIN_HORIZON)
        share_left = max(1.0 - horizon / (horizon + HALF_LEFT), MIN_LEFT)
        variance_left = self.variance * share_left
        variance_removed = np.maximum(self.variance - variance_left, MIN_VARIANCE)

        # Labels move the mean, and the lower bound of the sum must exceed zero.
        lower_bound = self.expected.mean(axis=0) - quantile * np.sqrt(variance_left)
        return special.ndtr(lower_bound / np.sqrt(variance_removed))

    def information(self, p: np.ndarray, aim: int, quantile: float) -> GoalInformation:
        """Return the information of labels on the sum at one threshold."""
        # Contribution of an unlabeled item of each cell, by its label.
        above = (np.arange(p.shape[1]) >= aim).astype(int)
        negative = self.condition[0, above]
        positive = self.condition[1, above]

        # A: through the curve, and by the item's own contribution.
        expected = self.expected[:, aim]
        mean = p.mean(axis=0)
        curve_part = np.einsum("i,ij->j", expected - expected.mean(), p - mean) / len(p)
        item_part = np.mean(p * (1.0 - p), axis=0) * (positive - negative)
        covariance = curve_part + item_part

        # Once labeled, an item is selected if it is positive, and else left out.
        labeled = (1.0 - mean) * self.condition[0, 0] + mean * self.condition[1, 1]
        unlabeled = (1.0 - mean) * negative + mean * positive
        drift = labeled - unlabeled

        of_sum = ExpectedInformation.made(p, covariance[np.newaxis])
        variance = max(float(self.variance[aim]), MIN_VARIANCE)
        return GoalInformation(of_sum, variance, drift, quantile)


def _sums_around(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return sums below, and at or above each threshold, (n_draws, n_cells + 1)."""
    nothing = np.zeros((len(below), 1))
    from_top = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    from_bottom = np.cumsum(below, axis=1)
    return np.hstack([from_top, nothing]) + np.hstack([nothing, from_bottom])


def _usefulness(goal: Goal, p: np.ndarray, counts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the expectation of the metric to maximize under a goal, 0 if undefined."""
    unlabeled, negative, positive = counts
    metric = goal.metric_to_prefer()

    # Unlabeled items are selected from the threshold up; known positives always are.
    nothing = np.zeros_like(p)
    positives = unlabeled * p
    negatives = unlabeled * (1.0 - p)
    tp = _sums_around(nothing, positives) + positive.sum()
    fp = _sums_around(nothing, negatives)
    n_positive = positives.sum(axis=1, keepdims=True) + positive.sum()
    n_negative = negatives.sum(axis=1, keepdims=True) + negative.sum()
    points = OperatingPoints(tp, fp, n_positive, n_negative, steps=True)
    return decision_value(metric, points).mean(axis=0)


def _by_labels(
    goal: Goal, performance: PerformanceCurveEstimator, cells: ScoreCells
) -> ExpectedInformation:
    """Return the information of labels on the bounded metrics, where these are not sums.

    At the threshold that maximizes the usefulness times the probability of meeting the goal.
    """
    posterior = performance.posterior_
    task = Task("sample", performance.seed_).of_selection()
    odds = ThresholdOdds.of(posterior, goal, task)
    best = int(np.argmax(odds.probability * odds.usefulness))
    thresholds = odds.thresholds[[best]]

    values = over_draws(posterior, partial(_bounded, goal), task, thresholds=thresholds)
    chosen, p = probability_draws(posterior, cells)
    covariance = label_covariance(values[chosen], performance, cells, chosen)
    return ExpectedInformation.made(p, covariance)


def _bounded(goal: Goal, points: OperatingPoints) -> np.ndarray:
    """Return the bounded metrics as columns."""
    return np.hstack([decision_value(bound.metric, points) for bound in goal.bounds])


@dataclass(frozen=True, eq=False)
class Guarantee(FrozenArrays):
    """The best selection that meets a goal, or the most probable one if none does."""

    goal: Goal
    threshold: float  # on the user's scale; NaN if no selection meets the goal
    probability: float  # that the selection meets the goal
    confidence_level: float  # the required probability
    is_possible: bool  # whether further labels may let a selection meet the goal
    estimate: ScalarEstimate  # the metric that the goal leaves open
    # (n_rows,); which rows of X are selected; none if no selection meets the goal.
    selection: np.ndarray
    is_proof: bool = False  # whether it is proved from the labels alone, at level `probability`
    lacks_labels: bool = False  # whether the model supports a better selection, but no labels
    remarks: tuple[Reason, ...] = ()  # about the selection, by its labels

    @property
    def is_kept(self) -> bool:
        """Whether a selection meets the goal with the required probability."""
        return bool(np.isfinite(self.threshold))

    @property
    def _needed(self) -> float:
        return self.confidence_level if self.is_proof else needed_probability(self.confidence_level)

    def describe(self) -> str:
        """Return the state of the goal in words."""
        if self.is_kept:
            n_selected = int(self.selection.sum())
            if self.is_proof:
                state = f"is proved to keep {self.goal} at the level {self.probability:.3g}"
            else:
                state = f"keeps {self.goal} with probability {self.probability:.3g}"
            return f"an answer of {n_selected} items {state}"

        if not self.is_possible:
            return f"no answer can keep {self.goal}, whatever the missing labels are"
        if self.is_proof:
            return (
                f"labels prove of no answer yet that it keeps {self.goal} at the level "
                f"{self.confidence_level:g}: of the best one they do at {self.probability:.3g}"
            )
        if self.lacks_labels:
            return (
                f"no answer that labels support keeps {self.goal} with probability "
                f"{self.confidence_level:g} yet: the best one has {self.probability:.3g} in the "
                "posterior, but too few labels where that decides"
            )
        return (
            f"no answer keeps {self.goal} with probability {self.confidence_level:g} yet: that "
            f"takes {self._needed:.4g} in the posterior, and the best one has "
            f"{self.probability:.3g}"
        )

    def reasons(self) -> Iterator[Reason]:
        """Yield the reasons for a verdict."""
        yield from self.remarks
        if self.is_kept:
            return

        if self.is_possible:
            name = "goal_not_kept"
            remedy = "Label more items, or lower the goal."
        else:
            name = "goal_impossible"
            remedy = "Lower the goal: further labels do not help."
        text = self.describe()
        yield Reason(
            name,
            "ok",
            f"{text[0].upper()}{text[1:]}.",
            self.probability,
            self._needed,
            remedy=remedy,
            parameter="metric",
        )


@dataclass(frozen=True, eq=False)
class ProofInformation(FrozenArrays):
    """Contribution of a label in each cell to a proof."""

    gains: np.ndarray  # (n_cells,); items are drawn in proportion to these

    # These are inclusion probabilities already.
    are_inclusion_proba: ClassVar[bool] = True

    def after(self, cell: int) -> ProofInformation:
        """Return self: pending labels change nothing in what remains to be proved."""
        return self


def proof_information(
    goal: Goal,
    performance: PerformanceCurveEstimator,
    cells: ScoreCells,
    *,
    confidence_level: float,
) -> ProofInformation:
    """Return the contributions of labels to the proof for the target threshold."""
    aim = aim_of(goal, performance, cells, confidence_level)
    above = (np.arange(cells.n_cells) >= aim.place).astype(int)
    p = shrunk_predictions(aim.p.mean(axis=0))

    # The share of positives on each side of the threshold.
    n_items = np.sum(aim.counts, axis=0)
    n_positive_on_side = np.bincount(above, n_items * p, minlength=2)
    n_on_side = np.bincount(above, n_items, minlength=2)
    share = n_positive_on_side / np.maximum(n_on_side, 1.0)

    # The root mean squared deviation of an item's contribution from the mean of its side.
    label_effect = np.abs(aim.of_bound.condition[1] - aim.of_bound.condition[0])
    deviation = np.sqrt(p * (1.0 - p) + (p - share[above]) ** 2)
    return ProofInformation(label_effect[above] * deviation)
