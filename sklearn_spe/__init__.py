"""A classifier's performance on new data, with bands, from its scores and a few labels."""

from .bands import CurveBand, ScalarEstimate
from .performance import PerformanceCurveEstimator
from .score_mixture import SemisupervisedScoreMixture
from .scorers import label_log_likelihood

__all__ = [
    "CurveBand",
    "PerformanceCurveEstimator",
    "ScalarEstimate",
    "SemisupervisedScoreMixture",
    "label_log_likelihood",
]

__version__ = "0.1.0.dev0"
