"""The mean of labels that are numbers: grades, rubric scores, measurements."""

from ._mean_estimator import MeanEstimator

__all__ = ["MeanEstimator"]
