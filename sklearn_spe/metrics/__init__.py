"""Metrics computed from counts. A new one costs one file and one entry in the registry."""

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
    RatioMetric,
    Recall,
    Specificity,
    TruePositives,
)
from ._metric import Metric, RankingMetric, ThresholdMetric
from ._ranking import AveragePrecision, EqualErrorRate, PrecisionAtK, Prevalence, RocAuc
from ._tradeoff import BrierScore, LogLoss, PrecisionAfterGain, PrecisionRecallSlope

__all__ = [
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "BrierScore",
    "CohenKappa",
    "EqualErrorRate",
    "FBeta",
    "FalseNegatives",
    "FalsePositiveRate",
    "FalsePositives",
    "LogLoss",
    "MatthewsCorrcoef",
    "Metric",
    "NegativePredictiveValue",
    "Precision",
    "PrecisionAfterGain",
    "PrecisionAtK",
    "PrecisionRecallSlope",
    "PredictedPositives",
    "Prevalence",
    "RankingMetric",
    "RatioMetric",
    "Recall",
    "RocAuc",
    "Specificity",
    "ThresholdMetric",
    "TruePositives",
]
