"""The data of a mean: labels, features of the items, and sums over the predicted items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition


@dataclass(frozen=True, eq=False)
class MeanSample(FrozenArrays):
    """Features of items, labels of some, and the parts of the items whose means are estimated.

    The first part is all items; each category is a further one.
    """

    features: np.ndarray  # (n_labeled, n_features), common to all categories
    blocks: np.ndarray  # (n_features,), of str; the block of each feature
    category: np.ndarray  # (n_labeled,), of int; zeros without categories
    # (n_labeled, n_category_features), which each category has for itself: one, and the rank
    category_features: np.ndarray
    labels: np.ndarray  # (n_labeled,)
    # (n_labeled,); number of items represented: 1 / inclusion_proba - 1 unlabeled ones, and itself
    # in a population.
    represented: np.ndarray
    n_items: np.ndarray  # (n_parts,)
    # Share of each part whose labels are predicted: the unlabeled items, or all of a population.
    predicted: np.ndarray  # (n_parts,)
    # Sums over those items, by the number of items of the part: (n_parts, n_features).
    predicted_features: np.ndarray
    # Sums over those items of each category: (n_categories, n_category_features).
    predicted_in_category: np.ndarray
    known_means: np.ndarray  # (n_parts,); contribution of labels that are kept
    # (n_parts,); variance of the mean of further labels at unit variance of one: finite samples.
    finite: np.ndarray
    units: np.ndarray  # (n_labeled,), of int; which labeled items belong together
    population: Population | None = None

    @classmethod
    def of(
        cls,
        blocks: Mapping[str, np.ndarray],
        labels: np.ndarray,
        chances: np.ndarray,
        category: Partition | None,
        units: np.ndarray,
        *,
        of_population: bool = False,
    ) -> MeanSample:
        """Make a sample from blocks of features, each (n_items, n_features)."""
        n = len(labels)
        known = ~np.isnan(labels)
        features = np.column_stack([np.zeros((n, 0)), *blocks.values()])
        names = [name for name, block in blocks.items() for _ in range(block.shape[1])]

        # Each category has a mean, and a slope by the rank, of its own.
        codes = np.zeros(n, dtype=int) if category is None else category.codes
        n_categories = 0 if category is None else category.n_parts
        of_category = [np.ones((n, 1))]
        if "ranks" in blocks:
            of_category.append(blocks["ranks"][:, [-1]])
        category_features = np.hstack(of_category)

        # The parts, and sums over the items of each whose labels are predicted.
        n_items = _sums_of_parts(np.ones((n, 1)), codes, n_categories)[:, 0]
        is_predicted = np.full(n, True) if of_population else ~known
        predicted_codes = codes[is_predicted]
        sums = _sums_of_parts(features[is_predicted], predicted_codes, n_categories)
        category_sums = _sums_of_parts(
            category_features[is_predicted], predicted_codes, n_categories
        )
        n_predicted = category_sums[:, 0]
        is_kept = ~is_predicted
        kept_sums = _sums_of_parts(labels[is_kept, np.newaxis], codes[is_kept], n_categories)

        # A population is infinite, and a labeled item represents itself too.
        represented = 1.0 / chances[known]
        finite = np.zeros(len(n_items))
        population = None
        if of_population:
            population = Population(features, category_features, codes, n_items, known, units)
        else:
            represented = represented - 1.0
            finite = n_predicted / n_items**2

        return cls(
            features[known],
            np.array(names, dtype=str),
            codes[known],
            category_features[known],
            labels[known],
            represented,
            n_items,
            n_predicted / n_items,
            sums / n_items[:, np.newaxis],
            category_sums[1:],
            kept_sums[:, 0] / n_items,
            finite,
            np.unique(units[known], return_inverse=True)[1],
            population,
        )

    @property
    def n_parts(self) -> int:
        return len(self.n_items)

    @cached_property
    def parts(self) -> np.ndarray:
        """Whether each labeled item is in each part, (n_labeled, n_parts)."""
        is_of_category = self.category[:, np.newaxis] == np.arange(self.n_parts - 1)
        return np.column_stack([np.ones(len(self.labels), dtype=bool), is_of_category])

    @cached_property
    def rows_of_category(self) -> sparse.csr_array:
        """The labeled items of each category, as indicators, (n_categories, n_labeled).

        Without categories all are one.
        """
        n_labeled = len(self.labels)
        places = self.category, np.arange(n_labeled)
        shape = max(self.n_parts - 1, 1), n_labeled
        return sparse.csr_array((np.ones(n_labeled), places), shape=shape)

    def possible(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on the mean of each part, given bounds on the labels."""
        # Zero unlabeled items times an infinite bound is zero.
        has_unlabeled = self.predicted > 0.0
        lowest = np.where(has_unlabeled, low, 0.0) * self.predicted
        highest = np.where(has_unlabeled, high, 0.0) * self.predicted
        return self.known_means + lowest, self.known_means + highest

    @cached_property
    def weights(self) -> np.ndarray:
        """Regression weights of labeled items, one on average, (n_labeled,)."""
        n_labeled = len(self.labels)
        total = self.represented.sum()
        if not total > 0.0:
            # All items are labeled: nothing is predicted.
            return np.ones(n_labeled)
        return self.represented * n_labeled / total


