"""Rows that are no items of their own are refused or said, and ordinary files are not."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from sklearn_spe.application.tables._reading import read_table
from sklearn_spe.application.tables._suspect_rows import RowChecks, column_of_ids
from tests.application.command_line.data import run


def notes_of(rows, header="id,s,y", id_column=None, **options):
    """Return the notes on a table with these rows, in which all cells are text."""
    text = "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"
    table = read_table(io.StringIO(text))
    has_classes = options.pop("has_classes", True)
    scores = [name for name in table.names if name.startswith("s")]
    labels = table.labels("y").values
    known_columns = {"y", *scores, *options.values()}
    table = replace(table, id_column=id_column or column_of_ids(table, known_columns))
    return RowChecks(table, scores, "y", labels, **options).notes(has_classes=has_classes)


@pytest.fixture
def items(global_random_seed):
    """Return 400 items with scores of many digits, of which every other one is labeled."""
    rng = np.random.default_rng(global_random_seed)
    scores, labels = rng.random(400).tolist(), rng.choice(["spam", "ham"], 400).tolist()
    labels = ["" if k % 2 else label for k, label in enumerate(labels)]
    return [(f"M{k}", *row) for k, row in enumerate(zip(scores, labels, strict=True))]


def total_of(items):
    return sum(score for _, score, _ in items)


@pytest.mark.parametrize("name", ["Total", "SUM:", "Summe", " grand total "])
@pytest.mark.parametrize("at_end", [True, False])
def test_a_total_is_refused_with_its_line(items, name, at_end):
    for value in (total_of(items), total_of(items) / 400, 17):
        row = [(name, value, "")]
        rows = [*items, *row] if at_end else [*row, *items]
        message = f"Line {402 if at_end else 2} of .* looks like a total.*column 'id' says"
        with pytest.raises(ValueError, match=message):
            notes_of(rows)


def test_a_sum_is_a_total_whatever_it_is_called(items):
    for name in ("", "all of them", "M400"):
        with pytest.raises(ValueError, match="column 's' holds the sum of all others"):
            notes_of([*items, (name, round(total_of(items), 6), "")])
    # Elsewhere in the table nobody writes a total, and a name is one of many.
    middle = [*items[:50], ("Total", 0.5, ""), *items[50:]]
    assert notes_of(middle) == ()
    assert notes_of([*items, ("Total", 0.5, ""), ("M401", 0.25, ""), ("Total", 0.75, "")]) != ()
    # Few numbers may add up.
    assert notes_of([("a", 1, "spam"), ("b", 2, "ham"), ("c", 3, "")]) == ()
    assert notes_of([("a", 0, ""), *((f"b{k}", 0, "") for k in range(20)), ("c", 1, "")]) == ()


def test_an_item_that_comes_twice_is_said_and_one_of_two_classes_refused(items):
    (note,) = notes_of([*items, *items[:40]])
    assert note.startswith("40 rows have the id of an earlier row in column 'id', such as line 402")
    contradicted = [(name, score, "ham") for name, score, label in items if label == "spam"][:3]
    with pytest.raises(ValueError, match=r"3 ids in column 'id' have different labels, .*'spam'"):
        notes_of([*items, *contradicted])
    # Whichever column has the ids; several items of one id are groups.
    named = {"header": "mail,s,y"}
    with pytest.raises(ValueError, match="3 ids in column 'mail'"):
        notes_of([*items, *contradicted], id_column="mail", **named)
    assert notes_of([*items, *contradicted], groups="id") == ()
    assert notes_of([*items, ("", 0.123, "")])[0].startswith("1 row has no id in column 'id': line")


def test_rows_that_agree_beyond_chance_are_said(items):
    rows = [row[1:] for row in items]
    (note,) = notes_of([*rows, *rows[:40]], header="s,y")
    assert note.startswith("40 rows have the same cells as an earlier row, such as line 402")
    assert "another label" not in note
    other = [(score, "ham") for score, label in rows if label == "spam"][:10]
    (note,) = notes_of([*rows, *other], header="s,y")
    assert "10 of them have another label, such as line" in note


def test_ordinary_files_are_no_alarm(items, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    assert notes_of(items) == ()
    n = 2000
    # Two digits, votes of thirty, leaves of a tree, saturated probabilities, float32 of each.
    leaves, saturated = rng.random(60), rng.random(n)
    saturated[: n // 2] = np.where(rng.random(n // 2) < 0.5, 0.0, 1.0)
    columns = [
        rng.random(n).round(2),
        rng.integers(0, 31, n) / 30.0,
        leaves[rng.integers(0, 60, n)],
        saturated,
        saturated.astype(np.float32).astype(float),
        rng.random(n).astype(np.float32).astype(float),
        rng.random(n).round(4),
    ]
    for scores in columns:
        labels = rng.choice(["spam", "ham", ""], n).tolist()
        assert notes_of(zip(scores.tolist(), labels, strict=True), header="s,y") == ()


def test_blanks_that_were_filled_with_zero_are_asked_about():
    rows = [(f"M{k}", k / 7, int(k % 100 == 0)) for k in range(1, 401)]
    (note,) = notes_of(rows)
    assert note == (
        "All rows are labeled, and 396 of 400 are labeled 0: if a 0 means not labeled, pass "
        "--unlabeled 0."
    )
    assert notes_of([*rows, ("M401", 0.1, "")]) == ()
    assert notes_of([(name, score, k % 3 % 2) for k, (name, score, _) in enumerate(rows)]) == ()


def test_a_label_may_mean_not_labeled(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = [f"M{k},{k / 7!r},{1 if k % 10 == 0 else 0 if k % 10 == 1 else -9}" for k in range(60)]
    path.write_text("\n".join(["id,s,y", *rows]) + "\n")
    options = (path, "--label", "y", "--unlabeled", "-9.0", "--json")
    run("mean", *options)
    record = json.loads(capsys.readouterr().out)
    assert record["read"]["n_labeled"] == 12
    assert any("48 rows with '-9.0' in column 'y'" in note for note in record["read"]["notes"])
    assert run("mean", path, "--label", "y", "--unlabeled", "nothing") == 2
    assert "--unlabeled 'nothing': no row has it in column 'y'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["estimate", "report", "suggest", "find", "mean"])
def test_every_command_refuses_a_total(command, tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = [f"M{k},{k / 7!r},{k % 2 if k < 20 else ''}" for k in range(60)]
    path.write_text("\n".join(["name,s,y", *rows, "Total,252.85,"]) + "\n")
    columns = {"mean": ("--label", "y"), "find": ("--score", "s", "--label", "y", "--recall", 0.7)}
    assert run(command, path, *columns.get(command, ("--score", "s", "--label", "y"))) == 2
    assert "line 62 of" in capsys.readouterr().err.lower()
