"""Tables in other formats than separated text: JSON lines, Parquet, Excel."""

from __future__ import annotations

import io
import json
import zipfile

from ..inputs._listed import listed
from ._printable import quoted
from ._separated import Rows, check_names

__all__ = ["excel", "json_lines", "parquet"]

# The column names by sheet name, in the order of the workbook.
Sheets = dict[str, tuple[str, ...]]


def json_lines(text: str, name: str) -> Rows:
    """Return the names, the rows and the lines of JSON objects, one per line."""
    objects, lines = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            # Numbers keep their text.
            found = json.loads(
                line,
                parse_float=str,
                parse_int=str,
                parse_constant=str,
                object_pairs_hook=_with_keys_once,
            )
        except ValueError as error:
            raise ValueError(f"Line {number} of {name} is no JSON: {error}.") from error
        if not isinstance(found, dict):
            raise ValueError(
                f'{name} must have one JSON object per line, such as {{"score": 0.5}}; line '
                f"{number} holds {quoted(line)}."
            )
        objects.append(found)
        lines.append(number)
    names = tuple(dict.fromkeys(key for found in objects for key in found))
    rows = tuple(tuple(_text(found.get(key)) for key in names) for found in objects)
    return names, rows, tuple(lines)


def parquet(data: bytes, name: str) -> Rows:
    """Return the names, the rows and their numbers of a Parquet file."""
    try:
        import pandas as pd

        frame = pd.read_parquet(io.BytesIO(data))
    except ImportError as error:
        raise _missing("Parquet", "pandas pyarrow") from error
    except (ValueError, OSError) as error:
        raise ValueError(f"{name} cannot be read as a Parquet file: {error}") from error
    names = tuple(map(str, frame.columns))
    check_names(names, name)
    columns = [_texts(frame.iloc[:, place]) for place in range(len(names))]
    return names, tuple(zip(*columns, strict=True)), tuple(range(1, len(frame) + 1))


def excel(data: bytes, name: str, max_bytes: int) -> tuple[Rows, Sheets]:
    """Return the first sheet of an Excel file, and the names and headers of all sheets."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            n_bytes = sum(part.file_size for part in packed.infolist())
        if n_bytes > max_bytes:
            raise ValueError(f"it decompresses to {n_bytes:,} bytes; raise the option max_bytes")
        import pandas as pd

        how = {"header": None, "dtype": object, "na_filter": False}
        with pd.ExcelFile(io.BytesIO(data), engine="openpyxl") as book:
            frame = pd.read_excel(book, **how)
            heads = {
                sheet: pd.read_excel(book, sheet, nrows=1, **how) for sheet in book.sheet_names
            }
    except ImportError as error:
        raise _missing("Excel", "pandas openpyxl") from error
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"{name} cannot be read as an Excel file: {error}.") from error
    sheets = {sheet: next(iter(_cells(head)), ()) for sheet, head in heads.items()}
    cells = _cells(frame)
    names, rows = (cells[0], cells[1:]) if cells else ((), [])
    try:
        check_names(names, name)
    except ValueError as error:
        first, *others = map(quoted, sheets)
        if not others:
            raise
        raise ValueError(
            f"{error} This is sheet {first}, the first one; if the table is on another one, "
            f"{listed(others)}, move that to the front."
        ) from None
    # Row numbers as in the sheet, in which the header is the first.
    places = [place for place, row in enumerate(rows, 2) if any(row)]
    return (names, tuple(rows[place - 2] for place in places), tuple(places)), sheets


def _cells(frame) -> list[tuple[str, ...]]:
    return [tuple(map(_text, row)) for row in frame.itertuples(index=False, name=None)]


def _texts(column) -> list[str]:
    gone = column.isna().tolist()
    values = column.tolist()
    return ["" if nothing else _text(value) for nothing, value in zip(gone, values, strict=True)]


def _text(value) -> str:
    """Return the content of a cell as text; numbers with all their digits."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _with_keys_once(pairs) -> dict:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {quoted(twice)} comes twice")
    return found


def _missing(kind: str, packages: str) -> ImportError:
    return ImportError(
        f"Reading {kind} files needs {packages.replace(' ', ' and ')}: pip install {packages}"
    )
