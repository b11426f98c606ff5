"""A classifier that has learned is not fitted again to a few rows without a word."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from sklearn_spe import (
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
    make_semisupervised_scorer,
)
from sklearn_spe.exceptions import RefitWarning
from tests.quick import QUIET

pytestmark = QUIET
AT = np.arange(90)
# In turn negative, positive: no seed decides.
X = np.column_stack([AT % 2 + np.sin(AT), np.cos(3.0 * AT)])
Y = np.where(AT < 60, AT % 2, -1)
MIXTURE = SemisupervisedScoreMixture("norm", "norm", method="em", experts=None, random_state=0)


class Stateless(ClassifierMixin, BaseEstimator):
    """A rule that learns nothing."""

    def fit(self, X, y):
        return self

    @property
    def classes_(self):
        return np.array([0, 1])

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def calibrated(estimator):
    return SemisupervisedCalibratedClassifier(estimator, cv=2, mixture=MIXTURE, random_state=0)


def promising(estimator):
    return SemisupervisedThresholdClassifier(
        estimator, f1=0.1, confidence_level=0.5, pos_label=1, mixture=MIXTURE, random_state=0
    )


BOTH = pytest.mark.parametrize("make", [calibrated, promising])
LEARNED = {
    "classifier": LogisticRegression().fit(X, AT % 2),
    "search": GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, AT % 2),
}


@BOTH
@pytest.mark.parametrize("inside", LEARNED.values(), ids=LEARNED)
def test_a_fitted_classifier_is_warned_of_its_refit(make, inside):
    message = r"is already fitted, and is fitted again to the labeled rows.*FrozenEstimator"
    with pytest.warns(RefitWarning, match=message) as caught:
        make(inside).fit(X, Y)
    assert {w.filename for w in caught if w.category is RefitWarning} == {__file__}


@BOTH
@pytest.mark.parametrize("inside", LEARNED.values(), ids=LEARNED)
def test_what_is_frozen_or_a_clone_has_nothing_to_forget(make, inside):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefitWarning)
        make(FrozenEstimator(inside)).fit(X, Y)
        make(clone(inside)).fit(X, Y)


@BOTH
def test_a_search_clones_what_it_is_given(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefitWarning)
        GridSearchCV(
            make(LEARNED["classifier"]),
            {"random_state": [0]},
            scoring=make_semisupervised_scorer("accuracy"),
            cv=StratifiedKFold(2),
        ).fit(X, Y)


@BOTH
def test_a_rule_has_nothing_to_forget(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefitWarning)
        make(Stateless()).fit(X, Y)


@pytest.mark.slow
@BOTH
def test_an_outlier_detector_is_fitted_again_to_all_rows(make):
    forest = IsolationForest(n_estimators=5, random_state=0)
    y = np.where(AT < 60, np.where(AT % 2, 1.0, -1.0), np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RefitWarning)
        make(forest).fit(X, y)
    with pytest.warns(RefitWarning, match="IsolationForest is already fitted.*to all rows"):
        make(clone(forest).fit(X)).fit(X, y)
