r"""Expected information in a label, for a pool of scores and for ranked lists.

Expected reduction of the variance of a metric by one more label.

For the label z of an unlabeled item in a cell of scores with probabilities p (one per posterior
draw), and a metric M,

.. math:: \operatorname{Var} M - E \operatorname{Var}(M \mid z) = A^2 / V , \quad
          A = \operatorname{Cov}(M, z), \quad V = \operatorname{Var} z = \bar p (1 - \bar p) ,

exactly, as z is binary. A has two parts: the information on the curve, and the item's own
contribution to the metric, :math:`A = \operatorname{Cov}(E[M \mid p], p) + E[p (1 - p) M'(p)]`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..data._cells import ScoreCells, ScoreKind
from ..data._sample import ScoreSample
from ..estimators._performance import PerformanceCurveEstimator
from ..goals._question import Question
from ..inference._draws import picked
from ..inputs._arrays import FrozenArrays
from ..metrics._expectation import ExpectedRatio, LabelDistribution
from ..posterior._operating_points import OperatingPoints, Task, over_draws
from ..posterior._posterior import Posterior
from .lists._contrast import NO_SIDE, Contrast
from .lists._ranked_lists import RankedLists, members_of

# More draws than these do not change the order of gains.
MAX_DRAWS = 250
# With fewer prior curves than this they count by this power of their share of the posterior.
MIN_CURVES, POWER_OF_SHARES = 20.0, 0.5
MIN_VARIANCE = 1e-12
# Keeps a share of no items from being undefined.
TINY = 1e-300
# With a smaller expected denominator it is more likely zero than not.
MIN_DENOMINATOR = 0.5


def cells_of(posterior: Posterior) -> ScoreCells:
    """Return the cells of scores on which gains are computed."""
    cells = getattr(posterior, "cells", None)
    return ScoreCells.of(posterior.sample, ScoreKind("unknown")) if cells is None else cells


def probability_draws(
    posterior: Posterior, cells: ScoreCells, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return equally weighted draws: their indices, and the probabilities (n_draws, n_cells)."""
    weights = posterior.weights if weights is None else weights
    chosen = picked(weights, min(MAX_DRAWS, posterior.n_draws))
    return chosen, posterior.weighted_draws(cells.scores)[chosen]


def weights_between_curves(posterior: Posterior) -> np.ndarray:
    """Return weights of draws, larger than posterior weights for rare prior curves.

    Where few prior curves carry the posterior, they hold little information on how they differ from
    others: labels are chosen where curves disagree.
    """
    if not posterior.has_cells or posterior.updated.n_curves >= MIN_CURVES:
        return posterior.weights
    weights = posterior.updated.curve_shares ** (POWER_OF_SHARES - 1.0)
    return weights / weights.sum()


@dataclass(frozen=True, eq=False)
class ExpectedInformation(FrozenArrays):
    """Expected information on the metric of one label in each cell of scores."""

    # (n_draws, n_cells); centered draws over sqrt(n_draws): products are covariances.
    probability: np.ndarray
    # (n_values, n_cells); A of each value of the metric, several for a curve.
    covariance: np.ndarray
    variance: np.ndarray  # (n_cells,); of the probability
    noise: np.ndarray  # (n_cells,); expected variance of a label given its probability

    # Gains are the weights of the sampling.
    are_inclusion_proba: ClassVar[bool] = False

    @classmethod
    def of(
        cls, question: Question, performance: PerformanceCurveEstimator, cells: ScoreCells
    ) -> ExpectedInformation:
        """Compute the information from the posterior of a performance estimator."""
        posterior = performance.posterior_
        chosen, p = probability_draws(posterior, cells, weights_between_curves(posterior))
        if question.has_expectation:
            expected = _expected(question, performance, cells, p)
            slopes = expected.gradient[:, ::-1]
            covariance = _label_covariance_of(_defined(expected), slopes, p)[np.newaxis]
        else:
            values = question.selection(performance).draws[chosen]
            covariance = label_covariance(values, performance, cells, chosen)
        return cls.made(p, covariance)

    @classmethod
    def made(cls, p: np.ndarray, covariance: np.ndarray) -> ExpectedInformation:
        """Return the information given probabilities (n_draws, n_cells) and covariances A."""
        scaled = (p - p.mean(axis=0)) / np.sqrt(len(p))
        return cls(
            scaled,
            covariance,
            np.einsum("ij,ij->j", scaled, scaled),
            np.mean(p * (1.0 - p), axis=0),
        )

    @cached_property
    def gains(self) -> np.ndarray:
        """The expected reduction of the variance, summed over the values, of shape (n_cells,)."""
        spread = np.maximum(self.variance + self.noise, MIN_VARIANCE)
        return np.einsum("ij,ij->j", self.covariance, self.covariance) / spread

    def after(self, cell: int) -> ExpectedInformation:
        """Return the information after querying a label of a cell, by linear regression on it."""
        draws = self.probability[:, cell]
        variance = self.variance[cell]
        label_variance = max(variance + self.noise[cell], MIN_VARIANCE)
        covariance_with_cell = np.einsum("ij,i->j", self.probability, draws)

        # Products of the residuals are the covariances given the label: a square root of them.
        root = np.sqrt(label_variance * max(label_variance - variance, 0.0))
        fit = draws[:, np.newaxis] * covariance_with_cell / (label_variance + root)
        residuals = self.probability - fit

        slope = covariance_with_cell / label_variance
        return replace(
            self,
            probability=residuals,
            covariance=self.covariance - self.covariance[:, [cell]] * slope,
            variance=np.einsum("ij,ij->j", residuals, residuals),
        )


