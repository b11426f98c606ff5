"""Open ends of numbers, rates and the confusion matrix agree, and functions of rates have some."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from tests.quick import QUIET

pytestmark = QUIET
N, THRESHOLD = 200, 1.5
SCORES, TRUTH = make_scores(N, random_state=0)
IS_ABOVE = SCORES >= THRESHOLD
IS_CHOSEN = np.random.default_rng(0).permutation(N) < 40
# Which of these labels are left.
LABELS = {
    "no error": TRUTH == IS_ABOVE,
    "only errors": TRUTH != IS_ABOVE,
    "no positive": TRUTH == 0,
    "no positive above": ~((TRUTH == 1) & IS_ABOVE),
    "all": np.ones(N, dtype=bool),
}


def fitted(labels, target="sample", **parameters):
    y = np.where(IS_CHOSEN & LABELS[labels], TRUTH, -1)
    mixture = SemisupervisedScoreMixture(experts="rank_binormal", **parameters)
    performance = PerformanceCurveEstimator(mixture, target=target, random_state=0, n_draws=300)
    return performance.fit(SCORES, y)


def interval(performance, metric):
    return np.array(performance.estimate(metric, threshold=THRESHOLD).interval())


@pytest.mark.parametrize("labels", LABELS)
def test_numbers_have_the_ends_of_their_rates(labels):
    performance = fitted(labels)
    n_above, n_below = IS_ABOVE.sum(), (~IS_ABOVE).sum()
    precision = interval(performance, "precision")
    omission = 1.0 - interval(performance, "negative_predictive_value")[::-1]
    found, missed = (
        interval(performance, f"{name}") for name in ("true_positives", "false_negatives")
    )
    assert_allclose(found, n_above * precision, atol=1e-6)
    assert_allclose(missed, n_below * omission, atol=1e-6)
    assert_allclose(
        interval(performance, "false_positives"), n_above * (1.0 - precision[::-1]), atol=1e-6
    )
    called = interval(performance, "predicted_positives")
    assert_allclose(called, n_above)

    matrix = np.array(performance.confusion_matrix(threshold=THRESHOLD).interval())
    assert_allclose(matrix[:, 1, 1], found, atol=1e-6)
    assert_allclose(matrix[:, 1, 0], missed, atol=1e-6)
    shares = performance.confusion_matrix(threshold=THRESHOLD, normalize="all")
    assert_allclose(np.array(shares.interval()), matrix / N, atol=1e-6)


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize("labels", LABELS)
def test_normalized_entries_have_the_ends_of_rates(labels, target):
    performance = fitted(labels, target)
    rows, columns = (
        np.array(performance.confusion_matrix(threshold=THRESHOLD, normalize=by).interval())
        for by in ("true", "pred")
    )
    for entries, (predicted, true), metric in (
        (rows, (1, 1), "recall"),
        (rows, (0, 0), "specificity"),
        (rows, (0, 1), "false_positive_rate"),
        (columns, (1, 1), "precision"),
        (columns, (0, 0), "negative_predictive_value"),
    ):
        assert_allclose(entries[:, predicted, true], interval(performance, metric), atol=1e-6)


@pytest.mark.parametrize("target", ["sample", "population"])
@pytest.mark.parametrize("metric", ["balanced_accuracy", "cohen_kappa", "matthews_corrcoef"])
def test_functions_of_both_rates_reach_what_no_label_excludes(metric, target):
    assert_allclose(interval(fitted("no error", target), metric)[1], 1.0, rtol=1e-12)
    # Where all decisions are wrong each is as small as it may be.
    n_above, n_below = IS_ABOVE.sum(), (~IS_ABOVE).sum()
    kappa = -2.0 * n_above * n_below / (n_above**2 + n_below**2)
    smallest = {"balanced_accuracy": 0.0, "cohen_kappa": kappa, "matthews_corrcoef": -1.0}
    assert_allclose(interval(fitted("only errors", target), metric)[0], smallest[metric])
    estimate = fitted("all", target).estimate(metric, threshold=THRESHOLD)
    assert estimate.edge is None


def test_a_known_number_of_positives_limits_them():
    y = np.where(IS_CHOSEN & LABELS["no error"], TRUTH, -1)
    mixture = SemisupervisedScoreMixture(experts="rank_binormal")
    n_above = int(IS_ABOVE.sum())
    # Ten positives must lie below the threshold.
    performance = PerformanceCurveEstimator(mixture, random_state=0, n_draws=300)
    performance.fit(SCORES, y, known_positives=n_above + 10)
    assert interval(performance, "false_negatives")[0] >= 10.0
    assert_allclose(
        interval(performance, "balanced_accuracy")[1],
        (n_above / (n_above + 10.0) + 1.0) / 2.0,
        atol=1e-9,
    )
