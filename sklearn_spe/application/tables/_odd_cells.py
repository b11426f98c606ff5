"""Cells and scores that are invalid in their column: likely causes, and remedies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...inputs._validation import listed
from ._source import quoted

# What spreadsheets write into a cell whose formula fails, without #N/A, which marks a missing one.
SHEET_ERRORS = {
    *(
        "#div/0!",
        "#value!",
        "#ref!",
        "#name?",
        "#num!",
        "#null!",
        "#spill!",
        "#calc!",
        "#getting_data",
    ),
    *("#wert!", "#bezug!", "#zahl!", "#valeur!", "#nombre!", "#valor!"),
}
POINT_NUMBER = re.compile(r"[+-]?\d+\.\d+")
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
# A number with a sign such as that of a currency before it, or a unit behind it.
WITH_UNIT = re.compile(r"([^\w+.,-]?)\s*[+-]?\d[\d.,]*\s*([^\d.,]{0,9})")
# What marks a missing score in files without missing cells, and how often at least.
SENTINELS = {float(sign * int("9" * n)) for sign in (-1, 1) for n in range(2, 10)} | {-1.0}
MIN_SENTINELS = 2
# The largest share of scores above 1 that may be percent among shares.
MAX_PERCENT = 0.1
# Columns of numbers that are named, and the cells from which they are told.
MAX_COLUMNS, N_SEEN = 5, 50


def is_sheet_error(text: str) -> bool:
    """Return whether a cell holds an error of a spreadsheet."""
    return "#" in text and text.strip().lower() in SHEET_ERRORS


def remedy_of_cells(cells: Sequence[str], column: str, n_numbers: int) -> str:
    """Return what to do about cells of a column that are no numbers, of which others are."""
    texts = [cell.strip() for cell in cells]
    if any(text == column.strip() for text in texts):
        return (
            " The name of the column comes again: were files put together? Remove the lines with "
            "their headers."
        )
    errors = [text for text in texts if is_sheet_error(text)]
    if errors:
        return (
            f" {quoted(errors[0])} is an error of a spreadsheet: correct the formula; or empty the "
            "cell, and the option --drop-missing leaves its row out."
        )
    if any(text.lstrip("+-").lower() in ("inf", "infinity") for text in texts):
        return (
            " A score must be finite: give these items a larger or smaller number than all others."
        )

    percent = sum(text.endswith("%") for text in texts)
    if percent:
        return " Some numbers have a percent sign and others have none: write all alike."
    commas = sum(COMMA_NUMBER.fullmatch(text) is not None for text in texts)
    points = sum(POINT_NUMBER.fullmatch(text) is not None for text in texts)
    if n_numbers and (commas == len(texts) or points == len(texts)):
        mark, other = ("comma", "point") if commas else ("point", "comma")
        return (
            f" These have a decimal {mark}, where other rows have a decimal {other}: write all "
            "alike."
        )
    if any(text.startswith("'") for text in texts):
        return (
            " An apostrophe makes a text of a number in spreadsheets: format the column as numbers "
            "and remove it."
        )

    units = {match.groups() for text in texts if (match := WITH_UNIT.fullmatch(text))}
    if len(units) == 1:
        unit = "".join(units.pop()).strip()
        return f" Write the numbers without {unit!r}." if unit else ""
    return ""


def numeric_columns(
    columns: Mapping[str, Sequence[str]], is_number: Callable[[str], bool], without: str
) -> str:
    """Return a sentence that names the columns that hold numbers, if there are any."""
    names = [
        quoted(name)
        for name, cells in columns.items()
        if name != without and not name.startswith("spe_") and _are_numbers(cells, is_number)
    ]
    return f" Columns of numbers: {listed(names, most=MAX_COLUMNS)}." if names else ""


def _are_numbers(cells: Sequence[str], is_number: Callable[[str], bool]) -> bool:
    """Return whether the first filled cells hold numbers."""
    filled = [cell for cell in cells if cell.strip()][:N_SEEN]
    return bool(filled) and all(is_number(cell) for cell in filled)


def notes_of_scores(column: str, values: np.ndarray) -> tuple[str, ...]:
    """Return notes on scores that may be none, or be in two units.

    Raise if a number such as -1 or -999 is repeated among probabilities.
    """
    known = values[~np.isnan(values)]
    if len(known) < 3:
        return ()
    if known.min() == known.max():
        return (
            f"Column {quoted(column)} holds one value, {known[0]:.6g}, in all rows: such scores do "
            "not order the items.",
        )

    notes = []
    for value in sorted(SENTINELS):
        others = known[known != value]
        n_values = len(known) - len(others)
        if n_values < MIN_SENTINELS:
            continue
        low, high = others.min(), others.max()
        is_far = value < low - (high - low) or value > high + (high - low)
        is_beside_shares = value == -1.0 and low >= 0.0 and high <= 1.0
        if not (is_far or is_beside_shares):
            continue

        note = (
            f"{n_values:,} rows have {value:g} in column {quoted(column)}, while all "
            f"others lie between {low:.6g} and {high:.6g}: if it means that there is no score, "
            "empty these cells, and leave the rows out by --drop-missing."
        )
        # With it probabilities would be read as margins, which are positive from 0 on. A few whole
        # numbers may be votes.
        is_inside = (others > 0.0) & (others < 1.0)
        if low >= 0.0 and high <= 1.0 and is_inside.mean() > 0.5:
            raise ValueError(note)
        notes.append(note)

    n_above = int((known > 1.0).sum())
    is_share = known.min() >= 0.0 and known.max() <= 100.0
    has_parts = bool(((known > 0.0) & (known < 1.0)).mean() > 0.5)
    if is_share and has_parts and 0 < n_above <= MAX_PERCENT * len(known) and known.max() > 10.0:
        notes.append(
            f"{n_above:,} of {len(known):,} scores in column {quoted(column)} are above 1, up to "
            f"{known.max():.6g}, and the others are between 0 and 1: are some in percent? Then "
            "divide them by 100."
        )
    return tuple(notes)
