"""Counts and inclusion probabilities of the free items below and above several thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ThresholdCounts"]


@dataclass(frozen=True, eq=False)
class ThresholdCounts:
    """Summary of the free items below and above each threshold; all arrays (n_thresholds, 2)."""

    items: np.ndarray  # number of free items
    chance: np.ndarray  # probability that one of them is drawn
    inverse: np.ndarray  # sum of inverse inclusion probabilities
    inverse_squared: np.ndarray  # sum of their squares
    largest: np.ndarray  # largest inverse inclusion probability; 0 without an item

    @classmethod
    def of(cls, chances, depths) -> ThresholdCounts:
        """Sum over items in decreasing order of the score; `chances` are 0 for items not free."""
        free = chances > 0.0
        inverse = np.divide(1.0, chances, out=np.zeros(len(chances)), where=free)
        items, chance, once, squared = (
            _sums(x, depths) for x in (free, chances, inverse, inverse**2)
        )
        above = np.r_[0.0, np.maximum.accumulate(inverse)][depths]
        below = np.r_[np.maximum.accumulate(inverse[::-1])[::-1], 0.0][depths]
        return cls(items, chance, once, squared, np.stack([below, above], axis=1))

    @classmethod
    def evenly(cls, n_above, n_free: int) -> ThresholdCounts:
        """Sum over free items that are drawn uniformly; `n_above` (n_thresholds,)."""
        items = np.stack([n_free - n_above, n_above], axis=1).astype(float)
        largest = n_free * (items > 0.0)
        return cls(items, items / n_free, items * n_free, items * float(n_free) ** 2, largest)


def _sums(values, depths):
    above = np.r_[0.0, np.cumsum(values, dtype=float)]
    return np.stack([above[-1] - above[depths], above[depths]], axis=1)
