"""The summary prints what the estimator says."""

import numpy as np
import pytest

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.report import summarise


@pytest.fixture(scope="module")
def performance():
    scores, labels = make_scores(1500, random_state=0)
    y = np.where(np.arange(1500) < 40, labels, -1)
    mixture = SemisupervisedScoreMixture(["norm", "gumbel_r"], "norm", n_draws=400, random_state=0)
    return PerformanceCurveEstimator(mixture, confidence_level=0.8, random_state=0).fit(scores, y)


def values_of(text):
    """Return value, lower and upper end of each line of the table."""
    rows = {}
    for line in text.split("80% interval\n")[1].splitlines():
        value, low, _, high = line.split()[-4:]
        rows[" ".join(line.split()[:-4])] = [float(value), float(low), float(high)]
    return rows


def test_counts_families_and_diagnostics_are_told(performance):
    labels = make_scores(1500, random_state=0)[1][:40]
    lines = summarise(performance).splitlines()
    assert lines[0] == (
        f"1,500 items, 40 labelled ({labels.sum()} of class 1, {40 - labels.sum()} of class 0)."
    )
    weights = performance.mixture_.comparison_.weights
    assert f"norm-norm {weights[0]:.0%}" in lines[1]
    assert lines[1].endswith("standard scale.")
    assert f"{performance.mixture_.ess_:.0f} effective draws" in lines[2]


def test_the_numbers_are_those_of_the_estimator(performance):
    rows = values_of(summarise(performance, threshold=1.5))
    expected = {
        "average precision": performance.estimate("average_precision"),
        "roc auc": performance.estimate("roc_auc"),
        "prevalence": performance.estimate("prevalence"),
        "precision at score 1.5": performance.estimate("precision", threshold=1.5),
        "recall at score 1.5": performance.estimate("recall", threshold=1.5),
        "f1 at score 1.5": performance.estimate("f1", threshold=1.5),
    }
    for recall in (0.25, 0.5, 0.75, 0.9):
        estimate = performance.estimate("precision", recall=recall)
        expected[f"precision at recall {recall:g}"] = estimate
    assert set(rows) == set(expected)
    for name, estimate in expected.items():
        assert rows[name] == pytest.approx([estimate.value, *estimate.interval()], abs=5e-4)


def test_without_a_threshold_nothing_is_said_about_one(performance):
    assert "at score" not in summarise(performance)
