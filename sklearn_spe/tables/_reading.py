"""Reading tables in any supported format; ambiguities raise."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..inputs._validation import listed
from ._compression import MAX_BYTES, ZIP
from ._formats import Sheet, columnar, excel, json_lines
from ._source import (
    SEPARATORS,
    SIGNATURE,
    Dialect,
    Rows,
    Source,
    check_decimal,
    check_separator,
    decoded,
    quoted,
    recognised_separator,
    separated,
)
from ._table import Table

COLUMNAR = {b"PAR1": "Parquet", b"ARROW1\0\0": "Feather", b"FEA1": "Feather"}
OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def read_table(
    file,
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
    >>> from sklearn_spe.tables._reading import read_table
    >>> table = read_table(io.StringIO("name;score;label\na;0,25;spam\nb;0,5;\n"))
    >>> table.notes
    ('The cells of the file are separated by semicolons.',)
    >>> scores = table.numbers("score")
    >>> scores.values, scores.notes
    (array([0.25, 0.5 ]), ("Commas in column 'score' are read as decimal marks.",))
    >>> table.labels("label").values
    array(['spam', None], dtype=object)
    """
    sep = None if sep is None else check_separator(sep)
    decimal = None if decimal is None else check_decimal(decimal)
    source = Source.read(file, max_bytes)
    name, data = source.name, source.data
    known: dict[str, Any] = {
        "name": source.name,
        "decimal": decimal,
        "path": source.path,
        "fingerprint": source.fingerprint,
    }
    if data.startswith(OLD_EXCEL):
        raise ValueError(f"{name} is an Excel file of the old format: save it as .xlsx or .csv.")
    if data.startswith(ZIP):
        found, own, sheets = excel(data, name, max_bytes, sheet, wanted)
        known |= {"notes": _notes_of(own, sheets, name, sheet is None), "sheet": own.title}
        if len(sheets) > 1:
            known["sheets"] = {of.title: of.header for of in sheets}
        return _table(found, unit="row", is_text=False, **known)
    if sheet is not None:
        raise ValueError(f"{name} is no Excel file and has no sheets: leave --sheet out.")
    for start, kind in COLUMNAR.items():
        if data.startswith(start):
            return _table(columnar(data, name, kind), unit="row", is_text=False, **known)
    text, encoding, note = decoded(data, encoding, name)
    notes = () if note is None else (note,)
    if text.removeprefix(SIGNATURE).lstrip().startswith("{"):
        found = json_lines(text.removeprefix(SIGNATURE), name)
        return _table(found, is_text=False, notes=notes, **known)
    if sep is None:
        sep = recognised_separator(text, name)
        if sep != ",":
            notes = (*notes, f"The cells of {name} are separated by {SEPARATORS[sep]}.")
    dialect = Dialect.of(text, encoding, sep, decimal or ".")
    return _table(separated(text, dialect, name), dialect=dialect, notes=notes, **known)


def _notes_of(own: Sheet, sheets: tuple[Sheet, ...], name: str, chosen: bool) -> tuple[str, ...]:
    """Return notes on the sheet that is read, and on the row of its header."""
    notes = []
    if len(sheets) > 1 and chosen:
        others = listed([quoted(of.title) for of in sheets if of is not own])
        notes.append(
            f"Sheet {quoted(own.title)} of {name} is read; another one, {others}: --sheet NAME."
        )
    if own.above:
        notes.append(f"The header of sheet {quoted(own.title)} is in its row {own.above + 1}.")
    return tuple(notes)


def _table(found: Rows, **known: Any) -> Table:
    names, rows, places = found
    return Table(names=names, rows=rows, places=places, **known)
