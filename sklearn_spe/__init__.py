"""A classifier's performance on new data, with bands, from its scores and a few labels."""

from .active import ActiveTestSelector
from .classifiers import SemisupervisedCalibratedClassifier, SemisupervisedThresholdClassifier
from .curves._goals import Goal
from .extrapolation import (
    AccuracyComparison,
    AccuracyExtrapolator,
    ClassifierAccuracyExtrapolator,
    average_accuracy_curve,
)
from .means import MeanEstimator
from .performance import PerformanceCurveEstimator
from .report import PerformanceReport
from .results import CurveBand, ScalarEstimate
from .sample._score_histogram import ScoreHistogram
from .score_mixture import SemisupervisedScoreMixture
from .score_mixture._scorers import label_log_likelihood, make_semisupervised_scorer

__all__ = [
    "AccuracyComparison",
    "AccuracyExtrapolator",
    "ActiveTestSelector",
    "ClassifierAccuracyExtrapolator",
    "CurveBand",
    "Goal",
    "MeanEstimator",
    "PerformanceCurveEstimator",
    "PerformanceReport",
    "ScalarEstimate",
    "ScoreHistogram",
    "SemisupervisedCalibratedClassifier",
    "SemisupervisedScoreMixture",
    "SemisupervisedThresholdClassifier",
    "average_accuracy_curve",
    "label_log_likelihood",
    "make_semisupervised_scorer",
]

__version__ = "0.1.0"
