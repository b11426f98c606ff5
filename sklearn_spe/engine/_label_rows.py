"""The likelihood of labels of scores, or of items, in rows of binomial trials.

Few labels have a row each. Many labels of one column of scores are gathered on the cells of the
curves, and many labeled items in runs of similar ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..data._sample import ScoreSample
from ..inputs._arrays import FrozenArrays
from ._components import Positions, ScoreAxis
from ._random_effects import Columns, Members, RandomEffect, RandomEffects

# The largest number below one: failures that cannot occur have a finite log probability.
MAX_SUCCESS = 1.0 - 2.0**-53
# More labeled scores than these are gathered in the cells of the curves.
MAX_POINTS = 200
# More labeled items than this are gathered in as many rows, and one for each of their groups, at
# means of several numbers.
MAX_ROWS = 1000
# Unlabeled items, where the design implies their class, are gathered in as many rows.
MAX_ROWS_OF_UNLABELED = 200
# Numbers that random effects multiply are differences of normal scores, of about this range.
NORMAL_RANGE = 3.0


@dataclass(frozen=True, eq=False)
class LabelRows(FrozenArrays):
    """The likelihood of labels: of `total` trials a share `base` + `gain` p is expected to succeed.

    Base 0 and gain 1 for labels, of which `positive` succeed. Where the design implies the class of
    items without a label, these are rows too, whose trials all succeed.
    """

    places: tuple[Positions, ...]  # of the rows, on each score axis
    positive: np.ndarray  # (n_rows,)
    total: np.ndarray  # (n_rows,)
    base: np.ndarray  # (n_rows,)
    gain: np.ndarray  # (n_rows,)
    items: np.ndarray  # (n_rows,) of int, where there are random effects of items; else empty
    runs: LabelRuns | None = None  # the items that rows gather, if they do

    @classmethod
    def of_scores(cls, cells: ScoreCells, sample: ScoreSample) -> LabelRows:
        """Return the rows of the labels of a sample, for curves on cells of its scores."""
        labeled = sample.labeled()
        places, (negative, positive) = _points(
            Positions.of(cells, labeled.scores),
            sample.inclusion.weighed(labeled),
            cells.n_cells,
            gathered=labeled.n_cells > MAX_POINTS,
        )
        n_points = len(positive)
        base = np.zeros(n_points)
        gain = np.ones(n_points)

        sign, floor = sample.inclusion.missingness
        if floor < 1.0:
            unlabeled_places, (unlabeled,) = _points(
                Positions.of(cells, sample.scores),
                (sample.unlabeled,),
                cells.n_cells,
                gathered=True,
            )
            n_unlabeled = len(unlabeled)
            places = Positions(
                np.r_[places.left, unlabeled_places.left],
                np.r_[places.share, unlabeled_places.share],
            )
            negative = np.r_[negative, np.zeros(n_unlabeled)]
            positive = np.r_[positive, unlabeled]
            base_of_unlabeled, gain_of_unlabeled = _success_of_unlabeled(sign, floor)
            base = np.r_[base, np.full(n_unlabeled, base_of_unlabeled)]
            gain = np.r_[gain, np.full(n_unlabeled, gain_of_unlabeled)]

        no_items = np.empty(0, dtype=int)
        return cls((places,), positive, negative + positive, base, gain, no_items)

    @classmethod
    def of_items(
        cls,
        axes: tuple[ScoreAxis, ...],
        effects: RandomEffects,
        codes: np.ndarray,
        counts: np.ndarray,
        label_counts: np.ndarray | None = None,
        missingness: tuple[float, float] = (1.0, 1.0),
    ) -> LabelRows:
        """Return the rows of the labels of items, given codes and counts of shape (n_items,).

        Many labels are gathered in rows of similar items, at the means of their positions and of
        the columns of random effects. In the likelihood labels count by `label_counts`,
        (n_items,), if they are given; and `missingness` is that of `Inclusion`.
        """
        items = np.flatnonzero(codes >= 0)
        places = tuple(axis.items.take(items) for axis in axes)
        total = (counts if label_counts is None else label_counts)[items]
        positive = np.where(codes[items] > 0, total, 0.0)

        runs = None
        if len(items) > MAX_ROWS:
            runs = LabelRuns.of(places, effects, items, total)
            places = tuple(runs.mean_place(of_axis) for of_axis in places)
            positive = runs.sums(positive)
            total = runs.sums(total)
            items = runs.items[runs.firsts]

        base = np.zeros(len(items))
        gain = np.ones(len(items))
        rows = cls(places, positive, total, base, gain, items, runs)
        if missingness[1] < 1.0 and (codes < 0).any():
            return rows.joined(cls._of_unlabeled(axes, effects, codes, counts, missingness))
        return rows

    @classmethod
    def _of_unlabeled(
        cls,
        axes: tuple[ScoreAxis, ...],
        effects: RandomEffects,
        codes: np.ndarray,
        counts: np.ndarray,
        missingness: tuple[float, float],
    ) -> LabelRows:
        """Return the rows of the items without a label, whose absence is the observed event."""
        items = np.flatnonzero(codes < 0)
        places = tuple(axis.items.take(items) for axis in axes)
        runs = LabelRuns.of(places, effects, items, counts[items], MAX_ROWS_OF_UNLABELED)
        total = runs.sums(counts[items])
        base, gain = _success_of_unlabeled(*missingness)
        return cls(
            tuple(runs.mean_place(of_axis) for of_axis in places),
            total,
            total,
            np.full(len(total), base),
            np.full(len(total), gain),
            runs.items[runs.firsts],
            runs,
        )

    def joined(self, other: LabelRows) -> LabelRows:
        """Return the rows of both."""
        places = tuple(
            Positions(np.r_[one.left, two.left], np.r_[one.share, two.share])
            for one, two in zip(self.places, other.places, strict=True)
        )
        return LabelRows(
            places,
            positive=np.r_[self.positive, other.positive],
            total=np.r_[self.total, other.total],
            base=np.r_[self.base, other.base],
            gain=np.r_[self.gain, other.gain],
            items=np.r_[self.items, other.items],
            runs=self._as_runs.joined(other._as_runs),
        )

    @property
    def _as_runs(self) -> LabelRuns:
        """The items that each row gathers; without runs each row is one item."""
        if self.runs is not None:
            return self.runs
        numbers = np.arange(self.n_rows)
        return LabelRuns(self.items, numbers, numbers, self.total)

    def columns(self, effect: RandomEffect) -> np.ndarray:
        """Return the columns of a random effect at the rows, (n_rows, n_columns)."""
        if self.runs is None or not isinstance(effect, Columns):
            # All items of a row are in one group.
            return effect.columns(self.items)
        return self.runs.means(effect.columns(self.runs.items))

    @property
    def n_rows(self) -> int:
        return len(self.total)

    def log_likelihood(self, probability: np.ndarray) -> np.ndarray:
        """Return the log likelihood of P(y = 1) at the rows, (..., n_rows): (...)."""
        return self.log_likelihoods(probability).sum(axis=-1)

    def log_likelihoods(self, probability: np.ndarray) -> np.ndarray:
        """Return the log likelihood of each row, (..., n_rows)."""
        success = self.success(probability)
        failures = self.total - self.positive
        return self.positive * np.log(success) + failures * np.log1p(-success)

    def log_likelihoods_of(self, log_odds: np.ndarray) -> np.ndarray:
        """Return the log likelihood of each row, given log-odds there, (..., n_rows, n).

        Of labels alone it is as precise as the log-odds are.
        """
        if np.any(self.base) or np.any(self.gain != 1.0):
            # Neither class is certain: a failure that cannot occur has a finite log probability.
            probability = special.expit(log_odds.astype(float))
            np.clip(probability, 1.0 - MAX_SUCCESS, MAX_SUCCESS, out=probability)
            return self.log_likelihoods(probability.swapaxes(-1, -2)).swapaxes(-1, -2)
        # Of labels alone: log p = -log(1 + exp(-f)), and log(1 - p) = log p - f.
        total = self.total.astype(log_odds.dtype)[:, np.newaxis]
        failures = (self.total - self.positive).astype(log_odds.dtype)[:, np.newaxis]
        of_rows = np.negative(log_odds)
        np.exp(of_rows, out=of_rows)
        np.log1p(of_rows, out=of_rows)
        of_rows *= -total
        of_rows -= failures * log_odds
        return of_rows

    def success(self, probability: np.ndarray) -> np.ndarray:
        """Return the probability that a trial of each row succeeds, below one."""
        return np.minimum(self.base + self.gain * probability, MAX_SUCCESS)


@dataclass(frozen=True, eq=False)
class LabelRuns(FrozenArrays):
    """Labeled items in an order in which similar ones are neighbors, cut in runs."""

    items: np.ndarray  # (n_labeled,), in this order
    order: np.ndarray  # (n_labeled,), of the items as they were
    firsts: np.ndarray  # (n_runs,), where runs begin
    weights: np.ndarray  # (n_labeled,), for how many each item counts, in this order

    @classmethod
    def of(
        cls,
        places: tuple[Positions, ...],
        effects: RandomEffects,
        items: np.ndarray,
        counts: np.ndarray,
        max_rows: int = MAX_ROWS,
    ) -> LabelRuns:
        """Divide the items of each group into runs, the most different ones first.

        They differ by their positions among the cells of each axis, which are finest at both ends,
        and by the numbers that random effects multiply.
        """
        features = _features(places, effects, items)
        groups = _groups(effects, items)
        order = np.argsort(groups, kind="stable")
        starts = np.flatnonzero(np.diff(groups[order], prepend=-1))

        # The heap has the part of the largest sum of squares on top.
        heap = [_spread(features, members) for members in np.split(order, starts[1:])]
        heapq.heapify(heap)
        while len(heap) < len(starts) + max_rows and heap[0][0] < 0.0:
            _, _, members, column, middle = heapq.heappop(heap)
            above = features[column, members] > middle
            for half in (members[~above], members[above]):
                heapq.heappush(heap, _spread(features, half))

        parts = [members for _, _, members, _, _ in heap]
        order = np.concatenate(parts)
        firsts = np.cumsum([0, *map(len, parts[:-1])])
        return cls(items[order], order, firsts, counts[order])

    def joined(self, other: LabelRuns) -> LabelRuns:
        """Return the runs of both."""
        n_items = len(self.items)
        return LabelRuns(
            np.r_[self.items, other.items],
            np.r_[self.order, n_items + other.order],
            np.r_[self.firsts, n_items + other.firsts],
            np.r_[self.weights, other.weights],
        )

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sums of values of the items, as they were, over runs."""
        return np.add.reduceat(values[self.order], self.firsts)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the means of values of the ordered items over runs, (n_runs, n_columns)."""
        total = np.add.reduceat(self.weights[:, np.newaxis] * values, self.firsts)
        return total / np.add.reduceat(self.weights, self.firsts)[:, np.newaxis]

    def mean_place(self, places: Positions) -> Positions:
        """Return the mean position of each run."""
        positions = (places.left + places.share)[self.order, np.newaxis]
        mean = self.means(positions)[:, 0]
        left = np.minimum(mean.astype(int), int(places.left.max()))
        return Positions(left, mean - left)


def _success_of_unlabeled(sign: float, floor: float) -> tuple[float, float]:
    """Return base and gain of P(no label): `floor` + (1 - `floor`) P(the class of the sign)."""
    return floor if sign > 0.0 else 1.0, sign * (1.0 - floor)


def _features(
    places: tuple[Positions, ...], effects: RandomEffects, items: np.ndarray
) -> np.ndarray:
    """Return the numbers by which items differ, each of about the range one, (n, n_items)."""
    features = [(of_axis.left + of_axis.share) / max(1.0, of_axis.left.max()) for of_axis in places]
    for effect in effects.effects:
        if isinstance(effect, Columns):
            features += list(effect.values[items].T / (2.0 * NORMAL_RANGE))
    return np.stack(features)


def _groups(effects: RandomEffects, items: np.ndarray) -> np.ndarray:
    """Return codes of the items that are in the same group by every random effect."""
    groups = np.zeros(len(items), dtype=np.intp)
    for effect in effects.effects:
        if isinstance(effect, Members):
            codes = effect.codes[items]
            pairs = groups * (int(codes.max()) + 1) + codes
            groups = np.unique(pairs, return_inverse=True)[1]
    return groups


def _spread(
    features: np.ndarray, members: np.ndarray
) -> tuple[float, int, np.ndarray, int, np.floating]:
    """Return minus the sum of squares of a part, its first item, the part, and where to cut it."""
    values = features[:, members]
    squares = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    column = int(np.argmax(squares))
    middle = values[column].mean()

    # Numbers that are equal up to rounding are not cut.
    above = values[column] > middle
    size = float(squares[column]) if above.any() and not above.all() else 0.0
    return -size, int(members[0]), members, column, middle


def _points(
    places: Positions, counts: Iterable[np.ndarray], n_cells: int, gathered: bool
) -> tuple[Positions, list[np.ndarray]]:
    """Return the positions of scores with positive counts, and these counts."""
    left = places.left
    share = places.share
    counts = list(counts)
    if gathered:
        nearest = left + (share > 0.5)
        counts = [np.bincount(nearest, count, n_cells) for count in counts]
        left = np.minimum(np.arange(n_cells), max(n_cells - 2, 0))
        share = np.arange(n_cells) - left.astype(float)

    occupied = np.flatnonzero(sum(counts))
    return Positions(left[occupied], share[occupied]), [count[occupied] for count in counts]
