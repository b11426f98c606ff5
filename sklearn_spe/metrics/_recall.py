"""Recall."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class Recall(ThresholdMetric):
    """The share of the positives that lie at or above the threshold (eq. 4 of SPE)."""

    name: ClassVar[str] = "recall"

    def value(self, tp, fp, n_positive, n_negative):
        return ratio(tp, n_positive)
