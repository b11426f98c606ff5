"""``find``: the positives with a promise, for a budget of labels."""

import csv
import json
from contextlib import suppress

import numpy as np
import pytest

from sklearn_spe import ActiveTestSelector, Goal
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnreachableGoalError
from tests.application.command_line.data import COLUMNS, QUICK, fill, run


@pytest.fixture
def pool(tmp_path):
    """Return a file of scores of which six are labelled, and all labels."""
    scores, truth = make_scores(120, random_state=0)
    said = ["" if i >= 6 else str(label) for i, label in enumerate(truth)]
    lines = [f"{i},{float(s)!r},{y}" for i, (s, y) in enumerate(zip(scores, said, strict=True))]
    path = tmp_path / "pool.csv"
    path.write_text("\n".join(["name,s,y", *lines]) + "\n")
    return path, scores, truth


def find(*arguments):
    return run("find", *arguments, *COLUMNS)


def returned(path):
    """Return the rows of the answer, and where they stand in the file."""
    with path.open(newline="") as file:
        marks = [(int(row["name"]), row["returned"]) for row in csv.DictReader(file)]
    return [name for name, mark in marks if mark == "1"], [mark for _, mark in marks]


def test_labels_are_asked_for_until_the_budget_is_spent(pool, tmp_path, capsys):
    path, scores, truth = pool
    table, answer = tmp_path / "pool_next.csv", tmp_path / "pool_answer.csv"
    assert find(path, "--precision", 0.7, "--budget", 9, "-n", 6) == 0
    fill(table, 6, truth)
    # Three are left of the budget.
    assert find(table, "--budget", 9, "-n", 6, "--json") == 0
    printed = capsys.readouterr().out
    record = json.loads(printed[printed.index("{") :])
    assert (record["n_asked"], record["n_spent"], record["n_labels"]) == (3, 6, 12)
    assert (record["goal"], record["stop_reason"]) == ("precision >= 0.7", None)
    fill(table, 3, truth)
    assert not answer.exists()
    find(table, "--budget", 9)
    assert "Stop: the budget of 9 labels is spent." in capsys.readouterr().out
    y = np.where(np.arange(120) < 6, truth, -1)
    selector = ActiveTestSelector(Goal.of(precision=0.7), random_state=0).fit(scores, y)
    for n in (6, 3):
        items = selector.query(n)
        selector.update(items, truth[items])
    names, marks = returned(answer)
    assert sorted(names) == np.flatnonzero(selector.selected_).tolist()
    # The order of rows is that of the file.
    assert marks == ["1" if k in names else "0" for k in range(120)]
    assert find(table, "--budget", 9) == 2
    assert "pool_answer.csv exists: remove it, or pass another" in capsys.readouterr().err


@pytest.mark.slow
def test_an_answer_of_known_positives_alone_is_called_so(tmp_path, capsys):
    # Scores without meaning: nothing vouches for an item whose label is not known.
    path = tmp_path / "blind.csv"
    rows = [f"{i},{i * 37 % 100},{'' if i > 19 else i % 2}" for i in range(100)]
    path.write_text("\n".join(["name,s,y", *rows]) + "\n")
    find(path, "--precision", 0.999, "--budget", 0)
    told = capsys.readouterr().out
    assert "A selection of 10 items meets precision >= 0.999 with probability 1." in told
    assert "only the items that are known to be positive" in told
    run("estimate", path, *COLUMNS, "--goal", "precision=0.999")
    told = capsys.readouterr().out
    assert "No threshold is guaranteed to reach precision >= 0.999 yet: label these 20 rows" in told
    # The goal comes before the numbers of the usual threshold.
    assert told.startswith(
        "Threshold: none for unlabeled items yet. The 10 items that are known to"
    )


def test_an_answer_that_leaves_nothing_out_is_called_so(pool, tmp_path, capsys):
    path, _, truth = pool
    everything = "That is every item that may be positive: the goal leaves none out."
    answer = tmp_path / "answer.csv"
    find(path, "--precision", 0.01, "--budget", 0, "--out", answer)
    assert everything in capsys.readouterr().out
    assert len(returned(answer)[0]) == 120 - np.sum(truth[:6] == 0)
    run("estimate", path, *QUICK, "--goal", "precision=0.01")
    assert everything.split(":")[0] in capsys.readouterr().out
    run("estimate", path, *QUICK, "--goal", "precision=0.01", "--target", "population")
    assert everything.split(":")[0] in capsys.readouterr().out
    answer.unlink()
    find(path, "--precision", 0.7, "--budget", 0, "--out", answer)
    run("estimate", path, *QUICK, "--goal", "precision=0.6", "--goal-probability", 0.5)
    assert everything.split(":")[0] not in capsys.readouterr().out


