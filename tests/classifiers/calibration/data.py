"""Items with two features of which few are labelled, and models that are quick to fit."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from sklearn_spe import (
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from tests.quick import EXPERTS, RANKS

QUICK = EXPERTS
FAST = SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=[RANKS], random_state=0)


def make_items(n_samples, n_classes=2, prevalence=0.4, random_state=0):
    """Return items around some points, and their classes."""
    rng = np.random.default_rng(random_state)
    if n_classes == 2:
        labels = (rng.random(n_samples) < prevalence).astype(int)
    else:
        labels = rng.integers(n_classes, size=n_samples)
    centers = 2.0 * np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 1.0], [2.0, 2.0]])
    return centers[labels] + rng.normal(size=(n_samples, 2)), labels


X, LABELS = make_items(120, random_state=1)
PARTIAL = np.where(np.arange(120) < 40, LABELS, -1)
X3, LABELS3 = make_items(120, 3, random_state=2)
PARTIAL3 = np.where(np.arange(120) < 45, LABELS3, -1)
TRAINED = LogisticRegression().fit(*make_items(100, random_state=3))


def calibrated(estimator, mixture=FAST, **parameters):
    parameters = {"random_state": 0, **parameters}
    return SemisupervisedCalibratedClassifier(estimator, mixture=mixture, **parameters)


@dataclass(frozen=True)
class Rows:
    """Items of two and of three classes, some of them labelled, and classifiers that know them."""

    seed: int
    X: np.ndarray
    labels: np.ndarray
    X3: np.ndarray
    labels3: np.ndarray
    trained: LogisticRegression
    trained3: LogisticRegression

    @classmethod
    def drawn(cls, seed):
        """Draw items to be labelled, and others on which classifiers were trained."""
        two, three, train, train3 = (
            make_items(n, k, random_state=[seed, number])
            for number, (n, k) in enumerate([(120, 2), (120, 3), (100, 2), (100, 3)])
        )
        fits = (LogisticRegression().fit(*items) for items in (train, train3))
        return cls(seed, *two, *three, *fits)

    @property
    def partial(self):
        """The labels of a third of the items of two classes."""
        return np.where(np.arange(120) < 40, self.labels, -1)

    @property
    def partial3(self):
        """The labels of some of the items of three classes."""
        return np.where(np.arange(120) < 45, self.labels3, -1)

    @property
    def fast(self):
        """A bare mixture that draws few."""
        return SemisupervisedScoreMixture(
            "norm", "norm", n_draws=50, experts=None, random_state=self.seed
        )

    @property
    def quick(self):
        """A mixture with one expert, the quickest to fit."""
        return SemisupervisedScoreMixture(
            "norm", "norm", n_draws=50, experts=[RANKS], random_state=self.seed
        )

    @property
    def experts(self):
        """A mixture with experts that draws few."""
        return SemisupervisedScoreMixture(
            "norm", "norm", n_draws=50, experts=QUICK, random_state=self.seed
        )

    @property
    def labeled(self):
        """The items whose class is known, of two."""
        return np.flatnonzero(self.partial >= 0)

    @property
    def unlabeled(self):
        """The items whose class is not known, of two."""
        return np.flatnonzero(self.partial < 0)

    def others(self, n_samples=100, n_classes=2):
        """Return other items, to train classifiers on."""
        return make_items(n_samples, n_classes, random_state=[self.seed, 9])

    def calibrated(self, estimator, mixture="quick", **parameters):
        """Return a recalibrated classifier."""
        mixture = self.quick if isinstance(mixture, str) else mixture
        parameters = {"random_state": self.seed, **parameters}
        return SemisupervisedCalibratedClassifier(estimator, mixture=mixture, **parameters)

    def promising(self, estimator, mixture="quick", **parameters):
        """Return a classifier with a promise that any useful one can keep."""
        goals = ("precision", "recall", "specificity", "false_positive_rate", "f1", "goal")
        if not any(name in parameters for name in goals):
            parameters = {"f1": 0.3, "confidence_level": 0.5, **parameters}
        mixture = self.quick if isinstance(mixture, str) else mixture
        parameters = {"random_state": self.seed, **parameters}
        return SemisupervisedThresholdClassifier(estimator, mixture=mixture, **parameters)
