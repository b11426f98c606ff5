"""Scores and labels as they were read, and samples of them, with ties.

Ties: scores of limited resolution, treated as intervals.

The likelihood of a continuous density at tied scores is unbounded as its scale shrinks. A large tie
therefore enters by the probability of its interval, approximated by the mean density over evenly
spaced points of the interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._labels import UNLABELED
from ._inclusion import AT_RANDOM, Inclusion

# Labels are completed score by score up to this number of scores, else in so many cells. Items are
# spread evenly over a cell: average precision moves by a hundredth of a percent.
MAX_SCORES, N_CELLS = 4096, 512


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
    inclusion: Inclusion = AT_RANDOM

    def __post_init__(self):
        if self.points is None:
            object.__setattr__(self, "points", self.scores)
        super().__post_init__()

    def __reduce__(self):
        # Points equal to the scores are not pickled.
        points = None if self.firsts is None else self.points
        weights = self.unlabeled, self.negative, self.positive
        return type(self), (self.scores, self.lower, *weights, points, self.firsts, self.inclusion)

    @classmethod
    def from_items(cls, scores, codes, weights, inclusion=AT_RANDOM) -> ScoreSample:
        """Collect items (codes -1, 0, 1) into cells of equal score."""
        kept = weights > 0.0
        scores, codes, weights = scores[kept], codes[kept], weights[kept]
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
        a score: nearly 1 if only the top is labeled, small for random labels; and the first cell of
        that tail. Zero without labels.
        """
        labeled = self.negative + self.positive
        if not labeled.any():
            return 0.0, 0
        above = [np.cumsum(w[::-1])[::-1] / w.sum() for w in (labeled, self.counts)]
        first = int(np.argmax(above[0] - above[1]))
        return float((above[0] - above[1])[first]), first

    @cached_property
    def labeled_bottom(self) -> tuple[float, int]:
        """Concentration of the labels among the smallest scores, and end of that tail.

        Mirror image of `labeled_tail`, with the last cell of the tail.
        """
        labeled = self.negative + self.positive
        if not labeled.any():
            return 0.0, self.n_cells - 1
        below = [np.cumsum(w) / w.sum() for w in (labeled, self.counts)]
        last = int(np.argmax(below[0] - below[1]))
        return float((below[0] - below[1])[last]), last

    def labeled(self, most: int | None = None) -> ScoreSample:
        """Return the labeled items alone, merged into at most `most` cells."""
        kept = self.negative + self.positive > 0.0
        cells = self.scores[kept], self.lower[kept], np.zeros(kept.sum())
        points: Any = None
        firsts = None
        if self.firsts is not None:
            firsts = np.cumsum(np.r_[0, self.n_points[kept]])[:-1]
            points = self.points[np.repeat(kept, self.n_points)]
        labels = self.negative[kept], self.positive[kept]
        found = ScoreSample(*cells, *labels, points, firsts, self.inclusion)
        if most is None or found.n_cells <= most:
            return found
        return found.merged(np.linspace(0, found.n_cells - 1, most).astype(int))

    def without_labels(self) -> ScoreSample:
        """Return the same scores without labels."""
        none = np.zeros(self.n_cells)
        return replace(
            self, unlabeled=self.counts, negative=none, positive=none, inclusion=AT_RANDOM
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

    def quantile(self, levels) -> np.ndarray:
        """Return the scores below which given shares of the items lie."""
        cumulated = np.cumsum(self.counts)
        return self.scores[np.searchsorted(cumulated, np.asarray(levels) * cumulated[-1])]

    def merged(self, firsts) -> ScoreSample:
        """Merge neighboring cells; `firsts` are the start indices of groups."""
        counts = np.add.reduceat(self.counts, firsts)
        scores, power = near_one(self.scores)
        scores = np.ldexp(np.add.reduceat(scores * self.counts, firsts) / counts, power)
        # Clip: rounding must not move a mean out of its group.
        scores = np.clip(scores, self.scores[firsts], self.scores[np.r_[firsts[1:], 0] - 1])
        unlabeled, negative, positive = (
            np.add.reduceat(w, firsts) for w in (self.unlabeled, self.negative, self.positive)
        )
        cells = scores, self.lower[firsts], unlabeled, negative, positive
        if self.firsts is None:
            return ScoreSample(*cells, inclusion=self.inclusion)
        # A tie that is its own group keeps its points.
        old, alone = self.n_points, np.diff(np.r_[firsts, self.n_cells]) == 1
        new = np.where(alone, old[firsts], 1)
        kept = np.zeros(self.n_cells, dtype=bool)
        kept[firsts[alone]] = True
        points = np.repeat(scores, new)
        points[np.repeat(alone, new)] = self.points[np.repeat(kept, old)]
        starts = np.r_[0, np.cumsum(new)[:-1]]
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
        """Return the cells in which labels are completed; runs of labeled scores stay as they are.

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
        """Return the cells of labels; labeled scores are cells of their own."""
        return self if self.n_cells <= MAX_SCORES else self.grouped(N_CELLS)

    def grouped(self, n_cells: int, edges=(), *, unmerged: np.ndarray | None = None) -> ScoreSample:
        """Merge neighbors until about `n_cells` cells are left.

        Both ends are finest, as they determine curves. Spread ties and `unmerged` cells, by default
        those with labeled items, are not merged, and no cell straddles a score in `edges`. If every
        item is labeled, nothing is merged.
        """
        if self.n_cells <= n_cells or not self.unlabeled.any():
            return self
        n = self.n_cells
        ends = np.unique(np.geomspace(1, n / 2, n_cells // 4).astype(int))
        firsts = np.r_[0, ends, n - ends, np.linspace(0, n - 1, n_cells // 2).astype(int)]
        if unmerged is None:
            unmerged = self.negative + self.positive > 0.0
        alone = np.flatnonzero(unmerged | (self.n_points > 1))
        firsts = np.r_[firsts, alone, alone + 1, np.searchsorted(self.lower, edges)]
        return self.merged(np.unique(firsts[firsts < n]))


def near_one(values) -> tuple[np.ndarray, int]:
    """Return values over a power of two, the largest of them near one, and the exponent.

    This is exact, and squares and sums do not overflow or underflow.
    """
    power = int(np.frexp(np.abs(values).max())[1])
    return np.ldexp(values, -power), power


# Up to this number of scores, no compression.
MAX_ONE_BY_ONE = 100_000
# Approximate numbers of means: log-spaced from either end, and evenly over the items.
N_ENDS, N_EVEN = 2**13, 2**14


def gathered(scores, codes, edges=()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, codes and counts, (n_rows,), that represent many items.

    The grouping depends on the scores alone, not on the labels: both ends are finest, and large
    ties are kept. Few distinct scores are unchanged. No row straddles a score in `edges`. Labeled
    items come first, then rows of increasing scores.
    """
    increasing = np.sort(scores)
    n = len(increasing)
    starts = np.searchsorted(increasing, np.ravel(edges)).astype(int)
    firsts = np.unique(np.r_[_firsts(increasing), starts[starts < n]])
    counts = np.diff(firsts, append=n)
    smallest, largest = increasing[firsts], increasing[firsts + counts - 1]
    # Relative to the smallest score, so that sums stay small.
    above = np.add.reduceat(increasing, firsts) - counts * smallest
    is_known = codes != UNLABELED
    of_known = np.searchsorted(smallest, scores[is_known], side="right") - 1
    left = counts - np.bincount(of_known, minlength=len(counts))
    above -= np.bincount(of_known, scores[is_known] - smallest[of_known], len(counts))
    kept = left > 0
    means = np.clip(smallest[kept] + above[kept] / left[kept], smallest[kept], largest[kept])
    return (
        np.concatenate([scores[is_known], means]),
        np.concatenate([codes[is_known], np.full(len(means), UNLABELED, dtype=codes.dtype)]),
        np.concatenate([np.ones(of_known.size), left[kept].astype(float)]),
    )


def items_in_rows(scores, codes, edges=()) -> tuple[tuple, np.ndarray, np.ndarray]:
    """Return the rows of `gathered`, the row of each item, and the smallest score of each row."""
    rows, is_known = gathered(scores, codes, edges), codes != UNLABELED
    n_known = np.count_nonzero(is_known)
    counts = rows[2][n_known:].astype(int)
    others = scores[~is_known]
    order = np.argsort(others, kind="stable")
    place = np.empty(len(others), dtype=int)
    place[order] = np.repeat(np.arange(n_known, n_known + len(counts)), counts)
    row = np.empty(len(scores), dtype=int)
    row[is_known], row[~is_known] = np.arange(n_known), place
    return rows, row, np.r_[scores[is_known], others[order[np.cumsum(counts) - counts]]]


def _firsts(increasing) -> np.ndarray:
    """Return the start indices of groups of neighbors among increasing scores."""
    new = np.flatnonzero(increasing[1:] > increasing[:-1])
    if len(new) < MAX_ONE_BY_ONE:
        return np.append(0, new + 1)
    n = len(increasing)
    ends = np.geomspace(1, n / 2, N_ENDS).astype(int)
    some = np.concatenate([[0], ends, n - ends, np.linspace(0, n - 1, N_EVEN).astype(int)])
    values = increasing[np.unique(some)]
    # Start of each value, and end of each tie.
    starts, stops = (np.searchsorted(increasing, values, side=side) for side in ("left", "right"))
    firsts = np.unique(np.concatenate([starts, stops[stops - starts > 1]]))
    return firsts[firsts < n]


# A tie with more than this share of all items is spread over points, one for each such share, so
# that no point dominates.
SHARE_OF_A_POINT = 1.0 / 256.0
MAX_POINTS = 64
# Maximum density of a tie, relative to the whole sample.
PEAK = 10.0


@dataclass(frozen=True, eq=False)
class SpreadTies(FrozenArrays):
    """Tied values and the points that represent them."""

    values: np.ndarray  # (n_ties,), tied values, increasing
    points: np.ndarray  # (n_points,), points of all values, in order
    firsts: np.ndarray  # (n_ties + 1,), start index of the points of each value
    low: np.ndarray  # (n_ties,), lower ends of the disjoint intervals
    high: np.ndarray  # (n_ties,), upper ends

    def snap(self, thresholds) -> np.ndarray:
        """Move thresholds out of the intervals: to the low end up to the value, else the high.

        An item at a tied value reaches thresholds up to that value, wherever its point lies in the
        interval.
        """
        if not len(self.values):
            return thresholds
        following = np.searchsorted(self.values, thresholds)
        below = np.minimum(following, len(self.values) - 1)
        above = np.maximum(following - 1, 0)
        to_low = (following < len(self.values)) & (thresholds > self.low[below])
        to_high = (following > 0) & (thresholds < self.high[above])
        snapped = np.where(to_high, self.high[above], thresholds)
        return np.where(to_low, self.low[below], snapped)

    def expand(self, values):
        """Replace tied `values` by their points."""
        at = np.searchsorted(self.values, values)
        at = np.minimum(at, max(len(self.values) - 1, 0))
        tied = self.values[at] == values if len(self.values) else np.zeros(len(values), bool)
        lengths = np.ones(len(values), dtype=int)
        lengths[tied] = np.diff(self.firsts)[at[tied]]
        firsts = np.r_[0, np.cumsum(lengths)[:-1]]
        points = np.repeat(np.asarray(values, dtype=float), lengths)
        for i in np.flatnonzero(tied):
            own = slice(self.firsts[at[i]], self.firsts[at[i] + 1])
            points[firsts[i] : firsts[i] + lengths[i]] = self.points[own]
        return points, firsts


_NONE = np.empty(0)
NO_TIES = SpreadTies(_NONE, _NONE, np.zeros(1, dtype=int), _NONE, _NONE)


def spread_evenly(value: float) -> SpreadTies:
    """Spread a single distinct value over a unit interval around it."""
    points = value + (np.arange(MAX_POINTS) + 0.5) / MAX_POINTS - 0.5
    ends = np.array([value - 0.5]), np.array([value + 0.5])
    return SpreadTies(np.array([value]), points, np.array([0, MAX_POINTS]), *ends)


def spread_ties(sample: ScoreSample) -> SpreadTies:
    """Find the large ties of a sample and spread them over their intervals."""
    values, counts = sample.scores, sample.counts
    shares = counts / counts.sum()
    heavy = np.flatnonzero((shares > SHARE_OF_A_POINT) & (counts > 1.0))
    gaps = np.diff(values)
    below, above = np.r_[gaps[0], gaps] / 2.0, np.r_[gaps, gaps[-1]] / 2.0
    smallest = shares * 4.0 * sample.robust_std() / (2.0 * PEAK)
    below, above = np.maximum(below, smallest), np.maximum(above, smallest)
    # At most halfway to the next large tie.
    room = np.diff(values[heavy]) / 2.0
    below[heavy[1:]] = np.minimum(below[heavy[1:]], room)
    above[heavy[:-1]] = np.minimum(above[heavy[:-1]], room)
    low, high = values[heavy] - below[heavy], values[heavy] + above[heavy]
    n_points = np.minimum(MAX_POINTS, np.ceil(shares[heavy] / SHARE_OF_A_POINT)).astype(int)
    pieces = [
        first + (last - first) * (np.arange(n) + 0.5) / n
        for first, last, n in zip(low, high, n_points, strict=True)
    ]
    firsts = np.r_[0, np.cumsum(n_points)].astype(int)
    return SpreadTies(values[heavy], np.concatenate([np.empty(0), *pieces]), firsts, low, high)
