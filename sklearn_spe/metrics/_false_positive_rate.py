"""The false positive rate."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class FalsePositiveRate(ThresholdMetric):
    """The share of the negatives that lie at or above the threshold."""

    name: ClassVar[str] = "false_positive_rate"
    greater_is_better: ClassVar[bool] = False

    def value(self, tp, fp, n_positive, n_negative):
        return ratio(fp, n_negative)
