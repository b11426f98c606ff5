"""Multiclass scores of a classifier that predicts the class with the largest."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._labels import partial_labels
from ..inputs._rows import PartlyLabeled
from ..performance._performance import PerformanceCurveEstimator

__all__ = ["ScoredClasses"]


@dataclass(frozen=True, eq=False)
class ScoredClasses(FrozenArrays):
    """A classifier's own scores of all classes, with partial labels."""

    scores: np.ndarray  # (n_items, n_classes)
    labels: np.ndarray  # (n_items,), missing if unlabeled
    classes: np.ndarray  # (n_classes,)
    weights: np.ndarray | None  # (n_items,)
    seed: int
    n_draws: int

    @classmethod
    def of(cls, scores, data: PartlyLabeled, seed: int, n_draws: int) -> ScoredClasses:
        """Store scored rows with their labels."""
        labels = partial_labels(data.codes, data.classes)
        return cls(scores, labels, data.classes, data.sample_weight, seed, n_draws)

    def performance(self, **parameters) -> PerformanceCurveEstimator:
        """Return the performance of the classifier's own predictions."""
        return copy(self._performance).set_params(**parameters)

    @cached_property
    def _performance(self) -> PerformanceCurveEstimator:
        # Created on demand: a classifier without graded confidence has none.
        performance = PerformanceCurveEstimator(
            classes=self.classes, n_draws=self.n_draws, random_state=self.seed
        )
        return performance.fit(self.scores, self.labels, self.weights)
