"""A table being labeled: read, and written with the rows to label next on top."""

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

# Prefix of the columns stored besides the user's own.
PREFIX = "spe_"
# File name endings that would be read in another format.
OTHER_FORMATS = {".parquet", ".pq", ".xlsx", ".xls", ".jsonl", ".ndjson", ".json"}


@dataclass(frozen=True, eq=False)
class LabelingTable:
    """Rows of a file, of which some are labeled."""

    table: Table  # the user's own columns, in the order of the items
    label: str  # the column of labels
    columns: dict  # scores, labels and the record, by their names in the file
    names: dict[str, str]  # from the names of `ActiveTestSelector.from_frame` to those in the file
    notes: tuple[str, ...]  # inferred properties that may be wrong

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
        """Return a table, written by `write` or not."""
        names = {name: f"{PREFIX}{name}" for name in record}
        resumes = _resumes(table, names.values())
        if label not in table.names:
            table.check_not_elsewhere(label)
            # No row is labeled yet.
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
        """Whether the table was written by this package, and labeling is resumed."""
        return self.names["item"] in self.columns

    @property
    def default_path(self) -> Path:
        """The default output path: a new file for a user's table, else the same file."""
        path = self.table.path
        if path is None:
            raise ValueError("With standard input an output file is needed: option out.")
        if self.resumes and self.table.is_text and path.suffix != ".gz":
            return path
        return path.with_name(f"{path.name.split('.')[0]}_next.csv")

    def write(self, path, columns: dict, first) -> None:
        """Write all rows, with the rows of `first` on top."""
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
            # Another process was faster.
            raise self._exists(path) from None

    def check(self, path: Path) -> bool:
        """Return whether a file is the input, to be replaced; raise if it must not be replaced."""
        over = self.table.path is not None and path.resolve() == self.table.path.resolve()
        if path.exists() and not over:
            raise self._exists(path)
        other = [end for end in path.suffixes if end.lower() in OTHER_FORMATS]
        if other or (over and not self.table.is_text):
            raise ValueError(
                f"Tables are written as text with separators, not as {path.name}: pass a file such "
                f"as {path.name.split('.')[0]}_next.csv as option out."
            )
        if over and self.table.n_left_out:
            raise ValueError(
                f"{self.table.n_left_out:,} rows of {self.table.name} were left out and would be "
                "lost: pass another file as option out."
            )
        return over

    def _exists(self, path: Path) -> ValueError:
        return ValueError(
            f"{path} exists and may hold labels: go on from it (in the place of "
            f"{self.table.name}), or name another file by the option out."
        )


def _resumes(table: Table, names: Iterable[str]) -> bool:
    """Return whether the columns of a record exist: all of them, or none."""
    lost = [name for name in names if name not in table.names]
    found = [name for name in names if name in table.names]
    if found and lost:
        raise ValueError(
            f"{table.name} has {listed(map(quoted, found))}, which are reserved for the record of "
            f"a labeling session, but not {listed(map(quoted, lost))}. If they are your own, "
            "rename them; if not, continue from a copy of the table that has all of them."
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
    """Return a column of numbers or booleans, as spreadsheets write 0 and 1."""
    labels = table.labels(column).values
    if set(map(type, labels)) == {bool}:
        return labels.astype(float)
    return table.optional_numbers(column).values


def _texts(values, decimal: str) -> list[str]:
    values = np.asarray(values)
    # People may write 1 for yes.
    values = values.astype(int) if values.dtype == bool else values
    return [_text(value, decimal) for value in values.tolist()]


def _text(value, decimal: str) -> str:
    if value is None or value != value:
        return ""
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)
