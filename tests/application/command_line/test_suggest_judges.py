"""``suggest --judge``: what to label next, by what judges say."""

import json

import numpy as np
import pytest

from sklearn_spe import ActiveTestSelector
from tests.application.command_line.data import asked_in, fill, rows_in, run
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


@pytest.fixture
def answers(tmp_path, global_random_seed):
    """A file of the answers of three systems to prompts, one judge, and the labels."""
    rng = np.random.default_rng(global_random_seed)
    system = np.tile(["new", "old", "third"], 30)
    prompt = np.repeat([f"p{k}" for k in range(30)], 3)
    truth = (rng.random(90) < 0.6).astype(int)
    judge = np.where(rng.random(90) < 0.15, 1 - truth, truth)
    path = tmp_path / "answers.csv"
    rows = [
        f"{i},{s},{p},{j}" for i, (s, p, j) in enumerate(zip(system, prompt, judge, strict=True))
    ]
    path.write_text("\n".join(["name,model,question,gpt", *rows]) + "\n")
    return path, system, prompt, judge, truth


def test_answers_of_two_systems_are_asked_for_in_pairs(answers, tmp_path, capsys):
    path, system, prompt, judge, truth = answers
    columns = ("--label", "y", "--judge", "gpt", "--category", "model", "--groups", "question")
    arguments = ("--metric", "prevalence", "--compare", "new", "old", "-n", "6")
    assert run("suggest", path, *columns, *arguments) == 0
    table = tmp_path / "answers_next.csv"

    # The columns of the file and two more, rows in their order.
    rows = rows_in(table)
    assert list(rows[0])[:4] == ["name", "model", "question", "gpt"]
    assert len(rows[0]) == 4 + 1 + 2
    assert [int(row["name"]) for row in rows] == list(range(90))
    asked = [int(row["name"]) for row in asked_in(table)]
    assert set(system[asked]) == {"new", "old"}
    assert prompt[asked[::2]].tolist() == prompt[asked[1::2]].tolist()

    # It goes on without any option, as a selector does.
    fill(table, 6, truth)
    assert run("suggest", table, "-n", "6") == 0
    out = capsys.readouterr().out
    selector = ActiveTestSelector("prevalence", compare=("new", "old"), random_state=0)
    selector = selector.fit(None, judges={"gpt": judge}, category=system, groups=prompt)
    items = selector.query(6)
    assert asked == items.tolist()
    low, high = selector.update(items, truth[items]).estimate_.interval()
    assert "prevalence: new minus old" in out
    assert f"{low:.3f} to {high:.3f}" in out
    assert run("suggest", table, "--compare", "new", "third") == 2
    assert "started with" in capsys.readouterr().err


def test_categories_without_a_pair_are_asked_about_one_by_one(answers, capsys):
    path, system, _, _, _ = answers
    columns = ("--label", "y", "--judge", "gpt", "--category", "model", "--metric", "prevalence")
    assert run("suggest", path, *columns) == 0
    out = capsys.readouterr().out
    for name in set(system.tolist()):
        assert f"  {name} " in out


def test_json_lines_stay_json_lines(answers, tmp_path, capsys):
    _, system, prompt, judge, truth = answers
    columns = {"model": system.tolist(), "question": prompt.tolist(), "gpt": judge.tolist()}
    items = [
        {"name": i, "text": {"words": ["ä", i / 10]}} | {k: v[i] for k, v in columns.items()}
        for i in range(90)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    options = ("--label", "y", "--judge", "gpt", "--category", "model", "--groups", "question")
    arguments = ("--metric", "prevalence", "--compare", "new", "old", "-n", "4")
    assert run("suggest", path, *options, *arguments) == 0

    # The objects as they were, and three more fields.
    table = tmp_path / "answers_next.jsonl"
    written = [json.loads(line) for line in table.read_text().splitlines()]
    further = {name for item in written for name in item} - set(items[0])
    assert len(further) == 3
    assert [{k: v for k, v in item.items() if k not in further} for item in written] == items
    assert {item["y"] for item in written} == {None}
    asked = [item["name"] for item in written if item["spe_next"] is not None]
    assert len(asked) == 4

    # Labels that are filled in are read, and the file is written again.
    for item in written:
        if item["name"] in asked:
            item["y"] = int(truth[item["name"]])
    table.write_text("".join(json.dumps(item) + "\n" for item in written))
    assert run("suggest", table, "-n", "4", "--json") == 0
    printed = capsys.readouterr().out
    record = json.loads(printed[printed.index("{") :])
    assert record["n_labels"] == 4
    again = [json.loads(line) for line in table.read_text().splitlines()]
    assert [item["y"] for item in again] == [item["y"] for item in written]
    assert sum(item["spe_next"] is not None for item in again) == 4
