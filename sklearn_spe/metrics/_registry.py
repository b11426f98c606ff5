"""Registry of metrics by name: a new one costs one file and one entry here."""

from __future__ import annotations

from typing import Any

from ._decision import (
    Accuracy,
    BalancedAccuracy,
    CohenKappa,
    FalseNegatives,
    FalsePositiveRate,
    FalsePositives,
    FBeta,
    MatthewsCorrcoef,
    NegativePredictiveValue,
    Precision,
    PredictedPositives,
    Recall,
    Specificity,
    TruePositives,
)
from ._metric import Metric
from ._ranking import AveragePrecision, EqualErrorRate, PrecisionAtK, Prevalence, RocAuc
from ._tradeoff import BrierScore, LogLoss, PrecisionAfterGain, PrecisionRecallSlope

METRICS = {
    metric.name: metric
    for metric in (
        Precision,
        Recall,
        FBeta,
        Accuracy,
        BalancedAccuracy,
        MatthewsCorrcoef,
        CohenKappa,
        Specificity,
        FalsePositiveRate,
        NegativePredictiveValue,
        TruePositives,
        FalseNegatives,
        FalsePositives,
        PredictedPositives,
        PrecisionRecallSlope,
        PrecisionAfterGain,
        AveragePrecision,
        RocAuc,
        EqualErrorRate,
        PrecisionAtK,
        Prevalence,
        BrierScore,
        LogLoss,
    )
}


def as_metric(metric: Any) -> Metric:
    """Return the metric given by name or as an instance.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> from sklearn_spe.metrics import FBeta
    >>> from sklearn_spe.metrics._registry import as_metric
    >>> float(as_metric("f1").value(tp=8, fp=2, n_positive=10, n_negative=90))
    0.8
    >>> as_metric(FBeta(beta=2.0)).beta
    2.0
    """
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(
            f"Unknown metric {metric!r}; choose one of {', '.join(METRICS)}, an instance such as "
            f"sklearn_spe.metrics.FBeta(beta=2), or a callable metric(y_true, y_score)."
        )
    return METRICS[metric]()
