"""Metrics of a decision that are a ratio of counts, and nothing else."""

from dataclasses import dataclass
from typing import ClassVar

from ..inputs._numbers import check_number
from ._ratio_metric import Coefficients, RatioMetric

__all__ = ["Accuracy", "FBeta", "FalsePositiveRate", "Precision", "Recall", "Specificity"]


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
        How many times more recall weighs than precision.
    """

    beta: float = 1.0

    name: ClassVar[str] = "f1"

    def __post_init__(self):
        check_number(self.beta, "beta", "[0, inf)")
        object.__setattr__(self, "name", f"f{self.beta:g}")

    @property
    def numerator(self) -> Coefficients:  # type: ignore[override]
        return 1.0 + self.beta**2, 0.0, 0.0, 0.0

    @property
    def denominator(self) -> Coefficients:  # type: ignore[override]
        return 1.0, 1.0, self.beta**2, 0.0


@dataclass(frozen=True)
class Accuracy(RatioMetric):
    """The share of items on the right side of the threshold."""

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
