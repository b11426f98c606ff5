"""The false positive rate."""

from dataclasses import dataclass
from typing import ClassVar

from ._ratio_metric import Coefficients, RatioMetric


@dataclass(frozen=True)
class FalsePositiveRate(RatioMetric):
    """The share of the negatives that lie at or above the threshold."""

    name: ClassVar[str] = "false_positive_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)
