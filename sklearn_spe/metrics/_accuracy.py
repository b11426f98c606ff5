"""Accuracy."""

from dataclasses import dataclass
from typing import ClassVar

from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class Accuracy(RatioMetric):
    """The share of items on the right side of the threshold."""

    name: ClassVar[str] = "accuracy"
    numerator: ClassVar[Coefficients] = (1.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 1.0)
