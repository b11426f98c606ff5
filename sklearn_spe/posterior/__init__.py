"""Posteriors of P(y = 1 | score), and the curves and estimates that follow from them.

A new curve costs one file and one entry in `CURVES`.
"""

from ._operating_points import (
    CURVES,
    PRECISION_RECALL,
    TARGETS,
    Curve,
    OperatingPoints,
    Task,
    check_target,
    increasing_thresholds,
    over_draws,
    precision_at_recall,
    recall_at_precision,
    sample_operating_points,
    threshold_grid,
)
from ._posterior_estimates import (
    callable_estimate,
    curve_band,
    precision_at_recall_estimate,
    probability_estimate,
    ranking_estimate,
    recall_at_precision_estimate,
    reliability_band,
    threshold_band,
    threshold_estimate,
    tradeoff_band,
    tradeoff_estimate,
)

__all__ = [
    "CURVES",
    "PRECISION_RECALL",
    "TARGETS",
    "Curve",
    "OperatingPoints",
    "Task",
    "callable_estimate",
    "check_target",
    "curve_band",
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
