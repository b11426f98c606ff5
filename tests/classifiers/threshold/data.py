"""Classifiers with a promise, quick to fit."""

from sklearn_spe import SemisupervisedThresholdClassifier
from tests.classifiers.calibration.data import FAST


def promising(estimator, mixture=FAST, **parameters):
    """Return a classifier with a promise that any useful one can keep."""
    goals = ("precision", "recall", "specificity", "false_positive_rate", "f1")
    if not any(name in parameters for name in goals):
        parameters = {"f1": 0.3, "confidence_level": 0.5, **parameters}
    parameters = {"random_state": 0, **parameters}
    return SemisupervisedThresholdClassifier(estimator, mixture=mixture, **parameters)
