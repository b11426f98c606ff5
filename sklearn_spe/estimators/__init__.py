"""Estimators of a classifier's performance and of the mixture of its scores."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._estimate_each import estimate_each
from ._performance import PerformanceCurveEstimator as PerformanceCurveEstimator
from ._score_mixture import SemisupervisedScoreMixture as SemisupervisedScoreMixture

__all__ = [
    "estimate_each",
]
