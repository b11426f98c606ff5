"""The mean of numeric labels: grades, rubric scores, measurements."""

from ._mean_estimator import MeanEstimator

__all__ = [
    "MeanEstimator",
]
