"""Two people label copies of one table: merged, and the next rows written for both."""

import json

import pytest

from sklearn_spe.application.tables._session_file import session_path
from tests.application.command_line.data import (
    COLUMNS,
    LABELS,
    QUICK,
    SCORES,
    asked_in,
    rows_in,
    run,
    table,
    write_rows,
)


@pytest.fixture
def two(tmp_path):
    """Return copies of one table: rows 0 to 13 and 10 to 19 labelled, 12 in two ways."""
    anna, ben = tmp_path / "anna.csv", tmp_path / "ben.csv"
    table(anna, labeled=range(14))
    table(ben, labeled=range(10, 20))
    rows = ben.read_text().splitlines()
    rows[13] = f"{float(SCORES[12])!r},{1 - LABELS[12]}"
    ben.write_text("\n".join(rows) + "\n")
    return anna, ben


def test_estimates_are_those_of_one_table_without_the_disagreement(two, tmp_path, capsys):
    one = table(tmp_path / "one.csv", labeled=[i for i in range(20) if i != 12])
    assert run("estimate", one, *QUICK, "--json") == run("estimate", *two, *QUICK, "--json")
    printed = capsys.readouterr().out
    decoder = json.JSONDecoder()
    alone, end = decoder.raw_decode(printed)
    both, _ = decoder.raw_decode(printed[end:].strip())
    assert both["estimates"] == alone["estimates"]
    assert both["read"]["n_labeled"] == 19
    found = both["annotators"]
    assert found["files"] == [
        {"name": "anna.csv", "n_labeled": 14},
        {"name": "ben.csv", "n_labeled": 10},
    ]
    (agreement,) = found["agreements"]
    assert (agreement["n_both"], agreement["n_same"], agreement["agreement"]) == (4, 3, 0.75)
    ((one, other),) = found["disagreements"]
    assert (one["line"], one["label"], other["label"]) == (14, LABELS[12], 1 - LABELS[12])


def test_the_report_says_who_labeled(two, tmp_path):
    page = tmp_path / "page.html"
    run("report", *two, *QUICK, "-o", page)
    text = page.read_text(encoding="utf-8")
    assert "anna.csv and ben.csv agree on 3 of the 4 rows" in text
    assert "anna.csv, line 14" in text


def label(path, item, label):
    """Fill in the label of an item."""
    rows = rows_in(path)
    next(row for row in rows if float(row["s"]) == SCORES[item])["y"] = str(label)
    write_rows(path, rows)


def items_asked(path):
    """Return the items that a table asks for."""
    return [SCORES.tolist().index(float(row["s"])) for row in asked_in(path)]


def test_each_goes_on_with_a_table_of_ones_own(two, tmp_path, capsys):
    assert run("suggest", *two, *COLUMNS, "-n", "3") == 0
    said = capsys.readouterr().out
    assert "They disagree on 1 row." in said
    assert "are to be labeled, 1 of them disagreements to be settled" in said
    both = [tmp_path / "anna_next.csv", tmp_path / "ben_next.csv"]
    anna, ben = map(rows_in, both)
    assert (anna[12]["y"], ben[12]["y"]) == (str(LABELS[12]), str(1 - LABELS[12]))
    # The disagreement comes first.
    asked = items_asked(both[0])
    assert asked == items_asked(both[1])
    assert (asked[0], len(asked)) == (12, 4)
    assert {anna[k]["y"] for k in asked[1:]} == {ben[k]["y"] for k in asked[1:]} == {""}
    # What one alone said stays with that one, and what is remembered is the same.
    assert [sum(row["y"] != "" for row in rows) for rows in (anna, ben)] == [14, 10]
    assert [{**row, "y": ""} for row in anna] == [{**row, "y": ""} for row in ben]
    label(both[1], 12, LABELS[12])
    assert run("suggest", *both, *COLUMNS, "-n", "3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_labels"], found["annotators"]["disagreements"]) == (20, [])
    assert (found["table"], found["tables"]) == (None, list(map(str, both)))
    # A label that was learned is none any more once somebody contradicts it.
    label(both[1], 12, 1 - LABELS[12])
    assert run("suggest", *both, *COLUMNS, "-n", "3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n_labels"], len(found["annotators"]["disagreements"])) == (19, 1)
    assert any("to nothing" in text for text in found["warnings"])
    assert [items_asked(path)[0] for path in both] == [12, 12]


