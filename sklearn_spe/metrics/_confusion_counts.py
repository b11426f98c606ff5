"""Metrics of a decision that are counts of items of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._expected_ratio import ExpectedRatio
from ._metric import ThresholdMetric
from ._ratios import Coefficients, combined, terms_of

__all__ = [
    "CountMetric",
    "FalseNegatives",
    "FalsePositives",
    "PredictedPositives",
    "TruePositives",
]


@dataclass(frozen=True)
class CountMetric(ThresholdMetric):
    """A number of items, defined as a linear function of the counts.

    It is defined for a sample, not for a population. With weighted items it is a sum of weights.

    Attributes
    ----------
    coefficients : tuple of four floats
        Coefficients of tp, fp, n_positive and n_negative.

    Examples
    --------
    >>> from sklearn_spe.metrics import FalseNegatives, TruePositives
    >>> counts = {"tp": 8, "fp": 2, "n_positive": 10, "n_negative": 20}
    >>> TruePositives().value(**counts), FalseNegatives().value(**counts)
    (8.0, 2.0)
    """

    coefficients: ClassVar[Coefficients]
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)
    counts_items: ClassVar[bool] = True

    def value(self, tp, fp, n_positive, n_negative):
        return combined(self.coefficients, (tp, fp, n_positive, n_negative))

    def item_terms(self, above=None, n_items=None):
        if n_items is None:
            return None
        # The sum of the denominator over all items is one.
        return terms_of(self.coefficients), np.full((2, 2), 1.0 / n_items)

    def expected_ratio(self, distribution, above, n_positive):
        tp = np.einsum("ij,j->i", distribution.mean, above)
        fp = np.einsum("ij,j->i", distribution.counts - distribution.mean, above)
        total = distribution.n_positive if n_positive is None else n_positive
        c, of_total = self.coefficients, 1.0 if n_positive is None else 0.0
        slope = above * (c[0] - c[1]) + of_total * (c[2] - c[3])
        counted = combined(c, (tp, fp, total, distribution.n_items - total))
        return ExpectedRatio(distribution, counted, 1.0, slope, 0.0)


@dataclass(frozen=True)
class TruePositives(CountMetric):
    """Number of positives at or above the threshold."""

    name: ClassVar[str] = "true_positives"
    coefficients: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FalseNegatives(CountMetric):
    """Number of positives below the threshold."""

    name: ClassVar[str] = "false_negatives"
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (-1.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FalsePositives(CountMetric):
    """Number of negatives at or above the threshold."""

    name: ClassVar[str] = "false_positives"
    greater_is_better: ClassVar[bool] = False
    coefficients: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class PredictedPositives(CountMetric):
    """Number of items at or above the threshold."""

    name: ClassVar[str] = "predicted_positives"
    coefficients: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)
