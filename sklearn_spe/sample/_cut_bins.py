"""Sorted bins, some of them cut at thresholds, with numbered items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._array_like import as_plain
from ..inputs._numbers import check_counts
from ._bin_table import BinTable
from ._score_bins import ScoreBins

__all__ = ["CutBins"]


@dataclass(frozen=True, eq=False)
class CutBins(FrozenArrays):
    """The parts of bins in increasing order; a bin without a cut is one part.

    Items are numbered by increasing part, and randomly within a part.
    """

    keys: np.ndarray  # (n_parts,), of the bin of each part; parts of a bin are adjacent
    starts: np.ndarray  # (n_parts,), lower threshold; -inf if it is the edge of the bin
    counts: np.ndarray  # (n_parts,), zero on an empty side of a threshold
    scores: np.ndarray  # (n_parts,), mean score
    smallest: np.ndarray  # (n_parts,), lower bound of the scores
    largest: np.ndarray  # (n_parts,), upper bound of the scores

    @classmethod
    def of(cls, table: BinTable, bins: ScoreBins, n_above: Mapping[float, int]) -> CutBins:
        """Cut the bins of a table at thresholds with known counts above.

        Raise ValueError if a count contradicts the bins.
        """
        ends = table.smallest, table.largest
        starts = np.full(len(table.keys), -np.inf)
        cut = cls(table.keys, starts, table.counts, table.scores(bins), *ends)
        for threshold in sorted(n_above):
            cut = cut._cut_at(threshold, n_above[threshold], bins)
        return cut

    @cached_property
    def firsts(self) -> np.ndarray:
        """Number of the first item of each part, (n_parts,)."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def n_items(self) -> int:
        return int(self.counts.sum())

    def check_numbers(self, items) -> np.ndarray:
        """Return valid item numbers, or raise."""
        numbers = check_counts(as_plain(items, "items"), "items", 0)
        if numbers.ndim != 1 or (numbers >= self.n_items).any():
            raise ValueError(
                f"items must be numbers below {self.n_items}, the number of counted scores, of "
                f"shape (n,); got {numbers[numbers >= self.n_items][:1]} and the shape "
                f"{numbers.shape}."
            )
        return numbers

    def parts_and_places(self, numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the part of each item, and its position within that part."""
        parts = np.searchsorted(self.firsts + self.counts, numbers, side="right")
        return parts, numbers - self.firsts[parts]

    def parts_of(self, keys, scores) -> np.ndarray:
        """Return the part of each score, given its key, or -1."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        there = self.keys[at] == keys
        for key, start in zip(self.keys, self.starts, strict=True) if self._is_cut else ():
            if start > -np.inf:
                at = at + ((keys == key) & (scores >= start))
        return np.where(there, at, -1)

    @property
    def _is_cut(self) -> bool:
        return bool(np.isfinite(self.starts).any())

    def _cut_at(self, threshold: float, n_above: int, bins: ScoreBins) -> CutBins:
        key = int(bins.keys(np.array([threshold]))[0])
        # Above all previous cuts, as thresholds increase.
        at = int(np.searchsorted(self.keys, key, side="right")) - 1
        is_there = at >= 0 and self.keys[at] == key
        higher = int(self.counts[at + 1 :].sum())
        n, n_own = n_above - higher, int(self.counts[at]) if is_there else 0
        if not 0 <= n <= n_own:
            known = f"{higher}" if not n_own else f"{higher} to {higher + n_own}"
            raise ValueError(
                f"n_above={n_above} scores at or above {threshold!r} contradict the bins: by "
                f"their counts there are {known}. Use the scores of the histogram."
            )
        if not is_there:
            return self
        smallest, mean, most = (float(v[at]) for v in (self.smallest, self.scores, self.largest))
        below = (smallest, min(most, float(np.nextafter(threshold, -np.inf))))
        above = (max(threshold, smallest), most)
        if n == n_own:
            below, means = (threshold, threshold), (threshold, mean)
        elif n == 0:
            above, means = (threshold, threshold), (mean, threshold)
        else:
            means = _means(mean, n / n_own, below, above)
        sides = zip(below, above, strict=True)
        columns = {
            "keys": (key, key),
            "starts": (self.starts[at], threshold),
            "counts": (n_own - n, n),
            "scores": means,
            **dict(zip(("smallest", "largest"), sides, strict=True)),
        }
        return CutBins(
            *(
                np.concatenate([own[:at], np.array(two, dtype=own.dtype), own[at + 1 :]])
                for own, two in ((getattr(self, name), two) for name, two in columns.items())
            )
        )


def _means(mean: float, share: float, below, above) -> tuple[float, float]:
    """Return means of both sides, consistent with the bin's mean and near the midpoints."""
    middles = [(low + high) / 2.0 for low, high in (below, above)]
    reaches = [(high - low) / 2.0 for low, high in (below, above)]
    middle, reach = ((1.0 - share) * a + share * b for a, b in (middles, reaches))
    move = np.clip((mean - middle) / reach, -1.0, 1.0) if reach > 0.0 else 0.0
    low, high = (m + move * r for m, r in zip(middles, reaches, strict=True))
    return float(np.clip(low, *below)), float(np.clip(high, *above))