def test_one_table_for_all(two, tmp_path, capsys):
    common = tmp_path / "common.csv"
    assert run("suggest", *two, *COLUMNS, "-n", "3", "--out", common) == 0
    asked = asked_in(common)
    assert [row["y"] for row in asked] == [""] * 4
    assert sum(row["y"] != "" for row in rows_in(common)) == 19
    assert items_asked(common)[0] == 12
    label(common, 12, LABELS[12])
    capsys.readouterr()
    assert run("suggest", common, *COLUMNS, "-n", "3", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_labels"] == 20


@pytest.mark.parametrize("out", [(), ("--out", "anna.csv")])
def test_no_copy_is_lost(two, out, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = [path.read_bytes() for path in two]
    (tmp_path / "ben_next.csv").write_text("s,y\n0.5,1\n")
    assert run("suggest", *two, *COLUMNS, *out) == 2
    assert ("is the copy of one annotator" if out else "may hold labels") in capsys.readouterr().err
    assert [path.read_bytes() for path in two] == before
    assert not (tmp_path / "anna_next.csv").exists()


@pytest.mark.slow
def test_a_run_that_was_ended_between_two_writes_is_gone_on_from(two, tmp_path, capsys):
    both = [tmp_path / "anna_next.csv", tmp_path / "ben_next.csv"]
    assert run("suggest", *two, *COLUMNS, "-n", "3") == 0
    for item in items_asked(both[0])[1:]:
        label(both[0], item, LABELS[item])
    label(both[1], 12, LABELS[12])
    # In the order in which they are written.
    files = [*map(session_path, both), *both]
    before = [path.read_bytes() for path in files]
    assert run("suggest", *both, *COLUMNS, "-n", "2") == 0
    after = [path.read_bytes() for path in files]
    for n_written in range(1, len(files)):
        for k, path in enumerate(files):
            path.write_bytes(after[k] if k < n_written else before[k])
        assert run("suggest", *both, *COLUMNS, "-n", "2") == 0
        assert [path.read_bytes() for path in files] == after
    # Sessions with another seed are no later records of one.
    files[1].write_bytes(before[1].replace(b'"random_state":0', b'"random_state":1'))
    capsys.readouterr()
    assert run("suggest", *both, *COLUMNS, "-n", "2") == 2
    assert "do not continue each other" in capsys.readouterr().err


def test_copies_of_one_table_are_of_its_session(two, tmp_path, capsys):
    assert run("suggest", two[0], *COLUMNS, "-n", "3", "--out", tmp_path / "round.csv") == 0
    copies = [tmp_path / "a.csv", tmp_path / "b.csv"]
    asked = items_asked(tmp_path / "round.csv")
    for path in copies:
        path.write_bytes((tmp_path / "round.csv").read_bytes())
    label(copies[0], asked[0], LABELS[asked[0]])
    label(copies[1], asked[2], LABELS[asked[2]])
    capsys.readouterr()
    assert run("suggest", *copies, "-n", "2", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_labels"] == 14 + 2
    assert record["sessions"] == [str(session_path(path)) for path in copies]
    assert session_path(copies[0]).read_bytes() == session_path(copies[1]).read_bytes()


def test_a_run_that_was_ended_after_the_first_write_of_all_says_what_to_do(two, tmp_path, capsys):
    assert run("suggest", *two, *COLUMNS, "-n", "3") == 0
    (tmp_path / "ben_next.csv").unlink()
    assert run("suggest", tmp_path / "anna_next.csv", two[1], *COLUMNS) == 2
    said = capsys.readouterr().err
    assert "anna_next.csv, remove that and run the same again" in said
    (tmp_path / "anna_next.csv").unlink()
    assert run("suggest", *two, *COLUMNS, "-n", "3") == 0
