"""Bins that are cut at thresholds, and the numbers of items in their parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._validation import as_plain, check_counts
from ._bins import BinTable, ScoreBins


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
        starts = np.full(len(table.keys), -np.inf)
        scores = table.scores(bins)
        cut = cls(table.keys, starts, table.counts, scores, table.smallest, table.largest)
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

    def check_numbers(self, items: Any) -> np.ndarray:
        """Return valid item numbers, or raise."""
        numbers = check_counts(as_plain(items, "items"), "items", 0)
        if numbers.ndim != 1 or (numbers >= self.n_items).any():
            raise ValueError(
                f"items must be numbers below {self.n_items}, the number of counted scores, of "
                f"shape (n,); got {numbers[numbers >= self.n_items][:1]} and the shape "
                f"{numbers.shape}."
            )
        return numbers

    def parts_and_places(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the part of each item, and its position within that part."""
        parts = np.searchsorted(self.firsts + self.counts, numbers, side="right")
        return parts, numbers - self.firsts[parts]

    def parts_of(self, keys: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return the part of each score, given its key, or -1."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        part = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        counted = self.keys[part] == keys
        for cut in np.flatnonzero(self.starts > -np.inf):
            part = part + ((keys == self.keys[cut]) & (scores >= self.starts[cut]))
        return np.where(counted, part, -1)

    def _cut_at(self, threshold: float, n_above: int, bins: ScoreBins) -> CutBins:
        key = int(bins.keys(np.array([threshold]))[0])

        # Above all previous cuts, as thresholds increase.
        part = int(np.searchsorted(self.keys, key, side="right")) - 1
        is_counted = part >= 0 and self.keys[part] == key
        higher = int(self.counts[part + 1 :].sum())
        n_upper = n_above - higher
        n_of_part = int(self.counts[part]) if is_counted else 0
        if not 0 <= n_upper <= n_of_part:
            known = f"{higher}" if not n_of_part else f"{higher} to {higher + n_of_part}"
            raise ValueError(
                f"n_above={n_above} scores at or above {threshold!r} contradict the bins: by "
                f"their counts there are {known}. Use the scores of the histogram."
            )

        if not is_counted:
            return self

        smallest = float(self.smallest[part])
        mean = float(self.scores[part])
        largest = float(self.largest[part])
        below = (smallest, min(largest, float(np.nextafter(threshold, -np.inf))))
        above = (max(threshold, smallest), largest)

        if n_upper == n_of_part:
            below = threshold, threshold
            means = threshold, mean
        elif n_upper == 0:
            above = threshold, threshold
            means = mean, threshold
        else:
            means = _means(mean, n_upper / n_of_part, below, above)

        def in_two(column: np.ndarray, lower: float, upper: float) -> np.ndarray:
            return np.r_[column[:part], (lower, upper), column[part + 1 :]]

        return CutBins(
            in_two(self.keys, key, key),
            in_two(self.starts, self.starts[part], threshold),
            in_two(self.counts, n_of_part - n_upper, n_upper),
            in_two(self.scores, *means),
            in_two(self.smallest, below[0], above[0]),
            in_two(self.largest, below[1], above[1]),
        )


def _means(
    mean: float, share: float, below: tuple[float, float], above: tuple[float, float]
) -> tuple[float, float]:
    """Return means of both sides, consistent with the bin's mean and near the midpoints."""
    middle_below = (below[0] + below[1]) / 2.0
    middle_above = (above[0] + above[1]) / 2.0
    reach_below = (below[1] - below[0]) / 2.0
    reach_above = (above[1] - above[0]) / 2.0

    # Both sides are shifted by the same share of their widths.
    middle = (1.0 - share) * middle_below + share * middle_above
    reach = (1.0 - share) * reach_below + share * reach_above
    shift = np.clip((mean - middle) / reach, -1.0, 1.0) if reach > 0.0 else 0.0
    mean_below = middle_below + shift * reach_below
    mean_above = middle_above + shift * reach_above
    return float(np.clip(mean_below, *below)), float(np.clip(mean_above, *above))
