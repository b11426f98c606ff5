"""Classifiers and their data: what the tests of training again share."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_spe import AccuracyExtrapolator, ClassifierAccuracyExtrapolator


class NearestMean(ClassifierMixin, BaseEstimator):
    """Minus squared distances to the means of the classes: each depends on its class alone."""

    def fit(self, X, y):
        X = np.asarray(X)
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def decision_function(self, X):
        return -((np.asarray(X)[:, np.newaxis] - self.means_) ** 2).sum(axis=2)

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(axis=1)]


class Guess(ClassifierMixin, BaseEstimator):
    """Always the first class, without a score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def clouds(n_classes=16, n_items=8, n_features=6, noise=0.7, seed=0):
    """Return points around standard normal means, and their classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n_items)
    means = rng.standard_normal((n_classes, n_features))
    return means[y] + noise * rng.standard_normal((len(y), n_features)), y


def line(n_classes=16, n_items=8, seed=0):
    """Return points on a line with one class after the other, and their classes."""
    y = np.repeat(np.arange(n_classes), n_items)
    points = y + 0.1 * np.random.default_rng(seed).standard_normal(len(y))
    return points[:, np.newaxis], y


def extrapolated(estimator, X, y, method="moment", n_bootstrap=0, *, random_state, **options):
    """Return a fast extrapolator that is fitted."""
    options = {"cv": 2, "n_sizes": 4, "n_repeats": 4, "random_state": random_state, **options}
    extrapolator = AccuracyExtrapolator(method, n_bootstrap=n_bootstrap, random_state=random_state)
    return ClassifierAccuracyExtrapolator(
        estimator, **{"extrapolator": extrapolator, **options}
    ).fit(X, y)
