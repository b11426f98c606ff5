"""The classes of all items, drawn: one set of draws for everything that is asked."""

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
from ._mistakes import Mistakes
from ._other_classes import OtherClasses

__all__ = ["ClassDraws", "CompletedClasses"]

# The places of the classes and of new items in the tree of seeds.
CLASSES, NEW_ITEMS = 11, 12


@dataclass(frozen=True, eq=False)
class CompletedClasses(FrozenArrays):
    """The classes of all items in a few draws.

    Attributes
    ----------
    codes : ndarray of shape (n_draws, n_items)
        Indices of classes.
    predicted : ndarray of shape (n_items,)
    weights : ndarray of shape (n_draws or 1, n_items)
        What share of all items each is.
    n_classes : int
    """

    codes: np.ndarray
    predicted: np.ndarray
    weights: np.ndarray
    n_classes: int

    @cached_property
    def right(self) -> np.ndarray:
        """Which predicted classes are right, of shape (n_draws, n_items)."""
        return self.codes == self.predicted

    @cached_property
    def confusion(self) -> np.ndarray:
        """The shares of all pairs, (n_draws, n_classes, n_classes): true by predicted class."""
        n, k = len(self.codes), self.n_classes
        pair = self.codes * k + self.predicted + k * k * np.arange(n)[:, np.newaxis]
        weights = np.broadcast_to(self.weights, pair.shape)
        shares = np.bincount(pair.ravel(), weights.ravel(), minlength=n * k * k)
        return shares.reshape(n, k, k)

    @cached_property
    def of_classes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The shares of hits, of predictions and of items of each class, (n_draws, n_classes)."""
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
    """Draws of the classes of items; those that are labelled stay.

    Attributes
    ----------
    scores : ClassScores
        Whose predictions may be wrong.
    codes : ndarray of shape (n_items,)
        Indices of classes, -1 where there is no label.
    mistakes : Mistakes
        How probable that is of each item.
    shifts : ClassShifts
        How much predicted classes differ in that.
    others : OtherClasses
        Which class it is then.
    measured : ClassScores
        Whose predictions are measured on the classes that are drawn.
    items : ndarray of shape (n_measured,), of int, or None
        Of which items; None stands for all.
    clusters : Clusters or None
        Of all items, which hang together; None if they are independent.
    """

    scores: ClassScores
    codes: np.ndarray
    mistakes: Mistakes
    shifts: ClassShifts
    others: OtherClasses
    measured: ClassScores
    items: np.ndarray | None = None
    clusters: Clusters | None = None

    def measuring(self, scores: ClassScores, items: np.ndarray | None = None) -> ClassDraws:
        """Return the same draws, on which other predictions are measured, of all items or some."""
        return replace(self, measured=scores, items=items)

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws."""
        return self.mistakes.weights

    @cached_property
    def origin(self) -> str:
        """What tells these draws from others."""
        codes = hashlib.blake2b(np.ascontiguousarray(self.codes).tobytes(), digest_size=8)
        return f"{self.mistakes.posterior.digest}-{codes.hexdigest()}"

    @cached_property
    def _unlabeled(self) -> np.ndarray:
        return np.flatnonzero(self.codes < 0)

    def values(self, function: Callable[[CompletedClasses], np.ndarray], task: Task) -> np.ndarray:
        """Apply a function to all draws.

        Parameters
        ----------
        function : callable
            From `CompletedClasses` of some draws to an array of shape (n_rows, n_points).
        task : Task
            For "population" items are drawn anew, by a Bayesian bootstrap of those there are.

        Returns
        -------
        values : ndarray of shape (n_draws, n_points)
        """
        if not len(self._unlabeled) and task.draws_labels:
            known = function(self._completed(self.codes[np.newaxis], None, task))
            return np.repeat(known, len(self.weights), axis=0)
        parts = Parallel(n_jobs=task.n_jobs)(
            delayed(self._of_block)(function, block, task)
            for block in self.mistakes.posterior.blocks()
        )
        return np.concatenate(parts)

    def _of_block(self, function, block: Block, task: Task) -> np.ndarray:
        labels, items = (spawn(task.entropy, place, block.index) for place in (CLASSES, NEW_ITEMS))
        parts = [
            function(self._completed(self._drawn(part, law, labels, task), items, task))
            for part, law in self._parts(block)
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
        """Yield parts of a block, each with the law that its draws share: all laws are used."""
        draws = np.arange(block.rows.start, block.rows.stop)
        laws = draws * len(self.others.size) // len(self.weights)
        for law, n in zip(*np.unique(laws, return_counts=True), strict=True):
            first = int(np.searchsorted(laws, law))
            rows, own = (
                slice(s.start + first, s.start + first + int(n))
                for s in (block.rows, block.own_rows)
            )
            yield replace(block, rows=rows, own_rows=own), int(law)

    def _drawn(self, part: Block, law: int, rng, task: Task) -> np.ndarray:
        """Draw the classes of all items, for draws that share a law of the other classes."""
        items, n_rows = self._unlabeled, part.rows.stop - part.rows.start
        if task.draws_labels:
            probability = self.mistakes.probability(part, items)
        else:
            # A population consists of further groups.
            probability = self.mistakes.probability_anywhere(part, items)
        probability = self.shifts.probability(part.rows, probability, self.scores.predicted[items])
        rows, columns = np.nonzero(rng.random(probability.shape) < probability)
        codes = np.repeat(self.codes[np.newaxis], n_rows, axis=0)
        codes[:, items] = self.scores.predicted[items]
        # Only items that are wrong in some draw need a law.
        wrong, column = np.unique(columns, return_inverse=True)
        log_others, predicted = self.scores.log_others[:, items[wrong]], codes[0, items[wrong]]
        cumulative = self.others.probability(law, log_others, predicted).cumsum(axis=1)
        # Each item has a unit of its own on one line, on which all are looked up at once.
        line = (cumulative / cumulative[:, -1:] + np.arange(len(wrong))[:, np.newaxis]).ravel()
        found = np.searchsorted(line, column + rng.random(len(column)), side="right")
        n_classes = log_others.shape[2]
        codes[rows, items[columns]] = np.minimum(found - column * n_classes, n_classes - 1)
        return codes
