"""How good a classifier is: the questions that a posterior of its scores answers."""

from ._estimate_each import estimate_each
from ._performance import PerformanceCurveEstimator as PerformanceCurveEstimator

__all__ = ["estimate_each"]
