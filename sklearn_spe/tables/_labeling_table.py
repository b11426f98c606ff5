"""A table that is being labelled: read, and written with the rows to label next on top."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ._printable import listed, quoted
from ._table import Table

__all__ = ["LabelingTable"]

# What is kept in the table besides the user's own columns.
PREFIX = "spe_"


@dataclass(frozen=True, eq=False)
class LabelingTable:
    """Rows of a file, of which some are labelled.

    Attributes
    ----------
    table : Table
        The user's own columns, in the order of the items.
    label : str
        The column of labels.
    columns : dict of str to ndarray
        As `ActiveTestSelector.from_frame` takes them.
    notes : tuple of str
        What was recognised and may be wrong: to be told to the user.
    """

    table: Table
    label: str
    columns: dict
    notes: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, score: str, label: str, record: Sequence[str], classes=None):
        """Return a table whether or not it was written by `write`.

        Parameters
        ----------
        table : Table
        score, label : str
            The names of the columns; that of labels may be missing.
        record : sequence of str
            What else is kept in the table, in columns whose names begin with ``spe_``.
        classes : sequence of str, default=None
            The names of both classes, where they are known.

        Raises
        ------
        ValueError
            If a column is missing, a number is none, or a column has the name of one of ours.
        """
        resumes = _resumes(table, record)
        if label not in table.names:
            # Nothing is labelled yet.
            table = _with_empty(table, label)
        if resumes:
            places = table.numbers(f"{PREFIX}item").values
            table = table.taken(np.argsort(places, kind="stable"))
        scores, labels = table.numbers(score), table.labels(label, classes)
        columns = {"score": scores.values, "label": labels.values}
        if resumes:
            columns |= {name: _recorded(table, f"{PREFIX}{name}") for name in record}
        notes = (*table.notes, *scores.notes, *labels.notes)
        dialect = replace(table.dialect, decimal=scores.decimal)
        own = _without(replace(table, dialect=dialect), {f"{PREFIX}{name}" for name in record})
        return cls(own, label, columns, notes)

    @property
    def default_path(self) -> Path:
        """Where to write: next to a table that is the user's, over one that was written here."""
        path = self.table.path
        if path is None:
            raise ValueError("What comes from standard input needs a file to write: option out.")
        if "order" in self.columns and self.table.is_text and path.suffix != ".gz":
            return path
        return path.with_name(f"{path.name.split('.')[0]}_next.csv")

    def write(self, path, columns: dict, first) -> None:
        """Write all rows, some of them on top.

        Parameters
        ----------
        path : Path
        columns : dict of str to ndarray
            What is kept besides the user's columns, by the names of the record.
        first : ndarray of int
            The items on top.
        """
        table, path = self.table, Path(path)
        rest = np.setdiff1d(np.arange(len(table.rows)), first)
        same = table.path is not None and path.resolve() == table.path.resolve()
        if path.exists() and not same:
            raise ValueError(
                f"{path} exists and may hold labels: go on from it (in the place of {table.name}), "
                f"or name another file by the option out."
            )
        kept = {name: _texts(columns[name], table.dialect.decimal) for name in columns}
        names = [*table.names, *(f"{PREFIX}{name}" for name in kept)]
        rows = [
            [*table.rows[item], *(texts[item] for texts in kept.values())]
            for item in [*first, *rest]
        ]
        data = table.dialect.encode([names, *rows])
        if path.suffix == ".gz":
            data = gzip.compress(data, mtime=0)
        # Written beside and moved: all of it, or nothing.
        beside = path.with_name(f".{path.name}.part")
        beside.write_bytes(data)
        beside.replace(path)


def _resumes(table: Table, record) -> bool:
    """Return whether the columns of a record are there: all of them, or none."""
    names = [f"{PREFIX}{name}" for name in record]
    found = [name for name in names if name in table.names]
    if found and len(found) < len(names):
        lost = [quoted(name) for name in names if name not in found]
        raise ValueError(
            f"{table.name} has {listed(map(quoted, found))} but not {listed(lost)}. If these are "
            f"columns of your own, give them other names; if the table was written here, go on "
            f"from one that still has all of its columns."
        )
    return bool(found)


def _with_empty(table: Table, column: str) -> Table:
    rows = tuple((*row, "") for row in table.rows)
    return replace(table, names=(*table.names, column), rows=rows)


def _without(table: Table, names) -> Table:
    kept = [place for place, name in enumerate(table.names) if name not in names]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, names=tuple(table.names[place] for place in kept), rows=rows)


def _recorded(table: Table, column: str) -> np.ndarray:
    """Return a column of numbers or booleans."""
    texts = [text.strip().lower() for text in table.texts(column)]
    if texts and set(texts) <= {"true", "false"}:
        return np.array([text == "true" for text in texts])
    return table.optional_numbers(column).values


def _texts(values, decimal: str) -> list[str]:
    return [_text(value).replace(".", decimal) for value in np.asarray(values).tolist()]


def _text(value) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None or value != value else repr(value)
