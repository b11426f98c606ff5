"""Joint histograms: numbers of items by their keys of several systems."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
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
    ScoreBins,
    check_total,
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
from ._labeled_rows import LabeledHistogram, check_counted, digest_of, labels_of

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
    values: tuple[tuple[Any, ...], ...] = ()  # different verdicts of each judge; or the classes

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
        codes = _positions(verdicts, values, judges, len(counts))

        rows = np.flatnonzero(counts > 0)
        keys = np.column_stack([keys, codes])[rows]
        counts = counts[rows]
        parts = np.column_stack(
            [
                parts_of_table(columns, name, rows, of_system, counts, bins.edges(of_system), bins)
                for name, of_system in zip(names, keys.T, strict=False)
            ]
        )
        joint = cls(bins, tuple(systems), keys, counts, parts, judges, values)._merged()
        if len(joint.counts) < len(rows):
            raise ValueError(
                "A table must have one row for each combination of keys, but some are repeated: "
                "add them up, or name the columns of subgroups by by=."
            )

        return joint

    def _merged(self) -> JointHistogram:
        """Return the same counts, in order and with one row for each cell."""
        if not len(self.keys):
            return self
        order = np.lexsort(self.keys.T[::-1])
        keys = self.keys[order]
        firsts = np.flatnonzero(np.r_[True, (np.diff(keys, axis=0) != 0).any(axis=1)])
        counts = np.add.reduceat(self.counts[order], firsts)
        parts = np.add.reduceat(self.parts[order], firsts)
        return replace(self, keys=keys[firsts], counts=counts, parts=parts)

    @property
    def n_items(self) -> int:
        """Number of counted items."""
        return int(self.counts.sum())

    @property
    def scores(self) -> np.ndarray:
        """The mean scores of each cell, (n_cells, n_systems), NaN if missing."""
        means = np.empty(self.parts.shape)
        for column, keys, parts in zip(means.T, self.keys.T, self.parts.T, strict=False):
            low, high = self.bins.edges(keys)
            column[:] = self.bins.means(keys, self.counts, parts, low, high)
        means[self.keys[:, : len(self.systems)] == KEY_OF_NONE] = np.nan
        return means

    @property
    def verdicts(self) -> np.ndarray:
        """The verdicts of each cell, (n_cells, n_judges), None if missing."""
        verdicts = np.full((len(self.keys), len(self.judges)), None, dtype=object)
        codes = self.keys[:, len(self.systems) :]
        for column, of_judge, values in zip(verdicts.T, codes.T, self.values, strict=True):
            has_verdict = of_judge != KEY_OF_NONE
            column[has_verdict] = [values[code] for code in of_judge[has_verdict]]
        return verdicts

    def check_marginals(self, histograms: Mapping[str, Any]) -> None:
        """Raise unless the counts of each system equal those of its separate histogram."""
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
            n_joint = over(union, keys, counts)
            n_single = over(union, histogram.keys, histogram.counts)
            differ = np.flatnonzero(n_joint != n_single)
            if len(differ) or n_missing != histogram.n_missing:
                if len(differ):
                    k = differ[0]
                    difference = (
                        f"{n_joint[k]} instead of {n_single[k]} items have the key {union[k]}"
                    )
                else:
                    difference = f"{n_missing} instead of {histogram.n_missing} scores are missing"
                raise ValueError(
                    f"The joint table contradicts the histogram of {system!r}: {difference} "
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
            _distinct([*first, *second]) if first != second else first
            for first, second in zip(self.values, other.values, strict=True)
        )
        self = self._coded(values)
        other = other._coded(values)
        keys, counts, parts = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("keys", "counts", "parts")
        )
        check_total(counts.sum(dtype=float))

        return replace(self, keys=keys, counts=counts, parts=parts)._merged()

    @property
    def _kind(self) -> tuple[Any, ...]:
        return self.bins, self.systems, self.judges

    def _coded(self, values: tuple[tuple[Any, ...], ...]) -> JointHistogram:
        """Return the same counts with other positions of verdicts."""
        verdicts = list(self.verdicts.T)
        keys = self.keys.copy()
        keys[:, len(self.systems) :] = _positions(verdicts, values, self.judges, len(keys))
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
        columns |= {QUANTA + name: parts for name, parts in zip(names, self.parts.T, strict=True)}
        constants = {SCALE: self.bins.scale, RESOLUTION: self.bins.resolution}
        n_rows = len(self.counts)

        return columns | {name: np.full(n_rows, value) for name, value in constants.items()}

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
        scores = read_frame(scores, "scores")
        y = read_column(y, "y")
        judges = read_frame(judges, "judges")
        check_aligned(scores=scores, y=y)
        labeled_scores, labeled_verdicts = self._read(scores, judges)
        labels = labels_of(labeled_scores, y)
        self._warn_of_coarse_bins()

        # The scores that were counted: of several classes those of the predicted ones.
        counted_scores = labeled_scores
        if self._has_classes:
            counted_scores = labeled_scores.max(axis=1, keepdims=True)

        has_score = ~np.isnan(counted_scores)
        if has_score.any():
            present = counted_scores[has_score]
            self.bins.check(float(present.min()), float(present.max()))

        # The unlabeled items of each row of the histogram: labeled ones may be among its counts.
        n_unlabeled = self.counts
        if counted:
            n_unlabeled = self._without(counted_scores, labeled_verdicts)
        is_occupied = n_unlabeled > 0
        n_unlabeled = n_unlabeled[is_occupied]

        # What identifies the data: the histogram, and scores that it has not counted.
        kind = repr((self._kind, self.values))
        uncounted = np.sort(np.empty(0) if counted else labeled_scores, axis=0)
        source = digest_of(kind, self.keys, self.counts, self.parts, uncounted)

        n_labeled = np.ones(len(labels))
        if self._has_classes:
            rows = self._shared()[is_occupied]
            return LabeledHistogram.of(labeled_scores, labels, n_labeled, rows, n_unlabeled, source)

        # A single system has no name, and its scores no second axis.
        rows = self.scores[is_occupied]
        systems: tuple[str, ...] | None = self.systems
        if self.systems == ("",):
            systems = None
            labeled_scores = labeled_scores[:, 0]
            rows = rows[:, 0]

        return LabeledHistogram.of(
            labeled_scores,
            labels,
            n_labeled,
            rows,
            n_unlabeled,
            source,
            systems=systems,
            judges=self.judges,
            verdicts=np.concatenate([labeled_verdicts, self.verdicts[is_occupied]]),
        )

    def _of_system(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the keys of a system, none missing, and their counts."""
        has_key = self.keys[:, number] != KEY_OF_NONE
        keys, index = np.unique(self.keys[has_key, number], return_inverse=True)
        return keys, np.bincount(index, self.counts[has_key]).astype(np.int64)

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
        """Return probabilities of all classes, equal for all but the predicted one."""
        p = self.scores
        n_classes = len(self.values[0])
        rows = np.repeat((1.0 - p) / (n_classes - 1), n_classes, axis=1)
        rows[np.arange(len(p)), self.keys[:, 1]] = p[:, 0]
        return rows

    def _read(self, scores: Any, judges: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores and verdicts of labeled items; raise if there are others."""
        n_columns = len(self.values[0]) if self._has_classes else len(self.systems)
        if hasattr(scores, "columns") and self.systems != ("",):
            frame: Any = scores
            check_columns(dict.fromkeys(frame.columns), self.systems, "scores")
            scores = np.column_stack([as_numbers(frame[name], name) for name in self.systems])

        of_items = as_numbers(scores, "scores")
        if of_items.ndim == 1 and (n_columns == 1 or not len(of_items)):
            of_items = of_items.reshape(len(of_items), n_columns)

        if of_items.ndim != 2 or of_items.shape[1] != n_columns:
            raise ValueError(
                f"scores must have shape (n_items, {n_columns}), a column for each "
                f"{'class' if self._has_classes else 'system'}; got {of_items.shape}."
            )

        if self._has_classes:
            predicted = [self.values[0][k] for k in of_items.argmax(axis=1)]
            return of_items, np.array(predicted, dtype=object)[:, np.newaxis]

        n_items = len(of_items)
        if judges is None:
            judges = np.empty((n_items, 0 if n_items else len(self.judges)))

        verdicts = as_plain(judges, "judges").astype(object)
        if verdicts.shape != (n_items, len(self.judges)):
            raise ValueError(
                f"judges must have shape ({n_items}, {len(self.judges)}), a column for each of "
                f"{listed(map(repr, self.judges)) or 'none'}; got {verdicts.shape}."
            )

        return of_items, verdicts

    def _without(self, scores: np.ndarray, verdicts: np.ndarray) -> np.ndarray:
        """Return the counts after removing some items; raise if they were not counted."""
        has_score = ~np.isnan(scores)
        keys = np.full(scores.shape, KEY_OF_NONE, dtype=np.int64)
        keys[has_score] = self.bins.keys(scores[has_score])
        codes = _positions(list(verdicts.T), self.values, self.judges, len(keys))
        keys = np.column_stack([keys, codes])

        # Number the different rows of keys of the items, and of cells that share their first key.
        near = np.flatnonzero(np.isin(self.keys[:, 0], keys[:, 0]))
        together = np.concatenate([self.keys[near], keys])
        _, index = np.unique(together, axis=0, return_inverse=True)
        cells, items = np.split(index.ravel(), [len(near)])

        n_removed = np.bincount(items, minlength=index.max(initial=-1) + 1)
        n_counted = np.zeros(len(n_removed), dtype=np.int64)
        n_counted[cells] = self.counts[near]
        n_uncounted = int(np.maximum(n_removed - n_counted, 0).sum())
        check_counted(n_uncounted, len(scores), self.n_items, "other models")

        counts = self.counts.copy()
        counts[near] -= n_removed[cells]
        return counts


def _distinct(values: Any) -> tuple[Any, ...]:
    """Return the different values that are not missing, in a fixed order."""
    plain = np.asarray(values, dtype=object).tolist()
    present = {value for value in plain if not is_missing_value(value)}
    return tuple(sorted(present, key=lambda value: (type(value).__name__, value)))


def _positions(
    columns: Sequence[Any],
    values: tuple[tuple[Hashable, ...], ...],
    names: tuple[str, ...],
    n_rows: int,
) -> np.ndarray:
    """Return the position of each verdict among those of its judge, (n_rows, n_judges)."""
    positions = np.full((n_rows, len(names)), KEY_OF_NONE, dtype=np.int64)
    for codes, column, of_judge, name in zip(positions.T, columns, values, names, strict=True):
        code_of = {value: code for code, value in enumerate(of_judge)}
        verdicts = np.asarray(column, dtype=object).tolist()
        others = {
            value for value in verdicts if not is_missing_value(value) and value not in code_of
        }
        if others or (name == PREDICTED and any(map(is_missing_value, verdicts))):
            known = listed(map(repr, of_judge))
            raise ParameterError(
                f"{name} must be one of {known}, got "
                f"{listed(map(repr, sorted(others, key=repr))) or 'missing values'}.",
                "Pass classes= with the names of all classes" if name == PREDICTED else "",
                "classes" if name == PREDICTED else "judges",
            )

        codes[:] = [
            KEY_OF_NONE if is_missing_value(value) else code_of[value] for value in verdicts
        ]

    return positions
