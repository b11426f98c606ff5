"""A multiclass classifier with the posterior draws that evaluate it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ._class_draws import ClassDraws
from ._class_scores import ClassScores

__all__ = ["MeasuredClassifier"]


@dataclass(frozen=True, eq=False)
class MeasuredClassifier(FrozenArrays):
    """Scores of one classifier with the class draws that evaluate it."""

    scores: ClassScores
    classes: np.ndarray  # (n_classes,), sorted, the columns of `scores`
    codes: np.ndarray  # (n_items,), class indices, -1 if unlabeled
    draws: ClassDraws  # that evaluate its predictions

    @property
    def known_errors(self) -> np.ndarray:
        """Whether each labeled prediction is wrong, (n_labeled,)."""
        known = self.codes >= 0
        return self.codes[known] != self.scores.predicted[known]
