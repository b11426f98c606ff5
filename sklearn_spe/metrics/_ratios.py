"""Metrics of a decision that are ratios of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import ClassVar

import numpy as np

from ..inputs._numbers import check_number
from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import ThresholdMetric

__all__ = [
    "Accuracy",
    "FBeta",
    "FalsePositiveRate",
    "NegativePredictiveValue",
    "Precision",
    "RatioMetric",
    "Recall",
    "Specificity",
]

# Coefficients of tp, fp, n_positive and n_negative.
Coefficients = tuple[float, float, float, float]


@dataclass(frozen=True)
class RatioMetric(ThresholdMetric):
    """A threshold metric defined as a ratio of linear functions of the counts.

    Attributes
    ----------
    numerator, denominator : tuple of four floats
        The coefficients of tp, fp, n_positive and n_negative.

    Examples
    --------
    The share of items below the threshold among the negatives, which is specificity:

    >>> from sklearn_spe.metrics import RatioMetric
    >>> class Mine(RatioMetric):
    ...     name = "mine"
    ...     numerator = (0, -1, 0, 1)
    ...     denominator = (0, 0, 0, 1)
    >>> float(Mine().value(tp=8, fp=2, n_positive=10, n_negative=20))
    0.9
    """

    numerator: ClassVar[Coefficients]
    denominator: ClassVar[Coefficients]

    def value(self, tp, fp, n_positive, n_negative):
        counts = (tp, fp, n_positive, n_negative)
        return ratio(combined(self.numerator, counts), combined(self.denominator, counts))

    def item_terms(self, above=None, n_items=None):
        return terms_of(self.numerator), terms_of(self.denominator)

    def expected_ratio(self, distribution, above, n_positive):
        tp = np.einsum("ij,j->i", distribution.mean, above)
        fp = np.einsum("ij,j->i", distribution.counts - distribution.mean, above)
        total = distribution.n_positive if n_positive is None else n_positive
        counts = (tp, fp, total, distribution.n_items - total)
        # A positive label increases n_positive and decreases n_negative, unless the number is
        # given.
        of_total = 1.0 if n_positive is None else 0.0
        return ExpectedRatio(
            distribution,
            *(combined(c, counts) for c in (self.numerator, self.denominator)),
            *(
                above * (c[0] - c[1]) + of_total * (c[2] - c[3])
                for c in (self.numerator, self.denominator)
            ),
        )


def combined(coefficients, counts):
    """Return a linear function of the counts."""
    terms = [(c, count) for c, count in zip(coefficients, counts, strict=True) if c != 0.0]
    # Subtract last, so that no partial sum is negative.
    terms.sort(key=lambda term: term[0] < 0.0)
    return reduce(add, (c * count for c, count in terms))


def terms_of(coefficients) -> np.ndarray:
    """Return one item's term of a linear function of the counts, ``[z, above]``."""
    tp, fp, n_positive, n_negative = coefficients
    return np.array([[n_negative, n_negative + fp], [n_positive, n_positive + tp]], dtype=float)


@dataclass(frozen=True)
class Precision(RatioMetric):
    """The share of positives among the items at or above the threshold (eq. 5 of SPE)."""

    name: ClassVar[str] = "precision"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (1.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Recall(RatioMetric):
    """The share of the positives that lie at or above the threshold (eq. 4 of SPE)."""

    name: ClassVar[str] = "recall"
    numerator: ClassVar[Coefficients] = (1.0, 0.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class FBeta(RatioMetric):
    """The weighted harmonic mean of precision and recall.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall relative to precision.
    """

    beta: float = 1.0

    name: ClassVar[str] = "f1"

    def __post_init__(self):
        beta = check_number(self.beta, "beta", "[0, inf)")
        object.__setattr__(self, "name", f"f{beta:g}")

    @property
    def numerator(self) -> Coefficients:  # type: ignore[override]
        return 1.0 + self.beta**2, 0.0, 0.0, 0.0

    @property
    def denominator(self) -> Coefficients:  # type: ignore[override]
        return 1.0, 1.0, self.beta**2, 0.0


@dataclass(frozen=True)
class Accuracy(RatioMetric):
    """The share of items with the correct decision."""

    name: ClassVar[str] = "accuracy"
    numerator: ClassVar[Coefficients] = (1.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Specificity(RatioMetric):
    """The share of the negatives that lie below the threshold."""

    name: ClassVar[str] = "specificity"
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class FalsePositiveRate(RatioMetric):
    """The share of the negatives that lie at or above the threshold."""

    name: ClassVar[str] = "false_positive_rate"
    greater_is_better: ClassVar[bool] = False
    numerator: ClassVar[Coefficients] = (0.0, 1.0, 0.0, 0.0)
    denominator: ClassVar[Coefficients] = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class NegativePredictiveValue(RatioMetric):
    """The share of negatives among the items below the threshold."""

    name: ClassVar[str] = "negative_predictive_value"
    numerator: ClassVar[Coefficients] = (0.0, -1.0, 0.0, 1.0)
    denominator: ClassVar[Coefficients] = (-1.0, -1.0, 1.0, 1.0)
