"""The Brier score."""

from dataclasses import dataclass
from typing import ClassVar

from ._probability_metric import ProbabilityMetric


@dataclass(frozen=True)
class BrierScore(ProbabilityMetric):
    """The mean squared difference of probability and label, 0 at best.

    As scikit-learn's `brier_score_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics import BrierScore
    >>> positive, negative, probability = np.array([[0, 1], [1, 0], [0.2, 0.6]])
    >>> float(BrierScore().value(positive, negative, probability).round(6))
    0.1
    """

    name: ClassVar[str] = "brier_score"

    def losses(self, probability):
        return probability**2, (1.0 - probability) ** 2
