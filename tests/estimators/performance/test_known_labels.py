"""Everything labelled: the curves are scikit-learn's, without a width."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics as sklearn_metrics

from tests.estimators.performance.data import AT_THRESHOLD, BOTH_KINDS, CURVES, KINDS
from tests.quick import QUIET

pytestmark = QUIET

# What scikit-learn says, from labels and decisions, and what is counted.
REFERENCE = {
    "true_positives": lambda y, d: np.count_nonzero(d & (y == 1)),
    "false_negatives": lambda y, d: np.count_nonzero(~d & (y == 1)),
    "false_positives": lambda y, d: np.count_nonzero(d & (y == 0)),
    "predicted_positives": lambda y, d: np.count_nonzero(d),
    "precision": lambda y, d: sklearn_metrics.precision_score(y, d, zero_division=0.0),
    "recall": sklearn_metrics.recall_score,
    "f1": sklearn_metrics.f1_score,
    "accuracy": sklearn_metrics.accuracy_score,
    "balanced_accuracy": sklearn_metrics.balanced_accuracy_score,
    "matthews_corrcoef": sklearn_metrics.matthews_corrcoef,
    "cohen_kappa": sklearn_metrics.cohen_kappa_score,
    "specificity": lambda y, d: sklearn_metrics.recall_score(y, d, pos_label=0),
    "negative_predictive_value": lambda y, d: sklearn_metrics.precision_score(
        y, d, pos_label=0, zero_division=0
    ),
    "false_positive_rate": lambda y, d: 1.0 - sklearn_metrics.recall_score(y, d, pos_label=0),
}


# Known labels leave nothing to a model: each kind has one kind of scores.
@pytest.fixture(scope="module", params=[("scores", "bare"), ("tied", "experts")], ids="-".join)
def complete(problem, request):
    name, kind = request.param
    scores = getattr(problem, name)
    performance = problem.performance(experts=KINDS[kind], n_points=12)
    return scores, performance.fit(scores, problem.labels)


def test_a_curve_of_known_labels_has_no_width(complete):
    for name in CURVES + AT_THRESHOLD:
        band = complete[1].curve(name)
        lower, upper = band.interval(0.99)
        assert np.array_equal(lower, upper), name
        assert np.array_equal(band.envelope(0.99)[0], upper), name
        assert_allclose(band.value, lower, atol=1e-15, err_msg=name)


def test_precision_at_recall_is_that_of_scikit_learn(problem, complete):
    scores, performance = complete
    precision, recall, _ = sklearn_metrics.precision_recall_curve(problem.labels, scores)
    band = performance.curve("precision_recall")
    # Recalls fall along scikit-learn's curve: the last that is at least r.
    expected = [precision[np.flatnonzero(recall >= r - 1e-12)[-1]] for r in band.x]
    assert_allclose(band.value, expected, atol=1e-12)


def test_the_roc_curve_is_that_of_scikit_learn(problem, complete):
    scores, performance = complete
    fpr, tpr, _ = sklearn_metrics.roc_curve(problem.labels, scores, drop_intermediate=False)
    band = performance.curve("roc")
    # On a vertical part the upper end counts.
    expected = [tpr[fpr == x].max() if (fpr == x).any() else np.interp(x, fpr, tpr) for x in band.x]
    assert_allclose(band.value, expected, atol=1e-12)
    assert_allclose(performance.curve("det").value, 1.0 - band.value, atol=1e-12)


def test_metrics_at_thresholds_are_those_of_scikit_learn(problem, complete):
    scores, performance = complete
    between = np.array([-1.2345, 0.05, 1.7, scores.min(), scores.max()])
    for name in AT_THRESHOLD:
        band = performance.curve(name)
        expected = [REFERENCE[name](problem.labels, scores >= t) for t in band.x]
        assert_allclose(band.value, expected, atol=1e-12, err_msg=name)
        expected = [REFERENCE[name](problem.labels, scores >= t) for t in np.sort(between)]
        found = performance.curve(name, thresholds=between).value
        assert_allclose(found, expected, atol=1e-12, err_msg=name)
        at = performance.estimate(name, threshold=0.05).value
        assert_allclose(at, expected[2], atol=1e-12, err_msg=name)


def test_numbers_of_the_ranking_are_those_of_scikit_learn(problem, complete):
    scores, performance = complete
    expected = {
        "average_precision": sklearn_metrics.average_precision_score(problem.labels, scores),
        "roc_auc": sklearn_metrics.roc_auc_score(problem.labels, scores),
        "prevalence": problem.labels.mean(),
    }
    for name, value in expected.items():
        estimate = performance.estimate(name)
        assert_allclose(estimate.value, value, atol=1e-12)
        assert_allclose(estimate.interval(), value, atol=1e-12)
        assert estimate.standard_error == pytest.approx(0.0, abs=1e-12)


def test_the_equal_error_rate_lies_where_both_errors_are_equal(problem, complete):
    scores, performance = complete
    rate = performance.estimate("equal_error_rate").value
    fpr, tpr, _ = sklearn_metrics.roc_curve(problem.labels, scores, drop_intermediate=False)
    excess = fpr - (1.0 - tpr)
    at = np.flatnonzero(excess >= 0.0)[0]
    share = -excess[at - 1] / (excess[at] - excess[at - 1])
    assert_allclose(rate, fpr[at - 1] + share * (fpr[at] - fpr[at - 1]), atol=1e-12)


def test_score_is_zero_when_every_label_was_known(problem, complete):
    assert complete[1].score(complete[0], problem.labels) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="score needs a positive, but none of the"):
        complete[1].score(complete[0], np.zeros(len(complete[0])))


@BOTH_KINDS
def test_weights_count_as_in_scikit_learn(problem, experts):
    weights = np.random.default_rng(problem.seed).integers(0, 5, 200) / 2.0
    performance = problem.performance(experts=experts).fit(
        problem.tied, problem.labels, sample_weight=weights
    )
    assert_allclose(
        performance.estimate("average_precision").value,
        sklearn_metrics.average_precision_score(
            problem.labels, problem.tied, sample_weight=weights
        ),
        atol=1e-12,
    )
    assert_allclose(
        performance.estimate("f1", threshold=1.0).value,
        sklearn_metrics.f1_score(problem.labels, problem.tied >= 1.0, sample_weight=weights),
        atol=1e-12,
    )


def test_the_population_stays_uncertain_when_all_labels_are_known(complete):
    _, performance = complete
    assert performance.estimate("roc_auc", target="population").standard_error > 0.01
