"""Tables of counts by key, as query engines return them and as `ScoreHistogram.to_table` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..exceptions import ParameterError, ParameterTypeError
from ..inputs._frames import read_frame
from ..inputs._validation import MAXIMUM, as_numbers, as_plain, as_vector, check_counts, listed
from ._bins import KEY_OF_NONE, BinTable, ScoreBins, check_total
from ._counts import ScoreCounts

# The columns of a table of counts, besides those of subgroups and labels.
KEY, N = "key", "n"
# The sum of the scores of a bin, or exactly, as `BinTable.parts`; its ends.
TOTAL, QUANTA, SMALLEST, LARGEST = "total", "quanta", "smallest", "largest"
# Counts of labeled items by class.
N_OF_CLASSES = "n_neg", "n_pos"
# The same in all rows: what the keys are, and whether the scores themselves were counted.
SCALE, RESOLUTION, IS_EXACT = "scale", "resolution", "is_exact"
# Sums and means of an engine are rounded.
ROUNDING = 1e-6


def columns_of(frame: Any, name: str) -> dict[str, Any]:
    """Return the columns of a frame of any library, of an Arrow stream or of a mapping."""
    if isinstance(frame, Mapping):
        return dict(frame)
    frame = read_frame(frame, name)
    if len(getattr(frame, "shape", ())) != 2 or not hasattr(frame, "columns"):
        raise ParameterTypeError.of(
            name,
            "must be a data frame, an Arrow table or stream, or a mapping of columns; got "
            f"{type(frame).__name__}.",
        )
    return {column: frame[column] for column in frame.columns}


def check_columns(columns: Mapping[str, Any], needed: Sequence[str], name: str) -> None:
    """Raise unless a table has some columns."""
    missing = [column for column in needed if column not in columns]
    if missing:
        known = ", ".join(map(repr, columns)) or "none"
        raise ParameterError.of(
            name,
            f"has no column {listed(missing)}; its columns are {known}.",
            "Name them as ScoreHistogram.sql does",
        )


def split_by(columns: Mapping[str, Any], by: Sequence[str], name: str) -> dict[Any, dict[str, Any]]:
    """Return the columns of each subgroup, without those that name it."""
    check_columns(columns, by, name)
    names = [as_plain(columns[column], column).tolist() for column in by]
    subgroups = names[0] if len(by) == 1 else list(zip(*names, strict=True))
    rows: dict[Any, list[int]] = {}

    for row, subgroup in enumerate(subgroups):
        rows.setdefault(subgroup, []).append(row)

    data = {
        column: as_plain(values, column) for column, values in columns.items() if column not in by
    }
    return {
        subgroup: {column: values[at] for column, values in data.items()}
        for subgroup, at in rows.items()
    }


def bins_of_table(
    columns: Mapping[str, Any], scale: str | None, resolution: int | None
) -> ScoreBins:
    """Return the bins of a table's keys, from its columns, the arguments or the defaults."""
    settings: dict[str, Any] = {SCALE: scale, RESOLUTION: resolution}
    for name, value in settings.items():
        stated = set(as_plain(columns[name], name).tolist()) if name in columns else set()
        passed = set() if value is None else {value}
        if len(stated | passed) > 1:
            contradiction = "" if value is None else f", and {name}={value!r} is passed"
            raise ParameterError.of(
                name,
                f"must be the same for all keys, but the column {name!r} holds "
                f"{listed(sorted(map(repr, stated)))}{contradiction}.",
                "Count the scores again with one of them",
            )

        if stated:
            (settings[name],) = stated

    resolution = 64 if settings[RESOLUTION] is None else int(settings[RESOLUTION])
    return ScoreBins(settings[SCALE] or "logit", resolution)


