"""A classifier's performance on new data, with bands, from its scores and a few labels."""

from ._version import __version__ as __version__
from .active._selector import ActiveTestSelector
from .classifiers._calibration import SemisupervisedCalibratedClassifier
from .classifiers._threshold import SemisupervisedThresholdClassifier
from .estimators._performance import PerformanceCurveEstimator
from .estimators._score_mixture import SemisupervisedScoreMixture
from .estimators._scorers import label_log_likelihood, make_semisupervised_scorer
from .extrapolation._accuracy_comparison import AccuracyComparison
from .extrapolation._accuracy_curve import average_accuracy_curve
from .extrapolation._classifier_extrapolator import ClassifierAccuracyExtrapolator
from .extrapolation._extrapolator import AccuracyExtrapolator
from .goals._goal import Goal
from .histogram._score_histogram import ScoreHistogram
from .means._mean_estimator import MeanEstimator
from .report._performance_report import PerformanceReport
from .results._estimates import CurveBand, ScalarEstimate

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
