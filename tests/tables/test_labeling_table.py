"""A table that is being labelled: what is the user's stays, what is ours comes back as it was."""

import bz2
import csv
import gzip
import io
import lzma

import numpy as np
import pytest

from sklearn_spe.tables._labeling_table import LabelingTable
from sklearn_spe.tables._reading import read_table

RECORD = {"item": int, "chance": float, "skipped": bool, "answer": object, "session": str}
TEXT = 'spe_own;"a;b";s\n 007 ;"x\ny";0,50\n1e3;"";0,25\nNA;z;0,125\n'


def rows_of(table):
    """Return the cells of each row."""
    return tuple(zip(*table.columns.values(), strict=True))


def record(n, **columns):
    """Return a record of n items."""
    empty = {
        "item": np.arange(n),
        "chance": np.linspace(0.1, 1.0, n) / 3.0,
        "skipped": np.arange(n) == 1,
        "answer": np.array([None] * n, dtype=object),
        "session": np.array(['{"a":"b;c","d":0.5}'] * n, dtype=object),
    }
    return {**empty, **columns}


def table_of(path, **options):
    return LabelingTable.of(read_table(path, **options), "s", "y", RECORD)


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
    answer = np.array([1, None, 0], dtype=object)
    begun.write(out, record(3, answer=answer), np.array([2]))
    again = table_of(out)
    assert again.resumes
    assert again.default_path == out
    for name, values in record(3, answer=answer).items():
        np.testing.assert_array_equal(again.columns[again.names[name]], values)
    assert again.table.names == ("spe_own", "a;b", "s", "y")
    own = rows_of(read_table(path))
    assert [row[:3] for row in rows_of(again.table)] == list(own)
    # The row to label is on top, in the same dialect.
    written = read_table(out)
    assert rows_of(written)[0][:4] == (*own[2], "")
    assert written.dialect == read_table(path).dialect
    out.write_bytes(out.read_bytes())
    again.write(out, record(3, answer=answer), np.array([0, 1]))
    assert [row[:3] for row in rows_of(read_table(out))] == list(own)


def test_a_name_of_ours_is_not_taken_from_the_user(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("spe_item,s,y\n3,0.5,1\n")
    with pytest.raises(
        ValueError, match=r"has 'spe_item', .* but not 'spe_chance', .* rename them"
    ):
        table_of(path)


def test_two_that_go_on_from_one_table_do_not_overwrite_each_other(path):
    out = table_of(path).default_path
    one, other = table_of(path), table_of(path)
    one.write(out, record(3), np.array([0]))
    with pytest.raises(ValueError, match="exists and may hold labels"):
        other.write(out, record(3), np.array([1]))
    one, other = table_of(out), table_of(out)
    one.write(out, record(3), np.array([2]))
    after = out.read_bytes()
    with pytest.raises(ValueError, match="was changed since it was read"):
        other.write(out, record(3), np.array([1]))
    assert out.read_bytes() == after


def test_rows_that_were_left_out_are_not_lost(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("s,y\n0.5,\n,\n0.25,\n")
    table = LabelingTable.of(read_table(path).without_missing("s"), "s", "y", RECORD)
    with pytest.raises(ValueError, match=r"1 rows of .* would be lost: .* option --out"):
        table.write(path, record(2), np.array([0]))
    table.write(tmp_path / "next.csv", record(2), np.array([0]))
    assert len(read_table(tmp_path / "next.csv")) == 2


def test_tables_are_written_as_text(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"s": 0.1}\n{"s": 1e-3}\n')
    table = table_of(path)
    assert table.default_path.name == "t_next.csv"
    for name in ("t.jsonl", "other.parquet"):
        with pytest.raises(ValueError, match=r"written as text .* (t|other)_next\.csv"):
            table.write(tmp_path / name, record(2), np.array([0]))
    table.write(table.default_path, record(2), np.array([1]))
    assert table_of(table.default_path).columns["s"].tolist() == [0.1, 1e-3]


@pytest.mark.parametrize(("end", "unpack"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_a_table_is_compressed_as_its_name_says(path, tmp_path, end, unpack):
    table, packed = table_of(path), tmp_path / f"packed.csv.{end}"
    table.write(table.default_path, record(3), np.array([0]))
    table.write(packed, record(3), np.array([0]))
    assert unpack.decompress(packed.read_bytes()) == table.default_path.read_bytes()
    # It is read again, and goes on as a text that is seen.
    assert table_of(packed).default_path == tmp_path / "packed_next.csv"


def test_what_comes_from_standard_input_is_written_where_one_says():
    table = LabelingTable.of(read_table(io.StringIO("s\n1\n")), "s", "y", RECORD)
    with pytest.raises(ValueError, match="an output file is needed: option --out"):
        _ = table.default_path


def test_one_who_cannot_say_writes_1_where_others_say_false(path):
    table = table_of(path)
    out = table.default_path
    table.write(out, record(3, skipped=np.zeros(3, dtype=bool)), np.array([0]))
    text = out.read_bytes().decode("utf-16")
    out.write_bytes(text.replace(";0;;", ";1;;", 1).encode("utf-16"))
    assert table_of(out).columns["spe_skipped"].tolist() == [1.0, 0.0, 0.0]


def test_cells_that_a_spreadsheet_would_compute_are_said_once_and_kept(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('n,s,y\n"=1+1",0.5,\n@sum,+0.25,\n+a,0.1,\nplain,0.2,\n')
    table = LabelingTable.of(read_table(path), "s", "y", {"item": int})
    (note,) = [note for note in table.notes if "formula" in note]
    assert note.startswith("3 cells begin like a formula, such as line 2 ('=1+1') in column 'n'")
    assert table.table.columns["n"] == ("=1+1", "@sum", "+a", "plain")
    path.write_text("n,s,y\na,+0.25,\nb,-0.5,\n")
    table = LabelingTable.of(read_table(path), "s", "y", {"item": int})
    assert not any("formula" in note for note in table.notes)


def test_what_is_the_same_for_all_rows_is_written_once(path):
    begun = table_of(path)
    out = begun.default_path
    begun.write(out, record(3), np.array([2]))
    written = out.read_bytes().decode("utf-16")
    assert written.count("b;c") == 1
    # A table that has it in every row, as older ones have, is the same.
    header, *rows = csv.reader(written.splitlines(), delimiter=";")
    again = path.with_name("again.csv")
    with again.open("w", encoding="utf-16", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(header)
        writer.writerows([*row[:-1], '{"a":"b;c","d":0.5}'] for row in rows)
    texts = [table_of(file).columns["spe_session"].tolist() for file in (out, again)]
    assert texts[0] == texts[1] == ['{"a":"b;c","d":0.5}'] * 3
