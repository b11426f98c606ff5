"""Displays draw results with matplotlib, which is imported inside `plot`."""

from ._performance_curve import PerformanceCurveDisplay
from ._score_mixture import ScoreMixtureDisplay

__all__ = ["PerformanceCurveDisplay", "ScoreMixtureDisplay"]
