"""Search for given items of bins in a pass over scores, reproducible for any chunking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ._bins import CutBins, ScoreBins

# Number of scores per batch.
N_TOGETHER = 2**16
# Maximum number of ranges to compare with; above it, computing the keys is cheaper.
MAX_RANGES = 40
# Constants of SplitMix64: increment and mixing steps.
STEP = np.uint64(0x9E3779B97F4A7C15)
MIXERS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
LAST_SHIFT = np.uint64(31)


@dataclass
class ItemSearch:
    """Search for items by their numbers.

    Each position among the scores has its own random number, independent of the chunking. The items
    of a part of the bins are ordered by these.
    """

    cut: CutBins
    bins: ScoreBins
    items: np.ndarray  # (n_items,), item numbers
    seed: int
    known: np.ndarray  # (n_known,), positions of items without a number, increasing
    # For each requested part: number of items kept, and the smallest random numbers so far.
    _parts: np.ndarray = field(init=False)
    _n_kept: np.ndarray = field(init=False)
    _kept: list[tuple[np.ndarray, np.ndarray]] = field(init=False)
    _n_met: np.ndarray = field(init=False)
    # No requested item lies outside these ranges.
    _ranges: list[tuple[float, float]] = field(init=False)

    def __post_init__(self):
        part, rank = self.cut.parts_and_places(self.items)
        self._parts, own = np.unique(part, return_inverse=True)
        self._n_kept = np.zeros(len(self._parts), dtype=np.int64)
        np.maximum.at(self._n_kept, own, rank + 1)
        none = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        self._kept = [none] * len(self._parts)
        self._n_met = np.zeros(len(self._parts), dtype=np.int64)
        self._ranges = _joined(*self.bins.around(np.unique(self.cut.keys[self._parts])))
        if len(self._ranges) > MAX_RANGES:
            self._ranges = [(self._ranges[0][0], self._ranges[-1][1])]

    def places(self, chunks: Iterable[np.ndarray]) -> np.ndarray:
        """Return the position of each item among the scores of all chunks, from 0.

        Raise ValueError if too many items of a bin are known.
        """
        n_rows = 0
        for scores in chunks:
            for start in range(0, len(scores), N_TOGETHER):
                self._look_at(n_rows + start, scores[start : start + N_TOGETHER])
            n_rows += len(scores)
        self._check_met(n_rows)
        part, rank = self.cut.parts_and_places(self.items)
        own = np.searchsorted(self._parts, part)
        sorted_places = [places[np.lexsort((places, chance))] for chance, places in self._kept]
        return np.array([sorted_places[k][r] for k, r in zip(own, rank, strict=True)], dtype=int)

    def _look_at(self, first: int, scores: np.ndarray) -> None:
        near = np.zeros(len(scores), dtype=bool)
        for low, high in self._ranges:
            near |= (scores >= low) & (scores <= high)
        there = np.flatnonzero(near)
        if not len(there):
            return
        scores = scores[there].astype(float)
        part = self.cut.parts_of(self.bins.keys(scores), scores)
        at = np.minimum(np.searchsorted(self._parts, part), len(self._parts) - 1)
        wanted = self._parts[at] == part
        own, places = at[wanted], first + there[wanted]
        is_new = ~np.isin(places, self.known)
        own, places = own[is_new], places[is_new]
        if not len(places):
            return
        chance = _chances(self.seed, places)
        for k in np.unique(own):
            mine = own == k
            self._n_met[k] += np.count_nonzero(mine)
            self._keep(k, chance[mine], places[mine])

    def _keep(self, k: int, chance, places) -> None:
        n, (before, where) = int(self._n_kept[k]), self._kept[k]
        chance, places = np.concatenate([before, chance]), np.concatenate([where, places])
        if len(chance) > n:
            smallest = np.argpartition(chance, n - 1)[:n]
            chance, places = chance[smallest], places[smallest]
        self._kept[k] = chance, places

    def _check_met(self, n_rows: int) -> None:
        beyond = self.known[self.known >= n_rows]
        if len(beyond):
            raise ValueError(
                f"known must hold positions below {n_rows}, the number of scores in all chunks; "
                f"got {beyond[0]}."
            )
        lacking = np.flatnonzero(self._n_met < self._n_kept)
        if len(lacking):
            k = lacking[0]
            part = self._parts[k]
            raise ValueError(
                f"The chunks hold {self._n_met[k]} scores from {self.cut.smallest[part]:.6g} to "
                f"{self.cut.largest[part]:.6g} that are not known, but {self._n_kept[k]} are "
                "requested: known has more positions than with_labels had items."
            )


def _joined(low, high) -> list[tuple[float, float]]:
    """Return increasing ranges, with overlapping ones merged."""
    ranges: list[tuple[float, float]] = []
    for start, stop in zip(low.tolist(), high.tolist(), strict=True):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(stop, ranges[-1][1])
        else:
            ranges.append((start, stop))
    return ranges


def _chances(seed: int, places: np.ndarray) -> np.ndarray:
    """Return the random number of each position, 64 bits.

    Position i gets the i-th output of SplitMix64 [1]_, a bijection, without computing the others.

    References
    ----------
    .. [1] G. L. Steele, D. Lea, C. H. Flood. "Fast splittable pseudorandom number generators."
       OOPSLA (2014) 453-472.
    """
    (start,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    # Integers modulo 2**64, as in numpy arrays.
    mixed = start + STEP * (places.astype(np.uint64) + np.uint64(1))
    for shift, factor in MIXERS:
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed ^ (mixed >> LAST_SHIFT)
