"""Curves by name: those of two rates, and metrics over all thresholds."""

from __future__ import annotations

from typing import Any

from ..metrics._metric import Metric, ThresholdMetric, TradeoffMetric
from ..metrics._registry import METRICS, as_metric, canonical, remedy_of_name
from ..metrics._rows import RowMetric
from ._operating_points import (
    Curve,
    above_zero,
    fnr_at_fpr,
    from_zero_to_one,
    precision_at_recall,
    tpr_at_fpr,
)

PRECISION_RECALL = Curve(
    name="precision_recall",
    x_name="recall",
    y_name="precision",
    grid=above_zero,
    value=precision_at_recall,
    zero_division=0.0,
)
ROC = Curve(
    name="roc",
    x_name="false positive rate",
    y_name="true positive rate",
    grid=from_zero_to_one,
    value=tpr_at_fpr,
)

DET = Curve(
    name="det",
    x_name="false positive rate",
    y_name="false negative rate",
    grid=from_zero_to_one,
    value=fnr_at_fpr,
)
CURVES = {curve.name: curve for curve in (PRECISION_RECALL, ROC, DET)}
# Metrics at a threshold, which are curves over all thresholds.
OVER_THRESHOLDS = (ThresholdMetric, TradeoffMetric)


def as_curve(name: Any) -> Curve | Metric:
    """Return the curve of two rates, or the metric over thresholds, of a name."""
    if isinstance(name, str) and name not in CURVES:
        name = canonical(name)
    curve = CURVES.get(name, name) if isinstance(name, str) else name
    if isinstance(curve, Curve):
        return curve

    if not isinstance(name, Metric) and (not isinstance(name, str) or name not in METRICS):
        known = [key for key, metric in METRICS.items() if issubclass(metric, OVER_THRESHOLDS)]
        raise ValueError(
            f"Unknown curve {name!r}.{remedy_of_name(name, [*CURVES, *known])} Choose one of "
            f"{', '.join(CURVES)}, or a metric against the threshold: {', '.join(known)}."
        )

    metric = as_metric(name)
    if isinstance(metric, RowMetric):
        raise ValueError(
            f"{metric.name!r} is computed on rows, at one threshold at a time: use "
            f"estimate({metric.name!r}, threshold=..., sample_columns=...)."
        )
    if not isinstance(metric, OVER_THRESHOLDS):
        raise ValueError(
            f"{metric.name!r} is a number, not a curve; use estimate({metric.name!r})."
        )
    return metric
