"""``judge``: which system is best, whom judges favor, and what to label next."""

import json

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator
from tests.command_line import judge_files
from tests.command_line.data import run
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture
def rated(tmp_path, global_random_seed):
    """Answers of three systems to 60 prompts, a judge that passes most of one, and 45 labels."""
    rng = np.random.default_rng(global_random_seed)
    rates = {"good": 0.95, "middle": 0.5, "flattered": 0.2}
    rows = []
    for prompt in range(60):
        for system, rate in rates.items():
            truth = bool(rng.random() < rate)
            verdict = truth or system == "flattered"
            # It errs in one of ten.
            verdict = verdict != (rng.random() < 0.1)
            rows.append({"prompt_id": prompt, "system": system, "judge": verdict, "human": truth})
    # As many labels of each system.
    labeled = {system: set(rng.permutation(60)[:15].tolist()) for system in rates}
    truth = [row["human"] for row in rows]
    for row in rows:
        if row["prompt_id"] not in labeled[row["system"]]:
            row["human"] = None
    return judge_files.write(tmp_path, "answers.jsonl", rows), rows, truth


def record_of(capsys):
    return json.loads(capsys.readouterr().out)


def test_four_answers_without_an_option(rated, tmp_path, capsys):
    path, rows, _ = rated
    # The verdict may be any.
    assert run("judge", path, "--json") in (0, 3, 4, 5)
    record = record_of(capsys)
    assert record["read"]["systems"] == ["good", "middle", "flattered"]
    assert record["read"]["prompt"] == "prompt_id"

    # The estimates are those of the estimator.
    verdicts = [row["judge"] for row in rows]
    performance = PerformanceCurveEstimator(classes=(0, 1), random_state=0).fit(
        None,
        [-1 if row["human"] is None else int(row["human"]) for row in rows],
        category=[row["system"] for row in rows],
        judges={"judge": np.array(verdicts, dtype=float)},
        groups=[str(row["prompt_id"]) for row in rows],
    )
    rates = performance.by_category("prevalence")
    for system in record["systems"]:
        low, high = rates[system["name"]].interval()
        assert (system["lower"], system["upper"]) == (low, high)
    shares = [system["probability_best"] for system in record["systems"]]
    assert sum(shares) == pytest.approx(1.0)
    assert [s["pass_rate"] for s in record["systems"]] == sorted(rates.values, reverse=True)
    assert sum(system["n_labels"] for system in record["systems"]) == 45

    # The share that the judge passes is known, and the true one is estimated.
    (judge,) = record["judges"]
    passed = np.mean([row["judge"] for row in rows if row["system"] == "flattered"])
    excess = judge["excess"]["flattered"]
    assert excess["lower"] > 0.2
    assert excess["value"] == pytest.approx(passed - rates["flattered"].value, abs=0.01)
    assert record["worth"]["n_labels"] == 45

    # Answers to label: unlabeled ones of the first two, as they are in the file.
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    assert len(chosen) == record["next"]["n"] == 20
    first_two = {system["name"] for system in record["systems"][:2]}
    for row in chosen:
        assert row["system"] in first_two
        assert row in rows
        assert row["human"] is None


def test_the_text_says_it_in_sentences_and_gates_set_the_status(rated, capsys):
    path, _, _ = rated
    arguments = ("judge", path, "--next", "0", "--gate", "good > flattered")
    # A gate is met whatever the number of labels, but not where the data contradict the model.
    assert run(*arguments) in (0, 4, 5)
    out = capsys.readouterr().out
    assert out.startswith("Read 180 answers of 3 systems (`system`) to 60 prompts (`prompt_id`)")
    text = " ".join(out.split())
    assert "est: good, " in text
    assert "judge passes flattered" in text
    assert "labels" in text
    assert "The gate is met: good passes more often than flattered" in text
    assert "predicted" not in text

    assert run(*arguments, "--gate", "flattered > 80%") == 6
    out = capsys.readouterr().out
    assert "The gate is not met: flattered passes more than 80 of 100" in out


def test_without_labels_nobody_checked_the_judges(rated, tmp_path, capsys):
    path, rows, _ = rated
    for row in rows:
        row["human"] = None
    judge_files.write(tmp_path, "answers.jsonl", rows)
    assert run("judge", path, "--next", "6") == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "Nobody checked the judges" in out
    n_passed = sum(row["judge"] for row in rows if row["system"] == "flattered")
    assert f"flattered {100 * n_passed / 60:.0f}" in out
    chosen = [json.loads(line) for line in (tmp_path / "next.jsonl").read_text().splitlines()]
    # As many of each system.
    assert sorted(row["system"] for row in chosen) == [
        "flattered",
        "flattered",
        "good",
        "good",
        "middle",
        "middle",
    ]
    assert run("judge", path, "--gate", "good > middle") == 6


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--gate", "good > nobody"), "where A and B are systems: good, middle, flattered"),
        (("--gate", "good"), "must be 'A > B'"),
        (("--judge", "nobody"), "There is no column 'nobody'"),
        (("--label", "nobody"), "There is no column 'nobody' of labels"),
        (("--labels", "nowhere.csv"), "There is no file nowhere.csv"),
    ],
)
def test_what_cannot_be_answered_is_an_error_before_the_fit(rated, arguments, what, capsys):
    path, _, _ = rated
    assert run("judge", path, *arguments) == 2
    assert what in capsys.readouterr().err


def test_all_labels_and_ties_are_answered(tmp_path, capsys):
    # All labels known: exact counts, and nothing to label.
    rows = [{"id": i, "model": s, "judge": v, "human": v} for s, i, v in judge_files.answers()]
    path = judge_files.write(tmp_path, "all.jsonl", rows)
    run("judge", path)
    out = " ".join(capsys.readouterr().out.split())
    n_passed = {s: sum(judge_files.VERDICTS[s]) for s in judge_files.SYSTEMS}
    assert f"Best: a, {100 * n_passed['a'] / 8:.0f} of 100 pass (exact)" in out
    assert "these are exact counts" in out
    assert "All answers of a, b are labeled" in out

    # Ties everywhere: a partial pass is none, and a judge of one value is left out.
    for row in rows:
        row |= {"judge": 0.5, "human": "partial" if row["id"] < 4 else None}
    path = judge_files.write(tmp_path, "ties.jsonl", rows)
    assert run("judge", path) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "8 labels are partial passes: only a full pass counts as a pass" in out
    assert "judge says 0.5 of every answer: it tells nothing, and is left out" in out
    assert "all of them are fails" in out
    assert "not separable from" in out
