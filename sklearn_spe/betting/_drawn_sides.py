"""Free items on both sides of several thresholds, and the chances with which one is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["DrawnSides"]


@dataclass(frozen=True, eq=False)
class DrawnSides:
    """What is known of the free items before a draw, for each threshold: below, and above it.

    All arrays are of shape (n_thresholds, 2).

    Attributes
    ----------
    items : ndarray
        How many items are free.
    chance : ndarray
        That one of them is drawn.
    inverse, inverse_squared : ndarray
        Sums of the inverse of the chances of the items, and of its square.
    largest : ndarray
        The largest inverse; 0 without an item.
    """

    items: np.ndarray
    chance: np.ndarray
    inverse: np.ndarray
    inverse_squared: np.ndarray
    largest: np.ndarray

    @classmethod
    def of(cls, chances, depths) -> DrawnSides:
        """Sum over items in falling order of the score.

        Parameters
        ----------
        chances : ndarray of shape (n_items,)
            With which each is drawn; 0 for items that are not free.
        depths : ndarray of shape (n_thresholds,)
            How many items lie at or above each threshold.
        """
        free = chances > 0.0
        inverse = np.divide(1.0, chances, out=np.zeros(len(chances)), where=free)
        items, chance, once, squared = (
            _sums(x, depths) for x in (free, chances, inverse, inverse**2)
        )
        above = np.r_[0.0, np.maximum.accumulate(inverse)][depths]
        below = np.r_[np.maximum.accumulate(inverse[::-1])[::-1], 0.0][depths]
        return cls(items, chance, once, squared, np.stack([below, above], axis=1))

    @classmethod
    def evenly(cls, n_above, n_free: int) -> DrawnSides:
        """Sum over free items, each of which is as likely to be drawn.

        Parameters
        ----------
        n_above : ndarray of shape (n_thresholds,)
            How many of them lie at or above each threshold.
        n_free : int
            How many there are.
        """
        items = np.stack([n_free - n_above, n_above], axis=1).astype(float)
        largest = n_free * (items > 0.0)
        return cls(items, items / n_free, items * n_free, items * float(n_free) ** 2, largest)


def _sums(values, depths):
    above = np.r_[0.0, np.cumsum(values, dtype=float)]
    return np.stack([above[-1] - above[depths], above[depths]], axis=1)
