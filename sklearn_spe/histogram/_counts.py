"""Scores counted in chunks, their order, and bins that are too coarse."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import CoarseBinsWarning
from ..inputs._scores import single_scores
from ..inputs._validation import as_vector, check_counts
from ._bins import BinTable, ScoreBins

# Number of scores hashed together, to stay in the cache.
N_TOGETHER = 2**14
# Mix high bits into the low bits, which are zero for float32.
SHIFT = np.uint64(29)
PLACES = np.arange(N_TOGETHER, dtype=np.uint64)
MODULUS = 2**64
# Number of scores per table, so that other costs of it are small.
N_OF_TABLE = 2**20
# Number of tables kept before they are added.
N_ADDED = 16
# Maximum share of items in a bin with several scores; smaller for the highest bin, which determines
# the precision of rare positives; and minimum number of items for a warning.
LARGEST_SHARE, LARGEST_SHARE_ON_TOP, MIN_ITEMS = 0.2, 1e-3, 1000
# Target share of a bin at the suggested resolution.
WANTED_SHARE = 0.01


@dataclass(frozen=True)
class ScoreOrder:
    """Checksums that depend on the order of scores, but not on their chunking.

    The same scores in another order have other checksums, except with negligible probability.
    """

    n_scores: int = 0
    total: int = 0  # sum of the hashes of the scores, modulo 2**64
    placed: int = 0  # sum of the hashes times the positions, modulo 2**64

    @classmethod
    def of(cls, scores: np.ndarray) -> ScoreOrder:
        """Return the checksums of scores, none missing."""
        total = placed = 0
        size = min(N_TOGETHER, len(scores))

        # The same memory for all batches.
        numbers = np.empty(size)
        shifted = np.empty(size, dtype=np.uint64)

        for first in range(0, len(scores), N_TOGETHER):
            batch = scores[first : first + N_TOGETHER]
            bits = numbers[: len(batch)]
            mixed = shifted[: len(batch)]

            # Equal numbers have equal hashes: float32 and float64, 0 and -0.
            bits[:] = batch
            bits += 0.0
            np.right_shift(bits.view(np.uint64), SHIFT, out=mixed)
            mixed ^= bits.view(np.uint64)

            hashes = int(mixed.sum())
            total += hashes
            placed += first * hashes + int(np.dot(PLACES[: len(batch)], mixed))

        return cls(len(scores), total % MODULUS, placed % MODULUS)

    def then(self, later: ScoreOrder) -> ScoreOrder:
        """Return the checksums of these scores followed by later ones."""
        return ScoreOrder(
            self.n_scores + later.n_scores,
            (self.total + later.total) % MODULUS,
            (self.placed + self.n_scores * later.total + later.placed) % MODULUS,
        )


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Counts of scores."""

    table: BinTable
    n_missing: int = 0  # number of missing scores
    # numbers of scores at or above some thresholds
    n_above: Mapping[float, int] = field(default_factory=dict)
    order: ScoreOrder | None = None  # order of the scores that were not missing; None if unknown
    is_exact: bool = True  # whether the scores were counted, not only the keys of their bins

    @classmethod
    def empty(cls) -> ScoreCounts:
        """Return empty counts."""
        return cls(BinTable.empty(), order=ScoreOrder())

    @classmethod
    def of(
        cls, scores: ArrayLike, counts: Any, bins: ScoreBins, thresholds: Iterable[float]
    ) -> ScoreCounts:
        """Count scores, with multiplicities if given; see `ScoreHistogram.update`."""
        scores = single_scores(scores, "scores")
        if counts is not None:
            counts = check_counts(as_vector(counts, "counts", len(scores)), "counts", 0)

        tables = [BinTable.empty()]
        n_missing = 0
        n_above = dict.fromkeys(thresholds, 0)
        order = ScoreOrder()

        for first in range(0, len(scores), N_OF_TABLE):
            batch = scores[first : first + N_OF_TABLE]
            weights = None if counts is None else counts[first : first + N_OF_TABLE]

            if np.isnan(batch.max()):
                missing = np.isnan(batch)
                n_missing += int(missing.sum() if weights is None else weights[missing].sum())
                batch = batch[~missing]
                weights = None if weights is None else weights[~missing]

            if weights is not None:
                batch = batch[weights > 0]
                weights = weights[weights > 0]

            tables.append(BinTable.of(batch, weights, bins))
            for threshold in n_above:
                above = batch.astype(float, copy=False) >= threshold
                n_above[threshold] += int(above.sum() if weights is None else weights[above].sum())

            if weights is None:
                order = order.then(ScoreOrder.of(batch))
            if len(tables) > N_ADDED:
                tables = [BinTable.sum_of(tables)]

        known = order if counts is None else None
        return cls(BinTable.sum_of(tables), n_missing, n_above, known)

    @property
    def n_items(self) -> int:
        return int(self.table.counts.sum())

    def is_same(self, other: ScoreCounts) -> bool:
        """Return whether counts, sums and ends are equal, in any order of counting."""
        return (
            (self.n_missing, self.n_above) == (other.n_missing, other.n_above)
            and np.array_equal(self.table.counts, other.table.counts)
            and np.array_equal(self.table.keys, other.table.keys)
            and _other_scores(self.table, other.table) is None
        )

    def plus(self, other: ScoreCounts) -> ScoreCounts:
        """Return the sum of both, with unknown order unless one is empty."""
        both = self.then(other)
        return both if not self.n_items or not other.n_items else replace(both, order=None)

    def then(self, later: ScoreCounts) -> ScoreCounts:
        """Return the counts of these scores followed by later ones, with the same thresholds."""
        order = None
        if self.order is not None and later.order is not None:
            order = self.order.then(later.order)
        return ScoreCounts(
            BinTable.sum_of([self.table, later.table]),
            self.n_missing + later.n_missing,
            {threshold: n + later.n_above[threshold] for threshold, n in self.n_above.items()},
            order,
            self.is_exact and later.is_exact,
        )

    def proved(self, chunks: Iterable[Any], bins: ScoreBins) -> Iterator[np.ndarray]:
        """Yield the scores of chunks; raise at the end if other scores were counted."""
        if not isinstance(chunks, Iterable):
            raise TypeError(f"chunks must be arrays of scores, one after another; got {chunks!r}.")

        # Count the chunks once more, as they are handed on.
        recounted = replace(ScoreCounts.empty(), n_above=dict.fromkeys(self.n_above, 0))

        for chunk in chunks:
            scores = single_scores(chunk, "chunks")
            try:
                recounted = recounted.then(ScoreCounts.of(scores, None, bins, self.n_above))
            except ValueError as error:
                raise self._others(str(error).rstrip(".")) from error
            yield scores

        if difference := self._difference(recounted):
            raise self._others(difference)

    def _others(self, differs: str) -> ValueError:
        return ValueError(
            f"The chunks do not have the scores that the histogram has counted: {differs}. Pass "
            "all of them, of the same model and not rounded, missing ones as NaN, in the order "
            "in which they were counted; or count the present scores in a new histogram, whose "
            "items have other numbers."
        )

    def _difference(self, met: ScoreCounts) -> str | None:
        """Return a description of how a pass differs from the counted scores, if it does."""
        if met.n_items != self.n_items:
            return f"there are {met.n_items} scores, but {self.n_items} were counted"

        if met.n_missing < self.n_missing:
            return (
                f"{met.n_missing} of them are missing, but {self.n_missing} were, so that the "
                "positions of the others may have changed"
            )

        # Engines round logarithms differently: scores at an edge may be in the neighboring bin.
        n_beside = 0 if self.is_exact else met.table.n_near_edges
        if differs := _other_counts(self.table, met.table, n_beside):
            return differs

        for threshold, n in self.n_above.items():
            if met.n_above[threshold] != n:
                return f"{met.n_above[threshold]} lie at or above {threshold!r}, but {n} did"

        if self.is_exact and (differs := _other_scores(self.table, met.table)):
            return differs

        if self.order is not None and met.order != self.order:
            return (
                "they are the same scores in another order, so that positions would refer to "
                "other rows. To look up rows in this order, count them again in it: the numbers "
                "of items do not change"
            )

        return None


