"""Copies of one table labeled by several people: matched row by row, and merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..inputs._annotations import Annotations
from ..inputs._listed import MAX_NAMED, listed
from ._columns import BOOLEANS, labels_in
from ._labeling_table import LabelingTable
from ._numbers_in_cells import is_missing
from ._printable import quoted
from ._table import Table
from ._writing import write_file

__all__ = ["LabeledCopies", "write_together"]

# The column that identifies rows of written copies, and those that people may change.
ITEM, SKIPPED = "spe_item", "spe_skipped"
# Spreadsheets keep fifteen digits of a number.
DIGITS_LOST = 1e-14
NO_COPIES = "Give copies of one table in which only labels were filled in."


@dataclass(frozen=True, eq=False)
class LabeledCopies:
    """Copies of one table, each labeled by a different person."""

    copies: tuple[Table, ...]  # with rows in the same order, that of the items
    label: str  # the column of labels; copies without it have none
    annotations: Annotations  # the labels of each copy, by the name of its file

    @classmethod
    def of(
        cls, tables: Sequence[Table], label: str, classes: Sequence[str] | None = None
    ) -> LabeledCopies:
        """Match the rows of tables; raise if they differ by more than labels."""
        _check_names([table.name for table in tables])
        first, *others = tables
        if ITEM in first.names:
            first = first.taken(np.argsort(_items(first), kind="stable"))
        free = {label, *([SKIPPED] if ITEM in first.names else [])}
        copies = [first, *(_matched(first, other, free) for other in others)]
        cells = [_cells(copy, label) for copy in copies]
        read = labels_in(
            [text for of in cells for text in of], quoted(label), classes, first.decimal
        )
        said = read.values.reshape(len(copies), len(first.rows))
        named = dict(zip(_short_names(copies), said, strict=True))
        # As elsewhere, -1 is not a label unless it is given as a class.
        marker = None if "-1" in (classes or ()) else -1
        annotations = Annotations.of(named, classes=classes, unlabeled_label=marker)
        return cls(tuple(copies), label, annotations)

    @property
    def merged(self) -> Table:
        """The first copy, with all labels that are not disputed."""
        first, *others = self.copies
        if not others:
            return first
        if not any(self.label in copy.names for copy in self.copies):
            return replace(first, name=self._name)
        settled = _with_cells(first, self.label, self._cells())
        if ITEM in first.names and SKIPPED in first.names:
            said = [copy.texts(SKIPPED) for copy in self.copies]
            cells = [max(cells, key=_says_yes) for cells in zip(*said, strict=True)]
            settled = _with_cells(settled, SKIPPED, cells)
        notes = dict.fromkeys(note for copy in self.copies for note in copy.notes)
        return replace(settled, name=self._name, notes=tuple(notes))

    def disagreements(self) -> list[list[dict[str, Any]]]:
        """Return the rows with different labels, with each label and its position."""
        named = list(zip(self.annotations.names, self.copies, strict=True))
        labels = self.annotations.labels
        return [
            [
                {"name": name, copy.unit: copy.places[row], "label": label}
                for (name, copy), label in zip(named, labels[:, row], strict=True)
                if label is not None
            ]
            for row in self.annotations.disputed
        ]

    def check_new(self, path: Path) -> None:
        """Raise if a merged table would overwrite the copy of an annotator."""
        paths = [copy.path.resolve() for copy in self.copies if copy.path is not None]
        if path.resolve() in paths:
            raise ValueError(
                f"{path} is the copy of one annotator: pass a new file as option out, or leave it "
                "out to write each copy."
            )

    def describe(self) -> str:
        """Return the counts of labels, agreements and disagreements in words."""
        annotations = self.annotations
        counts = zip(annotations.names, annotations.n_labeled, strict=True)
        lines = ["Labeled rows: " + ", ".join(f"{n:,} in {name}" for name, n in counts) + "."]
        lines += [agreement.describe() for agreement in annotations.agreements()]
        found = self.disagreements()
        if found:
            rows = "1 row" if len(found) == 1 else f"{len(found):,} rows"
            lines.append(
                f"They disagree on {rows}. These have no label until that is settled: write the "
                f"same into each file, or leave it empty in all but one."
            )
        for row in found[:MAX_NAMED]:
            parts = (
                f"{said['name']}, {unit} {said[unit]}: {said['label']!r}"
                for said in row
                for unit in ("line", "row")
                if unit in said
            )
            lines.append("; ".join(parts))
        if len(found) > MAX_NAMED:
            lines.append(f"and {len(found) - MAX_NAMED:,} more")
        return "\n".join(lines)

    @property
    def _name(self) -> str:
        return " and ".join(copy.name for copy in self.copies)

    def _cells(self) -> list[str]:
        """Return the label of each row, as first written."""
        said = self.annotations.labels
        by = [next((k for k, s in enumerate(row) if s is not None), 0) for row in said.T]
        cells = [_cells(copy, self.label) for copy in self.copies]
        found = [cells[k][row] for row, k in enumerate(by)]
        # With the file's own marker of missing labels: some write -1.
        unlabeled = (cells[0][row] for row, label in enumerate(said[0]) if label is None)
        blank = next(unlabeled, "")
        for row in self.annotations.disputed:
            found[row] = blank
        return found


def write_together(
    sheets: Sequence[tuple[LabelingTable, Path]], columns: dict, first: Sequence[int]
) -> None:
    """Write several tables atomically; see `LabelingTable.write`."""
    written: list[tuple[Path, bytes | None]] = []
    try:
        for table, path in sheets:
            before = path.read_bytes() if path.is_file() else None
            table.write(path, columns, first)
            written.append((path, before))
    except BaseException:
        for path, before in written:
            if before is None:
                path.unlink()
            else:
                write_file(path, before)
        raise


def _check_names(names) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is passed twice; pass the copy of each annotator once.")


def _short_names(copies) -> list[str]:
    short = [copy.name if copy.path is None else copy.path.name for copy in copies]
    return short if len(set(short)) == len(short) else [copy.name for copy in copies]


def _matched(first: Table, other: Table, free: set[str]) -> Table:
    """Return a copy with its rows in the order of the first."""
    alone = [
        f"{table.name} alone has {listed(map(quoted, names))}"
        for table, of in ((first, other), (other, first))
        if (names := [name for name in table.names if name not in {*of.names, *free}])
    ]
    if alone:
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table, they have different "
            "columns: "
            f"{' and '.join(alone)}. {NO_COPIES}"
        )
    if len(first.rows) != len(other.rows):
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: they have "
            f"{len(first.rows):,} and {len(other.rows):,} rows. {NO_COPIES}"
        )
    if ITEM in first.names:
        other = _in_order_of(first, other)
    for column in first.names:
        if column not in free:
            _check_same(first, other, column)
    return other


def _in_order_of(first: Table, other: Table) -> Table:
    """Return a copy with its rows in the order of the items of the first."""
    items, theirs = (_items(table) for table in (first, other))
    place = {item: row for row, item in enumerate(theirs)}
    if missing := [item for item in items if item not in place]:
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: the items "
            f"{listed(f'{item:g}' for item in missing)} in column {ITEM!r} are in the first only. "
            f"{NO_COPIES}"
        )
    return other.taken([place[item] for item in items])


def _items(table: Table) -> list[float]:
    items = table.optional_numbers(ITEM).values.tolist()
    if len(set(items)) < len(items):
        raise ValueError(
            f"{table.name} has duplicated or added rows: the numbers in its column {ITEM!r} are "
            "not distinct."
        )
    return items


def _check_same(first: Table, other: Table, column: str) -> None:
    texts, theirs = first.texts(column), other.texts(column)
    rows = [row for row, (a, b) in enumerate(zip(texts, theirs, strict=True)) if not _same(a, b)]
    if rows and not _same_numbers(first, other, column):
        unit = first.unit
        shown = [
            f"{unit} {first.places[row]} ({quoted(texts[row])}) and {unit} {other.places[row]} "
            f"({quoted(theirs[row])})"
            for row in rows[:3]
        ]
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: column {quoted(column)} "
            f"differs in {len(rows):,} of {len(texts):,} rows, such as {listed(shown)}. "
            f"{NO_COPIES} If one was sorted, restore the order; keep personal columns, such as "
            "remarks, in another file."
        )


def _same(one: str, other: str) -> bool:
    one, other = one.strip(), other.strip()
    if one == other or (is_missing(one) and is_missing(other)):
        return True
    known = BOOLEANS.get(one.lower())
    return known is not None and known == BOOLEANS.get(other.lower())


def _same_numbers(first: Table, other: Table, column: str) -> bool:
    """Return whether cells are the same numbers, written differently."""
    try:
        one, two = (table.optional_numbers(column).values for table in (first, other))
    except ValueError:
        return False
    return bool(np.isclose(one, two, rtol=DIGITS_LOST, atol=0.0, equal_nan=True).all())


def _says_yes(cell: str) -> bool:
    return cell.strip().lower() in ("1", "1.0", "true")


def _cells(table: Table, column: str) -> list[str]:
    return table.texts(column) if column in table.names else [""] * len(table.rows)


def _with_cells(table: Table, column: str, cells: Sequence[str]) -> Table:
    """Return a table with other cells in a column, which may be new."""
    if column not in table.names:
        rows = tuple((*row, cell) for row, cell in zip(table.rows, cells, strict=True))
        return replace(table, names=(*table.names, column), rows=rows)
    at = table.names.index(column)
    rows = tuple(
        (*row[:at], cell, *row[at + 1 :]) for row, cell in zip(table.rows, cells, strict=True)
    )
    return replace(table, rows=rows)
