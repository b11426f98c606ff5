"""Specificity."""

from dataclasses import dataclass
from typing import ClassVar

from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class Specificity(RatioMetric):
    """The share of the negatives that lie below the threshold."""

    name: ClassVar[str] = "specificity"
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)
