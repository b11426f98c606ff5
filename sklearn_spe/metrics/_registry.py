"""Registry of metrics by name: a new one costs one file and one entry here."""

from __future__ import annotations

from typing import Any

from . import _decision, _ranking, _tradeoff
from ._metric import Metric

METRICS = {
    metric.name: metric
    for metric in (
        _decision.Precision,
        _decision.Recall,
        _decision.FBeta,
        _decision.Accuracy,
        _decision.BalancedAccuracy,
        _decision.MatthewsCorrcoef,
        _decision.CohenKappa,
        _decision.Specificity,
        _decision.FalsePositiveRate,
        _decision.NegativePredictiveValue,
        _decision.TruePositives,
        _decision.FalseNegatives,
        _decision.FalsePositives,
        _decision.PredictedPositives,
        _tradeoff.PrecisionRecallSlope,
        _tradeoff.PrecisionAfterGain,
        _ranking.AveragePrecision,
        _ranking.RocAuc,
        _ranking.EqualErrorRate,
        _ranking.PrecisionAtK,
        _ranking.Prevalence,
        _tradeoff.BrierScore,
        _tradeoff.LogLoss,
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