@dataclass(frozen=True, eq=False)
class PartSlopes(FrozenArrays):
    """Coefficients of the prediction of each part, averaged over models."""

    common: np.ndarray  # (n_features, n_parts)
    all_items: np.ndarray  # (n_categories, n_category_features), for the mean of all items
    own: np.ndarray  # likewise, of each category for its own mean

    @classmethod
    def averaged(
        cls, weights: np.ndarray, common: np.ndarray, of_categories: np.ndarray
    ) -> PartSlopes:
        """Average coefficients with weights of models for each part, (n_models, n_parts).

        `common` is (n_models, n_features), and `of_categories` (n_models, n_categories,
        n_category_features).
        """
        all_items = np.einsum("m,mkf->kf", weights[:, 0], of_categories)
        own = np.einsum("mk,mkf->kf", weights[:, 1:], of_categories)
        return cls(common.T @ weights, all_items, own)


@dataclass(frozen=True, eq=False)
class Population(FrozenArrays):
    """All items, as a sample of a population: predictions vary between samples too."""

    features: np.ndarray  # (n_items, n_features)
    category_features: np.ndarray  # (n_items, n_category_features)
    category: np.ndarray  # (n_items,), of int
    n_items: np.ndarray  # (n_parts,)
    is_labeled: np.ndarray  # (n_items,), of bool
    units: np.ndarray  # (n_items,), of int; which items belong together

    def influence(
        self, slopes: PartSlopes, labeled_units: np.ndarray
    ) -> tuple[np.ndarray, sparse.csr_array]:
        """Return the influence of units on the mean prediction, with and without labels.

        `labeled_units` (n_labeled,) are the numbers of the units of labeled items. Each is
        (n_units, n_parts).
        """
        category = self.category
        all_items = self.features @ slopes.common[:, 0]
        influences = [all_items]
        parts = [np.zeros(len(category), dtype=int)]
        if len(slopes.own):
            all_items += (self.category_features * slopes.all_items[category]).sum(axis=1)
            in_category = (self.features * slopes.common[:, 1 + category].T).sum(axis=1)
            in_category += (self.category_features * slopes.own[category]).sum(axis=1)
            influences.append(in_category)
            parts.append(1 + category)

        # Differences from the mean of the part, by its number of items.
        part = np.concatenate(parts)
        influence = np.concatenate(influences)
        means = np.bincount(part, influence, len(self.n_items)) / self.n_items
        influence = (influence - means[part]) / self.n_items[part]

        # Summed over the items of a unit.
        units, unit_index = np.unique(self.units, return_inverse=True)
        places = np.tile(unit_index, len(parts)), part
        unit_influence = sparse.csr_array(
            (influence, places), shape=(len(units), len(self.n_items))
        )
        rows = np.zeros(labeled_units.max() + 1, dtype=int)
        rows[labeled_units] = unit_index[self.is_labeled]
        others = np.delete(np.arange(len(units)), rows)
        return unit_influence[rows].toarray(), unit_influence[others]


def _sums_of_parts(values: np.ndarray, codes: np.ndarray, n_categories: int) -> np.ndarray:
    """Return sums over all items and over each category, (n_parts, n_columns)."""
    sums = np.zeros((1 + n_categories, values.shape[1]))
    sums[0] = values.sum(axis=0)
    if n_categories:
        for k, column in enumerate(values.T):
            sums[1:, k] = np.bincount(codes, column, n_categories)
    return sums
