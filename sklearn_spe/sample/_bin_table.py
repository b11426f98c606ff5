"""Table of nonempty bins: integer counts and sums, exact in any order of merging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .._arrays import FrozenArrays
from ._score_bins import ScoreBins

__all__ = ["BinTable"]

# Number of neighboring bins whose edges are computed together and cached.
N_KEPT = 2**10
# A float64 sum of multiples of a number is exact below this many multiples.
LARGEST_SUM = 2**53


@dataclass(frozen=True, eq=False)
class BinTable(FrozenArrays):
    """The nonempty bins of some scores."""

    keys: np.ndarray  # (n_bins,), increasing
    counts: np.ndarray  # (n_bins,)
    # (n_bins,), sum over items of their distance from the bin's lower end in quanta, at most 2**25
    # each, so that sums of 2**38 items are exact
    parts: np.ndarray
    smallest: np.ndarray  # (n_bins,), the smallest score of each bin
    largest: np.ndarray  # (n_bins,), the largest score of each bin
    n_near_edges: int = 0  # number of scores whose bin depends on rounding

    @classmethod
    def empty(cls) -> BinTable:
        """Return an empty table."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, none, np.empty(0), np.empty(0))

    @classmethod
    def of(cls, scores: np.ndarray, counts: np.ndarray | None, bins: ScoreBins) -> BinTable:
        """Count scores, with multiplicities if given."""
        if not len(scores):
            return cls.empty()
        if counts is None:
            scores = np.sort(scores)
        else:
            order = np.argsort(scores, kind="stable")
            scores, counts = scores[order], counts[order]
        bins.check(float(scores[0]), float(scores[-1]))
        firsts, keys = _runs(scores, bins)
        last = np.append(firsts[1:], len(scores)) - 1
        ends = scores[firsts].astype(float), scores[last].astype(float)
        parts = _parts(scores, counts, firsts, *bins.grid(keys))
        n_near_edges = _n_near_edges(scores, counts, bins)
        n = last - firsts + 1 if counts is None else np.add.reduceat(counts, firsts)
        return cls(keys, n, parts, *ends, n_near_edges)

    @classmethod
    def sum_of(cls, tables: Sequence[BinTable]) -> BinTable:
        """Return the sum of several tables."""
        keys = np.concatenate([table.keys for table in tables])
        if not len(keys):
            return tables[0]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        firsts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
        ways = {"counts": np.add, "parts": np.add, "smallest": np.minimum, "largest": np.maximum}
        counts, parts, smallest, largest = (
            way.reduceat(np.concatenate([getattr(table, name) for table in tables])[order], firsts)
            for name, way in ways.items()
        )
        n_near_edges = sum(table.n_near_edges for table in tables)
        return cls(keys[firsts], counts, parts, smallest, largest, n_near_edges)

    def scores(self, bins: ScoreBins) -> np.ndarray:
        """Return the mean score of each bin."""
        low, quantum = bins.grid(self.keys)
        # Scores were rounded down to a quantum: use its middle.
        mean = low + quantum * (self.parts / self.counts + 0.5)
        return np.clip(mean, self.smallest, self.largest)


def _runs(scores: np.ndarray, bins: ScoreBins) -> tuple[np.ndarray, np.ndarray]:
    """Return the start indices of the bins of sorted scores, and their keys."""
    # There are few edges and many scores: one search per edge is cheaper than one logarithm per
    # score.
    first, last = map(int, bins.keys_between(float(scores[0]), float(scores[-1])))
    blocks = range(first // N_KEPT, last // N_KEPT + 1)
    edges = np.concatenate([_edges(bins, block, scores.dtype) for block in blocks])
    start = blocks[0] * N_KEPT
    inner = np.searchsorted(scores, edges[first - start : last + 1 - start])
    bounds = np.concatenate([[0], inner, [len(scores)]])
    firsts = bounds[:-1][np.diff(bounds) > 0]
    ends = scores[firsts], scores[np.append(firsts[1:], len(scores)) - 1]
    keys, to = map(bins.keys, ends)
    if np.array_equal(keys, to) and (np.diff(keys) > 0).all():
        return firsts, keys
    # For rounded edges, or scores of exactly 0 and 1, compute the key of each item.
    keys, firsts = np.unique(bins.keys(scores), return_index=True)
    return firsts, keys


@lru_cache(maxsize=32)
def _edges(bins: ScoreBins, block: int, dtype) -> np.ndarray:
    """Return the smallest numbers of a dtype in each bin of a block of neighbors."""
    edges = bins.edges(np.arange(block * N_KEPT, (block + 1) * N_KEPT))[0]
    with np.errstate(over="ignore"):
        rounded = edges.astype(dtype)
        return np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)


