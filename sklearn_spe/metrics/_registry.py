"""Registry of metrics by name: a new one costs one file and one entry here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from . import _decision, _ranking, _rows, _special_questions, _tradeoff
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
        _decision.NetBenefit,
        _decision.TruePositives,
        _decision.FalseNegatives,
        _decision.FalsePositives,
        _decision.PredictedPositives,
        _rows.ValueWeightedRecall,
        _rows.ValueWeightedPrecision,
        _tradeoff.PrecisionRecallSlope,
        _tradeoff.PrecisionAfterGain,
        _ranking.AveragePrecision,
        _ranking.RocAuc,
        _ranking.EqualErrorRate,
        _ranking.PrecisionAtK,
        _ranking.NormalizedDiscountedCumulativeGain,
        _ranking.Prevalence,
        _tradeoff.BrierScore,
        _tradeoff.LogLoss,
        _tradeoff.ExpectedCalibrationError,
    )
}
# Those that need a column of amounts.
METRICS_OF_ROWS = [name for name, metric in METRICS.items() if issubclass(metric, _rows.RowMetric)]
# Metrics of some questions alone: of more than two classes, of two thresholds.
OF_SOME_QUESTIONS = {
    metric.name: metric
    for metric in (
        _special_questions.TopKAccuracy,
        _special_questions.ConfusionShare,
        _special_questions.UndecidedShare,
    )
}
# Names in use elsewhere, as `folded` has them, of each metric.
ALIASES = {alias: metric.name for metric in METRICS.values() for alias in metric.aliases}
# What to call for quantities that have no name here.
INSTEAD = {
    alias: remedy
    for aliases, remedy in (
        (
            ("map", "mapk", "meanaverageprecision", "mrr", "meanreciprocalrank", "gauc"),
            "A mean over queries is a callable metric(y_true, y_score, query), which returns the "
            "mean of the metric over the queries, with sample_columns={'query': queries}.",
        ),
        (
            ("pauc", "partialauc", "partialrocauc"),
            "The partial area is a callable: lambda y_true, y_score: "
            "sklearn.metrics.roc_auc_score(y_true, y_score, max_fpr=0.1).",
        ),
        (
            ("gain", "gains", "lift", "cumulativegain"),
            "The gain at a share of the items is 'recall' with threshold= at that quantile of the "
            "scores; lift is 'precision' there divided by 'prevalence'.",
        ),
        (
            ("fpr95", "fpr95tpr", "fpr95recall", "fprattpr95", "fprat95tpr"),
            "It is 'false_positive_rate' with recall=0.95.",
        ),
        (
            ("patk", "precisionk", "topkprecision"),
            "It is sklearn_spe.metrics.PrecisionAtK(k), 'precision_at_k' for the 10 highest.",
        ),
        (("f2", "f05", "fbeta"), "It is sklearn_spe.metrics.FBeta(beta)."),
        (
            ("microf1", "microprecision", "microrecall", "f1micro"),
            "With one class for each item the micro averages of precision, recall and F1 are "
            "'accuracy'; average='micro' has them by name.",
        ),
        (
            ("probability", "goalprobability", "confidence", "level"),
            "The probability with which a goal must be met is confidence_level= of threshold_for, "
            "--goal-probability of the command line.",
        ),
        (
            ("mse", "rmse", "mae", "r2"),
            "The mean of a number of each item, such as its squared error, is that of "
            "MeanEstimator.",
        ),
    )
    for alias in aliases
}
# Least similarity of a misspelled name, of `difflib`.
SIMILARITY = 0.66


def folded(name: str) -> str:
    """Return a name in lower case, without separators."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def canonical(name: str) -> str:
    """Return the name of a metric for one in use elsewhere, such as auc, mcc or tpr."""
    return name if name in METRICS else ALIASES.get(folded(name), name)


def remedy_of_name(name: Any, known: Iterable[str]) -> str:
    """Return a hint on the meaning of an unknown name, after a space, or "" without one."""
    if not isinstance(name, str):
        return ""

    alias = folded(name)
    names = {folded(other): other for other in known}

    if alias in INSTEAD:
        return f" {INSTEAD[alias]}"
    if ALIASES.get(alias) in names.values():
        return f" It is {ALIASES[alias]!r} here."

    aliases = {other: name for other, name in ALIASES.items() if name in names.values()}
    meanings = {**aliases, **names}
    matches = get_close_matches(alias, meanings, n=3, cutoff=SIMILARITY)
    candidates = dict.fromkeys(repr(meanings[match]) for match in matches)

    return f" Did you mean {' or '.join(candidates)}?" if candidates else ""


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
    if isinstance(metric, str):
        metric = canonical(metric)
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(
            f"Unknown metric {metric!r}.{remedy_of_name(metric, METRICS)} Choose one of "
            f"{', '.join(METRICS)}, an instance such as sklearn_spe.metrics.FBeta(beta=2), or a "
            "callable metric(y_true, y_score)."
        )
    return METRICS[metric]()
