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

import numpy as np

from ._cells import cells_of_distinct

# The fractional parts of multiples of the golden ratio are evenly spread.
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


def merged_rows(columns, weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge equal rows, NaN being equal to NaN; all keep their order.

    Returns the first row of each kind, the kind of each row, and the weights of the kinds.
    """
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for column in columns:
        before, after = column[order][:-1], column[order][1:]
        new[1:] |= (before != after) & ~((before != before) & (after != after))
    first = np.sort(order[new])
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.searchsorted(first, order[new])[np.cumsum(new) - 1]
    return first, place, np.bincount(place, weights, minlength=len(first))


def representative_rows(
    scores, strata, weights, n_rows: int
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
    there = ~np.isnan(scores)
    mass, total = weights / weights.sum(), np.zeros(len(weights))
    for column, spoke in zip(scores.T, there.T, strict=True):
        cell = cells_of_distinct(column[spoke], weights[spoke])
        mass[spoke] += weights[spoke] / np.bincount(cell, weights[spoke])[cell]
        total[spoke] += cell
        # The pattern of missing scores is a stratum too.
        if not spoke.all():
            strata = np.unique(2 * strata + spoke, return_inverse=True)[1]
    level = (total / np.maximum(there.sum(axis=1), 1)).astype(np.int64)
    first = np.where(there[:, 0], scores[:, 0], 0.0)
    # Up on one level and down on the next: neighbors are similar on both sides of a step.
    order = np.lexsort((np.where(level % 2, -first, first), level, strata))
    mass, weights, strata = mass[order], weights[order], strata[order]
    passed = np.cumsum(mass)
    run = (passed * (n_rows / passed[-1])).astype(np.int64)
    heavy = mass * n_rows >= passed[-1]
    new = np.r_[True, (np.diff(run) > 0) | (np.diff(strata) != 0) | heavy[1:] | heavy[:-1]]
    firsts = np.flatnonzero(new)
    counts = np.add.reduceat(weights, firsts)
    inside = (np.arange(1, len(firsts) + 1) * GOLDEN) % 1.0
    up_to = np.cumsum(weights)
    at = np.searchsorted(up_to, up_to[firsts] - weights[firsts] + inside * counts, side="right")
    at = np.clip(at, firsts, np.r_[firsts[1:], len(order)] - 1)
    run_of_item = np.empty(len(order), dtype=np.intp)
    run_of_item[order] = np.cumsum(new) - 1
    return order[at], counts, run_of_item
