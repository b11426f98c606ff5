"""Rows of separated text, with checks that the csv module does not make."""

from __future__ import annotations

import csv

from ..inputs._listed import listed
from ._dialect import SEPARATORS, Dialect
from ._printable import quoted

__all__ = ["check_names", "separated"]

Rows = tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]


def separated(text: str, dialect: Dialect, name: str) -> Rows:
    """Return the names, the rows and the line on which each row begins."""
    reader = csv.reader(dialect.lines_of(text), delimiter=dialect.separator, strict=True)
    names, rows, lines, before = None, [], [], 0
    try:
        for row in reader:
            if row and names is None:
                names = tuple(row)
            elif row:
                rows.append(tuple(row))
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise ValueError(
            f"{name} is not a table: from line {before + 1} on, {error}. A cell that contains a "
            f'quotation mark must be quoted, with the mark doubled: "a ""b""".'
        ) from error
    names = () if names is None else names
    check_names(names, name)
    _check_lengths(rows, lines, len(names), dialect.separator, name)
    return names, tuple(rows), tuple(lines)


def check_names(names, name: str) -> None:
    """Raise if a column name is duplicated."""
    at: dict[str, list[int]] = {}
    for place, column in enumerate(names, 1):
        at.setdefault(column, []).append(place)
    twice = [
        f"{quoted(column)} (columns {', '.join(map(str, places))})"
        for column, places in at.items()
        if len(places) > 1
    ]
    if twice:
        raise ValueError(
            f"The header of {name} has duplicate columns: {listed(twice)}. Give each column its "
            "own name."
        )


def _check_lengths(rows, lines, n: int, separator: str, name: str) -> None:
    wrong = [(line, len(row)) for line, row in zip(lines, rows, strict=True) if len(row) != n]
    if not wrong:
        return
    said = f"the header of {name} has {n} columns, {len(wrong):,} of {len(rows):,} rows do not: "
    said += listed([f"line {line} ({found} cells)" for line, found in wrong])
    hint = ""
    if any(found > n for _, found in wrong):
        what = SEPARATORS.get(separator, "separators")
        hint = f' Cells with {what} in them must be quoted: "a{separator} b".'
    raise ValueError(f"Rows are longer or shorter than the header: {said}.{hint}")
