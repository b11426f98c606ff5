"""Numbers in cells: decimal marks and percent signs, inferred for a column as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MISSING", "Notation", "is_missing", "recognised_notation"]

# Markers of missing values in spreadsheets, pandas, R and databases.
MISSING = {"", "na", "n/a", "nan", "none", "null", "<na>", "?"}
# Python would parse 1_000 as a number, which tables never mean.
POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
COMMA = re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
# One or more commas, each with a nonzero number before and three digits after it.
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True)
class Notation:
    """The notation of the numbers of a column."""

    decimal: str = "."
    percent: bool = False  # whether each has a percent sign
    in_doubt: bool = False  # whether commas may also be thousands separators

    def number(self, text: str) -> float | None:
        """Return the number in a cell; None if it has none."""
        text = text.strip()
        if self.percent:
            if not text.endswith("%"):
                return None
            text = text[:-1].rstrip()
        if not (COMMA if self.decimal == "," else POINT).fullmatch(text):
            return None
        number = float(text.replace(",", "."))
        return number / 100.0 if self.percent else number


def is_missing(text: str) -> bool:
    """Return whether a cell is a missing value."""
    return text.strip().lower() in MISSING


def recognised_notation(texts: list[str], decimal: str | None) -> Notation:
    """Return the notation of most of the numbers in some cells."""
    signs = [text.rstrip().endswith("%") for text in texts]
    percent = 2 * sum(signs) > len(texts)
    if decimal is not None:
        return Notation(decimal, percent)
    bare = [text.strip().removesuffix("%").rstrip() for text in texts]
    commas = [text for text in bare if "," in text and COMMA.fullmatch(text)]
    points = sum("." in text and POINT.fullmatch(text) is not None for text in bare)
    thousands = [text for text in bare if THOUSANDS.fullmatch(text)]
    if thousands and len(thousands) >= len(commas):
        return Notation(".", percent, in_doubt=not points)
    return Notation("," if len(commas) > points else ".", percent)
