"""Errors of each judge by system, and Brier score and calibration error of a judge."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = QUIET

N = 400


@pytest.fixture(scope="module")
def answers(global_random_seed):
    """Truth, system, a verdict that passes all of A, a probability and grades from 1 to 5."""
    rng = np.random.default_rng(global_random_seed)
    truth = (rng.random(N) < 0.6).astype(int)
    system = np.where(np.arange(N) % 2 == 0, "A", "B")
    verdict = np.where(system == "A", 1, np.where(rng.random(N) < 0.1, 1 - truth, truth))
    probability = np.clip(0.2 + 0.6 * truth + 0.1 * rng.normal(size=N), 0.01, 0.99)
    grade = np.clip(np.round(2.0 + 2.0 * truth + rng.normal(size=N)), 1, 5)
    return truth, system, {"verdict": verdict, "probability": probability, "grade": grade}


def fitted(answers, n_labels):
    truth, system, judges = answers
    human = np.where(np.arange(N) < n_labels, truth, -1)
    performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
    return performance.fit(None, human, judges=judges, category=system)


@pytest.mark.slow
def test_errors_are_counted_where_all_is_labeled(answers):
    """With all labels known each rate is a count, and a difference that of two counts."""
    truth, system, judges = answers
    performance = fitted(answers, N)
    table = performance.judge_errors(threshold={"grade": 4.0})
    passes = {
        "verdict": judges["verdict"] == 1,
        "probability": judges["probability"] >= 0.5,
        "grade": judges["grade"] >= 4.0,
    }
    assert len(table) == 2 * 3 * 2
    rates = {}
    for judge, is_passed in passes.items():
        for name in ("A", "B"):
            is_of = system == name
            rates[judge, name] = is_passed[is_of & (truth == 0)].mean()
            missed = 1.0 - is_passed[is_of & (truth == 1)].mean()
            assert_allclose(
                table[f"false positive rate of {judge} in {name}"].value, rates[judge, name]
            )
            assert_allclose(table[f"false negative rate of {judge} in {name}"].value, missed)

    differences = performance.judge_errors(reference="B")
    assert_allclose(
        differences["false positive rate of verdict in A"].value,
        rates["verdict", "A"] - rates["verdict", "B"],
    )


def test_errors_over_all_items_are_one_minus_specificity_and_sensitivity(answers):
    truth, _, judges = answers
    human = np.where(np.arange(N) < 60, truth, -1)
    performance = PerformanceCurveEstimator(n_draws=100, random_state=0)
    performance.fit(None, human, judges={"verdict": judges["verdict"]})
    table = performance.judge_errors()
    assert table.names == ("false positive rate of verdict", "false negative rate of verdict")
    for error, metric in zip(table.estimates, ("specificity", "recall"), strict=True):
        right = performance.of(judge="verdict").estimate(metric)
        assert_allclose(error.interval(), np.subtract(1.0, right.interval()[::-1]))


def test_a_judge_that_flatters_a_system_is_named(answers):
    """It passes all of A, so that its false positive rate there is one, and lower elsewhere."""
    table = fitted(answers, 80).judge_errors(reference="B")
    difference = table["false positive rate of verdict in A"]
    assert difference.value > 0.3
    assert "Judge grade gives grades" in " ".join(table.remarks)


def test_brier_score_and_calibration_of_a_judge(answers):
    """Of all labels they are sums over the items; grades need their probabilities."""
    truth, _, judges = answers
    performance = fitted(answers, N)
    probability = judges["probability"]
    estimate = performance.of(judge="probability").estimate
    assert_allclose(estimate("brier_score").value, np.mean((probability - truth) ** 2))

    bins = np.digitize(probability, np.linspace(0.0, 1.0, 11)[1:-1], right=True)
    sums = np.bincount(bins, probability - truth, 10)
    expected = np.abs(sums).sum() / N
    assert_allclose(estimate("expected_calibration_error").value, expected, rtol=1e-6)

    wrong = np.mean(judges["verdict"] != truth)
    assert_allclose(performance.of(judge="verdict").estimate("brier_score").value, wrong)

    grade = performance.of(judge="grade")
    of_grades = grade.estimate("brier_score", predicted=lambda grades: (grades - 1.0) / 4.0)
    assert_allclose(of_grades.value, np.mean(((judges["grade"] - 1.0) / 4.0 - truth) ** 2))
    with pytest.raises(ValueError, match="predicted="):
        grade.estimate("brier_score")


def test_what_is_refused(answers):
    truth, system, judges = answers
    performance = PerformanceCurveEstimator(n_draws=50, random_state=0)
    of_scores = performance.fit(judges["probability"], truth)
    with pytest.raises(ValueError, match="No judges"):
        of_scores.judge_errors()
    of_grades = performance.fit(None, truth, judges={"g": judges["grade"]}, category=system)
    with pytest.raises(ValueError, match="No judge has a decision threshold"):
        of_grades.judge_errors()
    with pytest.raises(ValueError, match="not a judge"):
        of_grades.judge_errors(threshold={"gpt": 3.0})
    without = performance.fit(None, truth, judges={"v": judges["verdict"]})
    with pytest.raises(ValueError, match="category="):
        without.judge_errors(reference="A")