def test_labels_alone_may_be_asked_for_a_proof(pool, capsys):
    bounds = ("--precision", 0.7, "--recall", 0.7, "--budget", 0)
    assert find(pool[0], *bounds, "--guarantee", "anytime") == 6
    message = "No answer is proved to keep precision >= 0.7 and recall >= 0.7 at the level 0.9"
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "A guarantee is needed: pass --precision 0.9, for example, or another bound."),
        (["--precision", "1"], "a number in (0, 1) is needed; got '1'"),
        (["--precision", "0.9", "--budget", "-1"], "a whole number of at least 0 is needed"),
        (["--specificity", "0.9", "--f1", "0.9", "--least", "2"], "a number in (0, 1)"),
        (["--precision", "0.9", "--out", "nowhere/a.csv"], "folder 'nowhere' does not exist"),
    ],
)
def test_what_is_wrong_is_named(pool, options, message, capsys):
    try:
        status = find(pool[0], *options)
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    assert message in capsys.readouterr().err


def test_a_table_that_was_begun_for_a_metric_goes_on_with_suggest(pool, tmp_path, capsys):
    assert run("suggest", pool[0], *COLUMNS, "-n", 3) == 0
    assert find(tmp_path / "pool_next.csv") == 2
    assert "was started by suggest, for average_precision" in capsys.readouterr().err


def test_the_cost_is_told_before_a_label_is_spent(pool, tmp_path, capsys):
    path, _, truth = pool
    # Most of a few are labeled: a plan simulates what the others may be.
    head, *rows = path.read_text().splitlines()[:25]
    rows[6:20] = [f"{row}{truth[k]}" for k, row in enumerate(rows[6:20], start=6)]
    path.write_text("\n".join([head, *rows]) + "\n")
    # It writes nothing, so that a table of an earlier run does not matter.
    (tmp_path / "pool_next.csv").write_text("earlier")
    assert find(path, "--precision", 0.7, "--max-returned", 12, "--plan", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["goal"] == "precision >= 0.7 and predicted_positives <= 12"
    plan = record["plan"]
    assert plan["n_labels"] is None or plan["n_labels"] in plan["further_labels"]
    assert plan["least"] == pytest.approx(0.5 * plan["attainable"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pool.csv", "pool_next.csv"]
    assert (tmp_path / "pool_next.csv").read_text() == "earlier"


def test_a_rule_for_later_rows_is_that_of_the_population(pool, tmp_path, capsys):
    path, scores, truth = pool
    wanted = ("--precision", 0.6, "--confidence-level", 0.8, "--target", "population")
    found = find(path, *wanted, "--budget", 0, "--json")
    record = json.loads(capsys.readouterr().out)
    y = np.where(np.arange(120) < 6, truth, -1)
    selector = ActiveTestSelector(Goal.of(precision=0.6), confidence_level=0.8, random_state=0)
    rule = {"precision": 0.6, "confidence_level": 0.8, "target": "population"}
    threshold = None
    with suppress(UnreachableGoalError):
        threshold = selector.fit(scores, y).performance_.threshold_for(**rule)
    assert record.get("threshold_of_rule") == threshold
    assert (found == 6) == (threshold is None)
    # It is no list of these rows.
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pool.csv"]
    assert find(path, *wanted, "--guarantee", "anytime", "--budget", 0) == 2
    assert "not to later ones" in capsys.readouterr().err


def test_more_labeled_positives_than_may_be_returned_are_told(pool, capsys):
    path, _, truth = pool
    n_positive = int(truth[:6].sum())
    wanted = ("--precision", 0.7, "--max-returned", n_positive - 1, "--budget", 0)
    assert n_positive > 1
    assert find(path, *wanted) == 6
    message = capsys.readouterr().err
    assert f"{n_positive} rows are labeled positive" in message
    assert f"raise --max-returned {n_positive - 1}" in message
