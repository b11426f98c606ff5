"""Rows that may not be separate items: totals, repeated items, filled blanks."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ._source import quoted
from ._table import Table, is_missing

# What spreadsheets write beside the sum or the mean of a column.
TOTALS = {
    *("total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg", "count"),
    *("summe", "gesamt", "insgesamt", "mittelwert", "somme", "moyenne", "suma", "totale", "totaal"),
}
# Names of columns that identify rows, if nearly all of their values are distinct.
ID_NAME = re.compile(r"(.*[_ .-])?(id|uuid|guid|key)", re.IGNORECASE)
MIN_DISTINCT = 0.9
# Minimum number of rows of which one may be a sum beyond chance.
MIN_SUMMED = 10
# A sum in a file may be rounded.
SUM_RTOL = 1e-6
# Maximum probability of so many rows that agree in all columns, and maximum share of such rows:
# where more agree the scores are coarse, whatever their digits.
CHANCE, MAX_REPEATED = 1e-6, 0.25
# Scores of single precision have seven digits, however they are written; they pile up here and
# there, where so many times more agree.
MAX_DIGITS, UNEVEN = 7, 10.0
# Rows that are all labeled, and the share of one class, from which blanks may have been filled in.
MIN_LABELED, MIN_ONE_CLASS = 50, 0.95


@dataclass(frozen=True)
class RowChecks:
    """A table, its columns, and the checks of rows that may not be items."""

    table: Table
    scores: Sequence[str]  # columns of numbers of which a row may be the sum
    label: str
    labels: np.ndarray  # (n_rows,); None where missing
    groups: str | None = None

    def notes(self, *, has_classes: bool = True) -> tuple[str, ...]:
        """Return notes on rows; raise on a total, and on an item with several classes."""
        self._check_totals()
        column = self.table.id_column
        notes = self._notes_of_ids(column, has_classes=has_classes) if column else []
        if not notes:
            notes = self._notes_of_equal_rows()
        if has_classes:
            notes += self._notes_of_filled_blanks()
        return tuple(notes)

    # --- totals ----------------------------------------------------------------------------

    def _check_totals(self) -> None:
        """Raise if the first or the last row is a total of the others."""
        n_rows = len(self.table)
        ids = self.table.id_column

        for row in dict.fromkeys((n_rows - 1, 0)):
            if n_rows < 3:
                return

            evidence = self._named_as_total(row)
            summed = self._summed_columns(row)
            if evidence is None and summed and ids and is_missing(self.table.columns[ids][row]):
                evidence = f"column {quoted(ids)} is empty there"
            if evidence is None and not summed:
                continue
            if evidence is None and n_rows <= MIN_SUMMED:
                continue

            parts = [] if evidence is None else [evidence]
            if summed:
                parts.append(f"column {quoted(summed[0])} holds the sum of all others")

            title = self.table.describe_rows([row]).capitalize()
            raise ValueError(
                f"{title} of {self.table.name} looks like a total, not like an item: "
                f"{' and '.join(parts)}. Remove the row; if it is an item, move it between others."
            )

    def _named_as_total(self, row: int) -> str | None:
        """Return in which column a row is called a total, if it is the only one."""
        for name, cells in self.table.columns.items():
            word = _plain(cells[row])
            if word in TOTALS and sum(_plain(cell) == word for cell in cells) == 1:
                return f"column {quoted(name)} says {quoted(cells[row])}"
        return None

    def _summed_columns(self, row: int) -> list[str]:
        """Return the columns of scores in which a row is the sum of all others."""
        summed = []
        for name in self.scores:
            values = self.table.optional_numbers(name).values
            others = np.delete(values, row)
            total = np.nansum(others)
            is_sum = np.isclose(values[row], total, rtol=SUM_RTOL, atol=0.0)
            # Of numbers that are nearly all zero, one is the sum.
            if is_sum and np.count_nonzero(np.nan_to_num(others)) > 2:
                summed.append(name)
        return summed

    # --- items that come twice ---------------------------------------------------------------

    def _notes_of_ids(self, column: str, *, has_classes: bool) -> list[str]:
        """Return notes on missing and repeated ids; raise if one has several classes."""
        if self.groups == column:
            return []

        cells = [cell.strip() for cell in self.table.columns[column]]
        missing = [row for row, cell in enumerate(cells) if is_missing(cell)]
        repeated = _repeated([None if is_missing(cell) else cell for cell in cells])
        notes = []

        if missing:
            notes.append(
                f"{_rows(len(missing))} no id in column {quoted(column)}: "
                f"{self.table.describe_rows(missing)}. Each is taken for an item."
            )

        if not repeated:
            return notes

        contradicted = self._contradicted(repeated)
        if contradicted and has_classes:
            name, rows = next(iter(contradicted.items()))
            raise ValueError(
                f"{len(contradicted):,} ids in column {quoted(column)} have different labels, such "
                f"as {quoted(name)}: {self.table.describe_rows(rows, self.label)}. An item has one "
                "class: correct the labels, or empty the uncertain cells. If these are "
                f"several items of one id, pass --groups {column}."
            )

        n_more = sum(len(rows) - 1 for rows in repeated.values())
        again = [rows[1] for rows in repeated.values()]
        notes.append(
            f"{_rows(n_more)} the id of an earlier row in column {quoted(column)}, such as "
            f"{self.table.describe_rows(again[:3], column)}: each counts as an item. Remove rows "
            f"that were copied; if an id has several items, pass --groups {column}."
        )
        return notes

    def _contradicted(self, repeated: Mapping[Hashable, list[int]]) -> dict[Hashable, list[int]]:
        """Return the items with two different labels, and their labeled rows."""
        contradicted = {}
        for name, rows in repeated.items():
            labeled = [row for row in rows if self.labels[row] not in (None, -1)]
            if len({self.labels[row] for row in labeled}) > 1:
                contradicted[name] = labeled
        return contradicted

    def _notes_of_equal_rows(self) -> list[str]:
        """Return a note on rows that agree in all columns but the label, beyond chance."""
        names = [name for name in self.table.names if name != self.label]
        names = [name for name in names if not name.startswith("spe_")]
        n_rows = len(self.table)

        if self.groups is not None or not set(self.scores) <= set(names):
            return []

        keys: list[tuple[str, ...]] = list(
            zip(*(self.table.columns[name] for name in names), strict=True)
        )
        repeated = _repeated(keys)
        n_more = sum(len(rows) - 1 for rows in repeated.values())
        if not repeated or n_more > MAX_REPEATED * n_rows:
            return []

        # Leaves of trees have many digits, too, and many rows each.
        pairs = {key: rows for key, rows in repeated.items() if len(rows) == 2}
        if len(pairs) < MIN_DISTINCT * len(repeated):
            return []
        if not self._are_improbable(names, [keys[rows[0]] for rows in pairs.values()]):
            return []

        n_more = len(pairs)
        again = [rows[1] for rows in pairs.values()]
        contradicted = self._contradicted(pairs)
        labels = (
            f" {len(contradicted):,} of them have another label, such as "
            f"{self.table.describe_rows(next(iter(contradicted.values())), self.label)}."
            if contradicted
            else ""
        )

        return [
            f"{_rows(n_more)} the same cells as an earlier row, such as "
            f"{self.table.describe_rows(again[:3])}: each counts as an item.{labels} Remove rows "
            "that were copied; a column that identifies items is named by --id."
        ]

    def _are_improbable(self, names: Sequence[str], pairs: Iterable[Sequence[str]]) -> bool:
        """Return whether this number of pairs of equal rows is improbable by chance."""
        n_values = {name: len(set(self.table.columns[name])) for name in names}

        # The logarithm of the number of different rows that there might have been.
        log_numbers = [
            sum(
                min(len(_digits(cell)), MAX_DIGITS)
                if name in self.scores
                else np.log10(n_values[name])
                for name, cell in zip(names, key, strict=True)
            )
            for key in pairs
        ]
        n_rows = len(self.table)
        n = len(log_numbers)

        # Expected number of pairs that agree by chance, and Chernoff's bound of a Poisson number.
        log_pairs = np.log(UNEVEN * n_rows * (n_rows - 1) / 2.0)
        log_expected = log_pairs - np.log(10.0) * np.median(log_numbers)
        expected = np.exp(log_expected)
        log_proba = n - expected + n * (log_expected - np.log(n))

        return bool(n > expected and log_proba < np.log(CHANCE))

    # --- labels -------------------------------------------------------------------------------

    def _notes_of_filled_blanks(self) -> list[str]:
        """Return a note if all rows are labeled, and nearly all with what fills blank cells."""
        labels = self.labels.tolist()
        if len(labels) < MIN_LABELED or any(label in (None, -1) for label in labels):
            return []
        n_zeros = sum(label == 0 for label in labels)
        if not MIN_ONE_CLASS * len(labels) <= n_zeros < len(labels):
            return []
        return [
            f"All rows are labeled, and {n_zeros:,} of {len(labels):,} are labeled 0: if a 0 means "
            "not labeled, pass --unlabeled 0."
        ]


def column_of_ids(table: Table, known_columns: Collection[str]) -> str | None:
    """Return the column that is named like one of ids and identifies rows, beside known columns."""
    for name, cells in table.columns.items():
        is_free = name not in known_columns and not name.startswith("spe_")
        if not (is_free and ID_NAME.fullmatch(name.strip())):
            continue
        ids = [cell for cell in cells if not is_missing(cell)]
        if 2 * len(ids) > len(cells) and len(set(ids)) >= MIN_DISTINCT * len(ids):
            return name
    return None


def _plain(cell: str) -> str:
    return cell.strip().strip(":").strip().casefold()


def _digits(cell: str) -> str:
    """Return the digits that distinguish a number from others."""
    mantissa = cell.strip().lower().partition("e")[0]
    return re.sub("[^0-9]", "", mantissa).strip("0")


def _rows(n: int) -> str:
    return "1 row has" if n == 1 else f"{n:,} rows have"


def _repeated(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """Return the rows of each key that has several; None is no key."""
    n_rows = Counter(keys)
    rows_of: dict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None and n_rows[key] > 1:
            rows_of[key].append(row)
    return rows_of
