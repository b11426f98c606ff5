"""The F-measure."""

from dataclasses import dataclass
from typing import ClassVar

from .._numbers import check_number
from ._metric import ThresholdMetric, ratio


@dataclass(frozen=True)
class FBeta(ThresholdMetric):
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

    def value(self, tp, fp, n_positive, n_negative):
        square = self.beta**2
        return ratio((1.0 + square) * tp, tp + fp + square * n_positive)