def rows_of_table(
    columns: Mapping[str, Any], names: Sequence[str], bins: ScoreBins
) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys of rows, (n_rows, n_names), `KEY_OF_NONE` if missing, and their counts."""
    check_columns(columns, (*names, N), "keys")
    n_rows = len(as_plain(columns[names[0]], "keys"))
    counts = check_counts(as_vector(columns[N], "counts", n_rows), "counts", 0)
    check_total(counts.sum(dtype=float))
    keys = np.full((n_rows, len(names)), KEY_OF_NONE)

    for of_column, name in zip(keys.T, names, strict=True):
        argument = "keys" if name == KEY else name
        stated = as_vector(columns[name], argument, n_rows)
        has_key = ~np.isnan(stated)
        of_column[has_key] = check_counts(stated[has_key], argument, -MAXIMUM)
        bins.check_keys(of_column[has_key], counts[has_key])

    return keys, counts


def counts_of_table(columns: Mapping[str, Any], bins: ScoreBins) -> ScoreCounts:
    """Return the counts in a table with a row for each key."""
    keys, counts = rows_of_table(columns, (KEY,), bins)
    keys = keys[:, 0]
    has_key = keys != KEY_OF_NONE
    if len(np.unique(keys[has_key])) < has_key.sum():
        raise ValueError(
            "A table must have one row for each key, but some are repeated: add them up, or name "
            "the columns of subgroups by by=."
        )

    rows = np.flatnonzero(has_key & (counts > 0))
    rows = rows[np.argsort(keys[rows], kind="stable")]
    n_missing = int(counts[~has_key].sum())
    keys = keys[rows]
    counts = counts[rows]

    smallest, largest = _ends(columns, rows, keys, bins)
    parts = parts_of_table(columns, KEY, rows, keys, counts, (smallest, largest), bins)
    stated = as_plain(columns[IS_EXACT], IS_EXACT)[rows] if IS_EXACT in columns else [False]
    table = BinTable(keys, counts, parts, smallest, largest)

    return ScoreCounts(table, n_missing, is_exact=bool(np.all(stated)))


def _ends(
    columns, rows: np.ndarray, keys: np.ndarray, bins: ScoreBins
) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest scores of bins, or their edges where unknown."""
    ends = bins.edges(keys)
    if not (SMALLEST in columns and LARGEST in columns):
        return ends

    stated = [as_numbers(columns[name], name)[rows] for name in (SMALLEST, LARGEST)]
    smallest, largest = (
        np.where(np.isnan(scores), edges, scores)
        for scores, edges in zip(stated, ends, strict=True)
    )
    low, high = bins.around(keys)
    invalid = np.flatnonzero((smallest < low) | (largest > high) | (smallest > largest))
    if len(invalid):
        k = invalid[0]
        raise ValueError(
            f"The scores of key {keys[k]} run from {smallest[k]:.6g} to {largest[k]:.6g}, but with "
            f"scale={bins.scale!r} and resolution={bins.resolution} its bin is from "
            f"{ends[0][k]:.6g} to {ends[1][k]:.6g} ({len(invalid)} of {len(keys)} keys): pass "
            "scale= and resolution= of the keys."
        )

    return smallest, largest


def parts_of_table(
    columns: Mapping[str, Any],
    name: str,
    rows: np.ndarray,
    keys: np.ndarray,
    counts: np.ndarray,
    ends: tuple[np.ndarray, np.ndarray],
    bins: ScoreBins,
) -> np.ndarray:
    """Return the sums of the scores of rows in quanta, as stated or by their totals.

    `name` is that of the column of keys; `ends` are the bounds of the scores of the rows.
    """
    quanta = name.replace(KEY, QUANTA, 1)
    total = name.replace(KEY, TOTAL, 1)

    if quanta in columns:
        return _stated_quanta(columns[quanta], quanta)[rows]

    low, quantum = bins.grid(keys)
    means = np.mean(ends, axis=0)

    if total in columns:
        stated = as_numbers(columns[total], total)[rows] / counts
        tolerance = ROUNDING * (np.abs(ends[0]) + np.abs(ends[1]) + ends[1] - ends[0])
        contradicts = (stated < ends[0] - tolerance) | (stated > ends[1] + tolerance)
        contradicts = np.flatnonzero(contradicts & (keys != KEY_OF_NONE))
        if len(contradicts):
            k = contradicts[0]
            raise ValueError(
                f"The total of key {keys[k]} contradicts its scores: the mean is {stated[k]:.6g}, "
                f"but with scale={bins.scale!r} and resolution={bins.resolution} they lie from "
                f"{ends[0][k]:.6g} to {ends[1][k]:.6g} ({len(contradicts)} of {len(keys)} rows): "
                "pass scale= and resolution= of the keys, and sums of the scores in float64."
            )

        means = np.where(np.isnan(stated), means, np.clip(stated, *ends))

    # A score is rounded down to its quantum.
    quanta_per_item = np.clip((means - low) / quantum - 0.5, 0.0, None)
    return np.where(keys == KEY_OF_NONE, 0, np.rint(counts * quanta_per_item).astype(np.int64))


