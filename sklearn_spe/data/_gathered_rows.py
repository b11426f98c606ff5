r"""Rows with counts that represent many items with several scores.

Equal rows are merged. Of many different ones some represent their neighbors: items are put in an
order in which neighbors have similar scores, this order is cut in runs, and one item of each run,
chosen by low-discrepancy numbers, counts for all of them. Every system keeps its own exact scores,
and no system's ranking is favored, as it would be by means over a run.

A run is short where scores are rare: item i has the mass :math:`\sum_k 1 / n_k(i)`, where
:math:`n_k(i)` items share its cell of the scores of system k, and all runs have the same mass. Both
ends of every column are therefore finest, as those of `ScoreCells` are, and items that are alone
there represent nobody but themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._cells import cells_of_distinct

# The fractional parts of multiples of the golden ratio are evenly spread.
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def merged_rows(
    columns: Sequence[np.ndarray], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge equal rows, NaN being equal to NaN; all keep their order.

    Returns the first row of each kind, the kind of each row, and the weights of the kinds.
    """
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True

    for column in columns:
        before = column[order][:-1]
        after = column[order][1:]
        new[1:] |= (before != after) & ~((before != before) & (after != after))

    first = np.sort(order[new])
    kind = np.empty(len(order), dtype=np.intp)
    kind[order] = np.searchsorted(first, order[new])[np.cumsum(new) - 1]
    return first, kind, np.bincount(kind, weights, minlength=len(first))


def representative_rows(
    scores: np.ndarray, strata: np.ndarray, weights: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose about `n_rows` representative rows.

    Returns these rows, the count of each, and which of them represents each item, (n_items,).

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_columns)
        NaN where missing.
    strata : ndarray of int of shape (n_items,)
        Rows of one stratum do not represent another.
    weights : ndarray of shape (n_items,)
        Positive.
    n_rows : int
    """
    is_scored = ~np.isnan(scores)
    mass = weights / weights.sum()
    total_level = np.zeros(len(weights))

    for column, has_score in zip(scores.T, is_scored.T, strict=True):
        scored_weights = weights[has_score]
        cell = cells_of_distinct(column[has_score], scored_weights)
        cell_weights = np.bincount(cell, scored_weights)
        mass[has_score] += scored_weights / cell_weights[cell]
        total_level[has_score] += cell
        # The pattern of missing scores is a stratum too.
        if not has_score.all():
            strata = np.unique(2 * strata + has_score, return_inverse=True)[1]

    n_scores = np.maximum(is_scored.sum(axis=1), 1)
    level = (total_level / n_scores).astype(np.int64)

    # Up on one level and down on the next: neighbors are similar on both sides of a step.
    first = np.where(is_scored[:, 0], scores[:, 0], 0.0)
    up_or_down = np.where(level % 2, -first, first)
    order = np.lexsort((up_or_down, level, strata))
    mass = mass[order]
    weights = weights[order]
    strata = strata[order]

    # Cut the order in runs of the same mass; items with more are runs of their own.
    cumulated = np.cumsum(mass)
    run = (cumulated * (n_rows / cumulated[-1])).astype(np.int64)
    heavy = mass * n_rows >= cumulated[-1]
    changes = (np.diff(run) > 0) | (np.diff(strata) != 0)
    begins = np.r_[True, changes | heavy[1:] | heavy[:-1]]
    firsts = np.flatnonzero(begins)
    counts = np.add.reduceat(weights, firsts)

    # One item of each run, at a low-discrepancy fraction of its weight.
    fraction = (np.arange(1, len(firsts) + 1) * GOLDEN) % 1.0
    cumulated_weight = np.cumsum(weights)
    targets = cumulated_weight[firsts] - weights[firsts] + fraction * counts
    representative = np.searchsorted(cumulated_weight, targets, side="right")
    representative = np.clip(representative, firsts, np.r_[firsts[1:], len(order)] - 1)

    run_of_item = np.empty(len(order), dtype=np.intp)
    run_of_item[order] = np.cumsum(begins) - 1
    return order[representative], counts, run_of_item
