"""Prevalence."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import RankingMetric


@dataclass(frozen=True)
class Prevalence(RankingMetric):
    """The share of positives among all items, independent of the ranking."""

    name: ClassVar[str] = "prevalence"

    def value(self, tp, fp, *, steps=True):
        return ratio(tp[:, -1], tp[:, -1] + fp[:, -1])

    def item_terms(self, above=None, n_items=None) -> tuple[np.ndarray, np.ndarray]:
        return np.array([[0.0, 0.0], [1.0, 1.0]]), np.ones((2, 2))

    def expected_ratio(self, distribution, above, n_positive):
        if n_positive is None:
            return ExpectedRatio(
                distribution, distribution.n_positive, distribution.n_items, 1.0, 0.0
            )
        return ExpectedRatio(distribution, n_positive, distribution.n_items, 0.0, 0.0)
