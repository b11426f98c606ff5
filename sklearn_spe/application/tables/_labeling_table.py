"""Tables in which rows are labeled, written with their session files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...inputs._writing import write_file
from ._compression import WRITERS, compressed
from ._session_file import ITEM_NAME, NEVER, NEXT, SKIP, SessionFile, session_path
from ._source import quoted
from ._table import POINT, Table, words_in

# How cells begin that spreadsheets compute.
FORMULA_STARTS = ("=", "+", "@")
# File name endings that would be read in another format.
JSON_LINES = (".jsonl", ".ndjson")
OTHER_FORMATS = {
    *(".parquet", ".pq", ".feather", ".arrow", ".xlsx", ".xls", *JSON_LINES, ".json"),
    ".zip",
}
# The column of recorded labels, while a table is read.
ANSWER = "spe_answer"
# How people write that a row cannot be labeled.
SKIPS = (SKIP, "skipped")


@dataclass(frozen=True, eq=False)
class LabelingTable:
    """Rows of a file, some of them labeled."""

    table: Table  # the user's own columns, in the order of the items
    label: str  # the column of labels
    columns: dict[str, Any]  # scores, labels and the record, by their names in messages
    names: dict[str, str]  # from the names of `ActiveTestSelector.from_frame` to those in `columns`
    # Scores, verdicts of judges, categories and groups, which choices rest on.
    inputs: dict[str, np.ndarray]
    notes: tuple[str, ...]  # inferred properties that may be wrong
    session: SessionFile | None = None  # with which labeling is resumed

    @classmethod
    def of(
        cls,
        table: Table,
        score: str | None,
        label: str,
        *,
        session: SessionFile | None = None,
        classes: Sequence[str] | None = None,
        judges: Iterable[str] = (),
        structure: Mapping[str, str] | None = None,
        made: Iterable[str] = (),
    ) -> LabelingTable:
        """Return a table, with the session that goes on if it was written by `write`.

        `structure` has the columns of "category" and "groups", if there are any; `made` are columns
        such as date:month that are not in the file.
        """
        if label not in table.names:
            table.check_not_elsewhere(label)
            # No row is labeled yet.
            table = table.with_column(label, [""] * len(table))

        items = np.arange(len(table))
        if session is not None:
            places = table.optional_numbers(session.item_column).values
            rows = np.argsort(places, kind="stable")
            table = table.taken(rows)
            items = places[rows]

        # Labels, and the recorded ones, which have the same classes.
        record = {} if session is None else session.columns(items)
        answers = [_text(value, ".") for value in record.get("answer", [None] * len(table))]
        both = table.with_column(ANSWER, answers).labels(label, ANSWER, classes=classes)
        labels, recorded = both.values

        # Scores and verdicts.
        inputs = {} if score is None else {score: table.numbers(score)}
        words = classes or words_in(both.values.ravel())
        inputs |= {judge: table.labels(judge, classes=words) for judge in judges}
        values = {name: column.values for name, column in inputs.items()}

        names = {} if score is None else {"score": score}
        names |= {f"judge_{judge}": judge for judge in judges}
        parts = structure or {}
        values |= {column: table.parts(column) for column in parts.values()}
        names |= parts
        names["label"] = label
        columns: dict[str, Any] = {label: labels, **values}
        notes = list(table.notes)

        if session is not None:
            # Missing or doubled rows are refused with their numbers, when the session is resumed.
            if np.array_equal(items, np.arange(session.settings["n_items"])):
                notes += session.notes_of_inputs(values)
            of_session = record | {
                "answer": recorded,
                "skipped": _skipped(table, session, items, record["order"]),
                "session": np.full(len(table), json.dumps(session.settings), dtype=object),
            }
            names["item"] = session.item_column
            columns[session.item_column] = items
            for name, column in of_session.items():
                names[name] = f"{name} of {session.label}"
                columns[names[name]] = column

        added = set(made)
        if session is not None:
            added |= {NEXT, session.item_column}
        user_columns = {name: cells for name, cells in table.columns.items() if name not in added}
        commas = any(column.decimal == "," for column in inputs.values())
        dialect = replace(table.dialect, decimal="," if commas else ".")

        for column in inputs.values():
            notes += column.notes
        notes += both.notes
        notes += _notes_of_formulas(table, user_columns)

        table = replace(table, columns=user_columns, dialect=dialect)
        return cls(table, label, columns, names, values, tuple(notes), session)

    @property
    def digest(self) -> str:
        """The hash of the rows that is part of the salt of an order."""
        return digest_of_rows(self.table, self.label)

    @property
    def resumes(self) -> bool:
        """Whether the table was written by this package, and labeling is resumed."""
        return self.session is not None

    @property
    def default_path(self) -> Path:
        """The default output path: a new file for a user's table, else the same file."""
        path = self.table.path
        if path is None:
            raise ValueError("With standard input an output file is needed: option --out.")
        is_written = self.table.is_text or self._is_json_lines(path)
        if self.resumes and is_written and path.suffix.lower() not in {*WRITERS, ".zip"}:
            return path
        ending = path.suffix if self._is_json_lines(path) else ".csv"
        return path.with_name(f"{path.name.split('.')[0]}_next{ending}")

    def _is_json_lines(self, path: Path) -> bool:
        """Return whether a file has the ending of JSON lines, and so had the one that was read."""
        return bool(self.table.json_lines) and path.suffix.lower() in JSON_LINES

    def encode(self, path: Path, further: Mapping[str, Sequence[str]]) -> bytes:
        """Return a file with all rows in the order of theirs, and further columns of cells."""
        if self._is_json_lines(path):
            return self._json_lines(further)
        columns = [*self.table.columns.values(), *further.values()]
        # Their places in the file, while items have an order of their own.
        in_file = np.argsort(self.table.places, kind="stable")
        rows = ([cells[row] for cells in columns] for row in in_file)
        data = self.table.dialect.encode([[*self.table.names, *further], *rows])
        return compressed(data, path)

    def _json_lines(self, further: Mapping[str, Sequence[str]]) -> bytes:
        """Return the objects of the file with further fields, null where they are empty."""
        lines = []
        for row in np.argsort(self.table.places, kind="stable").tolist():
            item = json.loads(self.table.json_lines[self.table.places[row]])
            item.setdefault(self.label, None)
            for name, cells in further.items():
                cell = cells[row]
                item[name] = int(cell) if cell.isdecimal() else cell or None
            lines.append(json.dumps(item, ensure_ascii=False))
        return ("\n".join(lines) + "\n").encode()

    def write(self, path: Path, data: bytes) -> None:
        """Write a file: over the table that was read if the path is the same, else a new one."""
        over = self._is_input(path)
        try:
            write_file(path, data, new=not over, unchanged=self.table.fingerprint if over else None)
        except FileExistsError:
            # Another process was faster.
            raise self._exists(path) from None

    def write_session(self, path: Path, session: SessionFile) -> None:
        """Write the session file of a table that is written to a path."""
        target = session_path(path)
        data = session.encode()
        over = self._replaces(target)
        # A run that was ended before it wrote the table has left the same.
        if not over and target.exists() and target.read_bytes() != data:
            raise ValueError(
                f"{target} exists, without {path.name}: the table may have been renamed or moved. "
                "Go on from that; or remove the file, or name another table by the option --out."
            )
        unchanged = self.session.fingerprint if over and self.session is not None else None
        write_file(target, data, unchanged=unchanged)

    def check(self, path: Path) -> None:
        """Raise if a file, or the session file beside it, must not be replaced."""
        target = session_path(path)
        if self._is_input(path) and target.is_file() and not self._replaces(target):
            raise ValueError(
                f"{target.name} belongs to another table than {path.name}: rename one of them, or "
                "pass another file as option --out."
            )

    def _is_input(self, path: Path) -> bool:
        """Return whether a file is the input, to be replaced; raise if it must not be replaced."""
        over = self.table.path is not None and path.resolve() == self.table.path.resolve()
        if path.exists() and not over:
            raise self._exists(path)

        is_json_lines = self._is_json_lines(path)
        other = [end for end in path.suffixes if end.lower() in OTHER_FORMATS]
        if not is_json_lines and (other or (over and not self.table.is_text)):
            raise ValueError(
                f"Tables are written as text with separators, not as {path.name}: pass a file such "
                f"as {path.name.split('.')[0]}_next.csv as option --out."
            )

        if over and self.table.n_left_out:
            raise ValueError(
                f"{self.table.n_left_out:,} rows of {self.table.name} were left out and would be "
                "lost: pass another file as option --out."
            )

        return over

    def _replaces(self, target: Path) -> bool:
        """Return whether a session file is the one that was read."""
        path = None if self.session is None else self.session.path
        return path is not None and target.resolve() == path.resolve()

    def _exists(self, path: Path) -> ValueError:
        return ValueError(
            f"{path} exists and may hold labels: continue from it (instead of "
            f"{self.table.name}), or name another file by the option --out."
        )


