"""A pass over scores that finds some items of some bins, the same ones however it is cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ._cut_bins import CutBins
from ._score_bins import ScoreBins

__all__ = ["ItemSearch"]

# So many scores are looked at together.
N_TOGETHER = 2**16
# Scores are held against so many ranges at most: a logarithm of each costs less than more.
MOST_RANGES = 40
# Of the generator: its step, and how it mixes bits.
STEP = np.uint64(0x9E3779B97F4A7C15)
MIXERS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
LAST_SHIFT = np.uint64(31)


@dataclass
class ItemSearch:
    """The search for items by their numbers.

    Each place among the scores has a number of chance of its own, whatever chunks they come in.
    The items of a part of the bins are in the order of these.

    Attributes
    ----------
    cut : CutBins
    bins : ScoreBins
    items : ndarray of int of shape (n_items,)
        Their numbers, below that of all items.
    seed : int
    known : ndarray of int of shape (n_known,)
        Places, rising, of items that have no number.
    """

    cut: CutBins
    bins: ScoreBins
    items: np.ndarray
    seed: int
    known: np.ndarray
    # Of the parts that are wanted: how many of their items are kept, and the least ones so far.
    _parts: np.ndarray = field(init=False)
    _n_kept: np.ndarray = field(init=False)
    _kept: list[tuple[np.ndarray, np.ndarray]] = field(init=False)
    _n_met: np.ndarray = field(init=False)
    # Nothing is wanted that lies outside of all of these.
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
        if len(self._ranges) > MOST_RANGES:
            self._ranges = [(self._ranges[0][0], self._ranges[-1][1])]

    def places(self, chunks: Iterable[np.ndarray]) -> np.ndarray:
        """Return the place of each item among the scores of all chunks, from 0.

        Parameters
        ----------
        chunks : iterable of ndarray of shape (n_scores,)
            What was counted.

        Raises
        ------
        ValueError
            If too many items of a bin are known.
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
            least = np.argpartition(chance, n - 1)[:n]
            chance, places = chance[least], places[least]
        self._kept[k] = chance, places

    def _check_met(self, n_rows: int) -> None:
        beyond = self.known[self.known >= n_rows]
        if len(beyond):
            raise ValueError(
                f"known must hold places below {n_rows}, the number of scores in all chunks; got "
                f"{beyond[0]}."
            )
        lacking = np.flatnonzero(self._n_met < self._n_kept)
        if len(lacking):
            k = lacking[0]
            part = self._parts[k]
            raise ValueError(
                f"The chunks hold {self._n_met[k]} scores from {self.cut.least[part]:.6g} to "
                f"{self.cut.greatest[part]:.6g} that are not known, and {self._n_kept[k]} are "
                f"asked for: known holds more places than with_labels was given items."
            )


def _joined(low, high) -> list[tuple[float, float]]:
    """Return ranges that rise, those that overlap as one."""
    ranges: list[tuple[float, float]] = []
    for start, stop in zip(low.tolist(), high.tolist(), strict=True):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(stop, ranges[-1][1])
        else:
            ranges.append((start, stop))
    return ranges


def _chances(seed: int, places: np.ndarray) -> np.ndarray:
    """Return the number of chance of each place, of 64 bits.

    A place is looked up by itself, and no two of them are equal: the output of SplitMix64 [1]_ at
    the position that the place is, one-to-one.

    References
    ----------
    .. [1] G. L. Steele, D. Lea, C. H. Flood. "Fast splittable pseudorandom number generators."
       OOPSLA (2014) 453-472.
    """
    (start,) = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    # Whole numbers modulo 2**64, as arrays of numpy are.
    mixed = start + STEP * (places.astype(np.uint64) + np.uint64(1))
    for shift, factor in MIXERS:
        mixed = (mixed ^ (mixed >> shift)) * factor
    return mixed ^ (mixed >> LAST_SHIFT)