def _stated_quanta(values: Any, name: str) -> np.ndarray:
    """Return sums of quanta, which may be too large for floats."""
    plain = as_plain(values, name)
    if plain.dtype.kind == "O":
        # Engines sum integers as decimals.
        plain = np.array(
            [-1 if quanta is None or quanta != quanta else int(quanta) for quanta in plain.tolist()]
        )

    is_whole = plain.dtype.kind in "iu" or (plain == np.floor(plain)).all()
    if plain.ndim > 1 or not is_whole or (plain < 0).any():
        raise ParameterError(
            f"{name} must hold one integer for each row, at least 0.",
            "Sum the columns of to_table as integers",
            "keys",
        )

    return plain.astype(np.int64)


def table_of_counts(counted: ScoreCounts, bins: ScoreBins) -> dict[str, np.ndarray]:
    """Return the columns of counts, as `counts_of_table` reads them."""
    table = counted.table
    columns = {
        KEY: table.keys,
        N: table.counts,
        QUANTA: table.parts,
        SMALLEST: table.smallest,
        LARGEST: table.largest,
    }

    if counted.n_missing:
        # The row of a missing key.
        last = (np.nan, counted.n_missing, 0, np.nan, np.nan)
        columns = {
            name: np.append(column, entry)
            for (name, column), entry in zip(columns.items(), last, strict=True)
        }
        for name in (N, QUANTA):
            columns[name] = columns[name].astype(np.int64)

    n_rows = len(columns[KEY])
    constants = {SCALE: bins.scale, RESOLUTION: bins.resolution, IS_EXACT: counted.is_exact}
    return columns | {name: np.full(n_rows, value) for name, value in constants.items()}


def labels_of_table(
    columns: Mapping[str, Any], systems: Sequence[Any] | None, judges: Sequence[str]
) -> tuple[Any, ...]:
    """Return the scores, labels and verdicts, if any, of labeled items, for `with_labels`.

    Columns are ``y``, those of judges, and those of the scores of `systems`; None for a single one
    of any name.
    """
    names = [name for name in columns if name != "y" and name not in judges]
    if systems is None and len(names) != 1:
        raise ParameterError.of(
            "labels",
            "must have one column of scores besides 'y' and those of by= and judges=, got "
            f"{listed(map(repr, names)) or 'none'}.",
            "Leave out the others",
        )

    names = names if systems is None else list(systems)
    check_columns(columns, ("y", *names, *judges), "labels")
    scores = np.column_stack([as_numbers(columns[name], str(name)) for name in names])

    if systems is None:
        scores = scores[:, 0]

    y = as_plain(columns["y"], "y")
    verdicts = np.empty((len(y), len(judges)), dtype=object)

    for column, name in zip(verdicts.T, judges, strict=True):
        column[:] = as_plain(columns[name], name)

    return (scores, y, verdicts) if judges else (scores, y)


def counted_labels(columns: Mapping[str, Any], keys: np.ndarray) -> np.ndarray:
    """Return how many items of each key are labeled by class, (2, n_keys)."""
    check_columns(columns, N_OF_CLASSES, "keys")
    of_rows = as_numbers(columns[KEY], "keys")
    has_key = ~np.isnan(of_rows)
    n = as_vector(columns[N], "counts", len(of_rows))
    n_labeled = np.stack(
        [check_counts(as_numbers(columns[name], name), name, 0) for name in N_OF_CLASSES]
    )
    invalid = np.flatnonzero(n_labeled.sum(axis=0) > n)
    if len(invalid):
        k = invalid[0]
        raise ValueError(
            f"{n_labeled[0, k]} + {n_labeled[1, k]} items of key {of_rows[k]:.0f} are labeled, but "
            f"only {n[k]:.0f} are counted ({len(invalid)} of {len(n)} keys): n must count labeled "
            "items too."
        )

    order = np.argsort(of_rows[has_key], kind="stable")
    sorted_keys = of_rows[has_key][order]
    return n_labeled[:, has_key][:, order][:, np.searchsorted(sorted_keys, keys)]