def _other_counts(counted: BinTable, met: BinTable, n_beside: int) -> str | None:
    """Return which bins have other counts, beyond shifts to neighboring bins."""
    keys = np.union1d(counted.keys, met.keys)
    n_met = over(keys, met.keys, met.counts)
    n_counted = over(keys, counted.keys, counted.counts)
    moved = np.cumsum(n_met - n_counted)
    if np.abs(moved).sum() <= n_beside:
        return None

    differ = np.flatnonzero(n_met != n_counted)

    # Report the bin that differs most.
    k = differ[np.argmax(np.abs(n_met - n_counted)[differ])]
    table = counted if n_counted[k] else met
    index = int(np.searchsorted(table.keys, keys[k]))

    return (
        f"{len(differ)} of {len(keys)} bins have other counts, such as {n_met[k]} instead of "
        f"{n_counted[k]} around {float(table.smallest[index]):.6g}"
    )


def _other_scores(counted: BinTable, met: BinTable) -> str | None:
    """Return which bins have other scores, for tables with equal keys and counts."""
    same = np.ones(len(counted.keys), dtype=bool)
    for name in ("parts", "smallest", "largest"):
        same &= getattr(counted, name) == getattr(met, name)
    if same.all():
        return None
    k = int(np.argmin(same))
    return (
        f"the counts are equal, but in {(~same).sum()} of {len(same)} bins the scores differ, "
        f"such as those from {met.smallest[k]:.9g} to {met.largest[k]:.9g} where they were from "
        f"{counted.smallest[k]:.9g} to {counted.largest[k]:.9g} (rounded, or of another model)"
    )


