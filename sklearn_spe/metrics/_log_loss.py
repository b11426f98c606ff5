"""The logarithmic loss."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._probability_metric import ProbabilityMetric

# As scikit-learn's.
RESOLUTION = float(np.finfo(float).eps)


@dataclass(frozen=True)
class LogLoss(ProbabilityMetric):
    """The mean of minus the logarithm of the probability of the class that is right, 0 at best.

    As scikit-learn's `log_loss`: probabilities within 2.2e-16 of 0 or 1 count as that far from
    them, so that an item that is predicted with certainty, and wrongly, costs 36 and not infinity.
    Where scores hold 0 or 1 a few such items decide the number; `BrierScore` has no such trouble.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics import LogLoss
    >>> positive, negative, probability = np.array([[0, 1], [1, 0], [0.2, 0.6]])
    >>> float(LogLoss().value(positive, negative, probability).round(6))
    0.366985
    """

    name: ClassVar[str] = "log_loss"
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def losses(self, probability):
        known = np.clip(probability, RESOLUTION, 1.0 - RESOLUTION)
        return -np.log1p(-known), -np.log(known)
