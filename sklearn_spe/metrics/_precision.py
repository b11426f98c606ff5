"""Precision."""

from dataclasses import dataclass
from typing import ClassVar

from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class Precision(RatioMetric):
    """The share of positives among the items at or above the threshold (eq. 5 of SPE)."""

    name: ClassVar[str] = "precision"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)
