"""Ties: scores of limited resolution, treated as intervals.

The likelihood of a continuous density at tied scores is unbounded as its scale shrinks. A large tie
therefore enters by the probability of its interval, approximated by the mean density over evenly
spaced points of the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._sample import ScoreSample

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

    def snap(self, thresholds: np.ndarray) -> np.ndarray:
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

    @classmethod
    def none(cls) -> SpreadTies:
        """Return those of a sample without large ties."""
        empty = np.empty(0)
        return cls(empty, empty, np.zeros(1, dtype=int), empty, empty)

    def expand(self, values: np.ndarray):
        """Replace tied `values` by their points."""
        tie = np.searchsorted(self.values, values)
        tie = np.minimum(tie, max(len(self.values) - 1, 0))

        is_tied = np.zeros(len(values), dtype=bool)
        if len(self.values):
            is_tied = self.values[tie] == values

        lengths = np.ones(len(values), dtype=int)
        lengths[is_tied] = np.diff(self.firsts)[tie[is_tied]]
        firsts = np.r_[0, np.cumsum(lengths)[:-1]]
        points = np.repeat(np.asarray(values, dtype=float), lengths)

        for i in np.flatnonzero(is_tied):
            start = self.firsts[tie[i]]
            end = self.firsts[tie[i] + 1]
            points[firsts[i] : firsts[i] + lengths[i]] = self.points[start:end]

        return points, firsts


def spread_evenly(value: float) -> SpreadTies:
    """Spread a single distinct value over a unit interval around it."""
    points = value + (np.arange(MAX_POINTS) + 0.5) / MAX_POINTS - 0.5
    low = np.array([value - 0.5])
    high = np.array([value + 0.5])
    return SpreadTies(np.array([value]), points, np.array([0, MAX_POINTS]), low, high)


def spread_ties(sample: ScoreSample) -> SpreadTies:
    """Find the large ties of a sample and spread them over their intervals."""
    values = sample.scores
    counts = sample.counts
    shares = counts / counts.sum()
    heavy = np.flatnonzero((shares > SHARE_OF_A_POINT) & (counts > 1.0))

    # Half the gap to the neighbors, and at least so much that the density is bounded.
    gaps = np.diff(values)
    smallest = shares * 4.0 * sample.robust_std() / (2.0 * PEAK)
    gaps_below = np.r_[gaps[0], gaps]
    gaps_above = np.r_[gaps, gaps[-1]]
    below = np.maximum(gaps_below / 2.0, smallest)
    above = np.maximum(gaps_above / 2.0, smallest)

    # At most halfway to the next large tie.
    room = np.diff(values[heavy]) / 2.0
    below[heavy[1:]] = np.minimum(below[heavy[1:]], room)
    above[heavy[:-1]] = np.minimum(above[heavy[:-1]], room)

    # Points in the middles of equal parts of the interval.
    low = values[heavy] - below[heavy]
    high = values[heavy] + above[heavy]
    n_points = np.ceil(shares[heavy] / SHARE_OF_A_POINT)
    n_points = np.minimum(MAX_POINTS, n_points).astype(int)
    points = [np.empty(0)]
    for first, last, n in zip(low, high, n_points, strict=True):
        points.append(first + (last - first) * (np.arange(n) + 0.5) / n)
    firsts = np.r_[0, np.cumsum(n_points)].astype(int)
    return SpreadTies(values[heavy], np.concatenate(points), firsts, low, high)
