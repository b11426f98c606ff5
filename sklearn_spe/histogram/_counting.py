"""Counting of scores by their keys, where numpy sorts slowly.

numpy has fast sorts for some processors only. The key of each score costs a logarithm, and no sort.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from time import perf_counter

import numpy as np

from ._bins import KEY_OF_ONE, KEY_OF_ZERO, BinTable, ScoreBins

# Minimum number of scores for which the faster method is of interest.
MIN_LARGE = 2**16
# Number of scores counted together, to stay in the cache.
N_TOGETHER = 2**15
# Maximum number of bins, empty ones included, that each have an entry in arrays.
MAX_KEYS = 2**17


@lru_cache
def sorts_fast(dtype) -> bool:
    """Return whether sorting is faster here than counting by key."""
    scores, bins = np.random.default_rng(0).random(MIN_LARGE).astype(dtype), ScoreBins()

    def seconds(count: Callable) -> float:
        start = perf_counter()
        count()
        return perf_counter() - start

    # The first of each pays for what is cached.
    by_key = min(seconds(lambda: counted_by_key(scores, bins)) for _ in range(4))
    by_sort = min(seconds(lambda: BinTable.of(scores, None, bins)) for _ in range(4))
    return by_sort < by_key


def counted_by_key(scores: np.ndarray, bins: ScoreBins) -> BinTable:
    """Count scores by their keys, or by sorting where these are too many."""
    smallest, largest = scores.min(), scores.max()
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

    def batches():
        """Yield scores that fit the cache, and the places of their keys."""
        for start in range(0, len(scores), N_TOGETHER):
            own = scores[start : start + N_TOGETHER]
            yield own, np.clip(bins.keys(own) - (first - is_logit), 0, len(keys) - 1)

    n, low, quantum = len(keys), *bins.grid(keys)
    is_exact = scores.dtype == np.float32 and _is_exact(keys, quantum, bins)
    counts, totals = np.zeros(n), np.zeros(n)
    least = np.full(n, np.inf, scores.dtype)
    most = -least
    for own, at in batches():
        counts += np.bincount(at, minlength=n)
        parts = own if is_exact else np.floor((own - low.take(at)) / quantum.take(at))
        totals += np.bincount(at, parts, n)
        below, above = own < least.take(at), own > most.take(at)
        np.minimum.at(least, at[below], own[below])
        np.maximum.at(most, at[above], own[above])
    there = np.flatnonzero(counts)
    counts, totals, low, quantum = (own[there] for own in (counts, totals, low, quantum))
    least, most = least[there].astype(float), most[there].astype(float)
    if is_exact:
        # Differences first: they are exact.
        totals = (totals - counts * least) / quantum + counts * np.floor((least - low) / quantum)
    near = np.zeros(n, dtype=bool)
    near[there] = bins.reach_edges(keys[there], least, most)
    # Mostly no bin has such scores.
    asked = (own[near.take(at)] for own, at in batches()) if near.any() else ()
    n_near_edges = sum(int(bins.is_near_edge(own).sum()) for own in asked)
    counts, parts = counts.astype(np.int64), totals.astype(np.int64)
    return BinTable(keys[there], counts, parts, least, most, n_near_edges)


def _is_exact(keys, quantum, bins: ScoreBins) -> bool:
    """Return whether all numbers of float32 are multiples of the quantum of their bin.

    Then their sums in float64 are exact.
    """
    low, high = bins.edges(keys)
    with np.errstate(over="ignore"):
        near = np.minimum(np.abs(low), np.abs(high)).astype(np.float32)
    near[(low < 0.0) & (high > 0.0)] = 0.0
    return bool(((np.spacing(near) >= quantum) | (low == high)).all())
