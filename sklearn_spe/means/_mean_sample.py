"""The sample from which a mean is estimated: features of all items, labels of some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["MeanSample"]


@dataclass(frozen=True, eq=False)
class MeanSample(FrozenArrays):
    """Features of items, labels of some, and the parts of the items whose means are estimated."""

    features: np.ndarray  # (n_labeled, n_features)
    blocks: np.ndarray  # (n_features,), of str; the block of each feature
    labels: np.ndarray  # (n_labeled,)
    # (n_labeled,); number of unlabeled items represented: 1 / inclusion_proba - 1.
    stands_for: np.ndarray
    parts: np.ndarray  # (n_labeled, n_parts), of bool; membership; the first part is all items
    n_unlabeled: np.ndarray  # (n_parts,)
    unlabeled_features: np.ndarray  # (n_parts, n_features); sums over the unlabeled items
    units: np.ndarray  # (n_labeled,), of int; which labeled items belong together

    @classmethod
    def of(cls, blocks, labels, chances, category, units) -> MeanSample:
        """Make a sample from blocks of features, each (n_items, n_features)."""
        known = ~np.isnan(labels)
        codes = np.zeros((len(labels), 0), dtype=bool)
        if category is not None:
            codes = category.codes[:, np.newaxis] == np.arange(category.n_parts)
            blocks = {**blocks, "category": codes.astype(float)}
            if "ranks" in blocks:
                blocks["slope_interaction"] = codes * blocks["ranks"][:, [-1]]
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
        """Number of items in each part, (n_parts,)."""
        return self.parts.sum(axis=0) + self.n_unlabeled

    @property
    def known_means(self) -> np.ndarray:
        """Contribution of labeled items to the mean of each part, (n_parts,)."""
        return self.labels @ self.parts / self.n_items

    def possible(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on the mean of each part, given bounds on the labels."""
        unknown = self.n_unlabeled / self.n_items
        # Zero unlabeled items times an infinite bound is zero.
        ends = (np.where(unknown > 0.0, end, 0.0) * unknown for end in (low, high))
        smallest, largest = (self.known_means + end for end in ends)
        return smallest, largest

    @property
    def weights(self) -> np.ndarray:
        """Regression weights of labeled items, one on average, (n_labeled,)."""
        total = self.stands_for.sum()
        # All items are labeled: nothing is predicted.
        return (
            self.stands_for * len(self.labels) / total if total > 0.0 else np.ones(len(self.labels))
        )
