"""Damaged files are read, or refused by an error of ours: whatever else is raised is a defect."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import ScoreHistogram
from sklearn_spe.application.command_line._main import main
from sklearn_spe.application.command_line._report_commands import earlier_report
from sklearn_spe.application.tables._labeled_copies import LabeledCopies
from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.application.tables._session_file import SessionFile

N_DAMAGES = 12
# What the command line tells as an error of the file.
REFUSED = (ValueError, OSError, ImportError)
ROWS = [(f"{row / 7:.4f}", ("1", "0", "")[row % 3]) for row in range(60)]
TEXT = "\n".join(["s,y", *map(",".join, ROWS)]) + "\n"
# The session of a table of 60 rows which has asked for three.
RUNS = {"query": [[0, 3]], "asked": [[0, 3]], "answered": [[-1, 3]], "answer": [[None, 3]]}
SESSION = json.dumps(
    {
        "schema_version": 1,
        "session": "0123abcd",
        "settings": {"schema_version": 1, "n_items": 60},
        "options": {"score": "s", "label": "y"},
        "checksums": {"s": [12.5, 7.25]},
        "items": {"item": [3, 40, 59], "chance": [[0.5, 2], [0.25, 1]], **RUNS},
    }
).encode()
HOSTILE = [
    b"",
    b"\0" * 100,
    b'{"a":' * 100_000,
    b"\xff" * 50,
    b'"' * 1000,
    b"PK\x03\x04",
    b"[" * 9999,
]


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()


def frame_in(kind):
    pd = pytest.importorskip("pandas")
    pytest.importorskip({"to_excel": "openpyxl"}.get(kind, "pyarrow"))
    file, index = io.BytesIO(), {} if kind == "to_feather" else {"index": False}
    getattr(pd.read_csv(io.StringIO(TEXT), dtype=str), kind)(file, **index)
    return file.getvalue()


WHOLE = {
    "text": lambda: TEXT.encode(),
    "utf-16": lambda: TEXT.encode("utf-16"),
    "gzip": lambda: gzip.compress(TEXT.encode(), mtime=0),
    "bzip2": lambda: bz2.compress(TEXT.encode()),
    "xz": lambda: lzma.compress(TEXT.encode()),
    "zip": lambda: zipped({"t.csv": TEXT}),
    "json": lambda: "\n".join(
        json.dumps(dict(zip("sy", row, strict=True))) for row in ROWS
    ).encode(),
    "parquet": lambda: frame_in("to_parquet"),
    "feather": lambda: frame_in("to_feather"),
    "excel": lambda: frame_in("to_excel"),
}


def damaged(data, rng):
    """Return data cut short, with other bytes, with zeros, with bytes left out, or added."""
    start = int(rng.integers(len(data)))
    end = start + int(rng.integers(1, 100))
    added = rng.integers(0, 256, size=20, dtype=np.uint8).tobytes()
    flipped = np.frombuffer(data, dtype=np.uint8).copy()
    flipped[rng.integers(len(data), size=5)] = rng.integers(0, 256, size=5)
    ways = (
        data[:start],
        flipped.tobytes(),
        data[:start] + bytes(len(data[start:end])) + data[end:],
        data[:start] + data[end:],
        data[:start] + added + data[start:],
    )
    return ways[rng.integers(len(ways))]


def all_damages(data, rng):
    """Yield damaged files; of archives also such of which one member is damaged."""
    for _ in range(N_DAMAGES):
        yield damaged(data, rng)
    if not data.startswith(b"PK"):
        return
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    for name in members:
        for content in (damaged(members[name], rng), b""):
            yield zipped({**members, name: content})
        yield zipped({other: content for other, content in members.items() if other != name})


def is_answered(question, *arguments):
    """Return whether there is an answer; an error that is none of ours is raised."""
    try:
        question(*arguments)
    except REFUSED:
        return False
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", WHOLE)
def test_a_damaged_table_is_read_or_refused(kind, tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    path, data = tmp_path / "t", WHOLE[kind]()

    def read(content):
        path.write_bytes(content)
        table = read_table(path, wanted=["s", "y"], max_bytes=2**22)
        table.numbers("s")
        table.labels("y")

    read(data)
    assert not all(is_answered(read, content) for content in all_damages(data, rng))


ENTITIES = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 12))
NESTED = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "a">{ENTITIES}]><x>&a11;</x>'


def test_a_workbook_of_nested_entities_is_refused(tmp_path):
    with zipfile.ZipFile(io.BytesIO(frame_in("to_excel"))) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    path = tmp_path / "t.xlsx"
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        path.write_bytes(zipped({**members, name: NESTED}))
        with pytest.raises(ValueError, match="cannot be read as an Excel file, it may be damaged"):
            read_table(path)


@pytest.mark.filterwarnings("ignore")
def test_other_damaged_files_are_read_or_refused(tmp_path, global_random_seed, capsys):
    rng = np.random.default_rng(global_random_seed)
    path, copy = tmp_path / "t", tmp_path / "copy.csv"
    header, *rows = TEXT.splitlines()
    begun = [f"{row},,{k}" for k, row in enumerate(rows)]
    copy.write_text("\n".join([f"{header},spe_next,spe_item_0123abcd", *begun]) + "\n")
    (tmp_path / "t.session.json").write_bytes(SESSION)
    ScoreHistogram().update(rng.random(100)).save(path)
    readers = {
        ScoreHistogram.load: path.read_bytes(),
        earlier_report: json.dumps({"estimates": [{"name": "a", "value": 0.5}]}).encode(),
        lambda path: LabeledCopies.of([read_table(copy), read_table(path)], "y"): copy.read_bytes(),
        lambda path: main(["mean", str(path), "--label", "y", "--n-draws", "20"]): TEXT.encode(),
        lambda path: main(["suggest", str(path)]): copy.read_bytes(),
        SessionFile.read: SESSION,
    }
    for reader, data in readers.items():
        for content in (*HOSTILE, *(damaged(data, rng) for _ in range(N_DAMAGES))):
            path.write_bytes(content)
            is_answered(reader, Path(path))
    capsys.readouterr()


def test_a_path_that_cannot_be_used_is_named(tmp_path, capsys):
    table = tmp_path / "t.csv"
    table.write_text(TEXT)
    long = tmp_path / ("a" * 5000) / "out.html"
    with pytest.raises(SystemExit):
        main(["report", str(table), "--score", "s", "--label", "y", "--out", str(long)])
    told = capsys.readouterr().err
    assert "cannot be written" in told
    assert "standard output" not in told


def test_a_flipped_byte_of_a_parquet_page_is_an_error_that_names_the_file(
    tmp_path, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    frame = pd.DataFrame({"s": rng.normal(size=500), "y": rng.integers(0, 2, 500)})
    path = tmp_path / "t.parquet"
    frame.to_parquet(path, write_page_checksum=True, compression="none", use_dictionary=False)
    data = bytearray(path.read_bytes())
    # In the first page, which the numbers of the first column fill.
    data[data.index(frame["s"].to_numpy()[100:101].tobytes())] ^= 1 << rng.integers(8)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.parquet cannot be read as a Parquet file"):
        read_table(path)


def test_a_very_wide_table_is_read_at_the_cost_of_its_cells(tmp_path, capsys):
    """Whatever is done once for each pair of columns would not end."""
    n_columns = 20_000
    lines = [",".join(["s", "y", *(f"c{k}" for k in range(n_columns))])]
    for row in range(24):
        cells = [str((row * (k + 1)) % 7) for k in range(n_columns)]
        lines.append(",".join([f"{row / 24:.3f}", ("0", "1", "")[row % 3], *cells]))
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    assert main(["estimate", str(path), "--score", "absent", "--label", "y"]) == 2
    assert "has no column 'absent'" in capsys.readouterr().err
    options = ("--score", "s", "--label", "y", "--n-draws", "50", "--experts", "rank_binormal")
    assert main(["estimate", str(path), *options]) in (0, 3)
