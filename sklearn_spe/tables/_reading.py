"""Reading tables in any supported format; ambiguities raise."""

from __future__ import annotations

from typing import Any

from ._source import (
    MAX_BYTES,
    SEPARATORS,
    SIGNATURE,
    Dialect,
    Rows,
    Source,
    check_decimal,
    check_separator,
    decoded,
    excel,
    json_lines,
    parquet,
    quoted,
    recognised_separator,
    separated,
)
from ._table import Table

PARQUET, ZIP, OLD_EXCEL = b"PAR1", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def read_table(
    file,
    *,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Table:
    r"""Read a table with a header.

    Separators, decimal marks and encodings are inferred if they are unambiguous, and unusual ones
    are listed in the table's `notes`.

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
    if data.startswith(PARQUET):
        return _table(parquet(data, name), unit="row", is_text=False, **known)
    if data.startswith(ZIP):
        found, sheets = excel(data, name, max_bytes)
        if len(sheets) > 1:
            first = quoted(next(iter(sheets)))
            sheet_note = f"Of the {len(sheets)} sheets of {name} the first is read, {first}."
            known |= {"notes": (sheet_note,), "sheets": sheets}
        return _table(found, unit="row", is_text=False, **known)
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


def _table(found: Rows, **known: Any) -> Table:
    names, rows, places = found
    return Table(names=names, rows=rows, places=places, **known)
