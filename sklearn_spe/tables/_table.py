"""A table: names, rows of cells, and the format in which to write it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from ..inputs._listed import MAX_NAMED, listed
from ._columns import Column, labels_in, numbers_in
from ._dialect import Dialect
from ._numbers_in_cells import is_missing
from ._printable import quoted

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a file."""

    name: str  # for messages
    names: tuple[str, ...]  # the distinct column names
    rows: tuple[tuple[str, ...], ...]  # the cells as in the file; those of other formats as text
    places: tuple[int, ...]  # line on which each row begins, or row number in formats without lines
    unit: str = "line"
    dialect: Dialect = field(default_factory=Dialect)  # the text format
    decimal: str | None = None  # given by the user; None infers it for each column
    notes: tuple[str, ...] = ()  # inferred properties that may be wrong
    path: Path | None = None  # None without a file
    fingerprint: str | None = None  # of the bytes of the file, by which changes are detected
    is_text: bool = True  # whether the file is separated text, as this package writes tables
    n_left_out: int = 0  # number of rows of the file that are not in the table
    # Columns of each sheet of a workbook with several; the first is the table.
    sheets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def numbers(self, column: str) -> Column:
        """Return a column of numbers, such as scores, without missing values."""
        texts = self.texts(column)
        found, wrong = numbers_in(texts, quoted(column), self.decimal)
        missing = np.flatnonzero([is_missing(text) for text in texts]).tolist()
        bad = sorted({*wrong, *missing})
        if not bad:
            return found
        leave_out = ""
        if missing:
            leave_out = (
                f" {len(missing):,} of them say that there is none: the option drop_missing "
                f"leaves those out."
            )
        raise ValueError(
            f"Column {quoted(column)} of {self.name} must have a number in every row; {len(bad):,} "
            f"of {len(texts):,} do not: {self.describe_rows(bad, column)}.{leave_out}"
        )

    def optional_numbers(self, column: str) -> Column:
        """Return a column of numbers of which some are missing."""
        texts = self.texts(column)
        found, wrong = numbers_in(texts, quoted(column), self.decimal)
        if wrong:
            raise ValueError(
                f"Column {quoted(column)} of {self.name} must have numbers; {len(wrong):,} of "
                f"{len(texts):,} rows have something else: {self.describe_rows(wrong, column)}."
            )
        return found

    def labels(self, *columns: str, classes: Sequence[str] | None = None) -> Column:
        """Return a column of labels; missing ones mean unlabeled rows.

        Empty cells, NA, NaN, None, null and a question mark are missing. Labels are numbers or
        booleans if all are, else stripped text. Several columns with the same classes give labels
        of shape (n_columns, n_rows).
        """
        texts = [text for column in columns for text in self.texts(column)]
        found = labels_in(texts, quoted(columns[0]), classes, self.decimal)
        shape = (len(self.rows),) if len(columns) == 1 else (len(columns), len(self.rows))
        return replace(found, values=found.values.reshape(shape))

    def parts(self, column: str) -> np.ndarray:
        """Return a column of categories without missing cells: integers if all are, else text."""
        cells = [text.strip() for text in self.texts(column)]
        missing = [row for row, cell in enumerate(cells) if is_missing(cell)]
        if missing:
            raise ValueError(
                f"Column {quoted(column)} of {self.name} must have a value in every row; "
                f"{len(missing):,} of {len(cells):,} do not: {self.describe_rows(missing, column)}."
            )
        # The category 01 is not the category 1.
        if all(cell.isascii() and cell.isdigit() and str(int(cell)) == cell for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=object)
        return np.array(cells, dtype=object)

    def texts(self, column: str) -> list[str]:
        """Return the cells of a column as in the file; suggest the nearest name in errors."""
        self.check_not_elsewhere(column)
        if column not in self.names:
            raise ValueError(
                f"{self.name} has no column {quoted(column)}{_nearest(column, self.names)}; it "
                f"has {', '.join(map(quoted, self.names)) or 'none'}."
            )
        place = self.names.index(column)
        return [row[place] for row in self.rows]

    def check_not_elsewhere(self, column: str) -> None:
        """Raise if a column is on another sheet than the first."""
        # The first of them is the table.
        there = [sheet for sheet, names in self.sheets.items() if column in names]
        if there and column not in self.names:
            raise ValueError(
                f"Column {quoted(column)} is on sheet {quoted(there[0])} of {self.name}, but the "
                f"first sheet is read, {quoted(next(iter(self.sheets)))}. Move {quoted(there[0])} "
                f"to the front, or save it as .csv; all columns must be on one sheet."
            )

    def without_missing(self, column: str) -> Table:
        """Return the rows in which a column is not missing, and a note on the others."""
        gone = [row for row, text in enumerate(self.texts(column)) if is_missing(text)]
        if not gone:
            return self
        kept = np.setdiff1d(np.arange(len(self.rows)), gone)
        note = (
            f"{len(gone):,} of {len(self.rows):,} rows have nothing in column {quoted(column)} "
            f"and are left out: {self.describe_rows(gone)}."
        )
        n_left_out = self.n_left_out + len(gone)
        return replace(self.taken(kept), notes=(*self.notes, note), n_left_out=n_left_out)

    def taken(self, rows: Sequence[int] | np.ndarray) -> Table:
        """Return some rows, in this order."""
        return replace(
            self,
            rows=tuple(self.rows[row] for row in rows),
            places=tuple(self.places[row] for row in rows),
        )

    def describe_rows(self, rows: Sequence[int] | np.ndarray, column: str | None = None) -> str:
        """Return the positions of at most ten rows, with their cells of a column."""
        shown = []
        for row in rows[:MAX_NAMED]:
            cell = "" if column is None else self.rows[row][self.names.index(column)]
            shown.append(f"{self.unit} {self.places[row]}")
            shown[-1] += "" if column is None else f" ({quoted(cell)})"
        return listed(shown, len(rows))


def _nearest(column, names) -> str:
    """Return a similar name as a question."""
    plain = {" ".join(name.split()).casefold(): name for name in reversed(names)}
    found = get_close_matches(" ".join(column.split()).casefold(), plain, n=1)
    return f" (did you mean {quoted(plain[found[0]])}?)" if found else ""
