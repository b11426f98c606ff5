"""How good a classifier is: the questions that a posterior of its scores answers."""

from ._performance import PerformanceCurveEstimator as PerformanceCurveEstimator

__all__: list[str] = []
