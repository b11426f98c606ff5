"""What is kept of the scores in each bin: whole numbers, which add up alike in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ._score_bins import ScoreBins

__all__ = ["BinTable"]

# Places within a bin are counted in such parts of its width: sums of 2**39 items are exact.
PARTS = 2**24


@dataclass(frozen=True, eq=False)
class BinTable(FrozenArrays):
    """The bins of some scores that are not empty.

    Attributes
    ----------
    keys : ndarray of int of shape (n_bins,)
        Increasing.
    counts : ndarray of int of shape (n_bins,)
    parts : ndarray of int of shape (n_bins,)
        The sum over items of how far each lies above the lower end of its bin, in `PARTS` of the
        width.
    least, greatest : ndarray of shape (n_bins,)
        The smallest and the largest score.
    """

    keys: np.ndarray
    counts: np.ndarray
    parts: np.ndarray
    least: np.ndarray
    greatest: np.ndarray

    @classmethod
    def empty(cls) -> BinTable:
        """Return the table of no score."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, none, np.empty(0), np.empty(0))

    @classmethod
    def of(cls, scores: np.ndarray, counts: np.ndarray | None, bins: ScoreBins) -> BinTable:
        """Count scores, each once or as often as is said."""
        if not len(scores):
            return cls.empty()
        if counts is None:
            scores = np.sort(scores)
        else:
            order = np.argsort(scores, kind="stable")
            scores, counts = scores[order], counts[order]
        bins.check(float(scores[0]), float(scores[-1]))
        firsts, keys = _runs(scores, bins)
        lengths = np.diff(firsts, append=len(scores))
        parts = _parts(scores, keys, lengths, bins)
        last = np.append(firsts[1:], len(scores)) - 1
        ends = scores[firsts].astype(float), scores[last].astype(float)
        if counts is None:
            return cls(keys, lengths, np.add.reduceat(parts, firsts), *ends)
        n, placed = (np.add.reduceat(values, firsts) for values in (counts, parts * counts))
        return cls(keys, n, placed, *ends)

    def __add__(self, other: BinTable) -> BinTable:
        keys = np.r_[self.keys, other.keys]
        order = np.argsort(keys, kind="stable")
        keys, firsts = np.unique(keys[order], return_index=True)
        if not len(keys):
            return self
        ways = {
            "counts": np.add,
            "parts": np.add,
            "least": np.minimum,
            "greatest": np.maximum,
        }
        columns = (
            way.reduceat(np.r_[getattr(self, name), getattr(other, name)][order], firsts)
            for name, way in ways.items()
        )
        return type(self)(keys, *columns)

    def scores(self, bins: ScoreBins) -> np.ndarray:
        """Return the mean score of each bin."""
        low, high = bins.edges(self.keys)
        # Items lie in the middle of the part to which they were rounded down.
        mean = low + (high - low) * ((self.parts / self.counts + 0.5) / PARTS)
        return np.clip(mean, self.least, self.greatest)


def _runs(scores: np.ndarray, bins: ScoreBins) -> tuple[np.ndarray, np.ndarray]:
    """Return where the bins of sorted scores begin, and their keys."""
    # Edges are few, and scores many: a search for each edge is cheap, a logarithm a score is not.
    first, last = map(int, bins.keys_between(float(scores[0]), float(scores[-1])))
    edges = _rounded_up(bins.edges(np.arange(first, last + 1))[0], scores.dtype)
    firsts = np.unique(np.r_[0, np.searchsorted(scores, edges)])
    firsts = firsts[firsts < len(scores)]
    ends = scores[firsts], scores[np.append(firsts[1:], len(scores)) - 1]
    keys, to = map(bins.keys, ends)
    if np.array_equal(keys, to) and (np.diff(keys) > 0).all():
        return firsts, keys
    # Rounding of an edge, or scores of exactly 0 and 1: each item is asked.
    keys, firsts = np.unique(bins.keys(scores), return_index=True)
    return firsts, keys


def _rounded_up(edges: np.ndarray, dtype) -> np.ndarray:
    """Return the smallest numbers of a dtype that are not below the edges."""
    rounded = edges.astype(dtype)
    return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def _parts(scores, keys, lengths, bins: ScoreBins) -> np.ndarray:
    """Return how far each score lies above the lower end of its bin."""
    low, high = bins.edges(keys)
    width = high - low
    per_score = np.divide(PARTS, width, out=np.zeros(len(width)), where=width > 0.0)
    above = scores.astype(np.float64)
    above -= np.repeat(low, lengths)
    above *= np.repeat(per_score, lengths)
    return np.floor(above, out=above).astype(np.int64)
