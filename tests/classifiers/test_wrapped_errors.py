"""What the estimators that wrap a classifier cannot work with, and how they say so."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import SemisupervisedScoreMixture
from tests.classifiers.calibration.data import (
    LABELS,
    LABELS3,
    PARTIAL,
    PARTIAL3,
    TRAINED,
    X3,
    X,
    calibrated,
)
from tests.classifiers.threshold.data import promising
from tests.quick import QUIET

pytestmark = QUIET
BOTH = pytest.mark.parametrize("make", [calibrated, promising])
FROZEN = FrozenEstimator(TRAINED)


class NoScores(ClassifierMixin, BaseEstimator):
    """A classifier that names classes, and nothing more."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


# --- the classifier ---------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "inside",
    [
        NoScores(),
        FrozenEstimator(NoScores().fit(X, LABELS)),
        VotingClassifier([("one", LogisticRegression())]),
    ],
    ids=["unfitted", "frozen", "votes"],
)
def test_a_classifier_without_scores_is_an_error(make, inside):
    with pytest.raises(TypeError, match=r"no \w+ and no \w+, and so no scores.*has one"):
        make(inside).fit(X, PARTIAL)


@BOTH
def test_a_classifier_that_was_frozen_before_it_was_fitted_is_an_error(make):
    with pytest.raises(NotFittedError, match="was frozen before it was fitted; fit the classifier"):
        make(FrozenEstimator(LogisticRegression())).fit(X, PARTIAL)


@BOTH
@pytest.mark.parametrize("inside", [LogisticRegression, None, "svc", TRAINED.predict], ids=repr)
def test_what_is_no_estimator_is_an_error(make, inside):
    with pytest.raises(TypeError, match="estimator must be an estimator with fit, or a Frozen"):
        make(inside).fit(X, PARTIAL)


# --- the labels -------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("inside", [FROZEN, LogisticRegression()], ids=["frozen", "unfrozen"])
def test_no_y_is_an_error(make, inside):
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        make(inside).fit(X, None)


@BOTH
def test_a_class_that_the_classifier_does_not_know_is_an_error(make):
    with pytest.raises(ValueError, match=r"y holds \[2\].*The frozen .* has the classes \[0, 1\]"):
        make(FROZEN).fit(X, np.where(PARTIAL == 1, 2, PARTIAL))
    with pytest.raises(ValueError, match=r"y holds .*'spam'.*The frozen .* has the classes"):
        make(FROZEN).fit(X, np.where(PARTIAL == 1, "spam", "ham"))


@BOTH
def test_one_class_cannot_be_fitted_to(make):
    with pytest.raises(ValueError, match=r"Only one class is labeled, .*freeze a classifier that"):
        make(LogisticRegression()).fit(X, np.where(PARTIAL == 1, -1, PARTIAL))


@BOTH
def test_a_column_of_labels_is_taken_with_a_warning(make):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        column = make(FROZEN).fit(X, PARTIAL.reshape(-1, 1))
    assert np.array_equal(column.predict(X), make(FROZEN).fit(X, PARTIAL).predict(X))


@BOTH
def test_complex_features_are_an_error(make):
    with pytest.raises(ValueError, match="Complex data not supported"):
        make(FROZEN).fit(X + 1j, PARTIAL)


# --- the mixture ------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "mixture", ["norm", LogisticRegression(), SemisupervisedScoreMixture], ids=repr
)
def test_what_is_no_mixture_is_an_error(make, mixture):
    with pytest.raises(TypeError, match="mixture must be a SemisupervisedScoreMixture or None"):
        make(FROZEN, mixture).fit(X, PARTIAL)


@BOTH
@pytest.mark.parametrize(
    "parameters", [{"classes": [0, 1]}, {"pos_label": 1}, {"unlabeled_label": 9}], ids=str
)
def test_a_mixture_that_would_read_the_labels_itself_is_an_error(make, parameters):
    mixture = SemisupervisedScoreMixture(**parameters)
    (name,) = parameters
    with pytest.raises(ValueError, match=f"The labels are validated by .*: pass {name} to it"):
        make(FROZEN, mixture).fit(X, PARTIAL)


# --- the promise ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"precision": 1.0}, "strictly between 0 and 1"),
        ({"precision": 0.0}, "strictly between 0 and 1"),
        ({"recall": (0.8, 0.2)}, "the ends are not in order"),
        ({"specificity": 0.9, "false_positive_rate": (0.2, None)}, "The goal is contradictory"),
        ({"precision": None}, "No goal is set: give at least one of precision"),
        ({"f1": 0.3, "confidence_level": 1.0}, "confidence_level must lie in"),
        ({"f1": 0.3, "validation_fraction": 0.0}, "validation_fraction must lie in"),
        ({"f1": 0.3, "target": "both"}, "target must be one of sample, population"),
        ({"f1": 0.3, "prefer": "kapa", "confidence_level": 0.1}, "Unknown metric 'kapa'"),
        ({"f1": 0.3, "pos_label": 2}, "pos_label=2 is not one of the classes"),
    ],
    ids=str,
)
def test_a_promise_that_means_nothing_is_an_error(parameters, message):
    with pytest.raises(ValueError, match=message):
        promising(FROZEN, **parameters).fit(X, PARTIAL)


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_threshold_decides_between_two_classes(is_frozen):
    inside = LogisticRegression()
    inside = FrozenEstimator(inside.fit(X3, LABELS3)) if is_frozen else inside
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        promising(inside).fit(X3, PARTIAL3)
