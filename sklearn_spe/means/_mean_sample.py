"""What a mean is estimated from: features of all items, and the labels of some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["MeanSample"]


@dataclass(frozen=True, eq=False)
class MeanSample(FrozenArrays):
    """Features of items, labels of some, and the parts of the items whose means are asked for.

    Attributes
    ----------
    features : ndarray of shape (n_labeled, n_features)
        Of the labelled items.
    blocks : ndarray of str of shape (n_features,)
        To which block each belongs.
    labels : ndarray of shape (n_labeled,)
    stands_for : ndarray of shape (n_labeled,)
        For how many items without a label each stands: the inverse of the chance to be labelled,
        less itself.
    parts : ndarray of shape (n_labeled, n_parts), of bool
        Which labelled items each part holds. The first part is all items.
    n_unlabeled : ndarray of shape (n_parts,)
        How many items without a label each part holds.
    unlabeled_features : ndarray of shape (n_parts, n_features)
        Their sums.
    units : ndarray of shape (n_labeled,), of int
        Which labelled items belong together.
    """

    features: np.ndarray
    blocks: np.ndarray
    labels: np.ndarray
    stands_for: np.ndarray
    parts: np.ndarray
    n_unlabeled: np.ndarray
    unlabeled_features: np.ndarray
    units: np.ndarray

    @classmethod
    def of(cls, blocks, labels, chances, category, units) -> MeanSample:
        """Make a sample.

        Parameters
        ----------
        blocks : dict of str to ndarray of shape (n_items, n_features)
        labels : ndarray of shape (n_items,)
            NaN where there is none.
        chances : ndarray of shape (n_items,)
            To be labelled; positive where there is a label.
        category : Partition or None
        units : ndarray of shape (n_items,), of int
            Which items belong together.
        """
        known = ~np.isnan(labels)
        codes = np.zeros((len(labels), 0), dtype=bool)
        if category is not None:
            codes = category.codes[:, np.newaxis] == np.arange(category.n_parts)
            blocks = {**blocks, "category": codes.astype(float)}
            if "ranks" in blocks:
                blocks["turns"] = codes * blocks["ranks"][:, [-1]]
        features = np.column_stack([np.zeros((len(labels), 0)), *blocks.values()])
        names = [name for name, block in blocks.items() for _ in range(block.shape[1])]
        parts = np.column_stack([np.ones(len(labels), dtype=bool), codes])
        return cls(
            features[known],
            np.array(names, dtype=str),
            labels[known],
            1.0 / chances[known] - 1.0,
            parts[known],
            parts[~known].sum(axis=0),
            parts[~known].T.astype(float) @ features[~known],
            np.unique(units[known], return_inverse=True)[1],
        )

    @property
    def n_items(self) -> np.ndarray:
        """How many items each part holds, (n_parts,)."""
        return self.parts.sum(axis=0) + self.n_unlabeled

    @property
    def known_means(self) -> np.ndarray:
        """What labelled items give to the mean of each part, (n_parts,)."""
        return self.labels @ self.parts / self.n_items

    def possible(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Return between which ends the mean of each part lies, if no label lies outside some."""
        unknown = self.n_unlabeled / self.n_items
        # Nothing unknown times an infinite end is nothing.
        ends = (np.where(unknown > 0.0, end, 0.0) * unknown for end in (low, high))
        least, greatest = (self.known_means + end for end in ends)
        return least, greatest

    @property
    def weights(self) -> np.ndarray:
        """What labelled items weigh in a regression, one on average, (n_labeled,)."""
        total = self.stands_for.sum()
        # All items are labelled: nothing is predicted.
        return (
            self.stands_for * len(self.labels) / total if total > 0.0 else np.ones(len(self.labels))
        )