def over(keys: np.ndarray, counted_keys: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return counts by key, expanded to more keys."""
    expanded = np.zeros(len(keys), dtype=np.int64)
    expanded[np.searchsorted(keys, counted_keys)] = counts
    return expanded


def warn_of_coarse_bins(table: BinTable, bins: ScoreBins, stacklevel: int = 3) -> None:
    """Warn if a large share of the items lies in one bin and is not a tie.

    Ties are unknown for tables from a query engine: only probabilities are checked there.
    """
    if not len(table.keys):
        return

    n_items = int(table.counts.sum())
    in_unit = table.smallest[0] >= 0.0 and table.largest[-1] <= 1.0
    low, high = bins.edges(table.keys)
    is_seen = (table.smallest != low) | (table.largest != high) | in_unit
    counts = np.where((table.smallest < table.largest) & is_seen, table.counts, 0)
    widest = int(np.argmax(counts))

    if counts[-1] > max(MIN_ITEMS, LARGEST_SHARE_ON_TOP * n_items):
        widest = len(counts) - 1
    elif counts[widest] <= max(MIN_ITEMS, LARGEST_SHARE * n_items):
        return

    share = counts[widest] / n_items
    remedy = f"resolution={int(np.ceil(bins.resolution * max(2.0, share / WANTED_SHARE)))}"

    if in_unit and bins.scale != "logit":
        remedy = 'ScoreHistogram("logit"), the scale of probabilities'

    warnings.warn(
        f"The bins are too wide for these scores: {share:.2%} of {n_items:,} lie in one bin, "
        f"from {table.smallest[widest]:.6g} to {table.largest[widest]:.6g}, and are treated as "
        "evenly spread there; average precision may be inaccurate. Count them again with "
        f"{remedy}.",
        CoarseBinsWarning,
        stacklevel=stacklevel,
    )
