"""Files of counted scores."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np

from ..inputs._validation import check_file_name, check_schema_version
from ..inputs._writing import write_file
from ._bins import BinTable, ScoreBins
from ._counts import ScoreCounts, ScoreOrder

# The version of the files of `write_counts`; it changes if an older package would misread them.
SCHEMA_VERSION = OLDEST_READABLE = 1
COLUMNS = ("keys", "counts", "parts", "smallest", "largest")


def write_counts(path: str | Path, bins: ScoreBins, counted: ScoreCounts) -> None:
    """Write counts to a file: the columns of the bins in numpy's format npz, the rest as JSON."""
    order = counted.order
    header = {
        "schema_version": SCHEMA_VERSION,
        "scale": bins.scale,
        "resolution": bins.resolution,
        "n_missing": counted.n_missing,
        "n_near_edges": counted.table.n_near_edges,
        "n_above": list(counted.n_above.items()),
        "order": None if order is None else [order.n_scores, order.total, order.placed],
        "is_exact": counted.is_exact,
    }
    table = counted.table
    buffer = io.BytesIO()
    np.savez(
        buffer,
        header=np.array(json.dumps(header)),
        keys=table.keys,
        counts=table.counts,
        parts=table.parts,
        smallest=table.smallest,
        largest=table.largest,
    )

    write_file(path, buffer.getvalue())


def read_counts(path: str | Path) -> tuple[ScoreBins, ScoreCounts]:
    """Return the counts in a file, or raise if it is none or has another schema version."""
    check_file_name(path)
    data = Path(path).read_bytes()

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            columns = {name: file[name] for name in COLUMNS if name in file.files}
        version = header.get("schema_version")
    # Of a damaged file numpy, zipfile and zlib raise errors of all kinds.
    except Exception as error:
        raise _no_histogram(path, error) from error

    check_schema_version(
        version, str(path), OLDEST_READABLE, SCHEMA_VERSION, "count the scores again"
    )
    try:
        table = BinTable(
            columns["keys"],
            columns["counts"],
            columns["parts"],
            columns["smallest"],
            columns["largest"],
            header["n_near_edges"],
        )
        order = None if header["order"] is None else ScoreOrder(*header["order"])
        n_above = {float(threshold): n for threshold, n in header["n_above"]}
        counted = ScoreCounts(table, header["n_missing"], n_above, order, header["is_exact"])
        return ScoreBins(header["scale"], header["resolution"]), counted
    except Exception as error:
        raise _no_histogram(path, error) from error


def _no_histogram(path: str | Path, error: Exception) -> ValueError:
    return ValueError(
        f"{path} is not a file of ScoreHistogram.save, or it is damaged: {error}. Count the scores "
        "again, or load a copy."
    )
