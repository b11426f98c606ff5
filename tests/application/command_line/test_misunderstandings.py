"""What somebody types who is here for the first time: the message says what to type instead."""

import pytest

from tests.application.command_line.data import run

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
        ("compare", "--scores", "share", "percent"),
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
        ("compare", "--scores", "s", "t"),
        ("find", "--score", "s", "--recall", "0.5"),
        ("mean", "--judge", "s"),
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
    assert "which would count 3 times. For a study of readers use the command readings" in said
    assert "--case case --reader reader. Else write one row per case" in said
    assert ("--groups case" in said) == (name != "find")


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
            "--ordered: column 'day' holds dates such as '01.02.2026', which do not sort by time "
            "as text. Pass --category day:month",
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
    asked = ("mean", dated, "--judge", "s", "--label", "y", "--category")
    assert run(*asked, "day") == 2
    said = capsys.readouterr().err
    assert "Pass --category day:month (or day:week, day:quarter)." in said
    # It has no such option.
    assert "--ordered" not in said
    assert run(*asked, "day:month") == 0
    printed = capsys.readouterr()
    assert "note: '01.02.2026' in column 'day' is read as 2026-02." in printed.err
    assert "mean label by day:month" in printed.out
    assert run(*asked, "day:months") == 2
    assert "dates have a year, quarter, month, week, day; got 'months'" in capsys.readouterr().err


@pytest.mark.slow
def test_months_of_dates_are_categories_in_their_order(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = [f"{i / 60},{i % 2},{i % 28 + 1}.{11 - i % 2}.2025" for i in range(60)]
    path.write_text("\n".join(["s,y,day", *rows]) + "\n")
    asked = ("estimate", path, "--score", "s", "--label", "y", "--category", "day:month")
    run(*asked, "--ordered", "--n-draws", "100")
    printed = capsys.readouterr()
    assert "note: '1.11.2025' in column 'day' is read as 2025-11." in printed.err
    assert printed.out.index("\n2025-10 ") < printed.out.index("\n2025-11 ")
    unordered = "note: day:month is treated as unordered; --ordered makes neighbors more alike."
    assert unordered not in printed.err
    run(*asked, "--n-draws", "100")
    assert unordered in capsys.readouterr().err


@pytest.mark.slow
def test_a_category_for_each_row_is_refused_and_many_are_noted(tmp_path, capsys):
    rows = [f"{i / 160},{i % 2},c{i},{i % 40}" for i in range(160)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["s,y,name,shop", *rows]) + "\n")
    asked = ("mean", path, "--judge", "s", "--label", "y", "--n-draws", "50", "--category")
    assert run(*asked, "name") == 2
    assert "'name' names 160 categories in 160 rows: nearly every" in capsys.readouterr().err
    assert run(*asked, "shop") == 0
    assert "note: Column 'shop' has 40 categories, of 4 rows each" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("spam", "ham", "spma"), "'spma' occurs once, line 42: is this a typing error?"),
        (("3", "1", "5"), "5 occurs once, line 42: is this a typing error?"),
    ],
)
def test_a_class_that_occurs_once_is_named_with_its_line(tmp_path, names, said, capsys):
    path = tmp_path / "t.csv"
    rows = [f"{i / 40},{names[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["s,y", *rows, f"0.5,{names[2]}"]) + "\n")
    assert run("estimate", path, "--score", "s", "--label", "y") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"but a column of scores needs two classes. {said} Correct the label" in line


def test_a_label_that_looks_like_another_is_asked_about(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = [f"{i / 40},{'spam' if i < 9 else ''}" for i in range(40)]
    path.write_text("\n".join(["s,y", *rows, "0.5,spma"]) + "\n")
    run("estimate", path, "--score", "s", "--label", "y", "--pos-label", "spam", "--n-draws", "100")
    said = "note: Label 'spma' in column 'y' occurs once, line 42: a typing error of 'spam'?\n"
    assert said in capsys.readouterr().err


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
        ([("score", "s"), ("label", "")], [("the pool", ""), ("", ""), *POOL]),
        # Formatted cells beside the table.
        ([("pool", "pool")], [(*row, "", "") for row in POOL]),
    ],
    ids=["cover", "title above", "empty columns"],
)
def test_the_sheet_with_what_is_asked_for_is_read_and_named(write_book, front, data, capsys):
    path = write_book(front, data)
    run("suggest", path, "--score", "s", "--label", "y", "-n", "2")
    printed = capsys.readouterr()
    assert (
        f"note: Sheet 'Data' of {path} is read; another one, 'Front': --sheet NAME." in printed.err
    )
    assert ("The header of sheet 'Data' is in its row 3." in printed.err) == (len(data) > len(POOL))
    assert "40" in printed.out


def test_a_sheet_is_read_by_its_name(write_book, capsys):
    path = write_book([("s", "y"), *((-i, i % 2) for i in range(30))], POOL)
    asked = ("mean", path, "--judge", "s", "--label", "y", "--n-draws", "50")
    assert run(*asked) == 0
    assert "All 30 items are labeled" in capsys.readouterr().out
    assert run(*asked, "--sheet", "Data") == 0
    printed = capsys.readouterr()
    assert "All 40 items are labeled" in printed.out
    assert "note: Sheet" not in printed.err
    assert run(*asked, "--sheet", "data") == 2
    said = f"{path} has no sheet 'data' (did you mean 'Data'?); it has 'Front', 'Data'."
    assert said in capsys.readouterr().err


def test_columns_on_two_sheets_are_no_table(write_book, capsys):
    path = write_book([row[:1] for row in POOL], [row[1:] for row in POOL])
    assert run("estimate", path, "--score", "s", "--label", "y") == 2
    said = capsys.readouterr().err
    assert "Column 'y' is on sheet 'Data' of" in said
    assert "but sheet 'Front' is read. If all columns are on 'Data', pass --sheet 'Data'" in said


def test_a_sheet_that_is_no_table_is_named(write_book, capsys):
    path = write_book([("s", "pool", "pool"), (1, 2, 3)], [("of", "forty")])
    assert run("estimate", path, "--score", "s", "--label", "y") == 2
    said = capsys.readouterr().err
    assert "This is sheet 'Front'; if the table is on another one, 'Data', name it by" in said


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "--score", "percent"),
        ("compare", "--scores", "percent", "share", "--metric", "recall"),
    ],
)
def test_a_threshold_in_percent_is_one_of_the_numbers_that_were_read(path, command, capsys):
    name, *options = command
    assert run(name, path, *options, "--label", "y", "--threshold", "90") == 2
    said = capsys.readouterr().err
    assert "'percent' contains percent, which is read as numbers between 0 and 1" in said
    assert "Did you mean --threshold 0.9?" in said
