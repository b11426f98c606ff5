"""Search for given items of bins in a pass over scores, reproducible for any chunking."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._bins import ScoreBins
from ._cut_bins import CutBins

# Number of scores per batch.
N_TOGETHER = 2**16
# Maximum number of ranges to compare with; above it, computing the keys is cheaper.
MAX_RANGES = 40
# Number of items, besides those that are needed, that may wait to be ordered.
MAX_FOUND = 2**18
# Constants of SplitMix64: increment and mixing steps.
STEP = np.uint64(0x9E3779B97F4A7C15)
MIXERS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
LAST_SHIFT = np.uint64(31)


def find_places(
    items: np.ndarray,
    chunks: Iterable[np.ndarray],
    cut: CutBins,
    bins: ScoreBins,
    seed: int,
    known: np.ndarray,
) -> np.ndarray:
    """Return the position of each item among the scores of all chunks, from 0.

    Each position has its own random number, independent of the chunking, and the items of a part of
    the bins are ordered by these. `known` are positions of items without a number, increasing.
    Raise ValueError if too many items of a bin are known.
    """
    part, rank = cut.parts_and_places(items)
    parts, requested = np.unique(part, return_inverse=True)

    # So many of the smallest random numbers of each requested part are needed.
    n_needed = np.zeros(len(parts), dtype=np.int64)
    np.maximum.at(n_needed, requested, rank + 1)
    n_met = np.zeros(len(parts), dtype=np.int64)

    # No requested item lies outside these ranges.
    low, high = bins.around(np.unique(cut.keys[parts]))
    ranges = _joined(low, high)
    if len(ranges) > MAX_RANGES:
        ranges = [(ranges[0][0], ranges[-1][1])]

    candidates: list[tuple[Any, ...]] = [
        (requested[:0], np.empty(0, dtype=np.uint64), requested[:0])
    ]
    n_candidates = n_rows = 0

    for scores in chunks:
        for start in range(0, len(scores), N_TOGETHER):
            inside = _inside(scores[start : start + N_TOGETHER], ranges)
            inside_scores = scores[start + inside].astype(float)
            part = cut.parts_of(bins.keys(inside_scores), inside_scores)
            positions = n_rows + start + inside
            is_candidate = np.isin(part, parts) & ~np.isin(positions, known)
            index = np.searchsorted(parts, part[is_candidate])
            positions = positions[is_candidate]

            n_met += np.bincount(index, minlength=len(parts))
            candidates.append((index, _random_numbers(seed, positions), positions))
            n_candidates += len(positions)
            if n_candidates > MAX_FOUND + 2 * n_needed.sum():
                candidates = [_smallest(candidates, n_needed)]
                n_candidates = int(n_needed.sum())

        n_rows += len(scores)

    _check_met(n_met, n_needed, parts, cut, known[known >= n_rows], n_rows)
    index, _, positions = _smallest(candidates, n_needed)
    return positions[np.searchsorted(index, requested) + rank]


def _inside(scores: np.ndarray, ranges: list[tuple[float, float]]) -> np.ndarray:
    """Return which scores lie in one of some ranges."""
    near = np.zeros(len(scores), dtype=bool)
    for low, high in ranges:
        near |= (scores >= low) & (scores <= high)
    return np.flatnonzero(near)


def _smallest(candidates: list[tuple[Any, ...]], n_needed: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return parts, random numbers and positions of the first items of each part, in order."""
    part, numbers, positions = (np.concatenate(column) for column in zip(*candidates, strict=True))
    order = np.lexsort((positions, numbers, part))
    part = part[order]
    rank = np.arange(len(part)) - np.searchsorted(part, part)
    needed = rank < n_needed[part]
    return part[needed], numbers[order][needed], positions[order][needed]


def _check_met(
    n_met: np.ndarray,
    n_needed: np.ndarray,
    parts: np.ndarray,
    cut: CutBins,
    beyond: np.ndarray,
    n_rows: int,
) -> None:
    """Raise if known positions do not exist, or leave too few items in a part."""
    if len(beyond):
        raise ValueError(
            f"known must hold positions below {n_rows}, the number of scores in all chunks; got "
            f"{beyond[0]}."
        )

    lacking = np.flatnonzero(n_met < n_needed)
    if len(lacking):
        k = lacking[0]
        raise ValueError(
            f"The chunks hold {n_met[k]} scores from {cut.smallest[parts[k]]:.6g} to "
            f"{cut.largest[parts[k]]:.6g} that are not known, but {n_needed[k]} are requested: "
            "known has more positions than with_labels had items."
        )


def _joined(low: np.ndarray, high: np.ndarray) -> list[tuple[float, float]]:
    """Return increasing ranges, with overlapping ones merged."""
    ranges: list[tuple[float, float]] = []
    for start, stop in zip(low.tolist(), high.tolist(), strict=True):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(stop, ranges[-1][1])
        else:
            ranges.append((start, stop))
    return ranges


def _random_numbers(seed: int, positions: np.ndarray) -> np.ndarray:
    """Return the random number of each position, 64 bits.

    Position i gets the i-th output of SplitMix64 [1]_, a bijection, without computing the others.

    References
    ----------
    .. [1] G. L. Steele, D. Lea, C. H. Flood. "Fast splittable pseudorandom number generators."
       OOPSLA (2014) 453-472.
    """
    (start,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    # Integers modulo 2**64, as in numpy arrays.
    mixed = start + STEP * (positions.astype(np.uint64) + np.uint64(1))
    for shift, factor in MIXERS:
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed ^ (mixed >> LAST_SHIFT)
