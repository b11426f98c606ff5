"""Recall."""

from dataclasses import dataclass
from typing import ClassVar

from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class Recall(RatioMetric):
    """The share of the positives that lie at or above the threshold (eq. 4 of SPE)."""

    name: ClassVar[str] = "recall"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 0.0)
