"""Precision."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class Precision(ThresholdMetric):
    """The share of positives among the items at or above the threshold (eq. 5 of SPE)."""

    name: ClassVar[str] = "precision"

    def value(self, tp, fp, n_positive, n_negative):
        return ratio(tp, tp + fp)
