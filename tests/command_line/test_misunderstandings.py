"""What somebody types who is here for the first time: the message says what to type instead."""

import pytest

from tests.command_line.data import run

CLASSES = ("bird", "cat", "dog", "fish")


@pytest.fixture
def path(tmp_path):
    """Return a table with scores in percent, of two systems, and labels of four classes."""
    rows = [f"{2 * i}.5%,{i / 40},{CLASSES[i % 4]},{i % 2}" for i in range(40)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["percent,share,kind,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "share"),
        ("report", "--scores", "share", "percent"),
        ("compare", "--scores", "share", "percent"),
        ("suggest", "--score", "share"),
    ],
)
def test_more_than_two_classes_are_named_with_the_remedy(path, command, capsys):
    name, *options = command
    assert run(name, path, *options, "--label", "kind") == 2
    said = capsys.readouterr().err
    assert "'kind' has 4 classes, 'bird', 'cat', 'dog', 'fish'" in said
    assert "such as 'bird', write a column that is 1 for items of the class" in said


@pytest.fixture
def readings(tmp_path):
    """Return a table of 40 cases that three readers have read."""
    rows = [f"c{i},{name},{i % 7 + k},{i % 2}" for i in range(40) for k, name in enumerate("abc")]
    path = tmp_path / "readings.csv"
    path.write_text("\n".join(["case,reader,s,y", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "s"),
        ("estimate", "--score", "s", "--category", "reader"),
        ("estimate", "--score", "s", "--groups", "reader"),
        ("report", "--score", "s"),
        ("compare", "--scores", "s", "t"),
        ("suggest", "--score", "s"),
        ("find", "--score", "s", "--recall", "0.5"),
        ("mean", "--proxy", "s"),
    ],
)
def test_readings_of_one_case_are_not_labels_of_many(readings, command, capsys):
    name, *options = command
    if name == "compare":
        lines = readings.read_text().splitlines()
        readings.write_text("\n".join([f"{lines[0]},t", *(f"{line},1" for line in lines[1:])]))
    assert run(name, readings, *options, "--label", "y") == 2
    said = capsys.readouterr().err
    assert "'case' names 40 cases with 3 rows each, one for each 'reader'" in said
    assert "it would count 3 times. Write one row per case" in said
    assert ("--groups case" in said) == (name not in ("suggest", "find"))


def test_cases_are_groups(readings, capsys):
    assert run("mean", readings, "--proxy", "s", "--label", "y", "--groups", "case") == 0
    assert "120 of 120 rows are labeled" in capsys.readouterr().out


@pytest.fixture
def dated(tmp_path):
    """Return a table with a day of each row, written in three ways."""
    rows = [
        f"{i},{i % 2},{i % 20 + 1:02}.02.2026,2026-02-{i % 20 + 1:02},02/2026" for i in range(40)
    ]
    path = tmp_path / "dated.csv"
    path.write_text("\n".join(["s,y,day,date,month", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("day",),
            "'day' holds 20 dates, such as '01.02.2026', and each would be an unordered category",
        ),
        (("date",), "'date' holds 20 dates, such as '2026-02-01'"),
        (
            ("day", "--ordered"),
            "--ordered: column 'day' holds dates such as '01.02.2026', which sort",
        ),
        (("month", "--ordered"), "'month' holds dates such as '02/2026'"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "s"),
        ("report", "--score", "s"),
        ("compare", "--scores", "s", "y2"),
    ],
)
def test_dates_are_no_categories(dated, command, options, message, capsys):
    name, *scores = command
    if name == "compare":
        lines = dated.read_text().splitlines()
        dated.write_text(
            "\n".join([f"{lines[0]},y2", *(f"{line},{i}" for i, line in enumerate(lines[1:]))])
        )
    assert run(name, dated, *scores, "--label", "y", "--category", *options) == 2
    assert message in capsys.readouterr().err


def test_the_mean_of_each_day_is_that_of_a_month(dated, capsys):
    assert run("mean", dated, "--proxy", "s", "--label", "y", "--category", "day") == 2
    said = capsys.readouterr().err
    assert "Write a column of months, 2026-02, or weeks, 2026-W06, and pass it as" in said
    # It has no such option.
    assert "--ordered" not in said


@pytest.fixture
def write_book(tmp_path):
    """Return what writes the sheets Front and Data, of rows, and returns the path."""
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")

    def write(front, data):
        with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
            for name, rows in (("Front", front), ("Data", data)):
                pd.DataFrame(rows).to_excel(book, sheet_name=name, index=False, header=False)
        return tmp_path / "t.xlsx"

    return write


POOL = [("s", "y"), *((i, i % 2) for i in range(40))]


@pytest.mark.parametrize(
    ("front", "data"),
    [
        ([("A pool of forty", ""), ("by the team", "")], POOL),
        ([row[:1] for row in POOL], [row[1:] for row in POOL]),
    ],
    ids=["cover", "labels apart"],
)
@pytest.mark.parametrize("command", [("estimate",), ("suggest",), ("find", "--recall", "0.5")])
def test_a_sheet_that_holds_what_is_asked_for_is_named(write_book, command, front, data, capsys):
    name, *more = command
    assert run(name, write_book(front, data), "--score", "s", "--label", "y", *more) == 2
    said = capsys.readouterr().err
    assert "Column 'y' is on sheet 'Data' of" in said
    assert "the first sheet is read, 'Front'. Move 'Data' to the front" in said


def test_a_cover_that_is_no_table_is_named(write_book, capsys):
    path = write_book([("pool", "pool"), ("of", "forty")], POOL)
    assert run("estimate", path, "--score", "s", "--label", "y") == 2
    said = capsys.readouterr().err
    assert "This is sheet 'Front', the first one; if the table is on another one, 'Data'" in said


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "percent"),
        ("report", "--scores", "share", "percent"),
        ("compare", "--scores", "percent", "share", "--metric", "recall"),
        ("suggest", "--score", "percent", "--metric", "recall"),
    ],
)
def test_a_threshold_in_percent_is_one_of_the_numbers_that_were_read(path, command, capsys):
    name, *options = command
    assert run(name, path, *options, "--label", "y", "--threshold", "90") == 2
    said = capsys.readouterr().err
    assert "'percent' contains percent, which is read as numbers between 0 and 1" in said
    assert "Did you mean --threshold 0.9?" in said
