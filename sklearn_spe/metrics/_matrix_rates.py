"""Rates and numbers of a confusion matrix that users do not ask for by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._decision import CountMetric, RatioMetric


@dataclass(frozen=True)
class TrueNegatives(CountMetric):
    """Number of negatives below the threshold."""

    name: ClassVar[str] = "true_negatives"
    coefficients: ClassVar = (0.0, -1.0, 0.0, 1.0)


@dataclass(frozen=True)
class FalseNegativeRate(RatioMetric):
    """Share of the positives below the threshold."""

    name: ClassVar[str] = "false_negative_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar = (-1.0, 0.0, 1.0, 0.0)
    denominator: ClassVar = (0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FalseDiscoveryRate(RatioMetric):
    """Share of negatives among the items at or above the threshold."""

    name: ClassVar[str] = "false_discovery_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar = (0.0, 1.0, 0.0, 0.0)
    denominator: ClassVar = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class FalseOmissionRate(RatioMetric):
    """Share of positives among the items below the threshold."""

    name: ClassVar[str] = "false_omission_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar = (-1.0, 0.0, 1.0, 0.0)
    denominator: ClassVar = (-1.0, -1.0, 1.0, 1.0)
