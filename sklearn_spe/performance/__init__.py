"""Performance estimates from a posterior of a classifier's scores."""

from ._estimate_each import estimate_each
from ._performance import PerformanceCurveEstimator as PerformanceCurveEstimator

__all__ = ["estimate_each"]
