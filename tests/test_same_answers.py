"""The same question has the same answer by every door: the commands, and the estimators."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from sklearn_spe import (
    ActiveTestSelector,
    Goal,
    MeanEstimator,
    PerformanceCurveEstimator,
    ScoreHistogram,
)
from sklearn_spe.datasets import make_scores
from tests.application.command_line.data import run
from tests.quick import QUIET

pytestmark = QUIET
N, N_LABELED = 150, 40
SCORES, TRUTH = make_scores(N, random_state=0)
RNG = np.random.default_rng(0)
WORSE = SCORES + RNG.normal(size=N)
IS_LABELED = RNG.permutation(N) < N_LABELED
Y = np.where(IS_LABELED, TRUTH, -1)
CATEGORY, GROUPS = np.where(RNG.random(N) < 0.4, "a", "b"), RNG.integers(60, size=N)
JUDGE = np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH)
# Columns of scores and labels of files of one column.
ONE_COLUMN = {
    "continuous": (SCORES, Y),
    "tied": (np.round(SCORES), Y),
    "probabilities": (1.0 / (1.0 + np.exp(-SCORES)), Y),
    "two_valued": ((SCORES > 1.5).astype(float), Y),
    "no_positive": (SCORES, np.where(Y == 1, -1, Y)),
    "percent": (np.round(100.0 / (1.0 + np.exp(-SCORES)), 1), Y),
    "votes": (np.round(9.0 / (1.0 + np.exp(-SCORES))) / 9.0, Y),
    "distances": (np.exp(SCORES), Y),
    "top_labels": (SCORES, np.where(np.argsort(np.argsort(SCORES)) >= N - 30, TRUTH, -1)),
    "no_negative": (SCORES, np.where(Y == 0, -1, Y)),
    "all_labels": (SCORES, TRUTH),
    "no_error": (SCORES, np.where((Y >= 0) & ((SCORES > 1.5) == TRUTH), TRUTH, -1)),
}
# Of each kind of scores the quickest; the others are slow, for every door fits each of them.
QUICK_FILES = {"tied", "two_valued", "votes"}
# Whether each question needs a threshold.
QUESTIONS = {"average_precision": False, "prevalence": False, "precision": True, "recall": True}


def file_of(folder, **columns):
    """Write columns; labels are empty where they are missing."""
    path = folder / "items.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(
                "" if value == -1 and name == "y" else value
                for name, value in zip(columns, row, strict=True)
            )
    return path


def printed(capsys, command, path, *options):
    """Return what a command prints."""
    run(command, path, "--label", "y", *options, "--json")
    text = capsys.readouterr().out
    return json.loads(text[text.index("{") :])


def in_print(estimate):
    low, high = estimate.interval()
    return tuple(f"{number:.9f}" for number in (estimate.value, low, high))


def of_row(row):
    # What is undefined has no number in JSON.
    numbers = (np.nan if row[name] is None else row[name] for name in ("value", "lower", "upper"))
    return tuple(f"{number:.9f}" for number in numbers)


def rows_of(record, key="estimates"):
    return {row["name"]: of_row(row) for row in record[key]}


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[] if file in QUICK_FILES else pytest.mark.slow)
        for file in ONE_COLUMN
    ],
)
def test_one_column(file, tmp_path, capsys):
    scores, y = ONE_COLUMN[file]
    at = 50.0 if file == "percent" else 0.5
    performance = PerformanceCurveEstimator(random_state=0, classes=[0, 1]).fit(scores, y)
    counted = PerformanceCurveEstimator(random_state=0, classes=[0, 1]).fit(
        pd.DataFrame({"s": scores}), y, sample_weight=np.ones(N)
    )
    path = file_of(tmp_path, s=[repr(float(s)) for s in scores], y=y)
    classes = ("--score", "s", "--classes", 0, 1)
    estimated = rows_of(printed(capsys, "estimate", path, *classes, "--threshold", at))
    reported = rows_of(
        printed(
            capsys,
            "report",
            path,
            *(*classes, "--threshold", at, "--out", tmp_path / "page.html"),
        )
    )
    for metric, needs_threshold in QUESTIONS.items():
        where = {"threshold": at} if needs_threshold else {}
        expected = in_print(performance.estimate(metric, **where))
        name = metric.replace("_", " ") + (f" at score {at:g}" if where else "")
        assert estimated[name] == expected
        assert reported[name] == expected
        assert in_print(counted.estimate(metric, **where)) == expected

        options = ("--metric", metric, *(("--threshold", at) if where else ()))
        suggested = printed(
            capsys, "suggest", path, *classes, *options, "--out", tmp_path / f"{metric}.csv"
        )
        of_selector = ActiveTestSelector(metric, random_state=0, classes=[0, 1], **where)
        own = {"zero_division": np.nan}
        expected = in_print(performance.estimate(metric, **where, **own))
        assert rows_of(suggested)[metric] == expected
        assert in_print(of_selector.fit(scores, y).estimate_) == expected


def test_a_goal(tmp_path, capsys):
    path = file_of(tmp_path, s=[repr(float(s)) for s in SCORES], y=Y)
    threshold = PerformanceCurveEstimator(random_state=0).fit(SCORES, Y)
    at = threshold.threshold_for(precision=0.6)
    estimated = printed(capsys, "estimate", path, "--score", "s", "--goal", "precision=0.6")
    found = printed(
        capsys, "find", path, "--score", "s", "--precision", 0.6, "--out", tmp_path / "next.csv"
    )
    selector = ActiveTestSelector(Goal.of(precision=0.6), random_state=0).fit(SCORES, Y)
    assert estimated["goal"]["threshold"] == at == found["threshold"] == selector.threshold_
    assert estimated["goal"]["n_items"] == found["n_returned"] == selector.selected_.sum()
    assert f"{estimated['goal']['probability']:.9f}" == f"{found['goal_probability']:.9f}"


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc"])
def test_two_systems(metric, tmp_path, capsys):
    X = {"good": SCORES, "worse": WORSE}
    performance = PerformanceCurveEstimator(random_state=0).fit(X, Y)
    columns = {name: [repr(float(s)) for s in scores] for name, scores in X.items()}
    compared = printed(
        capsys,
        *("compare", file_of(tmp_path, **columns, y=Y), "--scores", "good", "worse"),
        *("--metric", metric),
    )
    selector = ActiveTestSelector(metric, random_state=0).fit(X, Y)
    systems = {row["name"]: of_row(row) for row in compared["systems"]}
    for place, name in enumerate(X):
        expected = in_print(performance.of(system=name).estimate(metric))
        assert systems[name] == in_print(selector.estimate_.at(place)) == expected
    difference = in_print(performance.difference(metric, "good", "worse"))
    assert in_print(selector.difference("good", "worse")) == difference
    assert np.array_equal(selector.ranking_proba_, performance.ranking_proba(metric))


@pytest.mark.parametrize(
    "metric", ["average_precision", pytest.param("prevalence", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("structure", ["category", "groups", "judges"])
def test_structure(structure, metric, tmp_path, capsys):
    column = {"category": CATEGORY, "groups": GROUPS, "judges": JUDGE}[structure]
    given = {structure: {"j": JUDGE} if structure == "judges" else column}
    performance = PerformanceCurveEstimator(random_state=0).fit(SCORES, Y, **given)
    path = file_of(tmp_path, s=[repr(float(s)) for s in SCORES], x=column, y=Y)
    option = "--judge" if structure == "judges" else f"--{structure}"
    estimated = printed(capsys, "estimate", path, "--score", "s", option, "x")
    expected = in_print(performance.estimate(metric))
    assert rows_of(estimated)[metric.replace("_", " ")] == expected
    if metric == "prevalence" and structure != "judges":
        return

    selector = ActiveTestSelector(metric, random_state=0).fit(SCORES, Y, **given)
    if structure == "category":
        table = performance.by_category(metric)
        for one, other in zip(selector.by_category().estimates, table.estimates, strict=True):
            assert in_print(one) == in_print(other)
    else:
        assert in_print(selector.estimate_) == expected


def test_counted_scores():
    tied = np.round(SCORES)
    performance = PerformanceCurveEstimator(random_state=0)
    expected = performance.fit(tied, Y).estimate("average_precision")
    known = np.flatnonzero(Y >= 0)
    histogram = ScoreHistogram("identity", resolution=64).update(tied)
    counted = histogram.with_labels(tied[known], Y[known])
    by_counts = performance.fit(counted).estimate("average_precision")
    selector = ActiveTestSelector("average_precision", random_state=0).fit(counted)
    assert in_print(selector.estimate_) == in_print(by_counts)
    # Bins have no exact scores.
    assert abs(by_counts.value - expected.value) < expected.standard_error


def test_structure_that_says_nothing_moves_no_interval():
    def of(X, **given):
        return PerformanceCurveEstimator(random_state=0).fit(X, Y, **given)

    plain = of(SCORES)
    others = {
        "a constant category": of(SCORES, category=np.zeros(N, dtype=int)),
        "groups of one": of(SCORES, groups=np.arange(N)),
        "one system twice": of({"one": SCORES, "two": SCORES}).of(system="two"),
    }
    for metric, needs_threshold in QUESTIONS.items():
        where = {"threshold": 0.5} if needs_threshold else {}
        expected = in_print(plain.estimate(metric, **where))
        for name, performance in others.items():
            assert in_print(performance.estimate(metric, **where)) == expected, name


NUMBERS = np.where(Y == -1, np.nan, Y)
# What is known of labels whose mean is asked about: proxies, and structure.
OF_MEANS = {
    "labels alone": (None, {}),
    "a score": (SCORES, {}),
    "category": (None, {"category": CATEGORY}),
    "groups": (None, {"groups": GROUPS}),
    "systems on the same prompts": (
        None,
        {"category": np.arange(N) % 2, "groups": np.arange(N) // 2},
    ),
    "a score in categories and groups": (SCORES, {"category": CATEGORY, "groups": GROUPS}),
}


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize("known", OF_MEANS)
def test_the_mean_of_two_classes(known, target):
    X, structure = OF_MEANS[known]
    performance = PerformanceCurveEstimator(target=target, random_state=0).fit(X, Y, **structure)
    means = MeanEstimator(target=target, random_state=0).fit(X, NUMBERS, **structure)
    of_all, expected = means.estimate(), performance.estimate("prevalence")
    assert np.array_equal(of_all.draws, expected.draws)
    assert of_all.interval() == expected.interval()
    if "category" not in structure:
        return

    table, rates = means.by_category(), performance.by_category("prevalence")
    for mean, rate in zip(table.estimates, rates.estimates, strict=True):
        assert np.array_equal(mean.draws, rate.draws)
        assert mean.interval() == rate.interval()
    a, b = means.categories_.tolist()
    difference = means.difference(a, b)
    assert difference.interval() == performance.difference("prevalence", a, b).interval()
    assert np.array_equal(difference.draws, table.estimates[0].draws - table.estimates[1].draws)


@pytest.mark.parametrize("structure", ["", "category", "groups"])
def test_the_mean_of_a_file(structure, tmp_path, capsys):
    given = {"category": CATEGORY, "groups": GROUPS}
    given = {structure: given[structure]} if structure else {}
    path = file_of(tmp_path, y=Y, **given)
    options = (f"--{structure}", structure) if structure else ()
    found = printed(capsys, "mean", path, "--random-state", 0, *options)
    performance = PerformanceCurveEstimator(random_state=0).fit(None, Y, **given)
    assert rows_of(found)["mean label"] == in_print(performance.estimate("prevalence"))
