"""A table that is being labelled: what is the user's stays, what is ours comes back as it was."""

import bz2
import csv
import gzip
import io
import json
import lzma

import numpy as np
import pytest

from sklearn_spe.application.tables._labeling_table import LabelingTable, write_together
from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.application.tables._session_file import (
    NEVER,
    NEXT,
    SessionFile,
    session_beside,
    session_path,
)

TEXT = 'spe_own;"a;b";s\n 007 ;"x\ny";0,50\n1e3;"";0,25\nNA;z;0,125\n'


def rows_of(table):
    """Return the cells of each row."""
    return tuple(zip(*table.columns.values(), strict=True))


def session_of(table, asked=(), **columns):
    """Return a session of a table which has asked for some items, of which none is answered."""
    n = len(table.table)
    place = np.full(n, NEVER)
    place[list(asked)] = np.arange(len(asked))
    is_asked = place != NEVER
    settings = json.dumps({"schema_version": 1, "n_items": n, "random_state": 0})
    record = {
        "order": place,
        "chance": np.where(is_asked, 0.1 / (2.0 + place), np.nan),
        "query": np.where(is_asked, 0, NEVER),
        "asked": np.where(is_asked, 0, NEVER),
        "answered": np.full(n, NEVER),
        "answer": np.array([None] * n, dtype=object),
        "session": np.full(n, settings, dtype=object),
    }
    options = {"score": "s", "label": "y"}
    columns = {**record, **columns}
    return SessionFile.of(columns, options, table.inputs, start=table.session)


def write(table, path, asked=(), skipped=(), **columns):
    """Write a table that asks for some items, with its session; return the session."""
    session = session_of(table, asked, **columns)
    is_skipped = np.isin(np.arange(len(table.table)), skipped)
    write_together([(table, path)], session, list(asked), is_skipped)
    return session


def table_of(path, **options):
    """Return a table, which goes on if it has a session."""
    table = read_table(path, **options)
    column = next((name for name in table.names if name.startswith("spe_item_")), None)
    session = None if column is None else session_beside(table.path, table.name, column)
    return LabelingTable.of(table, "s", "y", session=session)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(TEXT.encode("utf-16"))
    return path


def test_cells_of_the_user_stay_and_the_record_comes_back(path):
    begun = table_of(path)
    assert not begun.resumes
    out = begun.default_path
    assert out.name == "t_next.csv"
    answered = {"answer": np.array([1, None, 0], dtype=object), "answered": np.array([0, -1, 0])}
    session = write(begun, out, asked=[2, 0], **answered)
    again = table_of(out)
    assert again.resumes
    assert again.default_path == out
    record = {name: again.columns[again.names[name]].tolist() for name in ("item", "answer")}
    assert record == {"item": [0, 1, 2], "answer": [1, None, 0]}
    for name in ("order", "chance", "query", "asked", "answered"):
        np.testing.assert_array_equal(
            again.columns[again.names[name]], session.columns(np.arange(3))[name]
        )
    assert again.table.names == ("spe_own", "a;b", "s", "y")
    own = rows_of(read_table(path))
    assert [row[:3] for row in rows_of(again.table)] == list(own)
    # Two columns are new, the order of rows is that of the file, and so is the dialect.
    written = read_table(out)
    assert [row[:-1] for row in rows_of(written)] == [
        (*row, "", number) for row, number in zip(own, ("2", "", "1"), strict=True)
    ]
    assert written.dialect == read_table(path).dialect


def test_rows_stay_in_the_order_of_whoever_sorts_them(path):
    out = table_of(path).default_path
    write(table_of(path), out, asked=[2])
    header, *rows = csv.reader(io.StringIO(out.read_bytes().decode("utf-16")), delimiter=";")
    with out.open("w", encoding="utf-16", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator="\n").writerows([header, *rows[::-1]])
    again = table_of(out)
    assert again.columns["s"].tolist() == [0.5, 0.25, 0.125]
    write(again, out, asked=[2])
    written = read_table(out)
    assert written.columns["s"] == ("0,125", "0,25", "0,50")
    assert written.columns["spe_next"] == ("1", "", "")


