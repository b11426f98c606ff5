"""Reading tables in any supported format; ambiguities raise."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from ...inputs._validation import listed
from ._compression import MAX_BYTES, ZIP
from ._session_file import ENDING
from ._source import (
    SEPARATORS,
    SIGNATURE,
    Cells,
    Dialect,
    check_kind,
    check_names,
    check_text,
    columns_of,
    decoded,
    quoted,
    read_file,
    recognized_separator,
    separated,
    without_empty_rows,
)
from ._table import Table, are_numbered, look_like_data

COLUMNAR = {b"PAR1": "Parquet", b"ARROW1\0\0": "Feather", b"FEA1": "Feather"}
OLD_EXCEL = b"\xd0\xcf\x11\xe0"
# Names that a note on the first line lists.
MAX_NAMES = 5
# Rows of a sheet among which its header is.
MAX_ABOVE = 30


def read_table(
    file: Any,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    wanted: Collection[str] = (),
    max_bytes: int = MAX_BYTES,
) -> Table:
    r"""Read a table with a header.

    Separators, decimal marks and encodings are inferred if they are unambiguous, and unusual ones
    are listed in the table's `notes`. Of a workbook the given sheet is read, or the first one with
    the most of the `wanted` columns.

    Examples
    --------
    >>> import io
    >>> from sklearn_spe.application.tables._reading import read_table
    >>> table = read_table(io.StringIO("name;score;label\na;0,25;spam\nb;0,5;\n"))
    >>> table.notes
    ('The cells of the file are separated by semicolons.',)
    >>> scores = table.numbers("score")
    >>> scores.values, scores.notes
    (array([0.25, 0.5 ]), ("Commas in column 'score' are read as decimal marks.",))
    >>> table.labels("label").values
    array(['spam', None], dtype=object)
    """
    source = read_file(file, max_bytes)
    data = source.data
    name = source.name
    fingerprint = source.fingerprint
    table = partial(Table, name=name, decimal=decimal, path=source.path, fingerprint=fingerprint)

    if data.startswith(OLD_EXCEL):
        raise ValueError(f"{name} is an Excel file of the old format: save it as .xlsx or .csv.")

    if data.startswith(ZIP):
        _check_unheard(f"{name} is a workbook, and no text", sep=sep, encoding=encoding)
        book = excel(data, name, max_bytes, sheet, wanted)
        return table(
            book.columns,
            book.rows,
            unit="row",
            notes=book.notes,
            is_text=False,
            sheet=book.sheet,
            sheets=book.sheets,
        )

    _check_unheard(f"{name} is not an Excel file and has no sheets", sheet=sheet)
    check_kind(data, name)
    if name.endswith(ENDING):
        raise ValueError(
            f"{name} is the session file of a labeling table: pass the table beside it, such as "
            f"{name.removesuffix(ENDING)}.csv."
        )
    for start, kind in COLUMNAR.items():
        if data.startswith(start):
            _check_unheard(f"{name} is a {kind} file, and no text", sep=sep, encoding=encoding)
            return table(*columnar(data, name, kind), unit="row", is_text=False)

    text, encoding, note = decoded(data, encoding, name)
    notes: tuple[str, ...] = () if note is None else (note,)
    check_text(text, name)
    if not text.removeprefix(SIGNATURE).lstrip().startswith("{"):
        separator = recognized_separator(text, name) if sep is None else sep
        dialect = Dialect.of(text, encoding, separator, decimal or ".")
        (columns, lines), n_empty = without_empty_rows(separated(text, dialect, name))
        if sep is None and separator != ",":
            notes += (f"The cells of {name} are separated by {SEPARATORS[separator]}.",)
        notes += tuple(_notes_of_rows(name, list(columns), n_empty))
        return table(columns, lines, dialect=dialect, notes=notes)

    _check_unheard(f"{name} has JSON lines, whose cells nothing separates", sep=sep)
    texts = text.removeprefix(SIGNATURE)
    columns, lines = json_lines(texts, name)
    line_of = dict(enumerate(texts.split("\n"), 1))
    objects = {number: line_of[number] for number in lines}
    return table(columns, lines, notes=notes, is_text=False, json_lines=objects)


def _notes_of_rows(name: str, columns: list[str], n_empty: int) -> Iterator[str]:
    """Yield notes on rows without a filled cell, and on a header that looks like data."""
    if n_empty:
        n_rows = "1 row" if n_empty == 1 else f"{n_empty:,} rows"
        yield f"{n_rows} of {name} without any filled cell: left out."
    if look_like_data(columns) and not are_numbered(columns):
        first_line = ", ".join(map(quoted, columns[:MAX_NAMES]))
        yield (
            f"The first line of {name}, {first_line}, is read as the names of columns, and looks "
            "like data: if it is a row, add a line with names above it."
        )


def _check_unheard(problem: str, **options: str | None) -> None:
    """Raise if an option is given that a format of files does not use."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(f"{problem}: leave --{option} out.")


