"""``suggest --judge``: what to label next, by what judges say."""

import numpy as np
import pytest

from sklearn_spe import ActiveTestSelector
from tests.command_line.data import asked_in, fill, rows_in, run
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture
def judged(tmp_path, global_random_seed):
    """A file of verdicts and scores of two judges, and the labels."""
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(120) < 0.5).astype(int)
    gpt = np.where(rng.random(120) < 0.1, 1 - truth, truth)
    reward = np.round(truth + rng.normal(size=120), 4)
    path = tmp_path / "answers.csv"
    rows = zip(
        range(120), gpt, ("" if i % 9 == 0 else r for i, r in enumerate(reward)), strict=True
    )
    path.write_text("\n".join(["name,gpt,reward", *(f"{i},{g},{r}" for i, g, r in rows)]) + "\n")
    judges = {"gpt": gpt, "reward": np.where(np.arange(120) % 9 == 0, np.nan, reward)}
    return path, judges, truth


def suggest(*arguments):
    of_judges = ("--label", "y", "--judge", "gpt", "reward", "--metric", "prevalence")
    return run("suggest", *arguments, "-n", 5, *of_judges)


def test_judges_alone_say_what_to_label_next(judged, tmp_path, capsys):
    path, judges, truth = judged
    assert suggest(path) == 0
    table = tmp_path / "answers_next.csv"
    assert {"gpt", "reward"} <= set(rows_in(table)[0])
    asked = [int(row["name"]) for row in asked_in(table)]
    fill(table, 5, truth)
    assert suggest(table) == 0
    selector = ActiveTestSelector("prevalence", random_state=0).fit(None, judges=judges)
    items = selector.query(5)
    assert asked == items.tolist()
    low, high = selector.update(items, truth[items]).estimate_.interval()
    assert f"{low:.3f} to {high:.3f}" in capsys.readouterr().out


def test_what_is_said_of_judges_must_fit(judged, capsys):
    path, _, _ = judged
    assert run("suggest", path, "--label", "y") == 2
    assert "--score, or --judge, must name a column" in capsys.readouterr().err
    assert run("suggest", path, "--label", "y", "--judge", "gpt", "--metric", "f1") == 2
    assert "pass --score" in capsys.readouterr().err
    assert run("suggest", path, "--label", "y", "--judge", "nobody") == 2
    assert "nobody" in capsys.readouterr().err