def test_two_that_go_on_from_one_table_do_not_overwrite_each_other(path):
    out = table_of(path).default_path
    one, other = table_of(path), table_of(path)
    write(one, out, asked=[0])
    both = [out, session_path(out)]
    with pytest.raises(ValueError, match=r"t_next\.session\.json exists, without t_next\.csv"):
        write(other, out, asked=[1])
    with pytest.raises(ValueError, match="exists and may hold labels"):
        write(other, out, asked=[0])
    one, other = table_of(out), table_of(out)
    write(one, out, asked=[0, 2])
    after = [path.read_bytes() for path in both]
    with pytest.raises(ValueError, match="was changed since it was read"):
        write(other, out, asked=[0, 1])
    assert [path.read_bytes() for path in both] == after
    # Somebody saves the table meanwhile.
    other = table_of(out)
    out.write_bytes(out.read_bytes())
    write(other, out, asked=[0, 2])
    out.write_bytes(after[0].replace("007".encode("utf-16-le"), "008".encode("utf-16-le")))
    with pytest.raises(ValueError, match=r"t_next\.csv was changed since it was read"):
        write(other, out, asked=[0, 2, 1])
    assert session_path(out).read_bytes() == after[1]


def test_rows_that_were_left_out_are_not_lost(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("s,y,t\n0.5,,a\n,,b\n0.25,,c\n")
    table = LabelingTable.of(read_table(path).without_missing("s"), "s", "y")
    with pytest.raises(ValueError, match=r"1 rows of .* would be lost: .* option --out"):
        write(table, path, asked=[0])
    write(table, tmp_path / "next.csv", asked=[0])
    assert len(read_table(tmp_path / "next.csv")) == 2


def test_json_lines_and_text_are_written_as_they_are(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"s": 0.1, "more": {"a": [1, null]}}\n\n{"s": 1e-3}\n')
    table = table_of(path)
    assert table.default_path.name == "t_next.jsonl"
    write(table, table.default_path, asked=[1])
    again = table_of(table.default_path)
    assert again.columns["s"].tolist() == [0.1, 1e-3]
    first, second = map(json.loads, table.default_path.read_text().splitlines())
    assert first["more"] == {"a": [1, None]}
    assert (first[NEXT], second[NEXT]) == (None, 1)
    # As text where one says so.
    write(table, tmp_path / "t_next.csv", asked=[1])
    assert table_of(tmp_path / "t_next.csv").columns["s"].tolist() == [0.1, 1e-3]

    with pytest.raises(ValueError, match=r"written as text .* other_next\.csv"):
        write(table, tmp_path / "other.parquet", asked=[0])
    text = tmp_path / "text.csv"
    text.write_text("s\n1\n2\n")
    with pytest.raises(ValueError, match=r"written as text .* other_next\.csv"):
        write(table_of(text), tmp_path / "other.jsonl", asked=[0])


@pytest.mark.parametrize(("end", "unpack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_a_table_is_compressed_as_its_name_says(path, tmp_path, end, unpack):
    table, packed = table_of(path), tmp_path / f"packed.csv.{end}"
    write(table, table.default_path, asked=[0])
    write(table, packed, asked=[0])
    assert unpack.decompress(packed.read_bytes()) == table.default_path.read_bytes()
    # It is read again, and goes on as a text that is seen.
    assert table_of(packed).default_path == tmp_path / "packed_next.csv"


def test_what_comes_from_standard_input_is_written_where_one_says():
    table = LabelingTable.of(read_table(io.StringIO("s\n1\n")), "s", "y")
    with pytest.raises(ValueError, match="an output file is needed: option --out"):
        _ = table.default_path


def test_one_who_cannot_tell_says_so_in_the_place_of_the_number(path):
    out = table_of(path).default_path
    write(table_of(path), out, asked=[2, 0], skipped=[])
    text = out.read_bytes().decode("utf-16")
    out.write_bytes(text.replace(";2;0\n", "; Skip;0\n").encode("utf-16"))
    again = table_of(out)
    assert again.columns[again.names["skipped"]].tolist() == [True, False, False]
    # It stays, as long as it is not asked for again.
    session = session_of(again, [2, 0])
    write_together([(again, out)], session, [2], np.array([True, False, False]))
    assert read_table(out).columns["spe_next"] == ("skip", "", "1")
    # A label belongs into another column, and what was never asked for is no row to label.
    for cell, message in (("spam", "Labels belong"), ("7", "did not request it")):
        out.write_bytes(text.replace(";;1\n", f";{cell};1\n").encode("utf-16"))
        with pytest.raises(ValueError, match=message):
            table_of(out)


def test_cells_that_a_spreadsheet_would_compute_are_said_once_and_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('n,s,y\n"=1+1",0.5,\n@sum,+0.25,\n+a,0.1,\nplain,0.2,\n')
    table = LabelingTable.of(read_table(path), "s", "y")
    (note,) = [note for note in table.notes if "formula" in note]
    assert note.startswith("3 cells begin like a formula, such as line 2 ('=1+1') in column 'n'")
    assert table.table.columns["n"] == ("=1+1", "@sum", "+a", "plain")
    path.write_text("n,s,y\na,+0.25,\nb,-0.5,\n")
    table = LabelingTable.of(read_table(path), "s", "y")
    assert not any("formula" in note for note in table.notes)
