"""Labels of several classes that were chosen by class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = QUIET
# The distribution of the predicted class given the true one, the shares among new items, and the
# labels of each class.
ROWS = np.array([[0.8, 0.1, 0.1], [0.1, 0.7, 0.2], [0.05, 0.15, 0.8]])
SHARES, N_LABELED = np.array([0.1, 0.3, 0.6]), 30


def predictions(truth, rng):
    return (ROWS[truth].cumsum(axis=1) < rng.random((len(truth), 1))).sum(axis=1)


@pytest.fixture
def problem(global_random_seed):
    """Predictions, labels chosen by class before those of new items, and the truth."""
    rng = np.random.default_rng(global_random_seed)
    truth = np.r_[np.repeat(np.arange(3), N_LABELED), rng.choice(3, 800, p=SHARES)]
    labels = np.where(np.arange(len(truth)) < 3 * N_LABELED, truth, -1)
    return predictions(truth, rng), labels, truth


def fitted(X, y, **parameters):
    performance = PerformanceCurveEstimator(classes=[0, 1, 2], random_state=0)
    return performance.fit(X, y, inclusion_proba="by_class", **parameters)


def test_rates_cover(global_random_seed):
    # Three classes with thirty labels each, of which the new items have other shares.
    covered = []
    for repeat in range(24):
        rng = np.random.default_rng([global_random_seed, repeat])
        new = rng.choice(3, 800, p=rng.dirichlet(np.ones(3)))
        truth = np.r_[np.repeat(np.arange(3), N_LABELED), new]
        predicted = predictions(truth, rng)
        labels = np.where(np.arange(len(truth)) < 3 * N_LABELED, truth, -1)
        low, high = fitted(predicted, labels).estimate("accuracy").interval()
        covered.append(low <= np.mean(predicted[90:] == new) <= high)
    # Intervals of 90% that cover 85% already: fewer once in a hundred thousand.
    assert sum(covered) >= 12


def test_new_items_alone_are_asked_about(problem):
    X, y, truth = problem
    performance = fitted(X, y)
    matrix = np.asarray(performance.confusion_matrix().mean())
    assert_allclose(matrix.sum(axis=0), np.bincount(X[y < 0], minlength=3))
    by_class = performance.estimate("prevalence", pos_label=2)
    # Half of a 90% interval is 1.64 standard deviations.
    low, high = by_class.interval()
    assert abs(by_class.value - np.mean(truth[y < 0] == 2)) < 6.0 * (high - low) / 3.29
    # At random, the labels of which a third has each class would draw the shares towards a third.
    at_random = PerformanceCurveEstimator(classes=[0, 1, 2], random_state=0).fit(X, y)
    assert at_random.estimate("prevalence", pos_label=2).value < by_class.value


def test_an_update_is_a_fit(problem):
    X, y, _ = problem
    fewer = np.where(np.arange(len(y)) % 2 == 0, y, -1)
    updated = fitted(X, fewer).update(X, y, inclusion_proba="by_class")
    assert updated.estimate("accuracy").interval() == fitted(X, y).estimate("accuracy").interval()


def test_what_the_predicted_class_does_not_tell_is_refused(problem):
    X, y, _ = problem
    proba = np.where(np.arange(3) == X[:, np.newaxis], 0.6, 0.2)
    proba[::2] = np.where(np.arange(3) == X[::2, np.newaxis], 0.8, 0.1)
    performance = fitted(proba, y)
    with pytest.raises(ValueError, match="not the order of items"):
        performance.estimate("roc_auc")
    with pytest.raises(ValueError, match="all items are labeled"):
        fitted(X[:90], y[:90])
    with pytest.raises(ValueError, match="does not support category="):
        fitted(X, y, category=np.zeros(len(y), dtype=int))


def test_few_labels_of_a_class_are_unidentified(problem):
    X, y, _ = problem
    few = np.where((y == 1) & (np.cumsum(y == 1) > 3), -1, y)
    assert fitted(X, few).verdict_ == "unidentified"
