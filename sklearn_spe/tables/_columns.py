"""Columns of a table: parsing of their cells, with notes on inferred properties."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ..inputs._listed import listed
from ._numbers_in_cells import Notation, is_missing, recognised_notation
from ._printable import quoted

__all__ = ["Column", "labels_in", "numbers_in", "words_in"]

BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, eq=False)
class Column:
    """The values in a column."""

    values: np.ndarray  # (n_rows,); numbers, NaN where missing; or labels, None where missing
    notes: tuple[str, ...] = ()  # inferred properties that may be wrong
    decimal: str = "."
    percent: bool = False  # whether numbers had percent signs, and were divided by 100


def numbers_in(texts: list[str], named: str, decimal: str | None) -> tuple[Column, list[int]]:
    """Return a column of numbers, and the rows with other content."""
    there = [text for text in texts if not is_missing(text)]
    notation = recognised_notation(there, decimal)
    if notation.in_doubt:
        example = quoted(next(text for text in there if "," in text))
        raise ValueError(
            f"Commas in column {named} may be decimal marks or thousands separators, as in "
            f"{example}: if they are decimal marks, set the option decimal (','); if not, remove "
            "them."
        )
    values, wrong = np.full(len(texts), np.nan), []
    for row, text in enumerate(texts):
        if is_missing(text):
            continue
        number = notation.number(text)
        if number is None:
            wrong.append(row)
        else:
            values[row] = number
    notes = _notes_of(notation, named, decimal)
    return Column(values, notes, notation.decimal, notation.percent), wrong


def _notes_of(notation: Notation, named, decimal) -> tuple[str, ...]:
    notes = []
    if notation.decimal == "," and decimal is None:
        notes.append(f"Commas in column {named} are read as decimal marks.")
    if notation.percent:
        notes.append(
            f"Column {named} holds percent: its numbers are divided by 100, thresholds too are "
            f"between 0 and 1."
        )
    return tuple(notes)


def labels_in(texts: list[str], named: str, classes, decimal: str | None) -> Column:
    """Return a column of labels: numbers or booleans if all are, else text."""
    cells = [None if is_missing(text) else text.strip() for text in texts]
    known_cells = [cell for cell in cells if cell is not None]
    values = np.full(len(cells), None, dtype=object)
    known = [row for row, cell in enumerate(cells) if cell is not None]
    if known_cells and all(cell.lower() in BOOLEANS for cell in known_cells):
        values[known] = [BOOLEANS[cell.lower()] for cell in known_cells]
        return Column(values)
    numbers = _as_numbers(known_cells, decimal)
    if numbers is not None:
        values[known] = numbers
        return Column(values)
    spelling, notes = _spellings(Counter(known_cells), named, classes)
    values[known] = [spelling.get(cell, cell) for cell in known_cells]
    return Column(values, notes)


def _as_numbers(texts, decimal):
    """Return labels as numbers, whole ones as integers; None if one is not a finite number."""
    notation = recognised_notation(texts, decimal)
    numbers = [notation.number(text) for text in texts]
    if notation.percent or any(n is None or not np.isfinite(n) for n in numbers):
        return None
    return [int(n) for n in numbers] if all(n.is_integer() for n in numbers) else numbers


def _spellings(counts: Counter, named, classes) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return a mapping of spellings that differ by case alone, and notes on it."""
    alike: dict[str, list[str]] = {}
    for text, _ in counts.most_common():
        alike.setdefault(_key(text), []).append(text)
    if classes is not None:
        wanted = {_key(str(name)): str(name) for name in classes}
        if len(wanted) < len(classes):
            return {}, ()
        chosen = {text: wanted.get(key, text) for key, texts in alike.items() for text in texts}
    else:
        if len(counts) > len(alike) != 2:
            _refuse(alike, named)
        chosen = {text: texts[0] for texts in alike.values() for text in texts}
    changed = {text: name for text, name in chosen.items() if text != name}
    notes = [
        f"{quoted(text)} in column {named} ({counts[text]:,} rows) is taken for {quoted(name)}."
        for text, name in changed.items()
    ]
    return changed, tuple(notes)


def _refuse(alike, named) -> None:
    twice = [" and ".join(map(quoted, texts)) for texts in alike.values() if len(texts) > 1]
    raise ValueError(
        f"Column {named} has {listed(twice)}, which differ only by case or blanks and may be one "
        "class or two: write them alike, or set both classes by the option classes."
    )


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()


def words_in(labels) -> list[str] | None:
    """Return both classes of labels, if these are text."""
    words = sorted({label for label in labels if isinstance(label, str)})
    return words if len(words) == 2 else None
