"""Meta-estimators: recalibrated probabilities, and thresholds with a guarantee."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._calibration import SemisupervisedCalibratedClassifier as SemisupervisedCalibratedClassifier
from ._threshold import SemisupervisedThresholdClassifier as SemisupervisedThresholdClassifier
