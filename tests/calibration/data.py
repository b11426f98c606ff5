"""Items with two features of which few are labelled, and models that are quick to fit."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_spe import SemisupervisedCalibratedClassifier, SemisupervisedScoreMixture

QUIET = [
    pytest.mark.filterwarnings(f"ignore::sklearn_spe.exceptions.{name}")
    for name in ("SamplingWarning", "UnidentifiedWarning", "MisfitWarning")
]
FAST = SemisupervisedScoreMixture("norm", "norm", n_draws=50, experts=None, random_state=0)
EXPERTS = SemisupervisedScoreMixture("norm", "norm", n_draws=50, random_state=0)


def make_items(n_samples, n_classes=2, prevalence=0.4, random_state=0):
    """Return items around the some points, and their classes."""
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
TRAINED3 = LogisticRegression().fit(*make_items(100, 3, random_state=4))


def calibrated(estimator, mixture=FAST, **parameters):
    parameters = {"random_state": 0, **parameters}
    return SemisupervisedCalibratedClassifier(estimator, mixture=mixture, **parameters)
