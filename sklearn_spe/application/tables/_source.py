"""Files of text: where they come from, their encoding and their dialect."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ...inputs._validation import check_count, listed
from ...inputs._writing import digest_of
from ._compression import MAX_BYTES, unpacked

# Cells may contain whole documents.
LONGEST = 40
SIGNATURE = "\ufeff"
# The longer signatures first: that of UTF-32 begins with that of UTF-16.
SIGNATURES = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Western languages have single letters beyond ASCII; others whole words.
FOREIGN_WORD = re.compile(rb"[\x80-\xff]{4}")
CHOICES = "cp1252 (Western Windows), latin-1, cp1250, cp1251, mac_roman, shift_jis, gb18030, ..."
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
# Number of rows from which the separator and the quoting are inferred.
SEEN = 100
# How files begin that are no tables.
NO_TABLES = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"{\\rtf": "an RTF document",
    b"SQLite format 3": "an SQLite database",
    b"\x80\x04": "a pickle of Python",
    b"\x93NUMPY": "an array of numpy",
    b"\x89HDF": "an HDF5 file",
}
# Levels of nested JSON: none that a program writes has as many.
MAX_DEPTH = 100
# How pages begin, in lower case.
PAGES = ("<!doctype html", "<html", "<?xml", "<head", "<body")


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with control characters escaped, except those in `keep`.

    Examples
    --------
    >>> from sklearn_spe.application.tables._source import printable
    >>> printable("größer\x1b[2J\u202e")
    'größer\\x1b[2J\\u202e'
    """
    return "".join(
        letter if letter.isprintable() or letter in keep else _escaped(letter) for letter in text
    )


def quoted(text: object) -> str:
    """Return a cell or a name in quotation marks, so that its blanks are visible."""
    text = str(text)
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def check_kind(data: bytes, name: str) -> None:
    """Raise if a file is of a kind that has no table."""
    for start, kind in NO_TABLES.items():
        if data.startswith(start):
            raise ValueError(
                f"{name} is {kind}, not a table: export the table as text, such as .csv, or .xlsx."
            )


def check_text(text: str, name: str) -> None:
    """Raise if a text is a page, or one JSON value."""
    start = text.removeprefix(SIGNATURE).lstrip()[:20].lower()
    if start.startswith(PAGES):
        raise ValueError(
            f"{name} is a page of HTML or XML, not a table, such as a saved page or the login page "
            "of a failed download. Export the table as text, such as .csv, or .xlsx."
        )
    if start.startswith("[") and start[1:].lstrip().startswith(("{", "[")):
        raise ValueError(
            f"{name} is one JSON list: write one JSON object per line, as pandas does by "
            "to_json(..., orient='records', lines=True)."
        )


def decoded(data: bytes, encoding: str | None, name: str) -> tuple[str, str, str | None]:
    """Return the text of some bytes, its encoding, and notes."""
    if encoding is not None:
        return _as_given(data, encoding, name), encoding, None

    for signature, detected in SIGNATURES.items():
        if data.startswith(signature):
            note = None if detected == "utf-8" else f"{name} is read as {detected.upper()}."
            return _as_given(data, detected, name), detected, note

    if b"\0" in data:
        return _with_zeros(data, name)

    try:
        return data.decode("utf-8"), "utf-8", None
    except UnicodeDecodeError as error:
        return _western(data, error, name)


