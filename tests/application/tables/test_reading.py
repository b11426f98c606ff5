"""Tables as programs write them: what is recognised is said, what is in doubt is asked for."""

import bz2
import csv
import gzip
import io
import lzma
import re
import tracemalloc
import zipfile

import pytest

from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.application.tables._source import printable


def rows_of(table):
    """Return the cells of each row."""
    return tuple(zip(*table.columns.values(), strict=True))


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


@pytest.fixture
def read(tmp_path):
    """Return what reads a text as a table."""

    def read_text(text, written_in="utf-8", /, **options):
        return read_table(write(tmp_path / "t.csv", text, written_in), **options)

    return read_text


def written(rows, **how):
    file = io.StringIO(newline="")
    csv.writer(file, **how).writerows(rows)
    return file.getvalue()


# --- separators, decimal marks, encodings ------------------------------------------------


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_a_dialect_is_found_and_written_back_byte_for_byte(
    tmp_path, separator, quoting, line_end, encoding
):
    rows = [["größe", "text, or;so|on\t"], ["0.5", 'a "b"\nc'], ["", "  ü "]]
    how = {"delimiter": separator, "quoting": quoting, "lineterminator": line_end}
    path = write(tmp_path / "t.csv", written(rows, **how), encoding)
    table = read_table(path)
    assert [table.names, *rows_of(table)] == [tuple(row) for row in rows]
    # The second cell of the first row has two lines.
    assert table.places == (2, 4)
    usual = separator == "," and encoding.startswith("utf-8")
    assert (table.notes == ()) == usual
    assert table.dialect.encode([table.names, *rows_of(table)]) == path.read_bytes()


@pytest.mark.parametrize(
    ("cells", "decimal", "numbers", "said"),
    [
        (["0.5", "-1e-3", "7"], ".", [0.5, -0.001, 7.0], ""),
        (["0,5", "-1e-3", "7"], ",", [0.5, -0.001, 7.0], "decimal marks"),
        (["0,125", "0,250", "1,000"], ",", [0.125, 0.25, 1.0], "decimal marks"),
        (["93%", "7.5 %", " 0% "], ".", [0.93, 0.075, 0.0], "percent"),
        (["93,5%", "7 %", "0%"], ",", [0.935, 0.07, 0.0], "percent"),
    ],
)
def test_numbers_are_recognised_column_by_column(read, cells, decimal, numbers, said):
    column = read("s;y\n" + "".join(f"{cell};1\n" for cell in cells)).numbers("s")
    assert column.values.tolist() == numbers
    assert column.decimal == decimal
    assert said in " ".join(column.notes)
    assert bool(column.notes) == bool(said)


def test_what_is_given_is_not_guessed(read):
    assert read("a,b;c\n1,2;3\n", sep=";").names == ("a,b", "c")
    table = read("s|y\n1,234|0\n2,500|1\n", sep="|", decimal=",")
    assert table.notes == ()
    assert table.numbers("s").values.tolist() == [1.234, 2.5]
    assert table.numbers("s").notes == ()
    assert read("s\ty\n1\t2\n", sep="\t").names == ("s", "y")
    assert read("größe,y\n", "latin-1", encoding="latin-1").names == ("größe", "y")
    russian = read("оценка,y\n1,0\n", "cp1251", encoding="cp1251")
    assert russian.names == ("оценка", "y")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        # Both cut every row into two.
        (b"a,b;c\n1,2;3\n", r"separated by ',' or by ';': set the right one by the option --sep"),
        # Whole words beyond ASCII: not Western, and any encoding of one byte would do.
        ("оценка,y\n1,0\n".encode("cp1251"), r"cannot be told .* option --encoding"),
        # UTF-8 that was damaged would become nonsense in cp1252.
        ("größe,y\n1,0\n".encode() + b"2,\xff\n", r"not in UTF-8 \(line 3"),
        # No character of cp1252.
        (b"a\x81b,y\n1,0\n", r"cannot be told"),
        (b"a\0b,y\n1,0\n", r"zero bytes"),
    ],
)
def test_uncertain_items_are_asked_for(tmp_path, data, message):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_table(path)


def test_commas_that_may_separate_thousands_are_asked_about(read):
    table = read('s,y\n"1,234",0\n"12,500",1\n999,1\n')
    with pytest.raises(ValueError, match=r"decimal marks or thousands separators, as in '1,234'"):
        table.numbers("s")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "klingon"}, "Unknown encoding 'klingon'"),
        ({"encoding": "ascii"}, r"not valid ascii: line 2 has the bytes b'\\xc3'"),
        ({"max_bytes": 0}, "max_bytes must be at least 1"),
    ],
)
def test_options_are_checked(read, options, message):
    with pytest.raises(ValueError, match=message):
        read("s,y\nö,1\n", **options)


