"""Completed classes of a sample: item by item, or counted by predicted class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..inputs._arrays import FrozenArrays


@dataclass(frozen=True, eq=False)
class CompletedClasses(FrozenArrays):
    """The classes of all items in a few draws."""

    codes: np.ndarray  # (n_draws, n_items), class indices
    predicted: np.ndarray  # (n_items,)
    weights: np.ndarray  # (n_draws or 1, n_items), each item's share of the total
    n_classes: int
    # (n_draws,), indices of items drawn with replacement, (n_drawn,) each; None if not asked for
    drawn: tuple[np.ndarray, ...] | None = None

    @cached_property
    def right(self) -> np.ndarray:
        """Whether each prediction is correct, (n_draws, n_items)."""
        return self.codes == self.predicted

    @cached_property
    def confusion(self) -> np.ndarray:
        """Normalized confusion matrices, (n_draws, n_classes, n_classes), true by predicted."""
        n = len(self.codes)
        k = self.n_classes
        pair = self.codes * k + self.predicted + k * k * np.arange(n)[:, np.newaxis]
        weights = np.broadcast_to(self.weights, pair.shape)
        shares = np.bincount(pair.ravel(), weights.ravel(), minlength=n * k * k)
        return shares.reshape(n, k, k)

    @cached_property
    def of_classes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Shares of hits, of predictions and of items by class, (n_draws, n_classes) each."""
        hits = self._shares(self.codes, self.weights * self.right)
        predicted = self._shares(np.broadcast_to(self.predicted, self.codes.shape), self.weights)
        return hits, predicted, self._shares(self.codes, self.weights)

    def _shares(self, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        n = len(self.codes)
        k = self.n_classes
        place = codes + k * np.arange(n)[:, np.newaxis]
        weights = np.broadcast_to(weights, place.shape)
        return np.bincount(place.ravel(), weights.ravel(), minlength=n * k).reshape(n, k)


@dataclass(frozen=True, eq=False)
class CountedClasses(FrozenArrays):
    """The same for items that are counted by predicted class."""

    shares: np.ndarray  # (n_draws, n_groups, n_classes), of all items, by true class
    predicted: np.ndarray  # (n_groups,)

    @cached_property
    def confusion(self) -> np.ndarray:
        """Normalized confusion matrices, (n_draws, n_classes, n_classes), true by predicted."""
        n_classes = self.shares.shape[2]
        matrix = np.zeros((n_classes, len(self.shares), n_classes))
        np.add.at(matrix, self.predicted, self.shares.transpose(1, 0, 2))
        return matrix.transpose(1, 2, 0)

    @property
    def of_classes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Shares of hits, of predictions and of items by class, (n_draws, n_classes) each."""
        n_groups, n_classes = self.shares.shape[1:]
        right, predicted = np.zeros((2, n_classes, len(self.shares)))
        np.add.at(right, self.predicted, self.shares[:, np.arange(n_groups), self.predicted].T)
        np.add.at(predicted, self.predicted, self.shares.sum(axis=2).T)
        return right.T, predicted.T, self.shares.sum(axis=1)
