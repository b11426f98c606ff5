"""A table: names, rows of cells, and all that is needed to write it back as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from ..inputs._listed import MOST_NAMED, listed
from ._columns import Column, labels_in, numbers_in
from ._dialect import Dialect
from ._numbers_in_cells import is_missing
from ._printable import quoted

__all__ = ["Table"]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a file.

    Attributes
    ----------
    name : str
        Where they are from, for messages.
    names : tuple of str
        Of the columns, each once.
    rows : tuple of tuple of str
        The cells, as they stand in the file; those of other formats as text.
    places : tuple of int
        Of each row in the file: the line on which it begins, as an editor counts; of a format
        without lines the number of the row.
    unit : {"line", "row"}
    dialect : Dialect
        How it is written.
    decimal : {".", ","} or None
        What the user says of its numbers; None recognises it, column by column.
    notes : tuple of str
        What was recognised and may be wrong: to be told to the user.
    path : Path or None
        None of what is no file.
    fingerprint : str or None
        Of the bytes of the file; by it a change since is noticed.
    is_text : bool
        Whether the file is text with separators, as this package writes tables.
    n_left_out : int
        How many rows of the file are no rows of the table.
    sheets : mapping of str to tuple of str
        The columns of each sheet of a book that has several, the first of which is the table.
    """

    name: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]
    unit: str = "line"
    dialect: Dialect = field(default_factory=Dialect)
    decimal: str | None = None
    notes: tuple[str, ...] = ()
    path: Path | None = None
    fingerprint: str | None = None
    is_text: bool = True
    n_left_out: int = 0
    sheets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def numbers(self, column: str) -> Column:
        """Return a column of numbers, such as scores.

        Raises
        ------
        ValueError
            If there is no such column, a number is missing or is none; all such rows are named.
        """
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
            f"Column {quoted(column)} of {self.name} must hold a number in every row; "
            f"{len(bad):,} of {len(texts):,} do not: {self.told(bad, column)}.{leave_out}"
        )

    def optional_numbers(self, column: str) -> Column:
        """Return a column of numbers of which some are missing.

        Raises
        ------
        ValueError
            If there is no such column, or a cell that is not empty holds no number.
        """
        texts = self.texts(column)
        found, wrong = numbers_in(texts, quoted(column), self.decimal)
        if wrong:
            raise ValueError(
                f"Column {quoted(column)} of {self.name} must hold numbers; {len(wrong):,} of "
                f"{len(texts):,} rows hold something else: {self.told(wrong, column)}."
            )
        return found

    def labels(self, *columns: str, classes: Sequence[str] | None = None) -> Column:
        """Return a column of labels; one that is missing means that the row is not labelled.

        Nothing, NA, NaN, None, null and a question mark are missing. Labels are numbers or
        booleans if all are, else text without the blanks around it.

        Parameters
        ----------
        *columns : str
            One, or several that hold the same classes, whose labels are then of shape
            (n_columns, n_rows).
        classes : sequence of str, default=None
            The names of both classes, where they are known: spellings that differ by case alone
            are then taken for them.

        Raises
        ------
        ValueError
            If there is no such column, or spellings of it cannot be told apart.
        """
        texts = [text for column in columns for text in self.texts(column)]
        found = labels_in(texts, quoted(columns[0]), classes, self.decimal)
        shape = (len(self.rows),) if len(columns) == 1 else (len(columns), len(self.rows))
        return replace(found, values=found.values.reshape(shape))

    def parts(self, column: str) -> np.ndarray:
        """Return a column that names a part of each row: whole numbers if all are, else text.

        Raises
        ------
        ValueError
            If there is no such column, or cells are empty; all such rows are named.
        """
        cells = [text.strip() for text in self.texts(column)]
        missing = [row for row, cell in enumerate(cells) if is_missing(cell)]
        if missing:
            raise ValueError(
                f"Column {quoted(column)} of {self.name} must name a part in every row; "
                f"{len(missing):,} of {len(cells):,} do not: {self.told(missing, column)}."
            )
        # The part 01 is not the part 1.
        if all(cell.isascii() and cell.isdigit() and str(int(cell)) == cell for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=object)
        return np.array(cells, dtype=object)

    def texts(self, column: str) -> list[str]:
        """Return the cells of a column as they stand in the file.

        Raises
        ------
        ValueError
            If there is no such column; the nearest name is suggested.
        """
        self.check_not_elsewhere(column)
        if column not in self.names:
            raise ValueError(
                f"{self.name} has no column {quoted(column)}{_nearest(column, self.names)}; it "
                f"has {', '.join(map(quoted, self.names)) or 'none'}."
            )
        place = self.names.index(column)
        return [row[place] for row in self.rows]

    def check_not_elsewhere(self, column: str) -> None:
        """Raise if a column is on another sheet than the one that was read."""
        # The first of them is the table.
        there = [sheet for sheet, names in self.sheets.items() if column in names]
        if there and column not in self.names:
            raise ValueError(
                f"Column {quoted(column)} is on sheet {quoted(there[0])} of {self.name}, and its "
                f"first sheet is read, {quoted(next(iter(self.sheets)))}. Move {quoted(there[0])} "
                f"to the front, or save it as .csv; all columns must be on one sheet."
            )

    def without_missing(self, column: str) -> Table:
        """Return the rows in which a column is not missing, and a note that says which are not.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        gone = [row for row, text in enumerate(self.texts(column)) if is_missing(text)]
        if not gone:
            return self
        kept = np.setdiff1d(np.arange(len(self.rows)), gone)
        note = (
            f"{len(gone):,} of {len(self.rows):,} rows have nothing in column {quoted(column)} "
            f"and are left out: {self.told(gone)}."
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

    def told(self, rows: Sequence[int] | np.ndarray, column: str | None = None) -> str:
        """Return where rows are, ten of them at most, and what stands in a column there."""
        shown = []
        for row in rows[:MOST_NAMED]:
            cell = "" if column is None else self.rows[row][self.names.index(column)]
            shown.append(f"{self.unit} {self.places[row]}")
            shown[-1] += "" if column is None else f" ({quoted(cell)})"
        return listed(shown, len(rows))


def _nearest(column, names) -> str:
    """Return the name that may be meant, as a question."""
    plain = {" ".join(name.split()).casefold(): name for name in reversed(names)}
    found = get_close_matches(" ".join(column.split()).casefold(), plain, n=1)
    return f" (did you mean {quoted(plain[found[0]])}?)" if found else ""
