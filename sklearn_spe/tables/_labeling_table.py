"""A table that is being labelled: read, and written with the rows to label next on top."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..inputs._listed import listed
from ._columns import words_in
from ._printable import quoted
from ._table import Table
from ._writing import write_file

__all__ = ["LabelingTable"]

# What is kept in the table besides the user's own columns.
PREFIX = "spe_"
# What would not be found in a file whose name ends so.
OTHER_FORMATS = {".parquet", ".pq", ".xlsx", ".xls", ".jsonl", ".ndjson", ".json"}


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
        Scores, labels and the record, by the names that they have in the file.
    names : dict of str to str
        What these columns are, and how the file names them, as `ActiveTestSelector.from_frame`
        takes it.
    notes : tuple of str
        What was recognised and may be wrong: to be told to the user.
    """

    table: Table
    label: str
    columns: dict
    names: dict[str, str]
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        table: Table,
        score: str | None,
        label: str,
        record: Mapping[str, type],
        classes=None,
        judges: Iterable[str] = (),
    ) -> LabelingTable:
        """Return a table whether or not it was written by `write`.

        Parameters
        ----------
        table : Table
        score, label : str
            The names of the columns; that of labels may be missing, and `score` None if there are
            judges.
        record : mapping of str to type
            What else is kept in the table, in columns whose names begin with ``spe_``: numbers and
            booleans, `str`, and `object` for labels.
        classes : sequence of str, default=None
            The names of both classes, where they are known.
        judges : iterable of str, default=()
            Columns of what judges say: numbers, or verdicts that are written as labels are.

        Raises
        ------
        ValueError
            If a column is missing, a number is none, or a column has the name of one of ours.
        """
        names = {name: f"{PREFIX}{name}" for name in record}
        resumes = _resumes(table, names.values())
        if label not in table.names:
            table.check_not_elsewhere(label)
            # Nothing is labelled yet.
            table = _with_empty(table, label)
        if resumes:
            places = table.optional_numbers(names["item"]).values
            table = table.taken(np.argsort(places, kind="stable"))
        else:
            record = {}
        same = [label, *(names[name] for name, kind in record.items() if kind is object)]
        labels = table.labels(*same, classes=classes)
        named = labels.values.reshape(len(same), len(table.rows))
        columns = dict(zip(same, named, strict=True))
        given = {} if score is None else {score: table.numbers(score)}
        words = classes or words_in(labels.values.ravel())
        given |= {judge: table.labels(judge, classes=words) for judge in judges}
        columns |= {name: column.values for name, column in given.items()}
        for name, kind in record.items():
            if kind is str:
                columns[names[name]] = np.array(table.texts(names[name]), dtype=object)
            elif kind is not object:
                columns[names[name]] = _numbers(table, names[name])
        own = _without(table, set(names.values()))
        commas = any(column.decimal == "," for column in given.values())
        own = replace(own, dialect=replace(table.dialect, decimal="," if commas else "."))
        notes = [*table.notes, *(note for c in given.values() for note in c.notes), *labels.notes]
        called = {} if score is None else {"score": score}
        called |= {f"judge_{judge}": judge for judge in judges}
        return cls(own, label, columns, {**called, "label": label, **names}, tuple(notes))

    @property
    def resumes(self) -> bool:
        """Whether the table was written here, and labelling goes on."""
        return self.names["item"] in self.columns

    @property
    def default_path(self) -> Path:
        """Where to write: next to a table that is the user's, over one that was written here."""
        path = self.table.path
        if path is None:
            raise ValueError("What comes from standard input needs a file to write: option out.")
        if self.resumes and self.table.is_text and path.suffix != ".gz":
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
        over = self.check(path)
        kept = [_texts(values, table.dialect.decimal) for values in columns.values()]
        header = [*table.names, *(self.names[name] for name in columns)]
        rows = ([*table.rows[item], *(texts[item] for texts in kept)] for item in [*first, *rest])
        data = table.dialect.encode([header, *rows])
        if path.suffix == ".gz":
            data = gzip.compress(data, mtime=0)
        try:
            write_file(path, data, new=not over, unchanged=table.fingerprint if over else None)
        except FileExistsError:
            # Somebody was quicker.
            raise self._exists(path) from None

    def check(self, path: Path) -> bool:
        """Return whether a file is the one that was read, and is replaced by what is written.

        Raises
        ------
        ValueError
            If it must not be replaced, or what is written would not be found in it again.
        """
        over = self.table.path is not None and path.resolve() == self.table.path.resolve()
        if path.exists() and not over:
            raise self._exists(path)
        other = [end for end in path.suffixes if end.lower() in OTHER_FORMATS]
        if other or (over and not self.table.is_text):
            raise ValueError(
                f"Tables are written as text with separators, not as {path.name}: name a file such "
                f"as {path.name.split('.')[0]}_next.csv by the option out."
            )
        if over and self.table.n_left_out:
            raise ValueError(
                f"{self.table.n_left_out:,} rows of {self.table.name} were left out and would be "
                f"lost: name another file by the option out."
            )
        return over

    def _exists(self, path: Path) -> ValueError:
        return ValueError(
            f"{path} exists and may hold labels: go on from it (in the place of "
            f"{self.table.name}), or name another file by the option out."
        )


def _resumes(table: Table, names: Iterable[str]) -> bool:
    """Return whether the columns of a record are there: all of them, or none."""
    lost = [name for name in names if name not in table.names]
    found = [name for name in names if name in table.names]
    if found and lost:
        raise ValueError(
            f"{table.name} has {listed(map(quoted, found))}, names of what is kept of a "
            f"labelling, but not {listed(map(quoted, lost))}. If they are your own, give them "
            f"other names; if not, go on from a copy of the table that has all of them."
        )
    return bool(found)


def _with_empty(table: Table, column: str) -> Table:
    rows = tuple((*row, "") for row in table.rows)
    return replace(table, names=(*table.names, column), rows=rows)


def _without(table: Table, names) -> Table:
    kept = [place for place, name in enumerate(table.names) if name not in names]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, names=tuple(table.names[place] for place in kept), rows=rows)


def _numbers(table: Table, column: str) -> np.ndarray:
    """Return a column of numbers or booleans, as spreadsheets write what was 0 and 1."""
    labels = table.labels(column).values
    if set(map(type, labels)) == {bool}:
        return labels.astype(float)
    return table.optional_numbers(column).values


def _texts(values, decimal: str) -> list[str]:
    values = np.asarray(values)
    # Whoever says yes by hand writes 1.
    values = values.astype(int) if values.dtype == bool else values
    return [_text(value, decimal) for value in values.tolist()]


def _text(value, decimal: str) -> str:
    if value is None or value != value:
        return ""
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)
