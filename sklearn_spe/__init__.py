"""A classifier's performance on new data, with bands, from its scores and a few labels."""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__ as __version__
from ._version import show_versions

if TYPE_CHECKING:
    from .active._selector import ActiveTestSelector
    from .application.report._performance_report import PerformanceReport
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
    from .results._estimates import CurveBand, ScalarEstimate
    from .versions._nightly_gate import NightlyGate
    from .versions._version_comparison import compare_versions

__all__ = [
    "AccuracyComparison",
    "AccuracyExtrapolator",
    "ActiveTestSelector",
    "ClassifierAccuracyExtrapolator",
    "CurveBand",
    "Goal",
    "MeanEstimator",
    "NightlyGate",
    "PerformanceCurveEstimator",
    "PerformanceReport",
    "ScalarEstimate",
    "ScoreHistogram",
    "SemisupervisedCalibratedClassifier",
    "SemisupervisedScoreMixture",
    "SemisupervisedThresholdClassifier",
    "average_accuracy_curve",
    "compare_versions",
    "label_log_likelihood",
    "make_semisupervised_scorer",
    "show_versions",
]

# Where a name is defined; all are imported when the first is used.
_MODULES = {
    "AccuracyComparison": "extrapolation._accuracy_comparison",
    "AccuracyExtrapolator": "extrapolation._extrapolator",
    "ActiveTestSelector": "active._selector",
    "ClassifierAccuracyExtrapolator": "extrapolation._classifier_extrapolator",
    "CurveBand": "results._estimates",
    "Goal": "goals._goal",
    "MeanEstimator": "means._mean_estimator",
    "NightlyGate": "versions._nightly_gate",
    "PerformanceCurveEstimator": "estimators._performance",
    "PerformanceReport": "application.report._performance_report",
    "ScalarEstimate": "results._estimates",
    "ScoreHistogram": "histogram._score_histogram",
    "SemisupervisedCalibratedClassifier": "classifiers._calibration",
    "SemisupervisedScoreMixture": "estimators._score_mixture",
    "SemisupervisedThresholdClassifier": "classifiers._threshold",
    "average_accuracy_curve": "extrapolation._accuracy_curve",
    "compare_versions": "versions._version_comparison",
    "label_log_likelihood": "estimators._scorers",
    "make_semisupervised_scorer": "estimators._scorers",
    "show_versions": "_version",
}
# The packages, which are attributes from the start, as in ``sklearn_spe.metrics.FBeta``.
_PACKAGES = (
    "active",
    "application",
    "checks",
    "classifiers",
    "data",
    "datasets",
    "design",
    "display",
    "engine",
    "estimators",
    "exceptions",
    "experts",
    "extrapolation",
    "families",
    "goals",
    "histogram",
    "inference",
    "inputs",
    "matches",
    "means",
    "metrics",
    "mixtures",
    "models",
    "posterior",
    "results",
    "versions",
)

# A type checker would take any name for one of the package.
if not TYPE_CHECKING:

    def __getattr__(name: str):
        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # All at once: nothing is imported in the midst of a computation.
        for own, module in _MODULES.items():
            globals()[own] = getattr(import_module(f"{__name__}.{module}"), own)
        return globals()[name]

    def __dir__():
        return sorted({*globals(), *__all__, *_PACKAGES})
