"""Known inclusion probabilities of items with several columns: systems, judges, categories.

The model sees the scores and verdicts of all columns, and the category. Labels whose probabilities
depend on these alone are ignorable, as those of one column whose probabilities depend on its score.
Else labels are weighted as those of one column are: an item's neighbors are those of similar mean
rank over the columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import special

from ..inputs._arrays import mid_ranks
from ._inclusion import ItemInclusion, goes_with_score

# A column of at most so many values, such as a verdict, divides the items in strata.
MAX_VALUES = 20
# Strata by which probabilities are compared hold this share of the items in strata of this size.
MIN_SHARE, MIN_SIZE = 0.5, 10


def inclusion_of_columns(
    columns: np.ndarray,
    category: np.ndarray | None,
    codes: np.ndarray,
    weights: np.ndarray,
    inclusion_proba: np.ndarray,
) -> ItemInclusion:
    """Return the inclusion model for the probabilities of items with several columns.

    `columns` is (n_items, n_columns), NaN if missing, and `category` (n_items,) of int; other
    arguments as in `ItemInclusion.of`.
    """
    line = mean_rank(columns, weights)
    lines = [*columns.T, line]
    if any(
        goes_with_score(_ranks(values), inclusion_proba, strata)
        for strata in _all_strata(columns, category)
        for values in lines
    ):
        return ItemInclusion()
    return ItemInclusion.weighted(line, codes, weights, inclusion_proba)


def mean_rank(columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the mean normal score of each item's ranks; the column itself if all are equal."""
    first = columns[:, :1]
    if np.array_equal(columns, np.broadcast_to(first, columns.shape)):
        return columns[:, 0]

    total = np.zeros(len(columns))
    n_ranks = np.zeros(len(columns))
    for column in columns.T:
        is_present = ~np.isnan(column)
        ranks = mid_ranks(column[is_present], weights[is_present])
        total[is_present] += special.ndtri(ranks)
        n_ranks += is_present
    return total / np.maximum(n_ranks, 1.0)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the index of each value among the distinct ones; NaN counts as one of them."""
    return np.unique(values, return_inverse=True)[1]


def _all_strata(columns: np.ndarray, category: np.ndarray | None) -> Iterator[np.ndarray]:
    """Yield strata of the items, (n_items,) of int, by which probabilities may depend on a score.

    All items; those of each category; of each value of a column of few values; of all of these.
    """
    n_items = len(columns)
    yield np.zeros(n_items, dtype=int)

    ranks = [_ranks(column) for column in columns.T]
    partitions = [of_column for of_column in ranks if of_column.max() < MAX_VALUES]
    if category is not None:
        partitions.append(category)
    if len(partitions) > 1:
        cells = np.column_stack(partitions)
        partitions.append(np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1))

    for strata in partitions:
        sizes = np.bincount(strata)
        if sizes[sizes >= MIN_SIZE].sum() >= MIN_SHARE * n_items:
            yield strata
