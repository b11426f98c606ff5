"""Joint histograms: how many items have which keys by several systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import ParameterError
from ..inputs._arrays import CountedItems, FrozenArrays
from ..inputs._frames import read_column, read_frame
from ..inputs._validation import (
    as_numbers,
    as_plain,
    check_aligned,
    check_flag,
    is_missing_value,
    listed,
)
from ._bins import (
    KEY_OF_NONE,
    BinTable,
    LabeledHistogram,
    ScoreBins,
    check_counted,
    check_total,
    digest_of,
    labels_of,
)
from ._count_tables import (
    KEY,
    QUANTA,
    RESOLUTION,
    SCALE,
    N,
    check_columns,
    parts_of_table,
    rows_of_table,
)
from ._counts import over, warn_of_coarse_bins

# The column of the predicted class.
PREDICTED = "predicted"
# Maximum number of cells: rows of the table.
MAX_CELLS = 2**22


@dataclass(frozen=True, eq=False, repr=False)
class JointHistogram(CountedItems, FrozenArrays):
    """Number of items by their keys of several systems, verdicts of judges or predicted classes.

    Created by `ScoreHistogram.from_table`.
    """

    bins: ScoreBins
    systems: tuple[str, ...]  # the empty name if there is one
    # (n_cells, n_systems), increasing, then positions in `values`; `KEY_OF_NONE` if missing
    keys: np.ndarray
    counts: np.ndarray  # (n_cells,)
    parts: np.ndarray  # (n_cells, n_systems), sums of scores, as in `BinTable`
    judges: tuple[str, ...] = ()  # of further columns; `PREDICTED` for that of the predicted class
    values: tuple[tuple, ...] = ()  # different verdicts of each judge; or the classes

    @classmethod
    def of_table(
        cls, columns: Mapping[str, Any], bins: ScoreBins, systems=("",), judges=(), classes=None
    ) -> JointHistogram:
        """Read a table with a column of keys for each system, of verdicts, and of counts."""
        names = [f"{KEY}_{system}" if system else KEY for system in systems]
        judges = (PREDICTED,) if classes is not None else tuple(judges)
        check_columns(columns, (*names, *judges), "keys")
        keys, counts = rows_of_table(columns, names, bins)
        if len(counts) > MAX_CELLS:
            raise ParameterError(
                f"The table has {len(counts):,} rows, and at most {MAX_CELLS:,} are read.",
                "Count with a lower resolution=",
                "resolution",
            )
        verdicts = [as_plain(columns[name], name) for name in judges]
        values = (tuple(classes),) if classes is not None else tuple(map(_distinct, verdicts))
        said = _positions(verdicts, values, judges, len(counts))
        kept = np.flatnonzero(counts > 0)
        keys, counts = np.column_stack([keys, said])[kept], counts[kept]
        parts = [
            parts_of_table(columns, name, kept, own, counts, bins.edges(own), bins)
            for name, own in zip(names, keys.T, strict=False)
        ]
        counted = keys, counts, np.column_stack(parts)
        found = cls(bins, tuple(systems), *counted, judges, values)._merged()
        if len(found.counts) < len(kept):
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
        means = np.empty(self.parts.shape)
        for own, keys, parts in zip(means.T, self.keys.T, self.parts.T, strict=False):
            own[:] = self.bins.means(keys, self.counts, parts, *self.bins.edges(keys))
        means[self.keys[:, : len(self.systems)] == KEY_OF_NONE] = np.nan
        return means

    @property
    def verdicts(self) -> np.ndarray:
        """The verdicts of each cell, (n_cells, n_judges), None if missing."""
        verdicts = np.full((len(self.keys), len(self.judges)), None, dtype=object)
        codes = self.keys[:, len(self.systems) :]
        for own, of_judge, values in zip(verdicts.T, codes.T, self.values, strict=True):
            there = of_judge != KEY_OF_NONE
            own[there] = [values[code] for code in of_judge[there]]
        return verdicts

    def check_marginals(self, histograms: Mapping[str, Any]) -> None:
        """Raise unless the items of each system are those that its own histogram has counted."""
        for system, histogram in histograms.items():
            if system not in self.systems:
                raise ParameterError.of(
                    "marginals",
                    f"has a histogram of {system!r}, which is none of the systems "
                    f"{listed(map(repr, self.systems))}.",
                )
            keys, counts = self._of_system(self.systems.index(system))
            n_missing = self.n_items - int(counts.sum())
            if (histogram.scale, histogram.resolution) != (self.bins.scale, self.bins.resolution):
                raise ValueError(
                    f"The histogram of {system!r} has scale={histogram.scale!r} and resolution="
                    f"{histogram.resolution}, and the joint table scale={self.bins.scale!r} and "
                    f"resolution={self.bins.resolution}. Count both with the same."
                )
            union = np.union1d(keys, histogram.keys)
            both = over(union, keys, counts), over(union, histogram.keys, histogram.counts)
            differ = np.flatnonzero(both[0] != both[1])
            if len(differ) or n_missing != histogram.n_missing:
                k = differ[0] if len(differ) else None
                where = (
                    f"{both[0][k]} instead of {both[1][k]} items have the key {union[k]}"
                    if len(differ)
                    else f"{n_missing} instead of {histogram.n_missing} scores are missing"
                )
                raise ValueError(
                    f"The joint table contradicts the histogram of {system!r}: {where} "
                    f"({len(differ)} of {len(union)} keys differ). Count both from the same rows."
                )

    def __repr__(self) -> str:
        names = ", ".join(map(repr, filter(None, (*self.systems, *self.judges))))
        return (
            f"JointHistogram of {names} (scale={self.bins.scale!r}, resolution="
            f"{self.bins.resolution}): {self.n_items} items in {len(self.counts)} cells"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointHistogram):
            return NotImplemented
        if self._kind != other._kind or self.values != other.values:
            return False
        names = ("keys", "counts", "parts")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __add__(self, other: JointHistogram) -> JointHistogram:
        if not isinstance(other, JointHistogram):
            return NotImplemented
        if self._kind != other._kind:
            raise ValueError(
                f"Only joint histograms of the same systems, judges and bins can be added; got "
                f"{self!r} and {other!r}."
            )
        values = tuple(
            _distinct([*own, *others]) if own != others else own
            for own, others in zip(self.values, other.values, strict=True)
        )
        self, other = self._coded(values), other._coded(values)
        keys, counts, parts = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("keys", "counts", "parts")
        )
        check_total(counts.sum(dtype=float))
        return replace(self, keys=keys, counts=counts, parts=parts)._merged()

    @property
    def _kind(self) -> tuple:
        return self.bins, self.systems, self.judges

    def _coded(self, values: tuple[tuple, ...]) -> JointHistogram:
        """Return the same counts with other positions of verdicts."""
        given = list(self.verdicts.T)
        keys = self.keys.copy()
        keys[:, len(self.systems) :] = _positions(given, values, self.judges, len(keys))
        return replace(self, keys=keys, values=values)

    def __radd__(self, other: Any) -> JointHistogram:
        # The start of `sum`.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def to_table(self) -> dict[str, Any]:
        """Return the columns of the table, which `ScoreHistogram.from_table` reads."""
        columns: dict[str, Any] = {}
        names = [f"_{system}" if system else "" for system in self.systems]
        for name, keys in zip(names, self.keys.T, strict=False):
            missing = keys == KEY_OF_NONE
            columns[KEY + name] = np.where(missing, np.nan, keys) if missing.any() else keys
        # Lists: frames find their type.
        columns |= dict(zip(self.judges, self.verdicts.T.tolist(), strict=True))
        columns[N] = self.counts
        columns |= {QUANTA + name: own for name, own in zip(names, self.parts.T, strict=True)}
        constants = {SCALE: self.bins.scale, RESOLUTION: self.bins.resolution}
        return columns | {name: np.full(len(self.counts), of) for name, of in constants.items()}

    def with_labels(
        self, scores: ArrayLike, y: Any, judges: Any = None, *, counted: bool = True
    ) -> LabeledHistogram:
        """Return the histogram with labeled items, in place of X and y in `fit`.

        Parameters
        ----------
        scores : array-like of shape (n_items, n_systems)
            Exact scores of the labeled items, a column for each system in the order of `systems`,
            NaN if missing; or a data frame with columns of these names. Of several classes their
            probabilities (n_items, n_classes); of one system (n_items,).
        y : array-like of shape (n_items,)
            Their labels, as in `fit`.
        judges : array-like of shape (n_items, n_judges), default=None
            Verdicts of the labeled items, if any were counted.
        counted : bool, default=True
            Whether these items are among those that the histogram has counted.

        Returns
        -------
        labeled : LabeledHistogram
            The items in the given order, followed by the cells without them.

        Raises
        ------
        ValueError
            If `counted` contradicts the counts, or a shape is another one.
        """
        check_flag(counted, "counted")
        scores, y = read_frame(scores, "scores"), read_column(y, "y")
        judges = read_frame(judges, "judges")
        check_aligned(scores=scores, y=y)
        given, verdicts = self._read(scores, judges)
        labels = labels_of(given, y)
        self._warn_of_coarse_bins()
        own = given.max(axis=1, keepdims=True) if self._has_classes else given
        there = ~np.isnan(own)
        if there.any():
            self.bins.check(float(own[there].min()), float(own[there].max()))
        left = self._without(own, verdicts) if counted else self.counts
        kept = left > 0
        head = repr((self._kind, self.values))
        others = np.sort(np.empty(0) if counted else given, axis=0)
        source = digest_of(head, self.keys, self.counts, self.parts, others)
        rows = (self._shared() if self._has_classes else self.scores)[kept]
        columns: dict[str, Any] = {}
        if not self._has_classes:
            said = np.concatenate([verdicts, self.verdicts[kept]])
            columns = {"systems": self.systems, "judges": self.judges, "verdicts": said}
        if self.systems == ("",) and not self._has_classes:
            columns["systems"], given, rows = None, given[:, 0], rows[:, 0]
        n = np.ones(len(labels))
        return LabeledHistogram.of(given, labels, n, rows, left[kept], source, **columns)

    def _of_system(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the keys of a system, none missing, and their counts."""
        there = self.keys[:, number] != KEY_OF_NONE
        keys, place = np.unique(self.keys[there, number], return_inverse=True)
        return keys, np.bincount(place, self.counts[there]).astype(np.int64)

    def _warn_of_coarse_bins(self) -> None:
        # The ends of scores are unknown, and on "logit" saturated ones may be ties.
        for number in range(len(self.systems)) if self.bins.scale != "logit" else ():
            keys, counts = self._of_system(number)
            table = BinTable(keys, counts, 0 * counts, *self.bins.edges(keys))
            warn_of_coarse_bins(table, self.bins, stacklevel=4)

    @property
    def _has_classes(self) -> bool:
        return self.judges == (PREDICTED,)

    def _shared(self) -> np.ndarray:
        """Return probabilities of all classes, those of the others being equal."""
        p, n_classes = self.scores, len(self.values[0])
        rows = np.repeat((1.0 - p) / (n_classes - 1), n_classes, axis=1)
        rows[np.arange(len(p)), self.keys[:, 1]] = p[:, 0]
        return rows

    def _read(self, scores, judges) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores and verdicts of labeled items; raise if there are others."""
        n_columns = len(self.values[0]) if self._has_classes else len(self.systems)
        if hasattr(scores, "columns") and self.systems != ("",):
            names: Any = scores
            check_columns(dict.fromkeys(names.columns), self.systems, "scores")
            scores = np.column_stack([as_numbers(names[own], own) for own in self.systems])
        given = as_numbers(scores, "scores")
        if given.ndim == 1 and (n_columns == 1 or not len(given)):
            given = given.reshape(len(given), n_columns)
        if given.ndim != 2 or given.shape[1] != n_columns:
            raise ValueError(
                f"scores must have shape (n_items, {n_columns}), a column for each "
                f"{'class' if self._has_classes else 'system'}; got {given.shape}."
            )
        if self._has_classes:
            top = np.array([self.values[0][k] for k in given.argmax(axis=1)], dtype=object)
            return given, top[:, np.newaxis]
        if judges is None:
            judges = np.empty((len(given), 0 if len(given) else len(self.judges)))
        verdicts = as_plain(judges, "judges").astype(object)
        if verdicts.shape != (len(given), len(self.judges)):
            raise ValueError(
                f"judges must have shape ({len(given)}, {len(self.judges)}), a column for each of "
                f"{listed(map(repr, self.judges)) or 'none'}; got {verdicts.shape}."
            )
        return given, verdicts

    def _without(self, scores, verdicts) -> np.ndarray:
        """Return the counts without those of some items; raise if they were not counted."""
        there = ~np.isnan(scores)
        keys = np.full(scores.shape, KEY_OF_NONE, dtype=np.int64)
        keys[there] = self.bins.keys(scores[there])
        said = _positions(list(verdicts.T), self.values, self.judges, len(keys))
        keys = np.column_stack([keys, said])
        near = np.flatnonzero(np.isin(self.keys[:, 0], keys[:, 0]))
        together = np.concatenate([self.keys[near], keys])
        _, place = np.unique(together, axis=0, return_inverse=True)
        cells, items = np.split(place.ravel(), [len(near)])
        own = np.bincount(items, minlength=place.max(initial=-1) + 1)
        counts = np.zeros(len(own), dtype=np.int64)
        counts[cells] = self.counts[near]
        n_wrong = int(np.maximum(own - counts, 0).sum())
        check_counted(n_wrong, len(scores), self.n_items, "other models")
        left = self.counts.copy()
        left[near] -= own[cells]
        return left


def _distinct(values) -> tuple:
    """Return the different values that are not missing, in a fixed order."""
    found = {
        value for value in np.asarray(values, dtype=object).tolist() if not is_missing_value(value)
    }
    return tuple(sorted(found, key=lambda value: (type(value).__name__, value)))


def _positions(columns, values, names, n_rows: int) -> np.ndarray:
    """Return the position of each verdict among those of its judge, (n_rows, n_judges)."""
    positions = np.full((n_rows, len(names)), KEY_OF_NONE, dtype=np.int64)
    for own, column, of_judge, name in zip(positions.T, columns, values, names, strict=True):
        places = {value: place for place, value in enumerate(of_judge)}
        given = np.asarray(column, dtype=object).tolist()
        others = {value for value in given if not is_missing_value(value) and value not in places}
        if others or (name == PREDICTED and any(map(is_missing_value, given))):
            known = listed(map(repr, of_judge))
            raise ParameterError(
                f"{name} must be one of {known}, got "
                f"{listed(map(repr, sorted(others, key=repr))) or 'missing values'}.",
                "Pass classes= with the names of all classes" if name == PREDICTED else "",
                "classes" if name == PREDICTED else "judges",
            )
        own[:] = [KEY_OF_NONE if is_missing_value(value) else places[value] for value in given]
    return positions