def _n_near_edges(scores: np.ndarray, counts, bins: ScoreBins) -> int:
    """Return the number of sorted scores within rounding error of an edge."""
    first, last = map(int, bins.keys_between(float(scores[0]), float(scores[-1])))
    blocks = range(first // N_KEPT, (last + 1) // N_KEPT + 1)
    windows = (_windows(bins, block, scores.dtype) for block in blocks)
    low, high = np.concatenate(list(windows), axis=1)
    starts = np.searchsorted(scores, low)
    stops = np.searchsorted(scores, high, side="right")
    near = [slice(*pair) for pair in zip(starts, stops, strict=True) if pair[0] < pair[1]]
    if not near:
        return 0
    # Count each item once for neighboring edges with nothing between them.
    items = np.unique(np.concatenate([np.arange(part.start, part.stop) for part in near]))
    items = items[bins.is_near_edge(scores[items])]
    return len(items) if counts is None else int(counts[items].sum())


@lru_cache(maxsize=32)
def _windows(bins: ScoreBins, block: int, dtype) -> np.ndarray:
    """Return the range of numbers of a dtype that are near each edge."""
    low, high = bins.near_edges(np.arange(block * N_KEPT, (block + 1) * N_KEPT))
    with np.errstate(over="ignore"):
        smallest, most = low.astype(dtype), high.astype(dtype)
        smallest = np.where(smallest < low, np.nextafter(smallest, dtype.type(np.inf)), smallest)
        most = np.where(most > high, np.nextafter(most, dtype.type(-np.inf)), most)
    there = smallest <= most
    return np.array([smallest[there], most[there]])


def _parts(scores, counts, firsts, low, quantum) -> np.ndarray:
    """Return the summed distance of each bin's scores from its lower end, in quanta."""
    lengths = np.diff(firsts, append=len(scores))
    if counts is not None or scores.dtype != np.float32:
        return _rounded_parts(scores, counts, lengths, low, quantum)
    smallest, largest = scores[firsts], scores[firsts + lengths - 1]
    # If the quantum divides all float32 numbers in the bin, neither they nor their float64 sum are
    # rounded: summing suffices.
    near = np.minimum(np.abs(smallest), np.abs(largest))
    far = np.maximum(np.abs(smallest), np.abs(largest)).astype(float)
    step = np.spacing(near).astype(float)
    exact = (step >= quantum) & (np.signbit(smallest) == np.signbit(largest))
    exact &= far * lengths < LARGEST_SUM * step
    smallest = smallest.astype(float)
    above = np.add.reduceat(scores, firsts, dtype=float) - lengths * smallest
    above = above / quantum + lengths * np.floor((smallest - low) / quantum)
    if not exact.all():
        rest, own = ~exact, scores[np.repeat(~exact, lengths)]
        above[rest] = _rounded_parts(own, None, lengths[rest], low[rest], quantum[rest])
    return above.astype(np.int64)


def _rounded_parts(scores, counts, lengths, low, quantum) -> np.ndarray:
    above = scores.astype(np.float64)
    above -= np.repeat(low, lengths)
    above *= np.repeat(1.0 / quantum, lengths)
    np.floor(above, out=above)
    if counts is not None:
        above *= counts
    return np.add.reduceat(above, np.cumsum(lengths) - lengths).astype(np.int64)