# --- columns -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "missing", ["", " ", "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "?"]
)
@pytest.mark.parametrize("classes", [("0", "1"), ("ham", "spam"), ("False", "True")])
def test_missing_labels_have_many_spellings(read, missing, classes):
    labels = read(f"s,y\n1,{classes[0]}\n2,{missing}\n3, {classes[1]} \n").labels("y").values
    assert labels[1] is None
    assert [str(label) for label in labels[[0, 2]]] == list(classes)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["0", "1"], [0, 1]),
        (["0.0", "1.0"], [0, 1]),
        (["-1", "1"], [-1, 1]),
        (["True", "False"], [True, False]),
        (["TRUE", "false"], [True, False]),
        (["True", "1"], ["True", "1"]),
        (["yes", "no"], ["yes", "no"]),
        (["1", "spam"], ["1", "spam"]),
        (["0.5", "1"], [0.5, 1.0]),
        (["inf", "1"], ["inf", "1"]),
        (["1_0", "1"], ["1_0", "1"]),
    ],
)
def test_labels_are_numbers_or_booleans_where_all_are(read, cells, labels):
    found = read("s,y\n" + "".join(f"1,{cell}\n" for cell in cells)).labels("y").values.tolist()
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


def test_spellings_of_one_class_are_taken_for_it_and_said(read):
    column = read("y,s\nspam,1\nspam,1\n Spam ,1\nham,1\nHAM,1\nham,1\n").labels("y")
    assert column.values.tolist() == ["spam"] * 3 + ["ham"] * 3
    assert column.notes == (
        "'Spam' in column 'y' (1 rows) is taken for 'spam'.",
        "'HAM' in column 'y' (1 rows) is taken for 'ham'.",
    )


def test_two_spellings_that_may_be_two_classes_are_asked_about(read):
    table = read("y\nA\na\n\n")
    with pytest.raises(
        ValueError, match=r"'A' and 'a', which differ only by case .* option --classes"
    ):
        table.labels("y")
    assert table.labels("y", classes=["A", "a"]).values.tolist() == ["A", "a"]
    assert table.labels("y", classes=["A", "B"]).values.tolist() == ["A", "A"]


def test_all_rows_without_a_number_are_named_by_their_lines(read):
    text = 'note,s\n"two\nlines",0.5\n\na,high\nb,\nc,0.25\nd,NaN\n'
    table = read(text)
    with pytest.raises(ValueError, match="3 of 5 do not") as error:
        table.numbers("s")
    assert "line 5 ('high'), line 6 (''), line 8 ('NaN')" in str(error.value)
    assert "2 of them say that there is none: the option --drop-missing" in str(error.value)
    # An editor counts like this.
    assert [text.split("\n")[line - 1].split(",")[1] for line in (5, 6, 8)] == ["high", "", "NaN"]


def test_rows_without_a_score_are_left_out_if_that_is_wanted_and_said(read):
    table = read("s,y\n0.5,1\n,0\n0.25,\nnull,1\n").without_missing("s")
    assert table.numbers("s").values.tolist() == [0.5, 0.25]
    assert table.places == (2, 4)
    assert table.notes == (
        "2 of 4 rows have nothing in column 's' and are left out: line 3, line 5.",
    )


def test_the_first_of_many_rows_are_named(read):
    table = read("s\n" + "x\n" * 25)
    with pytest.raises(ValueError, match=r"line 6 \('x'\) and 20 more\."):
        table.numbers("s")


# --- what is no table --------------------------------------------------------------------


def test_names_that_come_twice_are_refused(read):
    with pytest.raises(ValueError, match=r"has duplicate columns: 'label' \(columns 2, 3\)"):
        read("score,label,label\n1,0,1\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [('s,y\n1,0\n2,"a" b\n3,1\n', 3), ('s,y\n1,0\n2,"a\n3,1\n4,1\n', 3)],
)
def test_quotation_marks_out_of_order_are_refused(read, text, line):
    with pytest.raises(ValueError, match=f"is not a table: from line {line} on"):
        read(text)


