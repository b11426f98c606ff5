"""Metrics computed from counts. A new one costs one file and one entry in the registry."""

from ._decision import (
    FBeta,
    NetBenefit,
    RatioMetric,
)
from ._metric import Metric, RankingMetric, ThresholdMetric
from ._ranking import PrecisionAtK
from ._special_questions import ConfusionShare, TopKAccuracy
from ._tradeoff import (
    ExpectedCalibrationError,
    PrecisionAfterGain,
    PrecisionRecallSlope,
)

__all__ = [
    "ConfusionShare",
    "ExpectedCalibrationError",
    "FBeta",
    "Metric",
    "NetBenefit",
    "PrecisionAfterGain",
    "PrecisionAtK",
    "PrecisionRecallSlope",
    "RankingMetric",
    "RatioMetric",
    "ThresholdMetric",
    "TopKAccuracy",
]
