"""Exit statuses: what each command answers, beside its text."""

import json
import re
from pathlib import Path

import pytest

import sklearn_spe
from sklearn_spe.application.command_line._option_table import COMMANDS
from sklearn_spe.application.command_line._terminal import OF_VERDICT
from tests.application.command_line.data import COLUMNS, QUICK, fill, pool, run, table

GOAL = ("--goal", "precision=0.999", "--goal", "recall=0.999")
BOUNDS = ("--precision", 0.999, "--recall", 0.999, "--budget", 0)


@pytest.fixture
def scored(tmp_path):
    return table(tmp_path / "t.csv", labeled=range(40))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("estimate", (*QUICK, *GOAL)),
        ("report", (*QUICK, *GOAL)),
        ("find", (*COLUMNS, *BOUNDS)),
        ("find", (*COLUMNS, *BOUNDS, "--target", "population")),
        ("find", (*COLUMNS, *BOUNDS, "--guarantee", "anytime")),
    ],
)
def test_a_goal_that_is_not_met_is_6(command, options, scored, capsys):
    assert run(command, scored, *options, "--json") == 6
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert record["error"] in printed.err
    # The numbers are answered all the same.
    assert record["estimates"]
    assert not Path(scored).with_name("t_answer.csv").exists()
    if command == "report":
        assert Path(scored).with_name("t_report.html").exists()


@pytest.mark.parametrize("options", [(), ("--goal", "precision=0.5"), ("--cost", "1", "5")])
def test_other_answers_have_the_status_of_their_verdict(options, scored, capsys):
    status = run("estimate", scored, *QUICK, *options, "--json")
    record = json.loads(capsys.readouterr().out)
    assert status == OF_VERDICT[record["verdict"]["verdict"]]


@pytest.mark.slow
def test_asking_for_labels_is_0_whatever_the_verdict_and_stopping_is_not(tmp_path, capsys):
    path, _, truth = pool(tmp_path)
    asked = tmp_path / "pool_next.csv"
    for command, options in (("find", ("--precision", 0.9, "--budget", 3)), ("suggest", ())):
        assert run(command, path, *COLUMNS, *options, "-n", 3, "--json") == 0
        assert json.loads(capsys.readouterr().out)["n_asked"] == 3
        fill(asked, 3, truth)
        stop = ("--budget", 3) if command == "suggest" else ()
        status = run(command, asked, *stop, "--json")
        record = json.loads(capsys.readouterr().out)
        assert record["stop_reason"] == "the budget of 3 labels is spent"
        unmet = command == "find" and record["error"] is not None
        assert status == (6 if unmet else OF_VERDICT[record["verdict"]["verdict"]])
        for file in tmp_path.glob("pool_*"):
            file.unlink()


def test_without_a_budget_find_says_when_it_ends_and_writes_where_it_is_told(tmp_path, capsys):
    path = table(tmp_path / "t.csv", labeled=range(60))
    out = tmp_path / "out.csv"
    status = run("find", path, *COLUMNS, "--precision", 0.5, "--out", out, "--json")
    record = json.loads(capsys.readouterr().out)
    assert status == OF_VERDICT[record["verdict"]["verdict"]]
    assert record["answer"] == str(out)
    header, *rows = out.read_text().splitlines()
    assert header == "s,y,returned"
    assert [row.rpartition(",")[0] for row in rows] == Path(path).read_text().splitlines()[1:]
    assert run("find", path, *COLUMNS, "--precision", 0.5, "--out", out) == 2
    assert "name another file by the option --out" in capsys.readouterr().err


def test_the_guide_has_each_command_in_its_table_of_statuses():
    guide = Path(sklearn_spe.__file__).parents[1] / "doc/user_guide/command_line.rst"
    if not guide.exists():
        pytest.skip("The documentation is not installed.")
    rows = re.findall(r"^   \* - ``(\w+)``$", guide.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)
