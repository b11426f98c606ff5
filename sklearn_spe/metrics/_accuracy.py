"""Accuracy."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class Accuracy(ThresholdMetric):
    """The share of items on the right side of the threshold."""

    name: ClassVar[str] = "accuracy"

    def value(self, tp, fp, n_positive, n_negative):
        return ratio(tp + n_negative - fp, n_positive + n_negative)
