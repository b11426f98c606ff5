"""Displays draw results with matplotlib, which is imported inside `plot`."""

from ._active_test import ActiveTestDisplay
from ._calibration_band import CalibrationBandDisplay
from ._goal_probability import GoalProbabilityDisplay
from ._numbers import DifferenceDisplay, EstimateDisplay
from ._performance_curve import PerformanceCurveDisplay
from ._score_mixture_display import ScoreMixtureDisplay

__all__ = [
    "ActiveTestDisplay",
    "CalibrationBandDisplay",
    "DifferenceDisplay",
    "EstimateDisplay",
    "GoalProbabilityDisplay",
    "PerformanceCurveDisplay",
    "ScoreMixtureDisplay",
]
