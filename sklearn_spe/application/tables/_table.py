"""Tables of text, their columns, and the numbers and names in cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from ...inputs._validation import MAX_NAMED, listed
from ._dates import periods_in
from ._odd_cells import is_sheet_error, notes_of_scores, numeric_columns, remedy_of_cells
from ._source import Dialect, quoted

# Markers of missing values in spreadsheets, pandas, R and databases.
MISSING = {"", "na", "n/a", "nan", "none", "null", "<na>", "#n/a", "?"}
# Python would parse 1_000 as a number, which tables never mean.
POINT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
COMMA = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
# Python reads numbers of at most 4,300 digits.
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
# One or more commas, each with a nonzero number before and three digits after it.
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
# Separated thousands and a decimal mark, by which the decimal mark is known.
GROUPED = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+\.\d+"),
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+"),
}
# Whole numbers in such columns.
GROUPED_WHOLE = {".": THOUSANDS, ",": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+")}
# Cells that are listed in an error.
MAX_CELLS = 5
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Notation:
    """The notation of the numbers of a column."""

    decimal: str = "."
    percent: bool = False  # whether each has a percent sign
    is_ambiguous: bool = False  # whether commas may also be thousands separators
    thousands: str = ""  # what separates thousands

    def number(self, text: str) -> float | None:
        """Return the number in a cell; None if it has none."""
        text = text.strip()
        if self.percent:
            if not text.endswith("%"):
                return None
            text = text[:-1].rstrip()

        is_grouped = self.thousands and any(
            pattern[self.decimal].fullmatch(text) for pattern in (GROUPED, GROUPED_WHOLE)
        )
        if is_grouped:
            text = text.replace(self.thousands, "")
        if not (COMMA if self.decimal == "," else POINT).fullmatch(text):
            return None
        number = float(text.replace(",", "."))
        return number / 100.0 if self.percent else number


def is_missing(text: str) -> bool:
    """Return whether a cell is a missing value."""
    return text.strip().lower() in MISSING


def is_number(text: str) -> bool:
    """Return whether a cell holds a number, in any notation, or nothing."""
    bare = text.strip().removesuffix("%").rstrip()
    patterns = (POINT, COMMA, *GROUPED.values())
    return is_missing(text) or any(pattern.fullmatch(bare) for pattern in patterns)


def recognized_notation(texts: list[str], decimal: str | None) -> Notation:
    """Return the notation of most of the numbers in some cells."""
    together = "".join(texts)
    if "%" not in together and "," not in together:
        return Notation(decimal or ".")

    signs = [text.rstrip().endswith("%") for text in texts]
    percent = 2 * sum(signs) > len(texts)
    bare = [text.strip().removesuffix("%").rstrip() for text in texts]

    marks = (".", ",") if decimal is None else (decimal,)
    with_both = [text for text in bare if "," in text and "." in text]
    grouped = [mark for mark in marks if any(map(GROUPED[mark].fullmatch, with_both))]
    if len(grouped) == 1:
        return Notation(grouped[0], percent, thousands="," if grouped[0] == "." else ".")
    if decimal is not None:
        return Notation(decimal, percent)

    commas = [text for text in bare if "," in text and COMMA.fullmatch(text)]
    points = sum("." in text and POINT.fullmatch(text) is not None for text in bare)
    thousands = [text for text in bare if THOUSANDS.fullmatch(text)]
    if thousands and len(thousands) >= len(commas):
        return Notation(".", percent, is_ambiguous=not points)
    return Notation("," if len(commas) > points else ".", percent)


@dataclass(frozen=True, eq=False)
class Column:
    """The values in a column."""

    values: np.ndarray  # (n_rows,); numbers, NaN where missing; or labels, None where missing
    notes: tuple[str, ...] = ()  # inferred properties that may be wrong
    decimal: str = "."
    percent: bool = False  # whether numbers had percent signs, and were divided by 100


def numbers_in(texts: list[str], column: str, decimal: str | None) -> tuple[Column, list[int]]:
    """Return a column of numbers, and the rows with other content."""
    cells = [(row, text) for row, text in enumerate(texts) if not is_missing(text)]
    present = [text for _, text in cells]
    notation = recognized_notation(present, decimal)
    if notation.is_ambiguous:
        example = quoted(next(text for text in present if "," in text))
        raise ValueError(
            f"Commas in column {column} may be decimal marks or thousands separators, as in "
            f"{example}: if they are decimal marks, set the option --decimal (','); if not, remove "
            "them."
        )

    values = np.full(len(texts), np.nan)
    invalid = []

    for row, text in cells:
        number = notation.number(text)
        if number is None or np.isinf(number):
            invalid.append(row)
        else:
            values[row] = number

    notes = _notes_of(notation, column, decimal)
    return Column(values, notes, notation.decimal, notation.percent), invalid


def _notes_of(notation: Notation, column: str, decimal: str | None) -> tuple[str, ...]:
    notes = []
    if notation.thousands:
        mark = {",": "Commas", ".": "Points"}[notation.thousands]
        notes.append(f"{mark} in column {column} are read as separators of thousands.")
    if notation.decimal == "," and decimal is None:
        notes.append(f"Commas in column {column} are read as decimal marks.")
    if notation.percent:
        notes.append(
            f"Column {column} holds percent: its numbers are divided by 100, thresholds too are "
            f"between 0 and 1."
        )
    return tuple(notes)


def labels_in(
    texts: list[str], column: str, classes: Sequence[str] | None, decimal: str | None
) -> Column:
    """Return a column of labels: numbers or booleans if all labels are, otherwise text."""
    errors = Counter(text.strip() for text in texts if is_sheet_error(text))
    notes_of_errors = tuple(
        f"{n:,} rows have {quoted(text)} in column {column}, an error of a spreadsheet: they are "
        "not labeled."
        for text, n in errors.items()
    )
    cells = [None if is_missing(text) or text.strip() in errors else text.strip() for text in texts]
    known_cells = [cell for cell in cells if cell is not None]
    values = np.full(len(cells), None, dtype=object)
    known = [row for row, cell in enumerate(cells) if cell is not None]
    if known_cells and all(cell.lower() in BOOLEANS for cell in known_cells):
        values[known] = [BOOLEANS[cell.lower()] for cell in known_cells]
        return Column(values, notes_of_errors)

    numbers = _as_numbers(known_cells, decimal)
    if numbers is not None:
        values[known] = numbers
        return Column(values, notes_of_errors)

    spelling, notes = _spellings(Counter(known_cells), column, classes)
    values[known] = [spelling.get(cell, cell) for cell in known_cells]
    return Column(values, (*notes_of_errors, *notes))


def _as_numbers(texts: list[str], decimal: str | None):
    """Return labels as numbers, whole ones as integers; None if one is not a finite number."""
    notation = recognized_notation(texts, decimal)
    parsed = [notation.number(text) for text in texts]
    numbers = [number for number in parsed if number is not None and np.isfinite(number)]
    if notation.percent or len(numbers) < len(parsed):
        return None
    return [int(n) for n in numbers] if all(n.is_integer() for n in numbers) else numbers


def _spellings(
    counts: Counter[str], column: str, classes: Sequence[str] | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return a mapping of spellings that differ by case alone, and notes on it."""
    alike: dict[str, list[str]] = {}
    for text, _ in counts.most_common():
        alike.setdefault(_key(text), []).append(text)

    if classes is not None:
        class_of_key = {_key(str(name)): str(name) for name in classes}
        if len(class_of_key) < len(classes):
            return {}, ()
        chosen = {
            text: class_of_key.get(key, text) for key, texts in alike.items() for text in texts
        }
    else:
        if len(counts) > len(alike) != 2:
            _refuse(alike, column)
        chosen = {text: texts[0] for texts in alike.values() for text in texts}

    changed = {text: name for text, name in chosen.items() if text != name}
    notes = [
        f"{quoted(text)} in column {column} ({counts[text]:,} rows) is taken for {quoted(name)}."
        for text, name in changed.items()
    ]
    return changed, tuple(notes)


