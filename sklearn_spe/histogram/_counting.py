"""Counting of scores by their keys, where numpy sorts slowly.

numpy has fast sorts for some processors only. The key of each score costs a logarithm, and no sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from ._bins import KEY_OF_ONE, KEY_OF_ZERO, BinTable, ScoreBins

# Minimum number of scores for which the faster method is of interest.
MIN_LARGE = 2**16
# Number of scores counted together, to stay in the cache.
N_TOGETHER = 2**15
# Maximum number of bins, empty ones included, that each have an entry in arrays.
MAX_KEYS = 2**17


@lru_cache
def sorts_fast(dtype: np.dtype) -> bool:
    """Return whether sorting is faster here than counting by key."""
    scores = np.random.default_rng(0).random(MIN_LARGE).astype(dtype)
    bins = ScoreBins()

    def seconds(count: Callable[[], Any]) -> float:
        start = perf_counter()
        count()
        return perf_counter() - start

    # The first of each pays for what is cached.
    by_key = min(seconds(lambda: counted_by_key(scores, bins)) for _ in range(4))
    by_sort = min(seconds(lambda: BinTable.of(scores, None, bins)) for _ in range(4))
    return by_sort < by_key


def counted_by_key(scores: np.ndarray, bins: ScoreBins) -> BinTable:
    """Count scores by their keys, or by sorting where these are too many."""
    smallest = scores.min()
    largest = scores.max()
    bins.check(float(smallest), float(largest))
    is_logit = bins.scale == "logit"
    if is_logit and (smallest == 0.0 or largest == 1.0):
        inside = scores[(scores > 0.0) & (scores < 1.0)]
        smallest, largest = (inside.min(), inside.max()) if len(inside) else (0.5, 0.5)

    first, last = map(int, bins.keys(np.array([smallest, largest])))
    if last - first > MAX_KEYS:
        return BinTable.of(scores, None, bins)

    keys = np.arange(first - is_logit, last + 1 + is_logit)
    if is_logit:
        keys[[0, -1]] = KEY_OF_ZERO, KEY_OF_ONE

    def batches() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield scores that fit the cache, and the indices of their keys."""
        for start in range(0, len(scores), N_TOGETHER):
            batch = scores[start : start + N_TOGETHER]
            yield batch, np.clip(bins.keys(batch) - (first - is_logit), 0, len(keys) - 1)

    n_keys = len(keys)
    low, quantum = bins.grid(keys)
    is_exact = scores.dtype == np.float32 and _is_exact(keys, quantum, bins)
    counts = np.zeros(n_keys)
    totals = np.zeros(n_keys)
    bin_smallest = np.full(n_keys, np.inf, scores.dtype)
    bin_largest = -bin_smallest

    for batch, index in batches():
        counts += np.bincount(index, minlength=n_keys)
        parts = batch if is_exact else np.floor((batch - low.take(index)) / quantum.take(index))
        totals += np.bincount(index, parts, n_keys)

        # Few scores are new extremes.
        below = batch < bin_smallest.take(index)
        above = batch > bin_largest.take(index)
        np.minimum.at(bin_smallest, index[below], batch[below])
        np.maximum.at(bin_largest, index[above], batch[above])

    filled = np.flatnonzero(counts)
    counts = counts[filled]
    totals = totals[filled]
    bin_smallest = bin_smallest[filled].astype(float)
    bin_largest = bin_largest[filled].astype(float)

    if is_exact:
        # Differences first: they are exact.
        from_smallest = (totals - counts * bin_smallest) / quantum[filled]
        totals = from_smallest + counts * np.floor((bin_smallest - low[filled]) / quantum[filled])

    # Mostly no bin has scores near an edge.
    near = np.zeros(n_keys, dtype=bool)
    near[filled] = bins.reach_edges(keys[filled], bin_smallest, bin_largest)
    n_near_edges = 0

    if near.any():
        for batch, index in batches():
            n_near_edges += int(bins.is_near_edge(batch[near.take(index)]).sum())

    counts = counts.astype(np.int64)
    parts = totals.astype(np.int64)
    return BinTable(keys[filled], counts, parts, bin_smallest, bin_largest, n_near_edges)


def _is_exact(keys: np.ndarray, quantum: np.ndarray, bins: ScoreBins) -> bool:
    """Return whether all numbers of float32 are multiples of the quantum of their bin.

    Then their sums in float64 are exact.
    """
    low, high = bins.edges(keys)
    with np.errstate(over="ignore"):
        near = np.minimum(np.abs(low), np.abs(high)).astype(np.float32)
    near[(low < 0.0) & (high > 0.0)] = 0.0
    return bool(((np.spacing(near) >= quantum) | (low == high)).all())
