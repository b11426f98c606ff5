"""Ties: a score is known to a resolution only, and stands for an interval.

A continuous density at m tied scores grows without bound as its scale shrinks. A
heavy tie is therefore spread: its items are laid evenly over the interval for which
the tied value stands. As log is concave, the likelihood of items spread continuously is at
most that of the interval; n points exceed it by no more than about 1 / n**4 an item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._frozen import FrozenArrays
from ._sample import ScoreSample

# A value that holds a larger share of all items is spread over as many points as it
# holds such shares, so that no point of the sample outweighs the others by much.
SHARE_OF_A_POINT = 1.0 / 256.0
MOST_POINTS = 64
# No value may look more than this many times denser than the sample as a whole.
PEAK = 10.0


@dataclass(frozen=True, eq=False)
class SpreadTies(FrozenArrays):
    """The values whose items are spread, and the points over which they are.

    Attributes
    ----------
    values : ndarray of shape (n_ties,)
        The tied values, increasing.
    points : ndarray of shape (n_points,)
        The points of all values, one after another.
    firsts : ndarray of shape (n_ties + 1,)
        Where the points of each value begin.
    """

    values: np.ndarray
    points: np.ndarray
    firsts: np.ndarray

    def expand(self, values):
        """Replace the tied among `values` by their points.

        Returns
        -------
        points : ndarray of shape (n_points,)
        firsts : ndarray of shape (n_values,)
            Where the points of each value begin.
        """
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


def spread_ties(sample: ScoreSample) -> SpreadTies:
    """Find the heavy ties of a sample and lay them over their intervals.

    Parameters
    ----------
    sample : ScoreSample
        With at least two distinct scores.
    """
    values, counts = sample.scores, sample.counts
    shares = counts / counts.sum()
    heavy = np.flatnonzero((shares > SHARE_OF_A_POINT) & (counts > 1.0))
    gaps = np.diff(values)
    below, above = np.r_[gaps[0], gaps] / 2.0, np.r_[gaps, gaps[-1]] / 2.0
    least = shares * 4.0 * sample.robust_std() / (2.0 * PEAK)
    below, above = np.maximum(below, least), np.maximum(above, least)
    pieces = []
    for i in heavy:
        n_points = min(MOST_POINTS, int(np.ceil(shares[i] / SHARE_OF_A_POINT)))
        levels = (np.arange(n_points) + 0.5) / n_points
        pieces.append(values[i] - below[i] + (below[i] + above[i]) * levels)
    firsts = np.r_[0, np.cumsum([len(p) for p in pieces])].astype(int)
    return SpreadTies(values[heavy], np.concatenate([np.empty(0), *pieces]), firsts)
