"""Copies of one table, each labeled by a different person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs._validation import MAX_NAMED, listed
from ._labeling_table import SKIPS
from ._session_file import NEXT, item_column
from ._source import quoted
from ._table import BOOLEANS, Table, is_missing, labels_in

if TYPE_CHECKING:
    from ...inputs._raters import Annotations

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
        # Not at the top: one table has no annotators, and reading it should need numpy alone.
        from ...inputs._raters import Annotations

        _check_names([table.name for table in tables])
        first, *others = tables
        free = {label}
        item = item_column(first.names)
        if item is not None:
            first = first.taken(np.argsort(_items(first, item), kind="stable"))
            # Written later in one copy than in another, by a run that was ended.
            free.add(NEXT)
        copies = [first, *(_matched(first, other, free) for other in others)]
        cells = [_cells(copy, label) for copy in copies]
        column = labels_in(
            [text for of_copy in cells for text in of_copy], quoted(label), classes, first.decimal
        )
        labels = column.values.reshape(len(copies), len(first))
        labels_by_name = dict(zip(_short_names(copies), labels, strict=True))

        # As elsewhere, -1 is not a label unless it is given as a class.
        marker = None if "-1" in (classes or ()) else -1
        annotations = Annotations.of(labels_by_name, classes=classes, unlabeled_label=marker)
        return cls(tuple(copies), label, annotations)

    @property
    def merged(self) -> Table:
        """The first copy, with all labels that are not disputed."""
        first, *others = self.copies
        if not others:
            return first
        if not any(self.label in copy.names for copy in self.copies):
            return replace(first, name=self._name)

        settled = first.with_column(self.label, self._cells())
        if item_column(first.names) is not None:
            marks = [_cells(copy, NEXT) for copy in self.copies]
            cells = [max(cells, key=_says_skip) for cells in zip(*marks, strict=True)]
            settled = settled.with_column(NEXT, cells)

        notes = dict.fromkeys(note for copy in self.copies for note in copy.notes)
        return replace(settled, name=self._name, notes=tuple(notes))

    def disagreements(self) -> list[list[dict[str, Any]]]:
        """Return the rows with different labels, with each label and its position."""
        copies = list(zip(self.annotations.names, self.copies, strict=True))
        labels = self.annotations.labels
        return [
            [
                {"name": name, copy.unit: copy.places[row], "label": label}
                for (name, copy), label in zip(copies, labels[:, row], strict=True)
                if label is not None
            ]
            for row in self.annotations.disputed
        ]

    def check_new(self, path: Path) -> None:
        """Raise if a merged table would overwrite the copy of an annotator."""
        paths = [copy.path.resolve() for copy in self.copies if copy.path is not None]
        if path.resolve() in paths:
            raise ValueError(
                f"{path} is the copy of one annotator: pass a new file as option --out, or leave "
                "it out to write each copy."
            )

    def describe(self) -> str:
        """Return the counts of labels, agreements and disagreements in words."""
        annotations = self.annotations
        counts = zip(annotations.names, annotations.n_labeled, strict=True)
        lines = ["Labeled rows: " + ", ".join(f"{n:,} in {name}" for name, n in counts) + "."]
        lines += [agreement.describe() for agreement in annotations.agreements()]
        disagreements = self.disagreements()
        if disagreements:
            rows = "1 row" if len(disagreements) == 1 else f"{len(disagreements):,} rows"
            lines.append(
                f"They disagree on {rows}. These have no label until that is settled: write the "
                f"same into each file, or leave it empty in all but one."
            )

        for row in disagreements[:MAX_NAMED]:
            entries = (tuple(entry.items()) for entry in row)
            parts = (f"{a}, {unit} {n}: {label!r}" for (_, a), (unit, n), (_, label) in entries)
            lines.append("; ".join(parts))

        if len(disagreements) > MAX_NAMED:
            lines.append(f"and {len(disagreements) - MAX_NAMED:,} more")
        return "\n".join(lines)

    @property
    def _name(self) -> str:
        return " and ".join(copy.name for copy in self.copies)

    def _cells(self) -> list[str]:
        """Return the label of each row, as first written."""
        labels = self.annotations.labels
        cells = [_cells(copy, self.label) for copy in self.copies]
        merged = []

        for row, of_row in enumerate(labels.T):
            labeled_in = (copy for copy, label in enumerate(of_row) if label is not None)
            merged.append(cells[next(labeled_in, 0)][row])

        # With the file's own marker of missing labels: some write -1.
        unlabeled = (cells[0][row] for row, label in enumerate(labels[0]) if label is None)
        blank = next(unlabeled, "")

        for row in self.annotations.disputed:
            merged[row] = blank

        return merged


def _check_names(names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is passed twice; pass the copy of each annotator once.")


def _short_names(copies: Sequence[Table]) -> list[str]:
    short = [copy.name if copy.path is None else copy.path.name for copy in copies]
    return short if len(set(short)) == len(short) else [copy.name for copy in copies]


def _matched(first: Table, other: Table, free: set[str]) -> Table:
    """Return a copy with its rows in the order of the first."""
    item = item_column(first.names)
    alone = [
        f"{table.name} alone has {listed(map(quoted, names))}"
        for table, counterpart in ((first, other), (other, first))
        if (names := [name for name in table.names if name not in {*counterpart.names, *free}])
    ]
    if alone:
        begun = [table.name for table in (first, other) if item_column(table.names)]
        remedy = NO_COPIES
        if len(begun) == 1:
            remedy = (
                f"If a run was ended while it wrote, and nothing was labeled in {begun[0]}, remove "
                f"that and run the same again. {NO_COPIES}"
            )
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table, they have different "
            f"columns: {' and '.join(alone)}. {remedy}"
        )

    if len(first) != len(other):
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: they have "
            f"{len(first):,} and {len(other):,} rows. {NO_COPIES}"
        )

    if item is not None:
        other = _in_order_of(first, other, item)

    for column in first.names:
        if column not in free:
            _check_same(first, other, column)

    return other


def _in_order_of(first: Table, other: Table, column: str) -> Table:
    """Return a copy with its rows in the order of the items of the first."""
    items = _items(first, column)
    row_of = {item: row for row, item in enumerate(_items(other, column))}
    if missing := [item for item in items if item not in row_of]:
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: the items "
            f"{listed(f'{item:g}' for item in missing)} in column {column!r} are in the first "
            f"only. {NO_COPIES}"
        )
    return other.taken([row_of[item] for item in items])


def _items(table: Table, column: str) -> list[float]:
    items = table.optional_numbers(column).values.tolist()
    if len(set(items)) < len(items):
        raise ValueError(
            f"{table.name} has duplicated or added rows: the numbers in its column {column!r} are "
            "not distinct."
        )
    return items


def _check_same(first: Table, other: Table, column: str) -> None:
    texts = first.texts(column)
    theirs = other.texts(column)

    if not _is_same_column(first, other, column):
        rows = [
            row for row, cells in enumerate(zip(texts, theirs, strict=True)) if not _same(*cells)
        ]
        unit = first.unit
        examples = [
            f"{unit} {first.places[row]} ({quoted(texts[row])}) and {unit} {other.places[row]} "
            f"({quoted(theirs[row])})"
            for row in rows[:3]
        ]
        raise ValueError(
            f"{first.name} and {other.name} are not copies of one table: column {quoted(column)} "
            f"differs in {len(rows):,} of {len(texts):,} rows, such as {listed(examples)}. "
            f"{NO_COPIES} If one was sorted, restore the order; keep personal columns, such as "
            "remarks, in another file."
        )


def _is_same_column(first: Table, other: Table, column: str) -> bool:
    """Return whether two copies have the same in a column, maybe written differently."""
    cells = zip(first.texts(column), other.texts(column), strict=True)
    return all(_same(*pair) for pair in cells) or _same_numbers(first, other, column)


def _same(one: str, other: str) -> bool:
    one = one.strip()
    other = other.strip()
    if one == other or (is_missing(one) and is_missing(other)):
        return True
    known = BOOLEANS.get(one.lower())
    return known is not None and known == BOOLEANS.get(other.lower())


def _same_numbers(first: Table, other: Table, column: str) -> bool:
    """Return whether cells are the same numbers, written differently."""
    try:
        numbers = first.optional_numbers(column).values
        other_numbers = other.optional_numbers(column).values
    except ValueError:
        return False
    return bool(
        np.isclose(numbers, other_numbers, rtol=DIGITS_LOST, atol=0.0, equal_nan=True).all()
    )


def _says_skip(cell: str) -> bool:
    return cell.strip().casefold() in SKIPS


def _cells(table: Table, column: str) -> list[str]:
    return table.texts(column) if column in table.names else [""] * len(table)
