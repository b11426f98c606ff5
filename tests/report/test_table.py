"""Tables of scores and labels, as programs write them."""

import gzip

import numpy as np
import pytest

from sklearn_spe.report import read_table


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_columns_are_found_by_name(tmp_path):
    path = write(tmp_path / "t.csv", "id,label,score\n1,1,0.5\n2,,-3e-2\n3,0,7\n")
    scores, labels = read_table(path, "score", "label")
    assert scores.tolist() == [0.5, -0.03, 7.0]
    assert labels.tolist() == [1, None, 0]


@pytest.mark.parametrize(
    "missing", ["", " ", "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "?"]
)
@pytest.mark.parametrize("classes", [("0", "1"), ("ham", "spam")])
def test_missing_labels_have_many_spellings(tmp_path, missing, classes):
    text = f"s,y\n1,{classes[0]}\n2,{missing}\n3, {classes[1]} \n"
    labels = read_table(write(tmp_path / "t.csv", text), "s", "y")[1]
    assert labels[1] is None
    assert [str(label) for label in labels[[0, 2]]] == list(classes)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["0", "1"], [0, 1]),
        (["0.0", "1.0"], [0, 1]),
        (["-1", "1"], [-1, 1]),
        (["True", "False"], ["True", "False"]),
        (["1", "spam"], ["1", "spam"]),
        (["0.5", "1"], [0.5, 1.0]),
        (["inf", "1"], ["inf", "1"]),
    ],
)
def test_labels_are_numbers_where_all_are(tmp_path, written, read):
    text = "s,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(written))
    labels = read_table(write(tmp_path / "t.csv", text), "s", "y")[1].tolist()
    assert labels == read
    assert [type(label) for label in labels] == [type(label) for label in read]


def test_a_short_line_has_no_label(tmp_path):
    assert read_table(write(tmp_path / "t.csv", "s,y\n1\n2,0\n"), "s", "y")[1].tolist() == [None, 0]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_quotes_line_ends_and_empty_lines_are_those_of_csv(tmp_path, newline):
    text = newline.join(['"the score",y', '"1.5","a, b"', "", "2.5,c", ""])
    scores, labels = read_table(write(tmp_path / "t.csv", text), "the score", "y")
    assert scores.tolist() == [1.5, 2.5]
    assert labels.tolist() == ["a, b", "c"]


def test_the_signature_of_spreadsheets_is_no_part_of_a_name(tmp_path):
    path = write(tmp_path / "t.csv", "score,label\n1,0\n2,1\n", encoding="utf-8-sig")
    assert read_table(path, "score", "label")[0].tolist() == [1.0, 2.0]


def test_gzipped_tables_are_read(tmp_path):
    path = tmp_path / "t.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("score,label\n1,größer\n2,kleiner\n")
    scores, labels = read_table(str(path), "score", "label")
    assert scores.tolist() == [1.0, 2.0]
    assert labels.tolist() == ["größer", "kleiner"]


def test_scores_that_are_not_finite_are_left_to_the_estimator(tmp_path):
    scores, _ = read_table(write(tmp_path / "t.csv", "s,y\nnan,1\ninf,0\n"), "s", "y")
    assert np.isnan(scores[0])
    assert np.isinf(scores[1])


def test_a_table_without_rows_is_empty(tmp_path):
    scores, labels = read_table(write(tmp_path / "t.csv", "s,y\n"), "s", "y")
    assert len(scores) == len(labels) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s,y\n1,0\n", r"no column 'score'; it has s, y\."),
        ("", r"no column 'score'; it has none\."),
        ("score,truth\n1,0\n", r"no column 'label'; it has score, truth\."),
        (
            "score,label\n1,0\n\nhigh,1\n",
            "Line 4: the score in column 'score' must be a number, got 'high'",
        ),
        (
            "label,score\n1,0.5\n1\n",
            "Line 3: the score in column 'score' must be a number, got None",
        ),
        ("score,label\n,1\n", "Line 2: .* must be a number, got ''"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_table(write(tmp_path / "t.csv", text), "score", "label")


def test_files_that_are_no_tables_are_named(tmp_path):
    binary = tmp_path / "t.csv"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(ValueError, match=r"t\.csv is no file of comma-separated values"):
        read_table(binary, "score", "label")
    cut = tmp_path / "t.csv.gz"
    cut.write_bytes(gzip.compress(b"score,label\n" + bytes(range(48, 58)) * 5000)[:-20])
    with pytest.raises(ValueError, match=r"t\.csv\.gz is no file of comma-separated values"):
        read_table(cut, "score", "label")
    plain = write(tmp_path / "plain.csv.gz", "score,label\n1,0\n")
    with pytest.raises(OSError, match="Not a gzipped file"):
        read_table(plain, "score", "label")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv", "score", "label")
