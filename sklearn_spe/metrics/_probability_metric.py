"""Metrics of predicted probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._metric import Metric


@dataclass(frozen=True)
class ProbabilityMetric(Metric):
    """Metric of predicted probabilities: the mean loss over items.

    It treats scores as probabilities of the positive class, and has no threshold.
    """

    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    @abstractmethod
    def losses(self, probability) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses of a predicted probability for a negative and a positive item."""

    def value(self, positive, negative, probability) -> np.ndarray:
        """Return the mean loss; the last axis of all arguments is over cells of equal scores.

        Parameters
        ----------
        positive, negative : ndarray of shape (..., n_cells)
            Number of items of each class.
        probability : ndarray of shape (n_cells,)
            Predicted probability of the items of each cell.
        """
        if_negative, if_positive = self.losses(probability)
        lost = np.einsum("...j,j->...", positive, if_positive)
        lost = lost + np.einsum("...j,j->...", negative, if_negative)
        return ratio(lost, np.sum(positive, axis=-1) + np.sum(negative, axis=-1))

    def __call__(self, y_true, y_score) -> float:
        """Return the metric of labels 0 and 1 and predicted probabilities."""
        y_true = np.asarray(y_true, dtype=float)
        return float(self.value(y_true, 1.0 - y_true, np.asarray(y_score, dtype=float)))


@dataclass(frozen=True)
class BrierScore(ProbabilityMetric):
    """The mean squared difference of probability and label; 0 is best.

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


# As scikit-learn's.
RESOLUTION = float(np.finfo(float).eps)


@dataclass(frozen=True)
class LogLoss(ProbabilityMetric):
    """The mean negative log probability of the true class; 0 is best.

    As scikit-learn's `log_loss`: probabilities are clipped to 2.2e-16 from 0 and 1, so that a
    certain and wrong prediction has the loss 36, not infinity. If predictions are exactly 0 or 1, a
    few such items dominate; `BrierScore` is bounded.

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
