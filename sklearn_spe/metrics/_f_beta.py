"""The F-measure."""

from dataclasses import dataclass
from typing import ClassVar

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

    def value(self, tp, fp, n_positive, n_negative):
        square = self.beta**2
        return ratio((1.0 + square) * tp, tp + fp + square * n_positive)
