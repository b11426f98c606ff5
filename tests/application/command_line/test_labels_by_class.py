"""Labels that were chosen by class, and features beside judges, on the command line."""

import json

import numpy as np
import pytest

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from tests.application.command_line.data import run

N_LABELED, N = 40, 240


@pytest.fixture
def answers(tmp_path, global_random_seed):
    """A file with 20 passes, 20 fails, and 200 new answers; its columns."""
    rng = np.random.default_rng(global_random_seed)
    half = N_LABELED // 2
    truth = np.r_[np.ones(half), np.zeros(half), rng.random(N - N_LABELED) < 0.8].astype(int)
    judge = np.where(rng.random(N) < 0.15, 1 - truth, truth)
    length = rng.integers(20, 400, N)
    rows = ["judge,length,human"]
    rows += [f"{judge[i]},{length[i]},{truth[i] if i < N_LABELED else ''}" for i in range(N)]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(rows))
    y = np.where(np.arange(N) < N_LABELED, truth, -1)
    return path, judge, length, y


def record(capsys, *options, status=0):
    assert run(*map(str, options), "--json", "--n-draws", "200") == status
    return json.loads(capsys.readouterr().out)


def value_of(record, name):
    (row,) = (row for row in record["estimates"] if row["name"] == name)
    return row["value"]


def test_new_answers_by_labels_chosen_by_class(answers, capsys):
    """The numbers are those of the library, of estimate and of mean."""
    path, judge, _, y = answers
    options = (path, "--judge", "judge", "--label", "human", "--labels-by-class")
    printed = record(capsys, "estimate", *options)
    performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    performance = performance.fit(None, y, judges={"judge": judge}, inclusion_proba="by_class")
    expected = performance.estimate("prevalence").value
    assert value_of(printed, "prevalence") == expected

    printed = record(capsys, "mean", *options)
    means = MeanEstimator(n_draws=200, random_state=0)
    means = means.fit(judge, np.where(y < 0, np.nan, y), inclusion_proba="by_class")
    assert value_of(printed, "mean label") == means.estimate().value


def test_chances_and_labels_by_class_exclude_each_other(answers, capsys):
    options = ("--label", "human", "--labels-by-class", "--inclusion-proba", "length")
    assert run("mean", str(answers[0]), "--judge", "judge", *options) == 2
    assert "leave one of them out" in capsys.readouterr().err


def test_features_beside_judges(answers, capsys):
    path, judge, length, y = answers
    options = (path, "--judge", "judge", "--label", "human", "--feature", "length")
    printed = record(capsys, "estimate", *options)
    performance = PerformanceCurveEstimator(n_draws=200, random_state=0)
    performance = performance.fit(
        None, y, judges={"judge": judge}, features={"length": length.astype(float)}
    )
    assert value_of(printed, "prevalence") == performance.estimate("prevalence").value
    assert printed["read"]["feature"] == ["length"]


def judged(capsys, *options):
    status = run("judge", *map(str, options), "--random-state", "0")
    return status, capsys.readouterr()


def test_judge_answers_of_new_answers_by_labels_chosen_by_class(answers, capsys):
    path, judge, _, y = answers
    status, printed = judged(capsys, path, "--judge", "judge", "--labels-by-class", "--json")
    assert status == 0
    (system,) = json.loads(printed.out)["systems"]
    performance = PerformanceCurveEstimator(classes=(0, 1), random_state=0)
    performance = performance.fit(None, y, judges={"judge": judge}, inclusion_proba="by_class")
    assert system["rate"] == performance.estimate("prevalence").value


@pytest.mark.parametrize("option", [("--gate", "all answers > 50"), ("--next", "5")])
def test_judge_refuses_what_labels_by_class_do_not_tell(option, answers, capsys):
    path, *_ = answers
    status, printed = judged(capsys, path, "--labels-by-class", *option)
    assert status == 2
    assert option[0] in printed.err


def test_verdicts_that_differ_between_labeled_and_other_answers_are_told(tmp_path, capsys):
    # The judge passes 20 of 40 labeled answers; of 200 others all but 10, or half.
    for n_failed, is_told in ((10, True), (100, False)):
        verdicts = np.r_[np.tile([1, 0], 20), np.arange(200) >= n_failed].astype(int)
        labels = [*np.tile([1, 0], 19).tolist(), 0, 1]
        rows = [f"{verdict},{labels[i] if i < 40 else ''}" for i, verdict in enumerate(verdicts)]
        path = tmp_path / "answers.csv"
        path.write_text("\n".join(["judge,human", *rows]))
        _, printed = judged(capsys, path)
        assert ("add --labels-by-class" in " ".join(printed.out.split())) == is_told
