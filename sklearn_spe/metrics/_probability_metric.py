"""The contract of a measure of predicted probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._metric import Metric


@dataclass(frozen=True)
class ProbabilityMetric(Metric):
    """A measure of predicted probabilities: the mean of what each item loses.

    It takes scores for probabilities of the positive class, and has no threshold.
    """

    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    @abstractmethod
    def losses(self, probability) -> tuple[np.ndarray, np.ndarray]:
        """Return what an item of a predicted probability loses if negative, and if positive."""

    def value(self, positive, negative, probability) -> np.ndarray:
        """Return the mean loss; the last axis of all arguments is over cells of equal scores.

        Parameters
        ----------
        positive, negative : ndarray of shape (..., n_cells)
            The items of each class.
        probability : ndarray of shape (n_cells,)
            That items of the cell are positive, as predicted.
        """
        if_negative, if_positive = self.losses(probability)
        lost = np.einsum("...j,j->...", positive, if_positive)
        lost = lost + np.einsum("...j,j->...", negative, if_negative)
        return ratio(lost, np.sum(positive, axis=-1) + np.sum(negative, axis=-1))

    def __call__(self, y_true, y_score) -> float:
        """Return the metric of labels 0 and 1 and predicted probabilities."""
        y_true = np.asarray(y_true, dtype=float)
        return float(self.value(y_true, 1.0 - y_true, np.asarray(y_score, dtype=float)))
