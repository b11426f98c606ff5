"""One classifier on some items: its predictions beside the drawn classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import attrgetter

import numpy as np

from ..data._class_scores import ClassScores
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import spawn
from ..posterior._operating_points import Task, values_of_draws
from ..posterior._posterior import Block
from ._class_draws import NEW_ITEMS, ClassDraws


@dataclass(frozen=True, eq=False)
class CompletedClasses(FrozenArrays):
    """The classes of all items in a few draws."""

    codes: np.ndarray  # (n_draws, n_items), class indices
    predicted: np.ndarray  # (n_items,)
    weights: np.ndarray  # (n_draws or 1, n_items), each item's share of the total
    n_classes: int

    @cached_property
    def right(self) -> np.ndarray:
        """Whether each prediction is correct, (n_draws, n_items)."""
        return self.codes == self.predicted

    @cached_property
    def confusion(self) -> np.ndarray:
        """Normalized confusion matrices, (n_draws, n_classes, n_classes), true by predicted."""
        n, k = len(self.codes), self.n_classes
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

    def _shares(self, codes, weights) -> np.ndarray:
        n, k = len(self.codes), self.n_classes
        place = codes + k * np.arange(n)[:, np.newaxis]
        weights = np.broadcast_to(weights, place.shape)
        return np.bincount(place.ravel(), weights.ravel(), minlength=n * k).reshape(n, k)


@dataclass(frozen=True, eq=False)
class CountedClasses(FrozenArrays):
    """The same of items that are counted, by what classifiers predict."""

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


@dataclass(frozen=True, eq=False)
class MeasuredClassifier(FrozenArrays):
    """Scores of one classifier with the class draws that evaluate it, on some items."""

    scores: ClassScores  # of these items
    draws: ClassDraws
    items: np.ndarray | slice  # (n_items,), among those of the draws; or all

    classes = property(attrgetter("draws.table.classes"))

    @property
    def known_errors(self) -> np.ndarray:
        """Whether each labeled prediction is wrong, (n_labeled,)."""
        codes = self.draws.table.codes[self.items]
        return (codes != self.scores.predicted)[codes >= 0]

    @property
    def n_items(self) -> float:
        """For how many items these count."""
        return float(self.draws.table.counts[self.items].sum())

    def of_classes(self, task: Task) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares of hits, predictions and items by class, (n_draws, n_classes) each.

        They are counted once: all questions share them.
        """
        key = task.target, task.entropy
        if key not in self._kept:
            self._kept[key] = np.hsplit(self.values(_of_classes, task), 3)
        return self._kept[key]

    @cached_property
    def _kept(self) -> dict:
        """Shares by target and seed; in no pickle."""
        return {}

    def values(self, function: Callable, task: Task, *, by_item: bool = False) -> np.ndarray:
        """Apply a function to all draws; return (n_draws, n_points).

        `function` maps `CompletedClasses` of some draws to (n_rows, n_points), or `CountedClasses`
        unless `by_item`. For the target "population" items are resampled by a Bayesian bootstrap.
        """
        draws = self.draws
        is_new = not task.draws_labels and draws.table.clusters is not None
        if draws.is_counted and not by_item and not is_new:
            first, group = draws.groups
            own = np.arange(len(group))[self.items]
            groups = np.unique(group[own])
            # What this classifier predicts for the first item it does for all of the group.
            rows = np.searchsorted(own, first[groups])
            counts = draws.counts(task)[:, groups]
            shares = counts / counts.sum(axis=(1, 2))[:, np.newaxis, np.newaxis]
            return function(CountedClasses(shares, self.scores.predicted[rows]))
        if not draws.table.is_one_by_one:
            raise ValueError(
                f"sample_weight counts {self.n_items:,.0f} items in "
                f"{len(self.scores.predicted):,} rows, and this estimate takes items one by one, "
                "as do those with groups= for a population and those of thousands of classes. "
                "Estimate metrics of the predicted class, such as 'accuracy' and 'f1', or fit a "
                "random sample of the items."
            )
        return values_of_draws(draws, partial(self._of_block, function, task), task)

    def _of_block(self, function, task: Task, block: Block) -> np.ndarray:
        codes, rng = self.draws.codes(block, task), spawn(task.entropy, NEW_ITEMS, block.index)
        parts = [
            function(self._completed(codes[rows], rng, task)) for rows in row_tiles(*codes.shape)
        ]
        return np.concatenate(parts)

    def _completed(self, codes, rng, task) -> CompletedClasses:
        items, clusters = self.items, self.draws.table.clusters
        if task.draws_labels:
            weights = np.ones((1, codes.shape[1]))[:, items]
        elif clusters is not None:
            weights = clusters.bootstrap(rng, len(codes), items)
        else:
            weights = rng.standard_exponential(codes.shape)[:, items]
        weights, codes = weights / weights.sum(axis=1, keepdims=True), codes[:, items]
        return CompletedClasses(codes, self.scores.predicted, weights, len(self.classes))


def _of_classes(completed) -> np.ndarray:
    return np.hstack(completed.of_classes)