def _as_given(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise ValueError(
            f"Unknown encoding {encoding!r}; option --encoding must be one of utf-8, utf-16, "
            f"{CHOICES}"
        ) from None
    except UnicodeDecodeError as error:
        line = _line_of(data, error.start)
        raise ValueError(
            f"{name} is not valid {encoding}: line {line} has the bytes "
            f"{data[error.start : error.end]!r}."
        ) from error


def _with_zeros(data: bytes, name: str):
    """Decode UTF-16 without a signature: for ASCII text every second byte is zero."""
    n_even = data[::2].count(0)
    n_odd = data[1::2].count(0)
    detected = "utf-16-le" if n_even == 0 < n_odd else "utf-16-be" if n_odd == 0 < n_even else None
    if detected is None or 4 * max(n_even, n_odd) < len(data):
        raise ValueError(f"{name} has zero bytes: it is not text, or needs the option --encoding.")
    return _as_given(data, detected, name), detected, f"{name} is read as {detected.upper()}."


def _western(data: bytes, error: UnicodeDecodeError, name: str):
    """Decode text that is not UTF-8 as cp1252, unless that is ambiguous."""
    line = _line_of(data, error.start)
    excerpt = data[max(0, error.start - 10) : error.start + 10]
    message = (
        f"{name} is not in UTF-8 (line {line}: {excerpt!r}), and which encoding it is cannot be "
        f"told from it: name it by the option --encoding, one of {CHOICES}"
    )

    # Text with valid UTF-8 elsewhere is damaged UTF-8, or two files put together.
    mixed = re.search(r"[\x80-\ud7ff\ue000-\U0010ffff]", data.decode("utf-8", "surrogateescape"))
    if mixed or FOREIGN_WORD.search(data):
        raise ValueError(message)

    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise ValueError(message) from None

    example = next(word for word in re.split(r"[,;\t|\s]+", text) if not word.isascii())
    return (
        text,
        "cp1252",
        (
            f"{name} is not in UTF-8 and is read as cp1252 (Western Windows), in which line {line} "
            f"says {quoted(example)}; if that is wrong, name another by the option --encoding."
        ),
    )


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


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


def recognized_separator(text: str, name: str) -> str:
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
    candidates = [separator for separator, share in agreement.items() if share == best]
    if len(candidates) > 1:
        raise ValueError(
            f"The cells of {name} may be separated by {' or by '.join(map(repr, candidates))}: "
            "set the "
            "right one by the option --sep."
        )

    return candidates[0] if candidates else ","


# The cells of each column by its name, and the line or the number of each row.
Cells = tuple[dict[str, tuple[str, ...]], tuple[int, ...]]


def separated(text: str, dialect: Dialect, name: str) -> Cells:
    """Return the cells of each column, and the line on which each row begins."""
    reader = csv.reader(dialect.lines_of(text), delimiter=dialect.separator, strict=True)
    rows = []
    lines = []
    before = 0

    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise ValueError(
            f"{name} is not a table: from line {before + 1} on, {error}. A cell that contains a "
            f'quotation mark must be quoted, with the mark doubled: "a ""b""".'
        ) from error

    names, *rows = rows or [[]]
    lines = lines[1:]
    _check_title(names, rows, lines, name)
    check_names(names, name)
    _check_lengths(rows, lines, len(names), dialect.separator, name)

    return columns_of(names, rows), tuple(lines)


def without_empty_rows(cells_and_lines: Cells) -> tuple[Cells, int]:
    """Return cells and lines without rows in which no cell is filled, and their number.

    In a table of one column they are rows.
    """
    columns, lines = cells_and_lines
    if len(columns) < 2 or any(all(cells) for cells in columns.values()):
        return cells_and_lines, 0

    rows_of_cells = enumerate(zip(*columns.values(), strict=True))
    rows = [row for row, cells in rows_of_cells if "".join(cells).strip()]
    n_empty = len(lines) - len(rows)
    if n_empty:
        columns = {name: tuple(cells[row] for row in rows) for name, cells in columns.items()}
        lines = tuple(lines[row] for row in rows)
    return (columns, lines), n_empty


def columns_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the cells of each column by its name."""
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    return dict(zip(names, cells, strict=True))


def check_names(names: Sequence[str], name: str) -> None:
    """Raise if a column name is duplicated."""
    columns: dict[str, list[int]] = {}
    for number, column in enumerate(names, 1):
        columns.setdefault(column, []).append(number)

    twice = [
        f"{quoted(column)} (columns {', '.join(map(str, numbers))})"
        for column, numbers in columns.items()
        if len(numbers) > 1
    ]
    if twice:
        raise ValueError(
            f"The header of {name} has duplicate columns: {listed(twice)}. Give each column its "
            "own name."
        )


def _check_title(
    names: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], name: str
) -> None:
    """Raise if the first line is a title: others have more cells, all as many."""
    n_filled = _n_filled(names)
    n_cells = {len(row) for row in rows}
    if n_filled == 1 and names[0].strip() and len(names) > 2:
        # A spreadsheet writes a title with as many cells as the table has columns.
        below = [(row, line) for row, line in zip(rows, lines, strict=True) if _n_filled(row) > 1]
        if below:
            header = ", ".join(map(quoted, below[0][0][:5]))
            raise ValueError(
                f"In the first line of {name} one cell is filled, {quoted(names[0])}: a title or a "
                f"remark? Remove the lines above the header, line {below[0][1]} ({header})."
            )

    if n_filled == 1 and len(rows) > 1 and n_cells != {len(names)} and len(n_cells) == 1:
        header = ", ".join(map(quoted, rows[0][:5]))
        raise ValueError(
            f"The first line of {name} has one cell, {quoted(names[0])}, and all others have "
            f"{n_cells.pop()}: a title or a remark? Remove the lines above the header, line "
            f"{lines[0]} ({header})."
        )


def _n_filled(cells: Sequence[str]) -> int:
    """Return how many cells are not empty."""
    return sum(bool(cell.strip()) for cell in cells)


def _check_lengths(
    rows: Sequence[Sequence[str]], lines: Sequence[int], n: int, separator: str, name: str
) -> None:
    wrong = [(line, len(row)) for line, row in zip(lines, rows, strict=True) if len(row) != n]
    if not wrong:
        return
    message = f"the header of {name} has {n} columns, {len(wrong):,} of {len(rows):,} rows do not: "
    message += listed([f"line {line} ({n_cells} cells)" for line, n_cells in wrong])
    hint = ""
    if any(n_cells > n for _, n_cells in wrong):
        separators = SEPARATORS.get(separator, "separators")
        hint = f' Cells with {separators} in them must be quoted: "a{separator} b".'
    raise ValueError(f"Rows are longer or shorter than the header: {message}.{hint}")


@dataclass(frozen=True)
class FileContent:
    """The decompressed bytes of a file, and where they are from."""

    data: bytes
    name: str  # for messages
    path: Path | None  # None of input that cannot be read again, such as standard input
    fingerprint: str | None  # of the compressed bytes; None without a path


def read_file(file: Any, max_bytes: int = MAX_BYTES) -> FileContent:
    """Return the content of a path, of "-" for standard input, or of an open file."""
    check_count(max_bytes, "max_bytes")
    name = "standard input"
    path = None

    if hasattr(file, "read"):
        data = file.read()
        name = str(getattr(file, "name", "the file"))
    elif str(file) == "-":
        data = sys.stdin.buffer.read()
    else:
        path = Path(file)
        name = str(path)
        data = _bytes_of(path)
        # Pipes are read once.
        path = path if path.is_file() else None

    if isinstance(data, str):
        data = data.encode("utf-8")

    fingerprint = None if path is None else digest_of(data)
    return FileContent(unpacked(data, name, max_bytes), name, path, fingerprint)


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"File {path} does not exist; the current folder is {Path.cwd()}."
        ) from None
    except IsADirectoryError:
        raise IsADirectoryError(f"{path} is a folder; pass the name of a file.") from None


def parsed_json(text: str, name: str) -> Any:
    """Return the value in a text of JSON, with None in place of values nested too deeply."""
    try:
        try:
            value = json.loads(text)
        except RecursionError:
            return json.loads(_flattened(text))
        may_be_deep = text.count("[") + text.count("{") > MAX_DEPTH
        return json.loads(_flattened(text)) if may_be_deep and _is_deep(value) else value
    except ValueError as error:
        raise ValueError(f"{name} is no JSON: {str(error)[:100]}.") from None


def _is_deep(value: Any) -> bool:
    """Return whether JSON is nested more deeply than a recursive function can walk."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _flattened(text: str) -> str:
    """Return JSON with null in place of values that are nested too deeply."""
    parts = []
    start = depth = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text, re.DOTALL):
        if mark[0] in "[{":
            depth += 1
            if depth == MAX_DEPTH:
                parts += [text[start : mark.start()], "null"]
        elif mark[0] in "]}":
            depth -= 1
            if depth == MAX_DEPTH - 1:
                start = mark.end()
    return "".join([*parts, text[start:]])