def cell_counts(sample: ScoreSample, cells: ScoreCells) -> list[np.ndarray]:
    """Return the unlabeled, negative and positive items of each cell."""
    cell = np.searchsorted(cells.lower, sample.scores, side="right") - 1
    counts = (sample.unlabeled, sample.negative, sample.positive)
    return [np.bincount(cell, count, cells.n_cells) for count in counts]


def expected_values(
    question: Question, performance: PerformanceCurveEstimator, cells: ScoreCells, p: np.ndarray
) -> np.ndarray:
    """Return the metric of expected counts given cell probabilities, (n_draws,); may be NaN."""
    return _defined(_expected(question, performance, cells, p))


def expected_slopes(
    question: Question, performance: PerformanceCurveEstimator, cells: ScoreCells, p: np.ndarray
) -> np.ndarray:
    """Return the change of the metric by one label of each cell, (n_draws, n_cells)."""
    slopes = _expected(question, performance, cells, p).gradient[:, ::-1]
    return np.where(np.isfinite(slopes), slopes, 0.0)


def _expected(
    question: Question, performance: PerformanceCurveEstimator, cells: ScoreCells, p: np.ndarray
) -> ExpectedRatio:
    """Return the ratio of expected sums, with independent labels in cells of decreasing scores."""
    sample = performance.posterior_.sample
    unlabeled, negative, positive = (part[::-1] for part in cell_counts(sample, cells))
    distribution = LabelDistribution(unlabeled, p[:, ::-1], positive, negative, cells.single[::-1])
    above = _share_above(question, performance, cells)
    return question.metric.expected_ratio(
        distribution, None if above is None else above[::-1], None
    )


def _defined(expected: ExpectedRatio) -> np.ndarray:
    return np.where(np.less(expected.denominator, MIN_DENOMINATOR), np.nan, expected.plain)


