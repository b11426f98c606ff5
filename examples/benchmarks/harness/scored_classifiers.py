"""Classifiers that give the scores of a set, and scikit-learn's calibrators around them."""

import numpy as np
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

# Scores of these kinds are probabilities, right or wrong.
PROBABILITIES = ("probability", "vote fraction")


class Fitted(ClassifierMixin, BaseEstimator):
    """A classifier with nothing to learn: its only feature is its answer."""

    def __init__(self):
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        """Do nothing."""
        return self


class Margin(Fitted):
    """The feature is the decision function."""

    def decision_function(self, X):
        """Return the feature."""
        return X[:, 0]

    def predict(self, X):
        """Return whether the feature is positive."""
        return (X[:, 0] > 0.0).astype(int)


class LogOdds(Margin):
    """The feature is the decision function, and the log-odds of the positive class."""

    def predict_proba(self, X):
        """Return the probabilities of these log-odds."""
        return special.expit(np.column_stack([-X[:, 0], X[:, 0]]))


class Probability(Fitted):
    """The feature is the probability of the positive class."""

    def predict_proba(self, X):
        """Return the feature, after its complement."""
        return np.column_stack([1.0 - X[:, 0], X[:, 0]])

    def predict(self, X):
        """Return whether the feature is above a half."""
        return (X[:, 0] > 0.5).astype(int)


def classifier_of(score_set):
    """Return a frozen classifier with the methods that one with such scores would have."""
    if score_set.kind in PROBABILITIES:
        return FrozenEstimator(Probability())
    return FrozenEstimator(LogOdds() if score_set.kind == "log-odds" else Margin())


def calibrated(case, method):
    """Return the probabilities of all items that `CalibratedClassifierCV` gives.

    Probabilities come from a classifier that predicts them, all other scores from a decision
    function. A frozen classifier needs no folds: one that holds all labels spares scikit-learn's
    demand for as many labels of each class as there are folds. One class only is still an error.
    """
    X = case.scores[:, np.newaxis]
    labeled = np.flatnonzero(case.y >= 0)
    everything = np.arange(len(labeled))
    model = CalibratedClassifierCV(
        classifier_of(case.score_set), method=method, cv=[(everything, everything)]
    )
    return model.fit(X[labeled], case.y[labeled]).predict_proba(X)[:, 1]
