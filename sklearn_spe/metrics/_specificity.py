"""Specificity."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class Specificity(ThresholdMetric):
    """The share of the negatives that lie below the threshold."""

    name: ClassVar[str] = "specificity"

    def value(self, tp, fp, n_positive, n_negative):
        return ratio(n_negative - fp, n_negative)