def digest_of_rows(table: Table, label: str) -> str:
    """Return the hash of the columns besides the labels and those of a session, row by row."""
    cells = {
        name: list(column)
        for name, column in table.columns.items()
        if name not in (label, NEXT) and not ITEM_NAME.fullmatch(name)
    }
    return hashlib.sha256(json.dumps(cells, ensure_ascii=False).encode()).hexdigest()


def in_order_of_items(table: Table) -> Table:
    """Return the rows of a table in the order of the items, if it was written by a session."""
    columns = [name for name in table.names if ITEM_NAME.fullmatch(name)]
    if len(columns) != 1:
        return table
    places = table.optional_numbers(columns[0]).values
    return table.taken(np.argsort(places, kind="stable"))


def _skipped(
    table: Table, session: SessionFile, items: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Return which rows are marked as ones that cannot be labeled, (n_rows,)."""
    if NEXT not in table.names:
        return np.zeros(len(table), dtype=bool)
    cells = [cell.strip().casefold() for cell in table.texts(NEXT)]
    skipped = np.array([cell in SKIPS for cell in cells], dtype=bool)
    is_number = np.array([POINT.fullmatch(cell.replace(",", ".")) is not None for cell in cells])

    other = [row for row, cell in enumerate(cells) if cell and not (skipped | is_number)[row]]
    if other:
        raise ValueError(
            f"Column {quoted(NEXT)} of {table.name} has the order in which rows are to be labeled, "
            f"or the word {SKIP} where a row cannot be labeled; got "
            f"{table.describe_rows(other, NEXT)}. Labels belong into the column of labels."
        )
    is_asked = (order != NEVER) | np.isin(items, session.disputed)
    unknown = np.flatnonzero((is_number | skipped) & ~is_asked)
    if len(unknown):
        raise ValueError(
            f"{table.describe_rows(unknown).capitalize()} of {table.name} is marked in column "
            f"{quoted(NEXT)}, and {session.label} did not request it: the file is older than the "
            "table, or cells were filled by hand. Put back the file that was written with the "
            "table, or empty these cells."
        )
    return skipped


def _notes_of_formulas(table: Table, columns: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return a note on cells that a spreadsheet would take for formulas, if any."""
    formulas = [
        (row, name)
        for name, cells in columns.items()
        for row, cell in enumerate(cells)
        if cell.startswith(FORMULA_STARTS) and not POINT.fullmatch(cell.strip())
    ]
    if not formulas:
        return []

    row, name = formulas[0]
    cells = "1 cell begins" if len(formulas) == 1 else f"{len(formulas):,} cells begin"

    return [
        f"{cells} like a formula, such as {table.describe_rows([row], name)} in column "
        f"{quoted(name)}: written as in the file, and a spreadsheet may compute it. Open the table "
        "as text if you do not trust where it is from."
    ]


def _text(value: Any, decimal: str) -> str:
    if value is None or value != value:
        return ""
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)


def write_together(
    sheets: Sequence[tuple[LabelingTable, Path]],
    session: SessionFile,
    first: Sequence[int],
    skipped: np.ndarray,
) -> None:
    """Write several tables with their session files, all of them or none.

    `first` are the items to label next, in this order, and `skipped` marks those that cannot be.
    """
    cells = [SKIP if is_skipped else "" for is_skipped in skipped.tolist()]
    for number, item in enumerate(first, 1):
        cells[item] = str(number)
    further = {NEXT: cells, session.item_column: list(map(str, range(len(cells))))}

    # Session files first: what a table asks for is always recorded.
    writers: list[tuple[Path, Callable[[], None]]] = []
    for table, path in sheets:
        writers.append((session_path(path), partial(table.write_session, path, session)))
    for table, path in sheets:
        writers.append((path, partial(table.write, path, table.encode(path, further))))

    written: list[tuple[Path, bytes | None]] = []
    try:
        for path, writer in writers:
            content = path.read_bytes() if path.is_file() else None
            writer()
            written.append((path, content))
    except BaseException:
        for path, content in written:
            if content is None:
                path.unlink()
            else:
                write_file(path, content)
        raise
