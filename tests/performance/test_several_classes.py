"""The estimator of performance, asked about several classes."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.metrics import FBeta
from sklearn_spe.multiclass import TopKAccuracy
from tests.multiclass.data import QUIET, ClassesProblem

pytestmark = QUIET
NAMES = np.array(["ant", "bee", "cat", "dog"])


@pytest.fixture(scope="module")
def animals(global_random_seed):
    return ClassesProblem.of(global_random_seed)


def performance(animals, y=None, X=None, **parameters):
    mixture = animals.mixture(classes=None)
    y = np.where(animals.partial >= 0, NAMES[animals.labels], None) if y is None else y
    estimator = PerformanceCurveEstimator(mixture, random_state=animals.seed, **parameters)
    return estimator.fit(animals.logits if X is None else X, y)


@pytest.fixture(scope="module")
def fitted(animals):
    return performance(animals, n_points=20)


def test_columns_are_classes_if_labels_name_more_than_two(fitted, animals):
    assert_array_equal(fitted.classes_, NAMES)
    accuracy = fitted.estimate("accuracy")
    low, high = accuracy.interval()
    assert 0.0 <= low < accuracy.value < high <= 1.0
    assert_allclose(
        fitted.estimate("recall").draws,
        np.mean([e.draws for e in fitted.by_class("recall").estimates], axis=0),
    )
    assert fitted.estimate("f1", pos_label="bee").value == fitted.by_class("f1")["bee"].value
    assert fitted.estimate(TopKAccuracy(3)).value > fitted.estimate("top_k_accuracy").value
    assert fitted.confusion_matrix(normalize="true").value.shape == (4, 4)
    # All items are kept at the end.
    assert_allclose(fitted.curve("accuracy_coverage").draws[:, -1], accuracy.draws)
    assert "4 classes; X is read as logits" in str(fitted.summary())


def test_answers_survive_a_pickle_and_an_update(fitted, animals):
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.estimate("accuracy").draws, fitted.estimate("accuracy").draws)
    known = again.update(animals.logits, NAMES[animals.labels]).estimate("accuracy")
    assert_allclose(known.interval(), metrics.accuracy_score(animals.labels, animals.predicted))


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda p: p.estimate("accuracy", threshold=0.5), "about a score"),
        (lambda p: p.estimate("brier_score"), "for two classes"),
        (lambda p: p.estimate("prevalence"), "pos_label="),
        (lambda p: p.estimate("nonsense"), "Unknown metric"),
        (lambda p: p.estimate("recall", pos_label="elk"), "elk"),
        (lambda p: p.estimate("recall", average="micro"), "average"),
        (lambda p: p.estimate(TopKAccuracy(4)), "smaller k"),
        (lambda p: p.by_class("accuracy_coverage"), "Unknown metric"),
        (lambda p: p.curve("roc"), "accuracy_coverage"),
        (lambda p: p.goal_probability(precision=0.5), "against the rest"),
        (lambda p: p.threshold_for(precision=0.5), "against the rest"),
        (lambda p: p.plan(10), "against the rest"),
        (lambda p: p.calibration_curve(), "against the rest"),
        (lambda p: p.estimate("recall", system=2), "system=2 is none of"),
        (lambda p: p.estimate("recall", category=2), "no category="),
        (lambda p: p.summary(threshold=1.0), "threshold="),
    ],
)
def test_what_has_no_meaning_is_refused(ask, said, fitted):
    with pytest.raises(ValueError, match=said):
        ask(fitted)


def test_what_cannot_be_fitted_is_refused(animals):
    y = NAMES[animals.labels].astype(object)
    fresh = PerformanceCurveEstimator()
    with pytest.raises(ValueError, match="one column for each"):
        fresh.fit(animals.logits[:, :3], y)
    with pytest.raises(ValueError, match="two classes only"):
        fresh.fit(animals.logits, y, category=y)


def test_two_classes_take_no_class(animals):
    two = PerformanceCurveEstimator(animals.mixture(classes=None), random_state=0)
    two.fit(animals.logits[:, 0], np.where(animals.partial < 0, -1, animals.partial == 0))
    for ask in (two.by_class, two.confusion_matrix):
        with pytest.raises(ValueError, match="several classes"):
            ask()
    with pytest.raises(ValueError, match="more than two classes"):
        two.estimate(FBeta(2.0), threshold=0.0, pos_label=1)
