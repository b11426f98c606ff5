"""A table between two calls: spreadsheets, lost files, rows that are gone. Never silently wrong."""

import json

import numpy as np
import pytest

from sklearn_spe.application.tables._session_file import session_path
from tests.application.command_line.data import (
    COLUMNS,
    asked_in,
    copied,
    fill,
    pool,
    rows_in,
    run,
    write_rows,
)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Return a table that asked for three labels, with the first two filled in, and the truth."""
    path, _, truth = pool(tmp_path_factory.mktemp("begun"))
    assert run("suggest", path, *COLUMNS, "-n", 3, "--interval", "design") == 0
    table = path.with_name("pool_next.csv")
    fill(table, 2, truth)
    return table, truth


@pytest.fixture
def table(begun, tmp_path):
    return copied(begun[0], tmp_path)


def outcome(table, capsys, status=0):
    """Go on; return what is estimated and asked for."""
    capsys.readouterr()
    assert run("suggest", table, "-n", 3, "--json") == status
    record = json.loads(capsys.readouterr().out)
    return {name: record.get(name) for name in ("estimates", "asked", "n_labels", "warnings")}


@pytest.fixture(scope="module")
def expected(begun, tmp_path_factory):
    """Return what the unchanged table gives."""
    table = copied(begun[0], tmp_path_factory.mktemp("unchanged"))
    assert run("suggest", table, "-n", 3) == 0
    return [row["name"] for row in asked_in(table)]


def test_two_columns_are_added_and_rows_keep_their_order(begun):
    table, _ = begun
    rows = rows_in(table)
    own = rows_in(table.with_name("pool.csv"))
    assert list(rows[0])[: len(own[0])] == list(own[0])
    assert len(rows[0]) == len(own[0]) + 2
    assert [row["name"] for row in rows] == [row["name"] for row in own]


def test_a_spreadsheet_in_between_changes_nothing(table, expected, capsys):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    workbook = table.with_suffix(".xlsx")
    pd.read_csv(table).sort_values("s").to_excel(workbook, index=False)
    table.unlink()
    found = outcome(workbook, capsys)
    assert [str(item) for item in found["asked"]] == expected
    assert (table.with_name("pool_next_next.csv")).exists()


def test_whoever_cannot_tell_is_not_asked_again(table, begun, capsys):
    rows = rows_in(table)
    skipped = asked_in(table)[2]["name"]
    rows[int(skipped)]["spe_next"] = "skip"
    write_rows(table, rows)
    found = outcome(table, capsys)
    assert found["n_labels"] == 8
    assert len(found["asked"]) == 3
    assert int(skipped) not in found["asked"]
    assert rows_in(table)[int(skipped)]["spe_next"] == "skip"


def without_session(table, rows):
    session_path(table).unlink()


def with_other_session(table, rows):
    text = session_path(table).read_text()
    session = json.loads(text)["session"]
    session_path(table).write_text(text.replace(session, "ffffffff"))


def with_older_session(table, rows):
    session = json.loads(session_path(table).read_text())
    items = session["items"]["item"]
    session["items"]["item"] = items[:-1]
    for name in ("chance", "query", "asked", "answered", "answer"):
        runs = session["items"][name]
        runs[-1][1] -= 1
        session["items"][name] = [each for each in runs if each[1]]
    session_path(table).write_text(json.dumps(session))


def with_deleted_rows(table, rows):
    write_rows(table, rows[:50] + rows[52:])


def with_doubled_rows(table, rows):
    write_rows(table, [*rows, rows[7]])


def with_added_rows(table, rows):
    added = {**rows[0], "name": "999", "s": "0.123", "spe_next": ""}
    write_rows(table, [*rows, {**added, next(reversed(added)): ""}])


def with_a_sorted_column(table, rows):
    scores = sorted((row["s"] for row in rows), key=float)
    write_rows(table, [{**row, "s": score} for row, score in zip(rows, scores, strict=True)])


def with_labels_in_another_column(table, rows):
    write_rows(table, [{**row, "spe_next": "spam" if row["spe_next"] else ""} for row in rows])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_session, "pool_next.session.json is missing. It holds with what chance"),
        (with_other_session, "pool_next.session.json belongs to another table"),
        (with_older_session, "did not request it: the file is older than the table"),
        (with_deleted_rows, "rows are missing: items 50, 51"),
        (with_doubled_rows, "Duplicate rows: items 7"),
        (with_added_rows, "add no rows"),
        (with_a_sorted_column, "was a column sorted separately?"),
        (with_labels_in_another_column, "Labels belong into the column of labels"),
    ],
)
def test_what_would_be_wrong_is_refused(change, message, table, capsys):
    change(table, rows_in(table))
    before = {path: path.read_bytes() for path in table.parent.iterdir()}
    assert run("suggest", table, "-n", 3) == 2
    assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in table.parent.iterdir()} == before


@pytest.mark.slow
def test_changes_that_do_not_hinder_are_said(table, begun, capsys):
    truth = begun[1]
    rows = rows_in(table)
    name = next(row["name"] for row in rows if not row["y"] and not row["spe_next"])
    rows[int(name)]["y"] = str(truth[int(name)])
    write_rows(table, rows)
    (warning,) = [text for text in outcome(table, capsys)["warnings"] if "queried" in text]
    assert "1 of 3 items were not queried" in warning
    # A label that was learned, and a score.
    rows = rows_in(table)
    rows[int(name)]["y"] = str(1 - truth[int(name)])
    rows[60]["s"] = "9.5"
    write_rows(table, rows)
    assert any("1 labels differ" in text for text in outcome(table, capsys)["warnings"])
    write_rows(table, rows_in(table))
    run("suggest", table)
    assert "Column 's' has other values than when the session was started" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize("options", [(), ("--interval", "anytime", "--metric", "prevalence")])
def test_both_files_are_little_larger_than_the_input(options, tmp_path, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = [f"M{i:05d},2026-01-05,{rng.random():.4f}," for i in range(400)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["id,date,s,y", *rows]) + "\n")
    assert run("suggest", path, *COLUMNS, *options) == 0
    table = path.with_name("t_next.csv")
    # The column of items has at most four characters, and the next one a comma.
    assert table.stat().st_size - path.stat().st_size < 400 * 5.5 + 60
    assert session_path(table).stat().st_size < 1500
