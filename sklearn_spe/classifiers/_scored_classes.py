"""The scores of several classes, of which the classifier decides for the largest."""

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
    """A classifier's own scores of all classes, and the labels of a few items.

    Attributes
    ----------
    scores : ndarray of shape (n_items, n_classes)
    labels : ndarray of shape (n_items,)
        Missing where there is none.
    classes : ndarray of shape (n_classes,)
    weights : ndarray of shape (n_items,) or None
    seed : int
    """

    scores: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None
    seed: int
    n_draws: int

    @classmethod
    def of(cls, scores, data: PartlyLabeled, seed: int, n_draws: int) -> ScoredClasses:
        """Keep what is known of rows that were scored."""
        labels = partial_labels(data.codes, data.classes)
        return cls(scores, labels, data.classes, data.sample_weight, seed, n_draws)

    def performance(self, **parameters) -> PerformanceCurveEstimator:
        """Return the performance of the classifier's own decisions."""
        return copy(self._performance).set_params(**parameters)

    @cached_property
    def _performance(self) -> PerformanceCurveEstimator:
        # Made when it is asked for: a classifier that does not say how sure it is has none.
        performance = PerformanceCurveEstimator(
            classes=self.classes, n_draws=self.n_draws, random_state=self.seed
        )
        return performance.fit(self.scores, self.labels, self.weights)
