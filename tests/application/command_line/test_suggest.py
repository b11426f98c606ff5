"""``suggest``: the rows to label next, and what is known so far."""

import json

import pytest
from scipy.special import expit

from sklearn_spe import ActiveTestSelector
from sklearn_spe.datasets import make_scores
from tests.application.command_line.data import COLUMNS, asked_in, copied, fill, run


def pool_in(folder):
    """Write a file of scores."""
    scores, truth = make_scores(200, random_state=0)
    lines = [f"{i},{float(score)!r}" for i, score in enumerate(scores)]
    path = folder / "pool.csv"
    path.write_text("\n".join(["name,s", *lines]) + "\n")
    return path, scores, truth


@pytest.fixture
def unlabeled(tmp_path):
    return pool_in(tmp_path)


def suggest(*arguments):
    return run("suggest", *arguments, *COLUMNS)


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """Return the table that asks for the first five labels."""
    folder = tmp_path_factory.mktemp("begun")
    # Nothing is labelled yet: the verdict is not ok, and that is no fault.
    assert suggest(pool_in(folder)[0], "-n", 5) == 0
    return folder / "pool_next.csv"


@pytest.fixture
def table(begun, tmp_path):
    """Return a copy of that table, to be filled in."""
    return copied(begun, tmp_path)


def test_it_goes_on_from_the_table_that_was_filled_in(unlabeled, table, capsys):
    _, scores, truth = unlabeled
    fill(table, 5, truth)
    assert suggest(table, "-n", 5) == 0
    selector = ActiveTestSelector(random_state=0).fit(scores)
    items = selector.query(5)
    selector.update(items, truth[items])
    low, high = selector.estimate_.interval()
    said = f"{selector.estimate_.value:8.3f}   {low:.3f} to {high:.3f}"
    out = capsys.readouterr().out
    assert said in out
    # Five drawn labels are too few for an estimate of their own: the model's is the only one.
    assert ("by the model" in out) == ("by the drawn labels" in out)
    asked = [int(row["name"]) for row in asked_in(table)]
    assert asked == selector.query(5).tolist()


def test_it_never_writes_over_another_table(unlabeled, table, capsys):
    path, _, truth = unlabeled
    fill(table, 5, truth)
    before = table.read_text()
    assert suggest(path, "-n", 5) == 2
    assert "may hold labels" in capsys.readouterr().err
    assert table.read_text() == before


def test_probabilities_say_where_a_decision_is_taken(unlabeled, tmp_path, capsys):
    _, scores, _ = unlabeled
    path = tmp_path / "probabilities.csv"
    path.write_text("\n".join(["s,y", *(f"{p!r}," for p in expit(scores - 2.0).tolist())]) + "\n")
    assert suggest(path, "-n", 5, "--metric", "f1", "--json") == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["threshold"] == 0.5
    assert "f1 is taken at --threshold 0.5" in printed.err
    assert suggest(tmp_path / "probabilities_next.csv", "-n", 5, "--json") == 0
    assert json.loads(capsys.readouterr().out)["threshold"] == 0.5


def test_where_no_threshold_is_usual_it_is_asked_for(unlabeled, capsys):
    asked = ("--score", "name", "--label", "y", "--metric", "f1")
    assert run("suggest", unlabeled[0], *asked) == 2
    assert "none is usual for scores from 0 to 199: pass --threshold" in capsys.readouterr().err
