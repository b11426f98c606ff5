"""A table that goes on remembers what was asked for: every option but those of one call."""

import argparse
import json

import pytest

from sklearn_spe.application.command_line._option_table import parser_of_commands
from tests.application.command_line.data import fill, pool, run

# How a file is read, and what one call does: a table that was written here is read as it is.
OF_A_CALL = {
    *("help", "file", "out", "json", "drop_missing", "id", "unlabeled"),
    *("sep", "decimal", "encoding", "sheet", "max_bytes"),
}
OF_BOTH = {
    **{"score": "s", "label": "y", "smaller_is_positive": True, "pos_label": "0"},
    **{"classes": ["0", "1"], "confidence_level": 0.8, "random_state": 3, "n_labels": 4},
}
GIVEN = {
    "find": {
        **OF_BOTH,
        **{"precision": 0.5, "recall": 0.1, "f1": 0.1, "accuracy": 0.1, "specificity": 0.1},
        **{"false_positive_rate": 0.9, "true_positives": 2, "predicted_positives": 3},
        **{"false_negatives": 119, "guarantee": "posterior", "budget": 7, "least": 0.99},
        **{"max_returned": 60, "target": "population", "salt": "theirs"},
    },
    "suggest": {
        **OF_BOTH,
        **{"judge": ["j"], "metric": "f1", "threshold": 1.0, "strategy": "random"},
        **{"interval": "posterior", "half_width": 0.01, "budget": 4},
        **{"category": "c", "groups": "g", "compare": ["a", "b"]},
    },
}
# What the table calls otherwise.
CALLED = {
    "smaller_is_positive": "greater_is_positive",
    "guarantee": "interval",
    "max_returned": "predicted_positives",
}
# What a table that goes on is read by.
NEEDED = ("--score", "s", "--label", "y")


def options_of(command):
    commands = next(
        a for a in parser_of_commands()._actions if isinstance(a, argparse._SubParsersAction)
    )
    return {action.dest for action in commands.choices[command]._actions}


def typed(given):
    words = []
    for name, value in given.items():
        values = value if isinstance(value, list) else [] if value is True else [value]
        words += [f"--{name.replace('_', '-')}", *values]
    return words


def record_in(printed):
    return json.loads(printed[printed.index("{") :])


@pytest.mark.slow
@pytest.mark.parametrize("command", GIVEN)
def test_no_option_is_left_out(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (path, _, truth), given = pool(tmp_path), GIVEN[command]
    # Pairs of rows, one of each category.
    head, *rows = path.read_text().splitlines()
    rows = [f"{row},{'ab'[i % 2]},{i // 2}" for i, row in enumerate(rows)]
    path.write_text("\n".join([f"{head},c,g", *rows]) + "\n")
    assert options_of(command) - {"evidence", "plan"} == given.keys() | OF_A_CALL
    assert run(command, path, *typed(given), "--json") == 0
    first = record_in(capsys.readouterr().out)
    table = tmp_path / "pool_next.csv"
    session = json.loads((tmp_path / "pool_next.session.json").read_text())
    settings = session["settings"]
    goal = settings["metric"]["goal"] if command == "find" else ()
    assert {CALLED.get(name, name) for name in given} <= {*settings, *session["options"], *goal}
    # It goes on as it was begun, and says so.
    assert run(command, table, "--json") == 0
    printed = capsys.readouterr()
    assert {**record_in(printed.out), "read": None} == {**first, "read": None}
    assert "note: As before: --n-labels 4, " in printed.err
    fill(table, 4, truth)
    run(command, table, "--json")
    third = record_in(capsys.readouterr().out)
    if command == "find":
        assert (third["n_asked"], third["budget"]) == (3, 7)
    else:
        assert third["stop_reason"] == "the budget of 4 labels is spent"


def test_what_is_given_anew_counts_from_then_on(tmp_path, capsys):
    path, _, truth = pool(tmp_path)
    table = tmp_path / "pool_next.csv"
    assert run("find", path, *NEEDED, "--precision", 0.6, "--budget", 2, "-n", 2) == 0
    fill(table, 2, truth)
    assert run("find", table, *NEEDED, "--budget", 4) == 0
    assert "note: As before: --n-labels 2.\n" in capsys.readouterr().err
    fill(table, 2, truth)
    run("find", table, *NEEDED)
    assert "Stop: the budget of 4 labels is spent." in capsys.readouterr().out
    assert (tmp_path / "pool_answer.csv").exists()


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Return a table that asks for the first three labels."""
    path, _, _ = pool(tmp_path_factory.mktemp("begun"))
    assert run("suggest", path, *NEEDED, "-n", 3) == 0
    return path.with_name("pool_next.csv")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (("--score", "t", "--label", "y"), "started with --score s, got --score t"),
        (("--score", "s", "--label", "t"), "started with --label y, got --label t"),
        ((*NEEDED, "--judge", "j"), "started with no --judge, got --judge j"),
        (("--judge", "j"), "started with no --judge, got --judge j"),
    ],
)
def test_other_columns_than_those_of_before_are_refused(begun, other, message, capsys):
    assert run("suggest", begun, *other) == 2
    assert message in capsys.readouterr().err
