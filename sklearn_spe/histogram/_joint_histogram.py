"""Joint histograms: how many items have which keys by several systems."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ParameterError
from ..inputs._arrays import CountedItems, FrozenArrays
from ..inputs._validation import (
    MAXIMUM,
    as_numbers,
    as_plain,
    as_vector,
    check_aligned,
    check_counts,
    check_flag,
)
from ._bins import KEY_OF_NONE, KEY_OF_ONE, KEY_OF_ZERO, ScoreBins, check_total
from ._count_tables import KEY, QUANTA, RESOLUTION, SCALE, TOTAL, N, check_columns

# Maximum number of cells: rows of the table.
MAX_CELLS = 2**22


@dataclass(frozen=True, eq=False, repr=False)
class LabeledJoint(CountedItems, FrozenArrays):
    """Joint histogram with labels, in place of X, y and sample_weight in `fit`.

    Rows are the labeled items in the given order, followed by the cells.
    """

    systems: tuple[str, ...]
    scores: np.ndarray  # (n_rows, n_systems), NaN if missing
    y: np.ndarray  # (n_rows,), labels as given; None for cells
    counts: np.ndarray  # (n_rows,), number of items of each row
    source: str  # identifies the items, whichever of them are labeled

    def __repr__(self) -> str:
        return f"LabeledJoint: {self.counts.sum():.0f} items in {len(self.scores)} rows"


@dataclass(frozen=True, eq=False, repr=False)
class JointHistogram(CountedItems, FrozenArrays):
    """Number of items by their keys of several systems. Created by `ScoreHistogram.from_table`."""

    bins: ScoreBins
    systems: tuple[str, ...]
    keys: np.ndarray  # (n_cells, n_systems), increasing; `KEY_OF_NONE` if a score is missing
    counts: np.ndarray  # (n_cells,)
    parts: np.ndarray  # (n_cells, n_systems), sums of scores, as in `BinTable`

    @classmethod
    def of_table(cls, columns: Mapping[str, Any], systems, bins: ScoreBins) -> JointHistogram:
        """Read a table with a column of keys for each system, and of counts."""
        names = [f"{KEY}_{system}" for system in systems]
        check_columns(columns, (*names, N), "keys")
        counts = check_counts(as_numbers(columns[N], N).ravel(), N, 0)
        check_total(counts.sum(dtype=float))
        if len(counts) > MAX_CELLS:
            raise ParameterError(
                f"The table has {len(counts):,} rows, and at most {MAX_CELLS:,} are read.",
                "Count with a lower resolution=",
                "resolution",
            )
        keys = np.empty((len(counts), len(names)), dtype=np.int64)
        for own, name in zip(keys.T, names, strict=True):
            given = as_vector(columns[name], name, len(counts))
            missing = np.isnan(given)
            own[missing] = KEY_OF_NONE
            own[~missing] = check_counts(given[~missing], name, -MAXIMUM)
            bins.check_keys(own[~missing], counts[~missing])
        parts = np.empty(keys.shape, dtype=np.int64)
        for own, of_system, system in zip(parts.T, keys.T, systems, strict=True):
            if f"{QUANTA}_{system}" in columns:
                own[:] = check_counts(as_plain(columns[f"{QUANTA}_{system}"], QUANTA), QUANTA, 0)
            else:
                own[:] = _parts(columns.get(f"{TOTAL}_{system}"), of_system, counts, bins)
        kept = counts > 0
        found = cls(bins, tuple(systems), keys[kept], counts[kept], parts[kept])._merged()
        if len(found.counts) < kept.sum():
            raise ValueError(
                "A table must have one row for each combination of keys, but some are repeated: "
                "add them up, or name the columns of subgroups by by=."
            )
        return found

    def _merged(self) -> JointHistogram:
        """Return the same counts, in order and with one row for each cell."""
        if not len(self.keys):
            return self
        order = np.lexsort(self.keys.T[::-1])
        keys = self.keys[order]
        firsts = np.flatnonzero(np.r_[True, (np.diff(keys, axis=0) != 0).any(axis=1)])
        counts, parts = (np.add.reduceat(own[order], firsts) for own in (self.counts, self.parts))
        return replace(self, keys=keys[firsts], counts=counts, parts=parts)

    @property
    def n_items(self) -> int:
        """Number of counted items."""
        return int(self.counts.sum())

    @property
    def scores(self) -> np.ndarray:
        """The mean scores of each cell, (n_cells, n_systems), NaN if missing."""
        means = np.empty(self.keys.shape)
        for own, keys, parts in zip(means.T, self.keys.T, self.parts.T, strict=True):
            low, quantum = self.bins.grid(keys)
            own[:] = np.clip(low + quantum * (parts / self.counts + 0.5), *self.bins.edges(keys))
        means[self.keys == KEY_OF_NONE] = np.nan
        return means

    def check_marginals(self, histograms: Mapping[str, Any]) -> None:
        """Raise unless the items of each system are those that its own histogram has counted."""
        for system, histogram in histograms.items():
            own = self.keys[:, self.systems.index(system)]
            keys, place = np.unique(own, return_inverse=True)
            counts = np.bincount(place, self.counts).astype(np.int64)
            n_missing = int(counts[keys == KEY_OF_NONE].sum())
            keys, counts = keys[keys != KEY_OF_NONE], counts[keys != KEY_OF_NONE]
            if (histogram.scale, histogram.resolution) != (self.bins.scale, self.bins.resolution):
                raise ValueError(
                    f"The histogram of {system!r} has scale={histogram.scale!r} and resolution="
                    f"{histogram.resolution}, and the joint table scale={self.bins.scale!r} and "
                    f"resolution={self.bins.resolution}. Count both with the same."
                )
            union = np.union1d(keys, histogram.keys)
            both = np.zeros((2, len(union)), dtype=np.int64)
            both[0, np.searchsorted(union, keys)] = counts
            both[1, np.searchsorted(union, histogram.keys)] = histogram.counts
            differ = np.flatnonzero(both[0] != both[1])
            if len(differ) or n_missing != histogram.n_missing:
                k = differ[0] if len(differ) else None
                where = (
                    f"{both[0, k]} instead of {both[1, k]} items have the key {union[k]}"
                    if len(differ)
                    else f"{n_missing} instead of {histogram.n_missing} scores are missing"
                )
                raise ValueError(
                    f"The joint table contradicts the histogram of {system!r}: {where} "
                    f"({len(differ)} of {len(union)} keys differ). Count both from the same rows."
                )

    def __repr__(self) -> str:
        names = ", ".join(map(repr, self.systems))
        return (
            f"JointHistogram of {names} (scale={self.bins.scale!r}, resolution="
            f"{self.bins.resolution}): {self.n_items} items in {len(self.counts)} cells"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointHistogram):
            return NotImplemented
        if (self.bins, self.systems) != (other.bins, other.systems):
            return False
        names = ("keys", "counts", "parts")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __add__(self, other: JointHistogram) -> JointHistogram:
        if not isinstance(other, JointHistogram):
            return NotImplemented
        if (self.bins, self.systems) != (other.bins, other.systems):
            raise ValueError(
                f"Only joint histograms of the same systems and bins can be added; got {self!r} "
                f"and {other!r}."
            )
        columns = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("keys", "counts", "parts")
        }
        check_total(columns["counts"].sum(dtype=float))
        return replace(self, **columns)._merged()

    def __radd__(self, other: Any) -> JointHistogram:
        # The start of `sum`.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def to_table(self) -> dict[str, np.ndarray]:
        """Return the columns of the table, which `ScoreHistogram.from_table` reads."""
        columns: dict[str, np.ndarray] = {}
        for system, keys in zip(self.systems, self.keys.T, strict=True):
            missing = keys == KEY_OF_NONE
            columns[f"{KEY}_{system}"] = np.where(missing, np.nan, keys) if missing.any() else keys
        columns[N] = self.counts
        for system, parts in zip(self.systems, self.parts.T, strict=True):
            columns[f"{QUANTA}_{system}"] = parts
        constants = {SCALE: self.bins.scale, RESOLUTION: self.bins.resolution}
        return columns | {name: np.full(len(self.counts), of) for name, of in constants.items()}

    def with_labels(self, scores: ArrayLike, y: Any, *, counted: bool = True) -> LabeledJoint:
        """Return the histogram with labeled items, in place of X and y in `fit`.

        Parameters
        ----------
        scores : array-like of shape (n_items, n_systems)
            Exact scores of the labeled items, a column for each system in the order of `systems`,
            NaN if missing; or a data frame with columns of these names.
        y : array-like of shape (n_items,)
            Their labels, as in `fit`.
        counted : bool, default=True
            Whether these items are among those that the histogram has counted.
        """
        check_flag(counted, "counted")
        check_aligned(scores=scores, y=y)
        if hasattr(scores, "columns"):
            names: Any = scores
            check_columns(dict.fromkeys(names.columns), self.systems, "scores")
            given = np.column_stack([as_numbers(names[own], own) for own in self.systems])
        else:
            given = as_numbers(scores, "scores").reshape(-1, len(self.systems))
        labels = as_plain(y, "y")
        if labels.shape != given.shape[:1]:
            raise ValueError(
                f"scores and y must have a row for each labeled item, got shapes {given.shape} and "
                f"{labels.shape}."
            )
        there = ~np.isnan(given)
        if there.any():
            self.bins.check(float(given[there].min()), float(given[there].max()))
        left = self._without(given) if counted else self.counts
        kept = left > 0
        every = np.empty(len(labels) + kept.sum(), dtype=object)
        every[: len(labels)] = labels
        weights = np.r_[np.ones(len(labels)), left[kept].astype(float)]
        rows = np.concatenate([given, self.scores[kept]])
        source = self._source(() if counted else given)
        return LabeledJoint(self.systems, rows, every, weights, source)

    def _without(self, scores) -> np.ndarray:
        """Return the counts without those of some items; raise if they were not counted."""
        there = ~np.isnan(scores)
        keys = np.full(scores.shape, KEY_OF_NONE, dtype=np.int64)
        keys[there] = self.bins.keys(scores[there])
        near = np.flatnonzero(np.isin(self.keys[:, 0], keys[:, 0]))
        together = np.concatenate([self.keys[near], keys])
        _, place = np.unique(together, axis=0, return_inverse=True)
        cells, items = np.split(place.ravel(), [len(near)])
        own = np.bincount(items, minlength=place.max(initial=-1) + 1)
        counts = np.zeros(len(own), dtype=np.int64)
        counts[cells] = self.counts[near]
        wrong = int(np.maximum(own - counts, 0).sum())
        if wrong:
            raise ValueError(
                f"{wrong} of {len(scores)} labeled items are not among the {self.n_items} that "
                "were counted. If the histogram excludes them, pass counted=False; else their "
                "scores differ (other models, or rounded)."
            )
        left = self.counts.copy()
        left[near] -= own[cells]
        return left

    def _source(self, others) -> str:
        digest = hashlib.sha256(repr((self.bins, self.systems)).encode())
        for column in (self.keys, self.counts, self.parts, np.sort(np.asarray(others), axis=0)):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()


def _parts(totals, keys, counts, bins: ScoreBins) -> np.ndarray:
    """Return the sums of the scores of cells in quanta, from sums of scores where given."""
    low, quantum = bins.grid(keys)
    ends = bins.edges(keys)
    means = np.mean(ends, axis=0)
    if totals is not None:
        with np.errstate(invalid="ignore", divide="ignore"):
            given = as_vector(totals, TOTAL, len(counts)) / counts
        around = bins.around(keys)
        inside = (keys > KEY_OF_ZERO) & (keys < KEY_OF_ONE)
        wrong = np.flatnonzero(inside & ((given < around[0]) | (given > around[1])))
        if len(wrong):
            k = wrong[0]
            raise ValueError(
                f"The mean score of key {keys[k]} is {given[k]:.6g}, but with scale="
                f"{bins.scale!r} and resolution={bins.resolution} its bin is from "
                f"{ends[0][k]:.6g} to {ends[1][k]:.6g} ({len(wrong)} of {len(keys)} rows): pass "
                "scale= and resolution= of the keys, and totals in float64."
            )
        means = np.where(np.isnan(given), means, np.clip(given, *ends))
    within = np.clip((means - low) / quantum - 0.5, 0.0, None)
    parts = np.rint(counts * within).astype(np.int64)
    return np.where(keys == KEY_OF_NONE, 0, parts)
