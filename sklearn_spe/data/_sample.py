"""A sample: cells of scores with counts of unlabeled, negative and positive items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED
from ._inclusion import Inclusion

# Labels are completed score by score up to this number of scores, else in so many cells. Items are
# spread evenly over a cell: average precision moves by a hundredth of a percent.
MAX_SCORES, N_CELLS = 4096, 512
# Level of Smirnov's bound for random labels.
BY_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class ScoreSample(FrozenArrays):
    """Scores with counts of unlabeled, negative and positive items.

    The data of models and curves. The cells are sorted; a cell is one distinct score, or several
    neighbors after `grouped`.

    Attributes
    ----------
    scores : ndarray of shape (n_cells,)
        The mean score of each cell, increasing.
    lower : ndarray of shape (n_cells,)
        The smallest score in each cell.
    unlabeled, negative, positive : ndarray of shape (n_cells,)
        The weight of the unlabeled items, and of those labeled negative and positive.
    points : ndarray of shape (n_points,)
        Points that represent the scores: several for a large tie on the model scale, else the
        scores.
    firsts : ndarray of shape (n_cells,) or None
        Where the points of each cell begin; None if every cell has one.
    inclusion : Inclusion
        Inclusion model of the labels.
    """

    scores: np.ndarray
    lower: np.ndarray
    unlabeled: np.ndarray
    negative: np.ndarray
    positive: np.ndarray
    # Set to the scores if not given: never None after construction.
    points: np.ndarray = None  # type: ignore[assignment]
    firsts: np.ndarray | None = None
    inclusion: Inclusion = Inclusion()

    def __post_init__(self) -> None:
        if self.points is None:
            object.__setattr__(self, "points", self.scores)
        super().__post_init__()

    def __reduce__(self):
        # Points equal to the scores are not pickled.
        points = None if self.firsts is None else self.points
        weights = self.unlabeled, self.negative, self.positive
        return type(self), (self.scores, self.lower, *weights, points, self.firsts, self.inclusion)

    @classmethod
    def from_items(
        cls,
        scores: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        inclusion: Inclusion = Inclusion(),
    ) -> ScoreSample:
        """Collect items (codes -1, 0, 1) into cells of equal score."""
        counted = weights > 0.0
        scores = scores[counted]
        codes = codes[counted]
        weights = weights[counted]
        distinct, cell = np.unique(scores, return_inverse=True)
        unlabeled, negative, positive = (
            np.bincount(cell, weights=weights * (codes == code), minlength=len(distinct))
            for code in (UNLABELED, 0, 1)
        )
        return cls(distinct, distinct, unlabeled, negative, positive, inclusion=inclusion)

    @cached_property
    def counts(self) -> np.ndarray:
        """The weight of all items of each cell."""
        return self.unlabeled + self.negative + self.positive

    @property
    def n_cells(self) -> int:
        return len(self.scores)

    @property
    def n_labeled(self) -> float:
        return float(self.negative.sum() + self.positive.sum())

    @property
    def is_of_one_class(self) -> bool:
        """Whether all labels name the same class."""
        return not (self.positive.any() and self.negative.any())

    @cached_property
    def known(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """The cells with labeled negatives and with labeled positives, and their weights."""
        cells = np.flatnonzero(self.negative), np.flatnonzero(self.positive)
        return (cells[0], self.negative[cells[0]]), (cells[1], self.positive[cells[1]])

    @cached_property
    def labeled_tail(self) -> tuple[float, int]:
        """Concentration of the labels among the largest scores, and start of that tail.

        The largest difference between the shares of the labeled items and of all items at or above
        a score, and the first cell of that tail: nearly 1 if only the top is labeled, zero without
        labels and where those of random items may be as concentrated.
        """
        labeled = self.negative + self.positive
        if not labeled.any():
            return 0.0, 0
        labeled_above = np.cumsum(labeled[::-1])[::-1] / labeled.sum()
        items_above = np.cumsum(self.counts[::-1])[::-1] / self.counts.sum()
        excess = labeled_above - items_above
        first = int(np.argmax(excess))
        return self._unless_by_chance(excess[first]), first

    @cached_property
    def labeled_bottom(self) -> tuple[float, int]:
        """Concentration of the labels among the smallest scores, and end of that tail.

        Mirror image of `labeled_tail`, with the last cell of the tail.
        """
        labeled = self.negative + self.positive
        if not labeled.any():
            return 0.0, self.n_cells - 1
        labeled_below = np.cumsum(labeled) / labeled.sum()
        items_below = np.cumsum(self.counts) / self.counts.sum()
        excess = labeled_below - items_below
        last = int(np.argmax(excess))
        return self._unless_by_chance(excess[last]), last

    def _unless_by_chance(self, concentration: float) -> float:
        """Return zero if labels of random items may be as concentrated, by Smirnov's bound."""
        is_by_chance = 2.0 * self.n_labeled * concentration**2 < -np.log(BY_CHANCE)
        return 0.0 if is_by_chance else float(concentration)

    def labeled(self, max_cells: int | None = None) -> ScoreSample:
        """Return the labeled items alone, merged into at most `max_cells` cells."""
        has_label = self.negative + self.positive > 0.0
        points: Any = None
        firsts = None

        if self.firsts is not None:
            firsts = np.cumsum(np.r_[0, self.n_points[has_label]])[:-1]
            points = self.points[np.repeat(has_label, self.n_points)]

        sample = ScoreSample(
            self.scores[has_label],
            self.lower[has_label],
            np.zeros(has_label.sum()),
            self.negative[has_label],
            self.positive[has_label],
            points,
            firsts,
            self.inclusion,
        )
        if max_cells is None or sample.n_cells <= max_cells:
            return sample
        return sample.merged(np.linspace(0, sample.n_cells - 1, max_cells).astype(int))

    def without_labels(self) -> ScoreSample:
        """Return the same scores without labels."""
        zeros = np.zeros(self.n_cells)
        return replace(
            self, unlabeled=self.counts, negative=zeros, positive=zeros, inclusion=Inclusion()
        )

    def mean(self) -> float:
        """Return the mean score."""
        scores, power = near_one(self.scores)
        return float(np.ldexp(np.average(scores, weights=self.counts), power))

    def std(self) -> float:
        """Return the standard deviation of the scores."""
        deviations, power = near_one(self.scores - self.mean())
        return float(np.ldexp(np.sqrt(np.average(deviations**2, weights=self.counts)), power))

    def robust_std(self) -> float:
        """Return the standard deviation of a normal with the same 80% range, if positive."""
        low, high = self.quantile([0.1, 0.9])
        return float(high - low) / 2.5631 if high > low else self.std()

    def reaching(self, thresholds: npt.ArrayLike, weights: np.ndarray) -> np.ndarray:
        """Return the sum of weights of cells, (n_cells,), at or above thresholds."""
        above = np.r_[np.cumsum(weights[::-1])[::-1], 0.0]
        return above[np.searchsorted(self.lower, thresholds)]

    def around(self, thresholds: npt.ArrayLike, weights: np.ndarray) -> np.ndarray:
        """Return the sums below, and at or above, thresholds, (2, n_thresholds)."""
        above = self.reaching(thresholds, weights)
        return np.array([weights.sum() - above, above])

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return the scores below which given shares of the items lie."""
        cumulated = np.cumsum(self.counts)
        return self.scores[np.searchsorted(cumulated, np.asarray(levels) * cumulated[-1])]

    def merged(self, firsts: np.ndarray) -> ScoreSample:
        """Merge neighboring cells; `firsts` are the start indices of groups."""
        counts = np.add.reduceat(self.counts, firsts)
        scores, power = near_one(self.scores)
        means = np.add.reduceat(scores * self.counts, firsts) / counts
        scores = np.ldexp(means, power)

        # Clip: rounding must not move a mean out of its group.
        lasts = np.r_[firsts[1:], 0] - 1
        scores = np.clip(scores, self.scores[firsts], self.scores[lasts])
        unlabeled, negative, positive = (
            np.add.reduceat(weights, firsts)
            for weights in (self.unlabeled, self.negative, self.positive)
        )
        cells = scores, self.lower[firsts], unlabeled, negative, positive

        if self.firsts is None:
            return ScoreSample(*cells, inclusion=self.inclusion)

        # A tie that is its own group keeps its points.
        is_single = np.diff(np.r_[firsts, self.n_cells]) == 1
        n_points = np.where(is_single, self.n_points[firsts], 1)
        is_single_cell = np.zeros(self.n_cells, dtype=bool)
        is_single_cell[firsts[is_single]] = True

        points = np.repeat(scores, n_points)
        of_single = np.repeat(is_single, n_points)
        points[of_single] = self.points[np.repeat(is_single_cell, self.n_points)]
        starts = np.r_[0, np.cumsum(n_points)[:-1]]

        return ScoreSample(*cells, points, starts, self.inclusion)

    @cached_property
    def n_points(self) -> np.ndarray:
        """The number of points of each cell."""
        if self.firsts is None:
            return np.ones(self.n_cells, dtype=int)
        return np.diff(np.r_[self.firsts, len(self.points)])

    @property
    def single(self) -> np.ndarray:
        """Whether all items of a cell have the same score, (n_cells,)."""
        return self.lower == self.scores

    def grouped_for_completions(self) -> ScoreSample:
        """Return the cells in which labels are completed; runs of labeled scores are not merged.

        What labels settle among the largest scores then does not depend on the cells.
        """
        if self.n_cells <= MAX_SCORES:
            return self
        is_labeled = self.negative + self.positive > 0.0
        both = is_labeled[1:] & is_labeled[:-1]
        in_run = np.r_[both, False] | np.r_[False, both]
        if in_run.sum() > MAX_SCORES - N_CELLS:
            in_run[:] = False
        return self.grouped(N_CELLS, unmerged=in_run)

    def grouped_for_labels(self) -> ScoreSample:
        """Return the sample in the cells of the label update, with labeled scores unmerged."""
        return self if self.n_cells <= MAX_SCORES else self.grouped(N_CELLS)

    def grouped(
        self, n_cells: int, edges: npt.ArrayLike = (), *, unmerged: np.ndarray | None = None
    ) -> ScoreSample:
        """Merge neighbors until about `n_cells` cells are left.

        Resolution is finest at both ends, which determine the curves. Spread ties and `unmerged`
        cells, by default those with labeled items, are not merged, and no cell straddles a score in
        `edges`. If every item is labeled, nothing is merged.
        """
        if self.n_cells <= n_cells or not self.unlabeled.any():
            return self

        n = self.n_cells
        # Dense at both ends, and evenly spaced between.
        ends = np.unique(np.geomspace(1, n / 2, n_cells // 4).astype(int))
        even = np.linspace(0, n - 1, n_cells // 2).astype(int)

        # Labeled cells and spread ties are not merged.
        if unmerged is None:
            unmerged = self.negative + self.positive > 0.0
        single = np.flatnonzero(unmerged | (self.n_points > 1))
        at_edges = np.searchsorted(self.lower, edges)
        firsts = np.r_[0, ends, n - ends, even, single, single + 1, at_edges]
        return self.merged(np.unique(firsts[firsts < n]))


def near_one(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return values over a power of two, the largest of them near one, and the exponent.

    This is exact, and squares and sums do not overflow or underflow.
    """
    power = int(np.frexp(np.abs(values).max())[1])
    return np.ldexp(values, -power), power