def zipped(data, *names):
    """Return a zip file with the same content under each name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.writestr(name, data)
    return file.getvalue()


PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    # As macOS writes it.
    "zip": lambda data: zipped(data, "t.csv"),
}


@pytest.mark.parametrize(("kind", "pack"), PACKERS.items(), ids=PACKERS)
def test_what_is_packed_is_unpacked_up_to_a_limit(tmp_path, kind, pack):
    # The content tells, whatever the name.
    path = tmp_path / "t"
    path.write_bytes(pack("score,label\n1,größer\n2,kleiner\n".encode()))
    assert read_table(path).labels("label").values.tolist() == ["größer", "kleiner"]
    bomb = tmp_path / "bomb"
    bomb.write_bytes(pack(b"s\n" + b"0\n" * 50_000))
    with pytest.raises(ValueError, match=r"decompresses to more than 100,000\. .*--max-bytes"):
        read_table(bomb, max_bytes=100_000)
    assert len(read_table(bomb, max_bytes=100_002)) == 50_000
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=rf"t is a damaged {kind} file"):
        read_table(path)


@pytest.mark.parametrize("pack", [gzip.compress, PACKERS["zip"]], ids=["gzip", "zip"])
def test_a_file_that_is_too_large_does_not_fill_the_memory_first(tmp_path, pack):
    n_bytes, path = 2**26, tmp_path / "bomb"
    path.write_bytes(pack(bytes(n_bytes)))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="decompresses to more than"):
            read_table(path, max_bytes=n_bytes - 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_bytes / 2


def test_a_zip_file_holds_one_table(tmp_path):
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(b"s,y\n1,0\n", "pool.csv", "__MACOSX/._pool.csv"))
    assert rows_of(read_table(path)) == (("1", "0"),)
    path.write_bytes(zipped(b"s,y\n1,0\n", "one.csv", "two.csv"))
    with pytest.raises(ValueError, match=r"must hold one file, and holds 2: one\.csv, two\.csv"):
        read_table(path)
    path.write_bytes(zipped(b"application/vnd.oasis.opendocument.spreadsheet", "mimetype"))
    with pytest.raises(
        ValueError, match=r"OpenDocument spreadsheet, .* save it as \.xlsx or \.csv"
    ):
        read_table(path)


def test_standard_input_is_a_table(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"s,y\n1,0\n")))
    table = read_table("-")
    assert rows_of(table) == (("1", "0"),)
    assert table.path is None
    assert table.name == "standard input"


# --- other formats -----------------------------------------------------------------------

ROWS = [(0.1, "spam", True), (1 / 3, None, False), (1e-17, "ham", True)]


def assert_holds_the_rows(table):
    assert table.names == ("score", "label", "flag")
    assert table.numbers("score").values.tolist() == [row[0] for row in ROWS]
    assert table.labels("label").values.tolist() == [row[1] for row in ROWS]
    assert table.labels("flag").values.tolist() == [row[2] for row in ROWS]
    assert not table.is_text


def test_parquet_and_excel_hold_the_same_rows_as_text(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS, columns=["score", "label", "flag"])
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "t.parquet")
    assert_holds_the_rows(read_table(tmp_path / "t.parquet"))
    frame.to_feather(tmp_path / "t.feather")
    assert_holds_the_rows(read_table(tmp_path / "t.feather"))
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        frame.to_excel(book, sheet_name="pool", index=False)
        frame.to_excel(book, sheet_name="other")
    table = read_table(tmp_path / "t.xlsx")
    assert_holds_the_rows(table)
    assert table.places == (2, 3, 4)
    (note,) = table.notes
    assert re.search(r"Sheet 'pool' of .* is read; another one, 'other': --sheet NAME\.", note)
    with pytest.raises(ValueError, match=r"decompresses to .* --max-bytes"):
        read_table(tmp_path / "t.xlsx", max_bytes=100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"s": 1}\n{"s": 2, "s": 3}\n', "Line 2 .* 's' occurs twice"),
        ('{"s": 1}\n\n[1]\n', r"one JSON object per line.* line 3 holds '\[1\]'"),
        ('{"s": 1}\n{"s": \n', "Line 2 of .* is not valid JSON"),
    ],
)
def test_lines_that_are_no_object_are_named(read, text, message):
    with pytest.raises(ValueError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"PAR1", "cannot be read as a Parquet file"),
        (b"ARROW1\0\0", "cannot be read as a Feather file"),
        (b"PK\x03\x04", "damaged zip file"),
        (b"\x28\xb5\x2f\xfd", "compressed by zstd: decompress it first"),
        (b"\xd0\xcf\x11\xe0", "Excel file of the old format: save it as"),
    ],
)
def test_damaged_files_of_other_formats_are_named(tmp_path, start, message):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t"
    path.write_bytes(start + bytes(100))
    with pytest.raises(ValueError, match=message):
        read_table(path)


# --- text on a terminal --------------------------------------------------------------------


def test_no_text_of_a_file_steers_a_terminal():
    every = "".join(map(chr, range(0x3000)))
    shown = printable(every, keep="\n")
    assert [letter for letter in shown if not letter.isprintable()] == ["\n"]
    assert not set(shown) & set("\x1b\x9b\r\u202e")
    assert printable("größe ≥ 0.5") == "größe ≥ 0.5"


def test_a_category_of_more_digits_than_python_reads_is_text(read):
    table = read(f"c\n{'9' * 5000}\n1\n")
    assert table.parts("c").tolist() == ["9" * 5000, "1"]
    assert read("c\n0\n12\n").parts("c").tolist() == [0, 12]
    assert read("c\n01\n12\n").parts("c").tolist() == ["01", "12"]
