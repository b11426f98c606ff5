"""Prevalence."""

from dataclasses import dataclass
from typing import ClassVar

from ._metric import RankingMetric, ratio


@dataclass(frozen=True)
class Prevalence(RankingMetric):
    """The share of positives among all items; the ranking does not matter."""

    name: ClassVar[str] = "prevalence"

    def value(self, tp, fp, *, steps=True):
        return ratio(tp[:, -1], tp[:, -1] + fp[:, -1])