def _refuse(alike: dict[str, list[str]], column: str) -> None:
    twice = [" and ".join(map(quoted, texts)) for texts in alike.values() if len(texts) > 1]
    raise ValueError(
        f"Column {column} has {listed(twice)}, which differ only by case or blanks and may be one "
        "class or two: write them alike, or set both classes by the option --classes."
    )


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def slips_in(labels: Sequence[Any]) -> list[tuple[str, int, str]]:
    """Return labels that occur once and differ by one slip of the keys from a frequent one.

    Each with its row and the frequent label.
    """
    counts = Counter(label for label in labels if isinstance(label, str))
    once = [label for label, n in counts.items() if n == 1 and len(label) > 3]
    often = [label for label, n in counts.items() if n > 2]
    return [
        (label, labels.index(label), frequent)
        for label in once
        for frequent in often
        if _is_slip(label, frequent)
    ]


def _is_slip(text: str, of: str) -> bool:
    """Return whether letters are exchanged, or one letter is added, left out or another one.

    Names that differ in a digit, such as those of numbered classes, are not slips of each other.
    """
    short, long = sorted((text, of), key=len)
    start = next(
        (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    if long[start : start + 1].isdigit() or short[start : start + 1].isdigit():
        return False
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    exchanged = short[start : start + 2] == long[start : start + 2][::-1]
    after = start + (2 if exchanged else 1)
    return short[after:] == long[after:]


def words_in(labels: Iterable[Any]) -> list[str] | None:
    """Return both classes of labels, if these are text."""
    words = sorted({label for label in labels if isinstance(label, str)})
    return words if len(words) == 2 else None


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a file."""

    # The cells as in the file, by the name of the column; those of other formats as text.
    columns: Mapping[str, tuple[str, ...]]
    places: tuple[int, ...]  # line on which each row begins, or row number in formats without lines
    name: str  # for messages
    unit: str = "line"
    dialect: Dialect = field(default_factory=Dialect)  # the text format
    decimal: str | None = None  # given by the user; None infers it for each column
    notes: tuple[str, ...] = ()  # inferred properties that may be wrong
    path: Path | None = None  # None without a file
    fingerprint: str | None = None  # of the bytes of the file, by which changes are detected
    is_text: bool = True  # whether the file is separated text, as this package writes tables
    # Of a file of JSON lines: the text of each line, by its number.
    json_lines: Mapping[int, str] = field(default_factory=dict)
    n_left_out: int = 0  # number of rows of the file that are not in the table
    sheet: str | None = None  # the sheet of a workbook
    # The columns of each sheet of a workbook with several.
    sheets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    id_column: str | None = None  # the column that identifies rows, if it is known
    # What was read of columns, as a command asks for one several times: reading takes most of the
    # time of a long table.
    _read: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(self.places)

    def numbers(self, column: str) -> Column:
        """Return a column of numbers, such as scores, without missing values."""
        values, invalid = self._numbers_in(column)
        missing = np.setdiff1d(np.flatnonzero(np.isnan(values.values)), invalid).tolist()
        if len(invalid) + len(missing) == len(self) and invalid:
            # It is another column.
            missing = []
        leave_out = ""
        if missing:
            leave_out = (
                f" {len(missing):,} of them say that there is none: the option --drop-missing "
                f"leaves those out."
            )

        if invalid:
            leave_out += self._remedy(invalid, column)
        bad = sorted({*invalid, *missing})
        self._check_all(bad, column, "a number in every row", after=leave_out)
        return replace(values, notes=(*values.notes, *notes_of_scores(column, values.values)))

    def optional_numbers(self, column: str) -> Column:
        """Return a column of numbers with missing values."""
        values, invalid = self._numbers_in(column)
        remedy = self._remedy(invalid, column) if invalid else ""
        self._check_all(invalid, column, "numbers", "rows have something else", remedy)
        return values

    def _numbers_in(self, column: str) -> tuple[Column, list[int]]:
        """Return a column of numbers, and the rows with other content; it is read once."""
        if column not in self._read:
            numbers, invalid = numbers_in(self.texts(column), quoted(column), self.decimal)
            numbers.values.flags.writeable = False
            self._read[column] = numbers, invalid
        return self._read[column]

    def _remedy(self, invalid: list[int], column: str) -> str:
        """Return what to do about rows that have no number in a column."""
        cells = [self.columns[column][row] for row in invalid]
        n_numbers = len(self) - len(invalid) - len(self._missing(column))
        remedy = remedy_of_cells(cells, column, n_numbers)
        if n_numbers or remedy:
            return remedy
        return f" It holds no number.{numeric_columns(self.columns, is_number, column)}"

    def _missing(self, column: str) -> list[int]:
        """Return the rows in which a column is missing."""
        return [row for row, text in enumerate(self.texts(column)) if is_missing(text)]

    def _check_all(
        self, bad: list[int], column: str, needed: str, instead: str = "do not", after: str = ""
    ) -> None:
        """Raise if some rows lack the value that a column needs."""
        if bad:
            raise ValueError(
                f"Column {quoted(column)} of {self.name} must have {needed}; {len(bad):,} of "
                f"{len(self):,} {instead}: {self.describe_rows(bad, column, MAX_CELLS)}.{after}"
            )

    def labels(self, *columns: str, classes: Sequence[str] | None = None) -> Column:
        """Return a column of labels; missing ones mean unlabeled rows.

        Empty cells, NA, NaN, None, null and a question mark are missing. Labels are numbers or
        booleans if all labels are, otherwise stripped text. Several columns with the same classes
        give labels of shape (n_columns, n_rows).
        """
        key = columns, None if classes is None else tuple(classes)
        if key not in self._read:
            texts = [text for column in columns for text in self.texts(column)]
            labels = labels_in(texts, quoted(columns[0]), classes, self.decimal)
            shape = (len(self),) if len(columns) == 1 else (len(columns), len(self))
            self._read[key] = replace(labels, values=labels.values.reshape(shape))
            self._read[key].values.flags.writeable = False
        return self._read[key]

    def parts(self, column: str) -> np.ndarray:
        """Return a column of categories without missing cells: integers if possible, else text."""
        cells = [text.strip() for text in self.texts(column)]
        self._check_all(self._missing(column), column, "a value in every row")
        # The category 01 is not the category 1.
        if all(WHOLE.fullmatch(cell) for cell in cells):
            return np.array([int(cell) for cell in cells], dtype=object)
        return np.array(cells, dtype=object)

    def with_periods(self, column: str, of: str, unit: str) -> Table:
        """Return a table with one more column, the month, week, ... of the dates in another."""
        cells = [text.strip() for text in self.texts(of)]
        known = [cell for cell in cells if not is_missing(cell)]
        period = periods_in(known, unit, quoted(of))
        bad = [row for row, cell in enumerate(cells) if period.get(cell, "") is None]
        needed = f"dates with a {unit}, such as 2026-02-03 or 03.02.2026"
        self._check_all(bad, of, needed, "rows have something else")
        note = (
            f"{quoted(known[0])} in column {quoted(of)} is read as {period[known[0]]}."
            if known
            else f"Column {quoted(of)} holds no date."
        )
        table = self.with_column(column, [period.get(cell) or "" for cell in cells])

        return replace(table, notes=(*self.notes, note))

    def with_column(self, column: str, cells: Sequence[str]) -> Table:
        """Return the table with other cells in a column, which may be new."""
        return replace(self, columns={**self.columns, column: tuple(cells)})

    def with_unlabeled(self, column: str, marker: str) -> Table:
        """Return the table with empty cells in place of a marker of rows without a label."""
        cells = [text.strip() for text in self.texts(column)]
        number = Notation().number(marker)
        is_marker = [
            cell == marker or (number is not None and Notation().number(cell) == number)
            for cell in cells
        ]
        if not any(is_marker):
            raise ValueError(
                f"--unlabeled {quoted(marker)}: no row has it in column {quoted(column)} of "
                f"{self.name}. Leave the option out, or write the label as in the file."
            )

        note = (
            f"{sum(is_marker):,} rows with {quoted(marker)} in column {quoted(column)} are not "
            "labeled."
        )
        pairs = zip(self.columns[column], is_marker, strict=True)
        table = self.with_column(column, ["" if mark else cell for cell, mark in pairs])
        return replace(table, notes=(*self.notes, note))

    def texts(self, column: str) -> list[str]:
        """Return the cells of a column as in the file."""
        self.check_column(column)
        return list(self.columns[column])

    def check_column(self, column: str) -> None:
        """Raise unless there is a column; suggest the nearest name."""
        self.check_not_elsewhere(column)
        if not self.columns:
            raise ValueError(f"{self.name} is empty: its first line must name the columns.")
        if column not in self.columns:
            names = ", ".join(map(quoted, self.names))
            if look_like_data(self.names):
                raise ValueError(
                    f"{self.name} has no column {quoted(column)}: its first line, {names}, looks "
                    "like data. Does the file lack a header? Add a first line with the names of "
                    "the columns."
                )
            raise ValueError(
                f"{self.name} has no column {quoted(column)}{_nearest(column, self.names)}; it "
                f"has {names}."
            )

    def check_not_elsewhere(self, column: str) -> None:
        """Raise if a column is on another sheet than the one that was read."""
        sheets = [sheet for sheet, names in self.sheets.items() if column in names]
        if sheets and column not in self.columns:
            raise ValueError(
                f"Column {quoted(column)} is on sheet {quoted(sheets[0])} of {self.name}, but "
                "sheet "
                f"{quoted(self.sheet)} is read. If all columns are on {quoted(sheets[0])}, pass "
                f"--sheet {sheets[0]!r}; if not, put them on one sheet."
            )

    def without_missing(self, column: str) -> Table:
        """Return the rows in which a column is not missing, and a note on the others."""
        missing = self._missing(column)
        if not missing:
            return self
        others = np.setdiff1d(np.arange(len(self)), missing)
        note = (
            f"{len(missing):,} of {len(self):,} rows have nothing in column {quoted(column)} "
            f"and are left out: {self.describe_rows(missing)}."
        )
        n_left_out = self.n_left_out + len(missing)
        return replace(self.taken(others), notes=(*self.notes, note), n_left_out=n_left_out)

    def taken(self, rows: Sequence[int] | np.ndarray) -> Table:
        """Return some rows, in this order."""
        return replace(
            self,
            columns={
                name: tuple(cells[row] for row in rows) for name, cells in self.columns.items()
            },
            places=tuple(self.places[row] for row in rows),
        )

    def named_rows(self) -> tuple[Sequence[Any], str]:
        """Return the names of rows and their unit: ids if each row has its own, else positions."""
        if self.id_column is not None:
            cells = self.columns[self.id_column]
            ids = [cell.strip() for cell in cells if not is_missing(cell)]
            if len(set(ids)) == len(self):
                return ids, self.id_column
        return self.places, self.unit

    def describe_rows(
        self,
        rows: Sequence[int] | np.ndarray,
        column: str | None = None,
        most: int = MAX_NAMED,
    ) -> str:
        """Return the positions of some rows, with their cells of a column."""
        positions = []
        for row in rows[:most]:
            cell = "" if column is None else f" ({quoted(self.columns[column][row])})"
            positions.append(f"{self.unit} {self.places[row]}{cell}")
        return listed(positions, len(rows), most)


def look_like_data(names: Sequence[str]) -> bool:
    """Return whether names of columns are numbers, as in a file without a header."""
    numbers = [name for name in names if POINT.fullmatch(name)]
    return any("." in name for name in numbers) or 0 < len(numbers) == len(names)


def are_numbered(names: Sequence[str]) -> bool:
    """Return whether columns are named by consecutive numbers, as pandas names them."""
    return [name.strip() for name in names] in (
        [str(k + first) for k in range(len(names))] for first in (0, 1)
    )


def _nearest(column: str, names: Sequence[str]) -> str:
    """Return a similar name as a question."""
    plain = {" ".join(name.split()).casefold(): name for name in reversed(names)}
    near = get_close_matches(" ".join(column.split()).casefold(), plain, n=1)
    return f" (did you mean {quoted(plain[near[0]])}?)" if near else ""
