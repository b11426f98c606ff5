"""One classifier of several classes, and the draws on which it is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ._class_draws import ClassDraws
from ._class_scores import ClassScores

__all__ = ["MeasuredClassifier"]


@dataclass(frozen=True, eq=False)
class MeasuredClassifier(FrozenArrays):
    """What questions about one classifier are asked of.

    Attributes
    ----------
    scores : ClassScores
    classes : ndarray of shape (n_classes,)
        Sorted; the columns of `scores`.
    codes : ndarray of shape (n_items,)
        Indices of classes, -1 where there is no label.
    draws : ClassDraws
        That measure its predictions.
    """

    scores: ClassScores
    classes: np.ndarray
    codes: np.ndarray
    draws: ClassDraws

    @property
    def known_mistakes(self) -> np.ndarray:
        """Which labelled predictions are wrong, of shape (n_labeled,)."""
        known = self.codes >= 0
        return self.codes[known] != self.scores.predicted[known]
