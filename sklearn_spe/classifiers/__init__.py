"""Around a classifier: probabilities recalibrated, and thresholds that keep a promise."""

from ._calibrated_scores import CalibratedScores
from ._calibration import (
    SemisupervisedCalibratedClassifier as SemisupervisedCalibratedClassifier,
)
from ._threshold import SemisupervisedThresholdClassifier as SemisupervisedThresholdClassifier

__all__ = ["CalibratedScores"]
