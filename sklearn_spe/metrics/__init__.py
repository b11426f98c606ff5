"""Metrics computed from counts. A new one costs one file and one entry in `METRICS`."""

from ._average_precision import AveragePrecision
from ._confusion_counts import (
    CountMetric,
    FalseNegatives,
    FalsePositives,
    PredictedPositives,
    TruePositives,
)
from ._contingency import BalancedAccuracy, CohenKappa, MatthewsCorrcoef
from ._division import ratio
from ._equal_error_rate import EqualErrorRate
from ._expected_ratio import ExpectedRatio
from ._label_distribution import LabelDistribution
from ._metric import Metric, RankingMetric, ThresholdMetric, TradeoffMetric, with_origin
from ._of_predictions import OfPredictions
from ._precision_at_k import PrecisionAtK
from ._precision_recall_slope import PrecisionAfterGain, PrecisionRecallSlope
from ._prevalence import Prevalence
from ._probability_metric import BrierScore, LogLoss, ProbabilityMetric
from ._ratios import (
    Accuracy,
    FalsePositiveRate,
    FBeta,
    NegativePredictiveValue,
    Precision,
    RatioMetric,
    Recall,
    Specificity,
)
from ._registry import METRICS, as_metric
from ._roc_auc import RocAuc

__all__ = [
    "METRICS",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "BrierScore",
    "CohenKappa",
    "CountMetric",
    "EqualErrorRate",
    "ExpectedRatio",
    "FBeta",
    "FalseNegatives",
    "FalsePositiveRate",
    "FalsePositives",
    "LabelDistribution",
    "LogLoss",
    "MatthewsCorrcoef",
    "Metric",
    "NegativePredictiveValue",
    "OfPredictions",
    "Precision",
    "PrecisionAfterGain",
    "PrecisionAtK",
    "PrecisionRecallSlope",
    "PredictedPositives",
    "Prevalence",
    "ProbabilityMetric",
    "RankingMetric",
    "RatioMetric",
    "Recall",
    "RocAuc",
    "Specificity",
    "ThresholdMetric",
    "TradeoffMetric",
    "TruePositives",
    "as_metric",
    "ratio",
    "with_origin",
]
