"""Every table that a page shows has a task that makes it, and its commit stands in one place."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.examples.tables import BENCHMARKS, REPLICATIONS, ROOT, script

SHOWN = re.compile(r"examples/(?:benchmarks|replications)/[\w/]+\.csv")
INCLUDED = re.compile(r"include:: (\w+_table\.rst)")


@pytest.fixture(scope="module")
def registry():
    return script(BENCHMARKS / "all", "registry")


@pytest.fixture(scope="module")
def moved():
    return script(BENCHMARKS / "all", "moved")


@pytest.fixture(scope="module")
def made_at():
    return script(BENCHMARKS / "harness", "made_at")


def shown_tables():
    """Return the tables that pages and the README show, by their places in the checkout."""
    tables = set()
    for page in (*(ROOT / "doc").rglob("*.rst"), ROOT / "README.md"):
        text = page.read_text(encoding="utf-8")
        tables |= set(SHOWN.findall(text))
        tables |= {f"doc/measured/{name}" for name in INCLUDED.findall(text)}
    return tables


def test_each_table_that_a_page_shows_is_made_by_one_task(registry):
    made = [table for task in registry.TASKS for table in task.tables]
    assert len(made) == len(set(made))
    assert not set(made) & registry.NOT_MADE.keys()
    assert shown_tables() <= {*made, *registry.NOT_MADE}


def test_the_commit_and_the_processor_of_each_table_are_noted(registry, made_at):
    noted = made_at.read_made_at()
    assert shown_tables() <= noted.keys()
    made = {table for task in registry.TASKS for table in task.tables}
    assert noted.keys() <= made | registry.NOT_MADE.keys()
    for row in noted.values():
        assert all(row[column] for column in made_at.COLUMNS)


def test_each_command_is_a_script_of_the_examples(registry):
    for task in registry.TASKS:
        for command in task.commands:
            assert (ROOT / "examples" / command.split()[0]).exists()
            fields = set(registry.fields_of(command))
            assert fields <= {"work", "draws", "data"}


def test_a_table_is_noted_with_the_commit_of_its_code(made_at, tmp_path):
    file = tmp_path / "made_at.tsv"
    tables = [BENCHMARKS / "several_heaps.csv", BENCHMARKS / "equal_groups.csv"]
    for table in (*tables, tmp_path / "of_a_user.csv"):
        made_at.note_tables([table], file)
    rows = list(made_at.read_made_at(file).values())
    # In order, without what lies elsewhere.
    assert [Path(row["table"]) for row in rows] == [t.relative_to(ROOT) for t in tables[::-1]]
    assert rows[0]["commit"] == rows[1]["commit"] != ""


def test_a_replication_writes_its_table_and_notes_nothing_elsewhere(made_at, tmp_path):
    results = script(REPLICATIONS / "harness", "results")
    before = made_at.MADE_AT.read_bytes()
    results.write_table([{"a": 0.25}], "first", SimpleNamespace(out=tmp_path))
    assert (tmp_path / "first.csv").read_text() == "a\n0.250\n"
    assert made_at.MADE_AT.read_bytes() == before


def test_a_cell_of_many_labelings_is_coverage_and_mean_interval_score(tmp_path):
    tables = script(BENCHMARKS / "harness", "reply_tables")
    zeros = dict.fromkeys(("error", "bias", "width"), "0")
    about = {
        "metric": "rate",
        "part": "one",
        "failure": "",
        "count": "1",
        "n_labels": "20",
        **zeros,
    }
    rows = [
        {**about, "set": name, "method": method, "covered": covered, "winkler": score}
        for name, method, covered, score in (
            *(("a", "ours", "1", "0.2"), ("b", "ours", "0", "0.4")),
            *(("a", "other", "1", "0.5"), ("a", "not shown", "1", "9.0")),
        )
    ]
    table = tables.main_table(rows, "rate", "n_labels", "method")
    names = {"ours": "package", "other": "labels alone", "absent": "not installed"}
    tables.write_over_all(tmp_path / "table.csv", {"the rate": table}, names)
    text = (tmp_path / "table.csv").read_text()
    assert text == 'of,labels,package,labels alone\nthe rate,20,"0.50, 0.300","1.00, 0.500"\n'


# --- what moved --------------------------------------------------------------------------


def test_numbers_of_cells_are_read_with_their_errors(moved):
    assert moved.values_of("error", "0.0264 (0.0051)") == [moved.Value(0.0264, 0.0051)]
    assert moved.values_of("width", "-0.5") == [moved.Value(-0.5)]
    assert moved.values_of("covered", "5 of 10") == [moved.Value(0.5, is_share=True)]
    # Three numbers in a cell are three shares.
    values = moved.values_of("coverage", "0.90 / 0.95 / 100%")
    assert [each.value for each in values] == [0.90, 0.95, 1.0]


def test_a_cell_that_was_empty_has_not_moved_and_one_with_other_words_has(moved):
    assert not moved.has_moved("width", "", "0.5", 10, 10)
    assert moved.has_moved("verdict", "ok", "misfit", 10, 10)
    assert moved.has_moved("width", "0.5", "--", 10, 10)


def test_a_mean_with_an_error_moves_beyond_three_of_the_difference(moved):
    # sqrt(.03^2 + .04^2) = .05.
    assert not moved.has_moved("error", "0.10 (0.03)", "0.24 (0.04)", 1, 1)
    assert moved.has_moved("error", "0.10 (0.03)", "0.26 (0.04)", 1, 1)


def test_a_share_moves_as_often_as_chance_allows(moved, global_random_seed):
    # Three standard errors: one in 370 of normal differences; binomial ones are discrete.
    rng = np.random.default_rng(global_random_seed)
    counts = rng.binomial(40, 0.9, (4000, 2))
    flags = [
        moved.has_moved("covered", f"{a / 40:.3f}", f"{b / 40:.3f}", 40, 40) for a, b in counts
    ]
    # Less than .01 each: more than 75 of 4,000 are five standard deviations beyond that.
    assert sum(flags) < 75
    assert moved.has_moved("covered", "0.95", "0.50", 40, 40)


@pytest.mark.parametrize("column", ["worst", "bias of the plug-in"])
def test_extremes_and_biases_are_compared_between_as_many_draws(moved, column):
    assert not moved.has_moved(column, "0.90", "0.05", 200, 3)
    assert moved.has_moved(column, "0.90", "0.05", 200, 200)


def test_an_extreme_among_shares_is_known_by_its_column(moved, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("runs,pass,worst\n10,0.90,0.88\n20,0.90,0.88\n")
    new.write_text("runs,pass,worst\n10,0.00,0.00\n20,0.90,0.88\n")
    moves, *_ = moved.moved(old, new, 200, 10, are_shares=True)
    assert moves == ["10: pass 0.90, now 0.00"]


def test_rows_are_known_by_the_first_cells_that_tell_them_apart(moved, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("labels,method,covered\n20,a,0.90\n20,b,0.90\n50,a,0.90\n")
    new.write_text("labels,method,covered\n50,a,0.40\n20,a,0.91\n100,a,0.90\n")
    moves, gone, added = moved.moved(old, new, 100, 100)
    assert moves == ["50, a: covered 0.90, now 0.40"]
    assert gone == ["20, b"]
    assert added == ["100, a"]


def test_tables_of_pages_are_read_as_rows(moved):
    (table, *_) = moved.read_tables(ROOT / "doc" / "measured" / "calibration_table.rst")
    assert table[0] == ["labels", "method", "Brier score", "log loss", "failed"]
    assert {len(row) for row in table} == {5}


# --- runs that are gone on with ----------------------------------------------------------


def scoreboard(folder, *arguments):
    """Run the quick scoreboard of one short task; return the status and what it prints."""
    command = [sys.executable, str(BENCHMARKS / "all"), "--quick", "--only", "predicted_classes"]
    ended = subprocess.run(
        [*command, "--folder", str(folder), *arguments], capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


def test_without_time_a_task_is_left_and_one_that_is_done_is_not_done_again(tmp_path, made_at):
    status, text = scoreboard(tmp_path, "--minutes", "0")
    assert status == 75, text
    assert "left: predicted_classes" in text

    commit, _ = made_at.commit_of_code()
    work = tmp_path / commit / "quick" / "predicted_classes"
    work.mkdir(parents=True)
    (work / "done.json").write_text(json.dumps({"seconds": 1}))
    status, text = scoreboard(tmp_path, "--minutes", "0")
    assert status == 0, text
    assert "left" not in text


def test_a_run_whose_time_is_over_begins_no_task_and_goes_on_later(tmp_path):
    resuming = script(BENCHMARKS / "harness", "resuming")
    tasks = [resuming.Task({"trial": trial}, (trial,), ("squared",)) for trial in range(4)]
    begun = []

    def work(trial, methods):
        begun.append(trial)
        return [{"method": name, "value": trial**2} for name in methods]

    options = SimpleNamespace(out=tmp_path / "rows.csv", resume=True, jobs=1)
    assert resuming.run(tasks[:2], work, options) == resuming.run(tasks[:2], work, options)
    assert len(resuming.run(tasks, work, options, minutes=0.0)) == 2
    rows = resuming.run(tasks, work, options, minutes=60.0)
    assert [int(row["value"]) for row in rows] == [0, 1, 4, 9]
    assert begun == [0, 1, 2, 3]
