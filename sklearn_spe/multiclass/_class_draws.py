"""Posterior draws of the classes of all items, shared by all estimates."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from .._arrays import FrozenArrays
from .._posterior import Block
from ..curves._task import Task
from ..inputs._random_state import spawn
from ..items._clusters import Clusters
from ._class_scores import ClassScores
from ._class_shifts import ClassShifts
from ._confusion_model import ConfusionModel
from ._error_model import ErrorModel

__all__ = ["ClassDraws", "CompletedClasses"]

# Spawn keys of the random streams of the classes and of new items.
CLASSES, NEW_ITEMS = 11, 12


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
class ClassDraws(FrozenArrays):
    """Posterior draws of the classes of items; known labels are kept."""

    scores: ClassScores  # whose prediction errors are modeled
    codes: np.ndarray  # (n_items,), class indices, -1 if unlabeled
    error_model: ErrorModel  # model of P(prediction is wrong | item)
    shifts: ClassShifts  # differences between predicted classes in that probability
    others: ConfusionModel  # distribution of the true class if the prediction is wrong
    measured: ClassScores  # whose predictions are evaluated on the drawn classes
    items: np.ndarray | None = None  # (n_measured,), the evaluated items; None for all
    clusters: Clusters | None = None  # groups of dependent items; None if independent

    def measuring(self, scores: ClassScores, items: np.ndarray | None = None) -> ClassDraws:
        """Return the same draws to evaluate other predictions, on all items or some."""
        return replace(self, measured=scores, items=items)

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws."""
        return self.error_model.weights

    @cached_property
    def origin(self) -> str:
        """Key that identifies the draws."""
        codes = hashlib.blake2b(np.ascontiguousarray(self.codes).tobytes(), digest_size=8)
        return f"{self.error_model.posterior.digest}-{codes.hexdigest()}"

    @cached_property
    def _unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.codes < 0)

    def values(self, function: Callable[[CompletedClasses], np.ndarray], task: Task) -> np.ndarray:
        """Apply a function to all draws; return (n_draws, n_points).

        `function` maps `CompletedClasses` of some draws to (n_rows, n_points). For the target
        "population" items are resampled by a Bayesian bootstrap.
        """
        if not len(self._unlabeled) and task.draws_labels:
            known = function(self._completed(self.codes[np.newaxis], None, task))
            return np.repeat(known, len(self.weights), axis=0)
        parts = Parallel(n_jobs=task.n_jobs)(
            delayed(self._of_block)(function, block, task)
            for block in self.error_model.posterior.blocks()
        )
        return np.concatenate(parts)

    def _of_block(self, function, block: Block, task: Task) -> np.ndarray:
        labels, items = (spawn(task.entropy, place, block.index) for place in (CLASSES, NEW_ITEMS))
        parts = [
            function(self._completed(self._drawn(part, distribution, labels, task), items, task))
            for part, distribution in self._parts(block)
        ]
        return np.concatenate(parts)

    def _completed(self, codes, rng, task) -> CompletedClasses:
        items = slice(None) if self.items is None else self.items
        if task.draws_labels:
            weights = np.ones((1, codes.shape[1]))[:, items]
        elif self.clusters is not None:
            weights = self.clusters.bootstrap(rng, len(codes), items)
        else:
            weights = rng.standard_exponential(codes.shape)[:, items]
        weights, codes = weights / weights.sum(axis=1, keepdims=True), codes[:, items]
        n_classes = self.scores.scores.shape[1]
        return CompletedClasses(codes, self.measured.predicted, weights, n_classes)

    def _parts(self, block: Block) -> Iterator[tuple[Block, int]]:
        """Yield parts of a block with the index of their class distribution; all are used."""
        draws = np.arange(block.rows.start, block.rows.stop)
        distributions = draws * len(self.others.size) // len(self.weights)
        for distribution, n in zip(*np.unique(distributions, return_counts=True), strict=True):
            first = int(np.searchsorted(distributions, distribution))
            rows, own = (
                slice(s.start + first, s.start + first + int(n))
                for s in (block.rows, block.own_rows)
            )
            yield replace(block, rows=rows, own_rows=own), int(distribution)

    def _drawn(self, part: Block, distribution: int, rng, task: Task) -> np.ndarray:
        """Draw the classes of all items, for draws that share a class distribution."""
        items, n_rows = self._unlabeled, part.rows.stop - part.rows.start
        if task.draws_labels:
            probability = self.error_model.probability(part, items)
        else:
            # The population consists of further groups.
            probability = self.error_model.probability_anywhere(part, items)
        probability = self.shifts.probability(part.rows, probability, self.scores.predicted[items])
        rows, columns = np.nonzero(rng.random(probability.shape) < probability)
        codes = np.repeat(self.codes[np.newaxis], n_rows, axis=0)
        codes[:, items] = self.scores.predicted[items]
        # Only items that are wrong in some draw need class probabilities.
        wrong, column = np.unique(columns, return_inverse=True)
        log_others, predicted = self.scores.log_others[:, items[wrong]], codes[0, items[wrong]]
        cumulative = self.others.probability(distribution, log_others, predicted).cumsum(axis=1)
        # Invert all cumulative distributions in one search: item i occupies [i, i + 1).
        line = (cumulative / cumulative[:, -1:] + np.arange(len(wrong))[:, np.newaxis]).ravel()
        found = np.searchsorted(line, column + rng.random(len(column)), side="right")
        n_classes = log_others.shape[2]
        codes[rows, items[columns]] = np.minimum(found - column * n_classes, n_classes - 1)
        return codes
