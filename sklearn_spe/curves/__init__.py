"""Curves: functions from a posterior to bands and numbers.

A new curve costs one file and one entry in `CURVES`.
"""

from ._best_threshold import best_threshold
from ._estimates import (
    callable_estimate,
    curve_band,
    precision_at_recall_estimate,
    ranking_estimate,
    recall_at_precision_estimate,
    threshold_band,
    threshold_estimate,
)
from ._goals import Goal as Goal
from ._goals import goal_probability
from ._grid import Curve, increasing_thresholds, threshold_grid
from ._operating_points import OperatingPoints, over_draws, sample_operating_points
from ._precision_recall import PRECISION_RECALL, precision_at_recall, recall_at_precision
from ._probabilities import probability_estimate
from ._registry import CURVES
from ._reliability import reliability_band
from ._task import TARGETS, Task, check_target
from ._tradeoffs import tradeoff_band, tradeoff_estimate

__all__ = [
    "CURVES",
    "PRECISION_RECALL",
    "TARGETS",
    "Curve",
    "OperatingPoints",
    "Task",
    "best_threshold",
    "callable_estimate",
    "check_target",
    "curve_band",
    "goal_probability",
    "increasing_thresholds",
    "over_draws",
    "precision_at_recall",
    "precision_at_recall_estimate",
    "probability_estimate",
    "ranking_estimate",
    "recall_at_precision",
    "recall_at_precision_estimate",
    "reliability_band",
    "sample_operating_points",
    "threshold_band",
    "threshold_estimate",
    "threshold_grid",
    "tradeoff_band",
    "tradeoff_estimate",
]
