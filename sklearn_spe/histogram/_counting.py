"""Counting of scores by bin: by sorting them, or where numpy sorts slowly by looking them up.

numpy has fast sorts for some processors only. Looking up needs no sort, and no logarithm of each
score either: scores with the same leading bits form a cell, so small that it has the edge of one
bin at most, and one comparison with that edge gives the bin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from time import perf_counter

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._bins import KEY_OF_ONE, KEY_OF_ZERO, BinTable, ScoreBins

# Minimum number of scores for which the faster method is of interest.
MIN_LARGE = 2**16
# Number of scores looked up together, to stay in the cache.
N_TOGETHER = 2**15
# Number of neighboring bins whose cells are computed together and cached.
N_KEPT = 2**8
# Maximum number of pieces that each have an entry in arrays.
MAX_PIECES = 2**17
INTEGERS = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}


@lru_cache
def sorts_fast(dtype) -> bool:
    """Return whether sorting is faster here than looking up."""
    scores, bins = np.random.default_rng(0).random(MIN_LARGE).astype(dtype), ScoreBins()

    def seconds(count: Callable) -> float:
        start = perf_counter()
        count()
        return perf_counter() - start

    # The first of each pays for what is cached.
    by_lookup = min(seconds(lambda: looked_up(scores, bins)) for _ in range(4))
    by_sort = min(seconds(lambda: BinTable.of(scores, None, bins)) for _ in range(4))
    return by_sort < by_lookup


def looked_up(scores: np.ndarray, bins: ScoreBins) -> BinTable:
    """Count scores by looking up their pieces, or by sorting where the pieces are too large."""
    smallest, largest = scores.min(), scores.max()
    bins.check(float(smallest), float(largest))
    pieces = _pieces_of(scores, smallest, largest, bins)
    if pieces is None:
        return BinTable.of(scores, None, bins)
    sums = _piece_sums(scores, pieces)
    there = np.flatnonzero(sums[0])
    keys, (counts, totals, smallest, largest) = pieces.keys[there], (own[there] for own in sums)
    smallest, largest = smallest.astype(float), largest.astype(float)
    if pieces.is_exact:
        low, quantum = pieces.grid[:, there]
        # Differences first: they are exact.
        totals = (totals - counts * smallest) / quantum
        totals += counts * np.floor((smallest - low) / quantum)
    firsts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1))
    keys, smallest = keys[firsts], smallest[firsts]
    largest = largest[np.append(firsts[1:], len(largest)) - 1]
    counts, parts = (np.add.reduceat(own, firsts).astype(np.int64) for own in (counts, totals))
    # Mostly no bin has such scores.
    near = bins.reach_edges(keys, smallest, largest)
    n_near_edges = pieces.n_near_edges(scores, keys[near]) if near.any() else 0
    return BinTable(keys, counts, parts, smallest, largest, n_near_edges)


def _batches(scores):
    """Return scores in parts that fit the cache."""
    return (scores[first : first + N_TOGETHER] for first in range(0, len(scores), N_TOGETHER))


def _piece_sums(scores: np.ndarray, pieces: Pieces) -> tuple[np.ndarray, ...]:
    """Return the count, the total, the smallest and the largest of the scores of each piece."""
    n = len(pieces.keys)
    counts, totals = np.zeros(n), np.zeros(n)
    smallest = np.full(n, np.inf, scores.dtype)
    largest = -smallest
    for own in _batches(scores):
        at = pieces.places_of(own)
        counts += np.bincount(at, minlength=n)
        totals += np.bincount(at, own if pieces.is_exact else pieces.quanta(own, at), n)
        below, above = own < smallest.take(at), own > largest.take(at)
        np.minimum.at(smallest, at[below], own[below])
        np.maximum.at(largest, at[above], own[above])
    return counts, totals, smallest, largest


@dataclass(frozen=True, eq=False)
class Pieces(FrozenArrays):
    """Increasing ranges of scores, each within one bin: here the bins of the scale "identity"."""

    bins: ScoreBins
    dtype: np.dtype  # of the scores
    keys: np.ndarray  # (n_pieces,), key of the bin of each piece, increasing

    def places_of(self, scores) -> np.ndarray:
        """Return the piece of each score."""
        places = self.bins.keys(scores)
        places -= self.keys[0]
        return places

    @cached_property
    def grid(self) -> np.ndarray:
        """Origin and quantum of each piece, (2, n_pieces)."""
        return np.array(self.bins.grid(self.keys))

    @cached_property
    def is_exact(self) -> bool:
        """Whether all scores are multiples of the quantum of their bin, so that sums are exact."""
        low, high = self.bins.edges(self.keys)
        with np.errstate(over="ignore"):
            near = np.minimum(np.abs(low), np.abs(high)).astype(self.dtype)
        near[(low < 0.0) & (high > 0.0)] = 0.0
        is_exact = (np.spacing(near) >= self.grid[1]) | (low == high)
        return self.dtype == np.float32 and bool(is_exact.all())

    def quanta(self, scores, at) -> np.ndarray:
        """Return the distances of scores from the origins of their bins, in quanta."""
        low, quantum = self.grid
        above = scores - low.take(at)
        above /= quantum.take(at)
        return np.floor(above, out=above)

    def n_near_edges(self, scores, keys) -> int:
        """Return the number of scores of some bins within rounding error of an edge."""
        is_asked, n_near = np.isin(self.keys, keys), 0
        for own in _batches(scores):
            asked = own[is_asked.take(self.places_of(own))]
            n_near += int(self.bins.is_near_edge(asked).sum())
        return n_near


@dataclass(frozen=True, eq=False)
class CellPieces(Pieces):
    """Two pieces for each cell of scores with equal leading bits: below and above an edge."""

    edges: np.ndarray  # (n_cells,), smallest number of the upper piece; inf if there is none
    first: int  # the first cell

    def places_of(self, scores) -> np.ndarray:
        """Return the piece of each score."""
        cells = _cells(scores, self.bins)
        cells -= self.first
        # Scores of exactly 0 and 1 have the outermost cells.
        np.maximum(cells, 1, out=cells)
        np.minimum(cells, len(self.edges) - 1, out=cells)
        above = scores - self.edges.take(cells)
        # The sign: -1 below the edge, and 0 above it.
        is_below = above.view(cells.dtype)
        is_below >>= 8 * cells.itemsize - 1
        cells += cells
        cells += is_below
        return cells.astype(np.intp, copy=False)


def _pieces_of(scores, smallest, largest, bins: ScoreBins) -> Pieces | None:
    """Return the pieces for scores in a range, if there are any."""
    if bins.scale == "logit" and (smallest == 0.0 or largest == 1.0):
        inside = scores[(scores > 0.0) & (scores < 1.0)]
        inside = inside if len(inside) else np.array([0.5])
        smallest, largest = inside.min(), inside.max()
    first, last = map(int, bins.keys(np.array([smallest, largest])))
    if bins.scale != "identity":
        return _cell_pieces(bins, scores.dtype, first // N_KEPT, last // N_KEPT)
    if last - first > MAX_PIECES:
        return None
    return Pieces(bins, scores.dtype, np.arange(first, last + 1))


@lru_cache(maxsize=32)
def _cell_pieces(bins: ScoreBins, dtype, first: int, last: int) -> CellPieces | None:
    """Return the cells of some blocks of bins, or None if they must be too small or too many."""
    if _n_bits(bins) > np.finfo(dtype).nmant:
        return None
    keys = np.arange(first * N_KEPT, (last + 1) * N_KEPT + 1)
    edges = _edges(bins, keys, dtype)
    # Near 1 several edges may be one number, or beyond all numbers.
    there = bins.keys(edges) >= keys
    keys, edges = keys[there], edges[there]
    is_last = np.append(np.diff(edges) > 0.0, True)
    keys, edges = keys[is_last], edges[is_last]
    cells = _cells(edges, bins)
    # One more cell on either side, for 0 and 1, and an empty one in front.
    start, n_cells = int(cells[0]) - 2, int(cells[-1] - cells[0]) + 4
    if (np.diff(cells) <= 0).any() or 2 * n_cells > MAX_PIECES:
        return None
    of_cell = np.full(n_cells, np.inf, dtype)
    of_cell[cells - start] = edges
    has_edge = of_cell < np.inf
    below: np.ndarray = np.cumsum(has_edge) - has_edge
    of_piece = np.column_stack([below, below + has_edge]).ravel()[1:]
    of_piece = np.r_[keys[0] - 1, keys][of_piece]
    if bins.scale == "logit":
        of_piece[:3], of_piece[-2:] = KEY_OF_ZERO, KEY_OF_ONE
    return CellPieces(bins, dtype, of_piece, of_cell, start)


def _n_bits(bins: ScoreBins) -> int:
    """Return the number of leading bits of a mantissa that tell bins apart."""
    return int(np.ceil(np.log2(bins.resolution))) + (bins.scale == "asinh")


def _cells(scores, bins: ScoreBins) -> np.ndarray:
    """Return the cells of scores, integers that never decrease with the score."""
    integer = INTEGERS[scores.dtype]
    shift = np.finfo(scores.dtype).nmant - _n_bits(bins)
    if bins.scale == "logit":
        # The odds, infinite at 1.
        size = np.subtract(1.0, scores, dtype=scores.dtype)
        with np.errstate(divide="ignore"):
            np.divide(scores, size, out=size)
        cells = size.view(integer)
        cells >>= shift
        return cells
    size, sign = np.abs(scores), (scores + 0.0).view(integer)
    size += 1.0
    cells = size.view(integer)
    cells >>= shift
    sign >>= 8 * cells.itemsize - 1
    cells ^= sign
    return cells


def _edges(bins: ScoreBins, keys, dtype) -> np.ndarray:
    """Return the smallest number of a dtype in each bin or above it."""
    low, high = bins.near_edges(keys)
    with np.errstate(over="ignore"):
        low, high = low.astype(dtype), high.astype(dtype)
    most = np.finfo(dtype).max
    ends = (0.0, 1.0) if bins.scale == "logit" else (-most, most)
    # The edge lies between the numbers next inside.
    smallest, largest = np.nextafter(np.array(ends, dtype), np.array(ends[::-1], dtype))
    low = np.clip(np.nextafter(low, dtype.type(-np.inf)), ends[0], largest)
    high = np.clip(np.nextafter(high, dtype.type(np.inf)), smallest, largest)
    # Bisection: the edge is above `low` and at most `high`.
    while True:
        middle = low / 2 + high / 2
        if ((middle <= low) | (middle >= high)).all():
            return high
        is_in = bins.keys(middle) >= keys
        low, high = np.where(is_in, low, middle), np.where(is_in, middle, high)
