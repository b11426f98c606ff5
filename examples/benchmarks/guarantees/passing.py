"""What passes each threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Passing:
    """The items at or above each distinct score, highest score first.

    Attributes
    ----------
    scores : ndarray of shape (n_cells,)
    n_items, n_positive : ndarray of shape (n_cells,)
        How many items, and how many positives among them; expected ones if labels are
        probabilities.
    """

    scores: np.ndarray
    n_items: np.ndarray
    n_positive: np.ndarray

    @classmethod
    def of(cls, scores, labels):
        """Count."""
        falling, cell = np.unique(-scores, return_inverse=True)
        return cls(
            -falling, np.cumsum(np.bincount(cell)), np.cumsum(np.bincount(cell, weights=labels))
        )

    @property
    def precision(self):
        """The share of positives among the items that pass."""
        return self.n_positive / self.n_items

    @property
    def recall(self):
        """The share of the positives that pass."""
        return self.n_positive / self.n_positive[-1]

    def lowest(self, good):
        """Return the lowest of the good thresholds, or None."""
        found = np.flatnonzero(good)
        return float(self.scores[found[-1]]) if len(found) else None

    def at(self, threshold):
        """Return the index of what passes a threshold, -1 if nothing does."""
        return np.searchsorted(-self.scores, -threshold, side="right") - 1
