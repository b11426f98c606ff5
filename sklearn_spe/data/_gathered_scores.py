"""Scores with counts that represent many items with one score each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..inputs._labels import UNLABELED

# Up to this number of scores, no compression.
MAX_ONE_BY_ONE = 100_000
# Approximate numbers of means: log-spaced from either end, and evenly over the items.
N_ENDS, N_EVEN = 2**13, 2**14


def gathered(
    scores: np.ndarray, codes: np.ndarray, edges: npt.ArrayLike = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, codes and counts, (n_rows,), that represent many items.

    The grouping depends on the scores alone, not on the labels: both ends are finest, and large
    ties are kept. Few distinct scores are unchanged. No row straddles a score in `edges`. Labeled
    items come first, then rows of increasing scores.
    """
    increasing = np.sort(scores)
    n = len(increasing)
    starts = np.searchsorted(increasing, np.ravel(edges)).astype(int)
    firsts = np.unique(np.r_[_firsts(increasing), starts[starts < n]])
    counts = np.diff(firsts, append=n)
    smallest = increasing[firsts]
    largest = increasing[firsts + counts - 1]

    # Relative to the smallest score, so that sums stay small.
    excess = np.add.reduceat(increasing, firsts) - counts * smallest

    # Take the labeled items out of their rows.
    is_known = codes != UNLABELED
    row_of_known = np.searchsorted(smallest, scores[is_known], side="right") - 1
    n_unlabeled = counts - np.bincount(row_of_known, minlength=len(counts))
    excess -= np.bincount(row_of_known, scores[is_known] - smallest[row_of_known], len(counts))

    filled = n_unlabeled > 0
    means = smallest[filled] + excess[filled] / n_unlabeled[filled]
    means = np.clip(means, smallest[filled], largest[filled])

    return (
        np.concatenate([scores[is_known], means]),
        np.concatenate([codes[is_known], np.full(len(means), UNLABELED, dtype=codes.dtype)]),
        np.concatenate([np.ones(row_of_known.size), n_unlabeled[filled].astype(float)]),
    )


def items_in_rows(
    scores: np.ndarray, codes: np.ndarray, edges: npt.ArrayLike = ()
) -> tuple[tuple[Any, ...], np.ndarray, np.ndarray]:
    """Return the rows of `gathered`, the row of each item, and the smallest score of each row."""
    rows = gathered(scores, codes, edges)
    is_known = codes != UNLABELED
    n_known = np.count_nonzero(is_known)
    counts = rows[2][n_known:].astype(int)

    # Rows of unlabeled items follow those of labeled ones, in order of the scores.
    unlabeled = scores[~is_known]
    order = np.argsort(unlabeled, kind="stable")
    row_of_unlabeled = np.empty(len(unlabeled), dtype=int)
    row_of_unlabeled[order] = np.repeat(np.arange(n_known, n_known + len(counts)), counts)

    row = np.empty(len(scores), dtype=int)
    row[is_known] = np.arange(n_known)
    row[~is_known] = row_of_unlabeled
    smallest = np.r_[scores[is_known], unlabeled[order[np.cumsum(counts) - counts]]]

    return rows, row, smallest


def _firsts(increasing: np.ndarray) -> np.ndarray:
    """Return the start indices of groups of neighbors among increasing scores."""
    new = np.flatnonzero(increasing[1:] > increasing[:-1])
    if len(new) < MAX_ONE_BY_ONE:
        return np.append(0, new + 1)

    n = len(increasing)
    ends = np.geomspace(1, n / 2, N_ENDS).astype(int)
    ranks = np.concatenate([[0], ends, n - ends, np.linspace(0, n - 1, N_EVEN).astype(int)])
    values = increasing[np.unique(ranks)]

    # Start of each value, and end of each tie.
    starts, stops = (np.searchsorted(increasing, values, side=side) for side in ("left", "right"))
    firsts = np.unique(np.concatenate([starts, stops[stops - starts > 1]]))
    return firsts[firsts < n]
