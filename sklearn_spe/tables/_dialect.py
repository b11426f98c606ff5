"""The format of a text table: encoding, separator, quoting, line ends."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ._encoding import SIGNATURE

__all__ = ["SEPARATORS", "Dialect", "check_decimal", "check_separator", "recognised_separator"]

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# Names of separators that are special characters in a shell.
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "space": " "}
# Number of rows from which the separator and the quoting are inferred.
SEEN = 100


@dataclass(frozen=True)
class Dialect:
    r"""The format of a text table."""

    encoding: str = "utf-8"
    separator: str = ","
    decimal: str = "."
    quotes_all: bool = False  # whether all cells are quoted
    line_end: str = "\n"
    signature: bool = False  # whether the file has a byte order mark

    @classmethod
    def of(cls, text: str, encoding: str, separator: str, decimal: str = ".") -> Dialect:
        """Return the dialect of a text with known encoding and separator."""
        end = re.search(r"\r\n|\n|\r", text)
        signature = text.startswith(SIGNATURE)
        plain = cls(encoding, separator, decimal, False, end[0] if end else "\n", signature)
        quoting = cls(encoding, separator, decimal, True, plain.line_end, signature)
        rows = islice(csv.reader(plain.lines_of(text), delimiter=separator), SEEN)
        try:
            again = quoting.text_of(rows)
        except csv.Error:
            return plain
        start = text.removeprefix(SIGNATURE)
        return quoting if again and (start + plain.line_end).startswith(again) else plain

    def lines_of(self, text: str) -> Iterable[str]:
        """Return the lines of a text, as the csv module expects them."""
        return io.StringIO(text.removeprefix(SIGNATURE), newline="")

    def text_of(self, rows: Iterable[Iterable[str]]) -> str:
        """Return the text of rows of cells."""
        file = io.StringIO(newline="")
        writer = csv.writer(
            file,
            delimiter=self.separator,
            quoting=csv.QUOTE_ALL if self.quotes_all else csv.QUOTE_MINIMAL,
            lineterminator=self.line_end,
        )
        writer.writerows(rows)
        return file.getvalue()

    def encode(self, rows: Iterable[Iterable[str]]) -> bytes:
        """Return the bytes of a file with these rows."""
        text = self.text_of(rows)
        return (SIGNATURE + text if self.signature else text).encode(self.encoding)


def check_separator(sep: str) -> str:
    """Return the validated separator."""
    found = NAMED.get(sep, sep)
    if not isinstance(found, str) or len(found) != 1 or found in '"\r\n':
        raise ValueError(
            f"Option sep must be one character, such as ',', ';', '|' or 'tab'; got {sep!r}."
        )
    return found


def check_decimal(decimal: str) -> str:
    """Return the validated decimal mark."""
    if decimal not in (".", ","):
        raise ValueError(f"Option decimal must be '.' or ',', got {decimal!r}.")
    return decimal


def recognised_separator(text: str, name: str) -> str:
    """Return the separator that splits most rows into as many cells as the header."""
    agreement = {}
    for separator in SEPARATORS:
        try:
            lines = Dialect().lines_of(text)
            rows = [row for row in islice(csv.reader(lines, delimiter=separator), SEEN) if row]
        except csv.Error:
            continue
        if rows and len(rows[0]) > 1:
            agreement[separator] = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
    best = max(agreement.values(), default=0.0)
    found = [separator for separator, share in agreement.items() if share == best]
    if len(found) > 1:
        raise ValueError(
            f"The cells of {name} may be separated by {' or by '.join(map(repr, found))}: set the "
            "right one by the option sep."
        )
    return found[0] if found else ","