def _label_covariance_of(values: np.ndarray, slopes: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return A from the metric in draws, (n_draws,), and its gradient, shaped as p."""
    # A draw without positives has no metric, and is left out.
    is_defined = np.isfinite(values) & np.isfinite(slopes).all(axis=1)
    if not is_defined.any():
        return np.zeros(p.shape[1])
    p = p[is_defined]
    values = values[is_defined]
    slopes = slopes[is_defined]
    curve_part = np.einsum("i,ij->j", values - values.mean(), p - p.mean(axis=0)) / len(p)
    item_part = np.mean(p * (1.0 - p) * slopes, axis=0)
    return curve_part + item_part


def _share_above(
    question: Question, performance: PerformanceCurveEstimator, cells: ScoreCells
) -> np.ndarray | None:
    """Return the share of the items of each cell at or above the threshold."""
    if "threshold" not in question.where:
        return None
    sample = performance.posterior_.sample
    cell = np.searchsorted(cells.lower, sample.scores, side="right") - 1
    # A ranking of one pool of scores has a direction.
    assert performance.score_direction_ is not None
    above = question.above(sample.scores, performance.score_direction_)
    return np.bincount(cell, sample.counts * above, cells.n_cells) / cells.counts


def label_covariance(
    values: np.ndarray,
    performance: PerformanceCurveEstimator,
    cells: ScoreCells,
    chosen: np.ndarray,
) -> np.ndarray:
    """Return A from the metric of completed labels, (n_chosen, ...), if it has no expectation."""
    posterior = performance.posterior_
    values = values.reshape(len(chosen), -1)

    # Positives drawn in each completed cell: the same completed labels and scores from which the
    # values were computed. Counts at operating points are sums from the largest score down.
    task = Task("sample", performance.seed_)
    tp = over_draws(posterior, _positives, task)[chosen]
    sample = posterior.completed_cells
    n_per_cell = np.diff(tp, axis=1, prepend=0.0)[:, ::-1]
    n_drawn = n_per_cell - sample.positive

    # Their share of the unlabeled items of each cell of scores, 0 in a cell without any.
    cell = np.searchsorted(cells.lower, sample.lower, side="right") - 1
    firsts = np.flatnonzero(np.diff(cell, prepend=-1))
    n_unlabeled = np.add.reduceat(sample.unlabeled, firsts)
    n_positive = np.add.reduceat(n_drawn, firsts, axis=1)
    cell_share = n_positive / np.maximum(n_unlabeled, TINY)
    cell_share[:, n_unlabeled == 0.0] = 0.0
    share = np.zeros((len(chosen), cells.n_cells))
    share[:, cell[firsts]] = cell_share

    # The covariance of both over the draws in which a value is defined.
    is_defined = np.isfinite(values)
    n_defined = np.maximum(is_defined.sum(axis=0), 1)
    values = np.where(is_defined, values, 0.0)
    mean = values.sum(axis=0) / n_defined
    deviations = np.where(is_defined, values - mean, 0.0) / n_defined
    return np.einsum("ij,ik->jk", deviations, share - share.mean(axis=0))


def _positives(points: OperatingPoints) -> np.ndarray:
    return points.tp


@dataclass(frozen=True, eq=False)
class ListInformation(FrozenArrays):
    """One `ExpectedInformation` per category, with gains summed over lists.

    Labels are informative on their own category only; on a difference of two, those of both are.
    """

    parts: tuple[ExpectedInformation, ...]  # of each category
    members: tuple[np.ndarray, ...]  # the rows of each category
    place: np.ndarray  # (n_rows,), of int; index of each row within its category
    group: np.ndarray  # (n_rows,), of int; -1 where a row is of no category that is asked about
    # (n_rows,), of int; the item that determines the row's label; -1 where known.
    item: np.ndarray
    gains: np.ndarray  # (n_items,)

    # Gains are the weights of the sampling.
    are_inclusion_proba: ClassVar[bool] = False

    @classmethod
    def of(
        cls,
        ranked_lists: RankedLists,
        probability: np.ndarray,
        item: np.ndarray,
        contrast: Contrast | None = None,
    ) -> ListInformation:
        """Compute the information of labels; `probability` is (n_draws, n_rows).

        It is on the metric of each list; with a contrast on the difference alone.
        """
        group = ranked_lists.group
        members = tuple(members_of(group, ranked_lists.n_groups))
        if contrast is not None:
            # The rows of both sides are one category.
            members = (contrast.rows,)
            group = np.where(contrast.side == NO_SIDE, -1, 0)
        place = np.full(ranked_lists.n_rows, -1)
        for rows in members:
            place[rows] = np.arange(len(rows))

        # A of each list, over all rows of its category.
        covariances: list[list[np.ndarray]] = [[] for _ in members]
        for number, ranked in enumerate(ranked_lists.lists):
            values, slopes = ranked.expected(probability)
            if contrast is None:
                covariance = np.zeros(len(members[ranked.group]))
                p = probability[:, ranked.rows]
                covariance[place[ranked.rows]] = _label_covariance_of(values, slopes, p)
                covariances[ranked.group].append(covariance)
            elif contrast.weights[number]:
                p = probability[:, contrast.rows]
                all_slopes = np.zeros(p.shape)
                all_slopes[:, place[ranked.rows]] = slopes
                covariance = _label_covariance_of(values, all_slopes, p)
                covariances[0].append(contrast.weights[number] * covariance)
        if contrast is not None:
            covariances = [[sum(covariances[0], start=np.zeros(len(contrast.rows)))]]

        parts = tuple(
            ExpectedInformation.made(probability[:, rows], np.array(of_lists))
            for rows, of_lists in zip(members, covariances, strict=True)
        )
        gains = np.zeros(int(item.max(initial=-1)) + 1)
        for rows, part in zip(members, parts, strict=True):
            gains += _by_item(item, rows, part, len(gains))
        return cls(parts, members, place, group, item, gains)

    def after(self, item: int) -> ListInformation:
        """Return the information after querying an item, ignoring dependence within the item."""
        rows = np.flatnonzero(self.item == item)
        if len(rows) != 1 or self.group[rows[0]] < 0:
            return self

        # Only the gains of the item's own category change.
        group = self.group[rows[0]]
        place = int(self.place[rows[0]])
        members = self.members[group]
        before = self.parts[group]
        part = before.after(place)
        n_items = len(self.gains)
        gains = self.gains - _by_item(self.item, members, before, n_items)
        gains += _by_item(self.item, members, part, n_items)
        parts = (*self.parts[:group], part, *self.parts[group + 1 :])
        return replace(self, parts=parts, gains=gains)


def _by_item(
    item: np.ndarray, members: np.ndarray, part: ExpectedInformation, n_items: int
) -> np.ndarray:
    """Return the gains of a category by items, (n_items,)."""
    items = item[members]
    is_item = items >= 0
    return np.bincount(items[is_item], part.gains[is_item], n_items)