def _notes_of(sheet: Sheet, sheets: tuple[Sheet, ...], name: str, chosen: bool) -> tuple[str, ...]:
    """Return notes on the sheet that is read, and on the row of its header."""
    notes = []
    if len(sheets) > 1 and chosen:
        others = listed([quoted(other.title) for other in sheets if other is not sheet])
        notes.append(
            f"Sheet {quoted(sheet.title)} of {name} is read; another one, {others}: --sheet NAME."
        )

        alike = [quoted(other.title) for other in sheets if other.header == sheet.header]
        if len(alike) > 1:
            notes.append(
                f"Sheets {listed(alike)} of {name} have the same columns, and the rows of one are "
                "read: to estimate from all, put them into one sheet, with a column that names "
                "the sheet for --category."
            )

    if sheet.above:
        notes.append(f"The header of sheet {quoted(sheet.title)} is in its row {sheet.above + 1}.")
    return tuple(notes)


# --- tables that are no text with separators ----------------------------------------------


def json_lines(text: str, name: str) -> Cells:
    """Return the columns and the lines of JSON objects, one per line."""
    objects = []
    lines = []

    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue

        try:
            # Numbers keep their text.
            cells = json.loads(
                line,
                parse_float=str,
                parse_int=str,
                parse_constant=str,
                object_pairs_hook=_with_keys_once,
            )
        except (ValueError, RecursionError) as error:
            raise ValueError(f"Line {number} of {name} is not valid JSON: {error}.") from error

        if not isinstance(cells, dict):
            raise ValueError(
                f'{name} must have one JSON object per line, such as {{"score": 0.5}}; line '
                f"{number} holds {quoted(line)}."
            )

        objects.append(cells)
        lines.append(number)

    names = dict.fromkeys(key for cells in objects for key in cells)
    return {key: tuple(_text(cells.get(key)) for cells in objects) for key in names}, tuple(lines)


def columnar(data: bytes, name: str, kind: str) -> Cells:
    """Return the columns and the row numbers of a Parquet or a Feather file."""
    try:
        import pandas as pd

        content = io.BytesIO(data)
        if kind == "Parquet":
            frame = pd.read_parquet(content, engine="pyarrow", page_checksum_verification=True)
        else:
            frame = pd.read_feather(content)
    except ImportError as error:
        raise _missing(kind, "pandas pyarrow") from error
    except Exception as error:
        # Of a damaged file, libraries raise errors of all kinds.
        raise ValueError(
            f"{name} cannot be read as a {kind} file, it may be damaged: {error}"
        ) from error

    names = tuple(map(str, frame.columns))
    check_names(names, name)
    columns = {column: tuple(_texts(frame.iloc[:, index])) for index, column in enumerate(names)}
    return columns, tuple(range(1, len(frame) + 1))


@dataclass(frozen=True)
class Sheet:
    """A sheet of a workbook, and where its table begins."""

    title: str
    header: tuple[str, ...]  # the names of the columns
    above: int  # number of rows above the header
    n_wanted: int  # number of the columns asked for that it has

    @classmethod
    def of(cls, title: str, cells: list[tuple[str, ...]], wanted: Collection[str]) -> Sheet:
        """Return a sheet with the given first rows.

        The header is the row with the most of the wanted names, or else the first with any cell.
        """
        counts = [len(set(row).intersection(wanted)) for row in cells]
        if n_wanted := max(counts, default=0):
            above = counts.index(n_wanted)
        else:
            above = next((row_index for row_index, row in enumerate(cells) if any(row)), 0)
        return cls(title, cells[above] if cells else (), above, n_wanted)


@dataclass(frozen=True)
class BookTable:
    """The table on one sheet of a workbook."""

    columns: dict[str, tuple[str, ...]]
    rows: tuple[int, ...]  # the number of each row in the sheet
    notes: tuple[str, ...]
    sheet: str  # its title
    sheets: dict[str, tuple[str, ...]]  # the columns of each sheet, of several


