"""The performance of a set's scores when every label is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from answers import ranking_performance
from cells import Cells
from sklearn.metrics import average_precision_score


@dataclass(frozen=True)
class Truth:
    """The performance when every label is known.

    Attributes
    ----------
    average_precision, prevalence : float
    curve : ndarray
        Precision at the recalls of an answer.
    """

    average_precision: float
    curve: np.ndarray
    prevalence: float

    @classmethod
    def of(cls, scores, labels):
        """Compute it."""
        cells = Cells.from_items(scores, labels)
        _, curve = ranking_performance(cells.positive[np.newaxis], cells.counts)
        return cls(average_precision_score(labels, scores), curve[0], labels.mean())