def excel(
    data: bytes, name: str, max_bytes: int, title: str | None = None, wanted: Collection[str] = ()
) -> BookTable:
    """Return the table on one sheet of an Excel file.

    Without a title it is the first sheet with the most of the wanted columns.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            n_bytes = sum(part.file_size for part in packed.infolist())

        if n_bytes > max_bytes:
            raise SheetError(
                f"{name} cannot be read as an Excel file: it decompresses to {n_bytes:,} bytes; "
                "raise the option --max-bytes."
            )

        import pandas as pd

        def cells_of(sheet_title: str, n_rows: int | None = None) -> list[tuple[str, ...]]:
            frame = pd.read_excel(
                book, sheet_title, nrows=n_rows, header=None, dtype=object, na_filter=False
            )
            return _cells(frame)

        with pd.ExcelFile(io.BytesIO(data), engine="openpyxl") as book:
            sheets = tuple(
                Sheet.of(sheet_title, cells_of(sheet_title, MAX_ABOVE), wanted)
                for sheet_title in book.sheet_names
            )
            sheet = _chosen(sheets, title, name)
            cells = cells_of(sheet.title)
    except ImportError as error:
        raise _missing("Excel", "pandas openpyxl") from error
    except SheetError:
        raise
    except Exception as error:
        # Of a damaged file, libraries raise errors of all kinds, such as a SyntaxError of XML.
        raise ValueError(
            f"{name} cannot be read as an Excel file, it may be damaged: {error}. Open it in a "
            "spreadsheet program and save it again, or as .csv."
        ) from error

    try:
        columns, rows = _below(sheet, cells, name)
    except ValueError as error:
        others = [quoted(other.title) for other in sheets if other is not sheet]
        if not others:
            raise
        raise ValueError(
            f"{error} This is sheet {quoted(sheet.title)}; if the table is on another one, "
            f"{listed(others)}, name it by the option --sheet."
        ) from None

    headers = {of.title: of.header for of in sheets} if len(sheets) > 1 else {}
    notes = _notes_of(sheet, sheets, name, title is None)
    return BookTable(columns, rows, notes, sheet.title, headers)


class SheetError(ValueError):
    """A workbook that is whole, and has no sheet of the given name or is too large."""


def _chosen(sheets: tuple[Sheet, ...], title: str | None, name: str) -> Sheet:
    if title is None:
        return max(sheets, key=lambda sheet: sheet.n_wanted)

    titles = [sheet.title for sheet in sheets]
    if title in titles:
        return sheets[titles.index(title)]

    near = get_close_matches(title.casefold(), [known.casefold() for known in titles], n=1)
    question = ""

    if near:
        hint = next(known for known in titles if known.casefold() == near[0])
        question = f" (did you mean {quoted(hint)}?)"

    raise SheetError(
        f"{name} has no sheet {quoted(title)}{question}; it has {listed(map(quoted, titles))}."
    )


def _below(sheet: Sheet, cells: list[tuple[str, ...]], name: str) -> Cells:
    """Return the columns below the header, and the numbers of their rows in the sheet."""
    rows = cells[sheet.above + 1 :]

    # Formatted cells beside a table are empty columns of it.
    indices = [
        index
        for index, column in enumerate(sheet.header)
        if column or any(row[index] for row in rows)
    ]
    names = [sheet.header[index] for index in indices]
    check_names(names, name)

    filled = [(number, row) for number, row in enumerate(rows, sheet.above + 2) if any(row)]
    cells_below = [[row[index] for index in indices] for _, row in filled]
    return columns_of(names, cells_below), tuple(number for number, _ in filled)


def _cells(frame: Any) -> list[tuple[str, ...]]:
    return [tuple(map(_text, row)) for row in frame.itertuples(index=False, name=None)]


def _texts(column: Any) -> list[str]:
    is_missing = column.isna().tolist()
    values = column.tolist()
    return [
        "" if missing else _text(value) for missing, value in zip(is_missing, values, strict=True)
    ]


def _text(value: Any) -> str:
    """Return the content of a cell as text; numbers with all their digits."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _with_keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {quoted(twice)} occurs twice")
    return unique


def _missing(kind: str, packages: str) -> ImportError:
    return ImportError(
        f"Reading {kind} files needs {packages.replace(' ', ' and ')}: pip install {packages}"
    )
