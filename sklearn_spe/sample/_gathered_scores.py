"""Compression of many scores to means of neighbors; labeled scores are kept."""

from __future__ import annotations

import numpy as np

from ..inputs._labels import UNLABELED

__all__ = ["MAX_ONE_BY_ONE", "gathered"]

# Up to this number of scores, no compression.
MAX_ONE_BY_ONE = 100_000
# Approximate numbers of means: log-spaced from either end, and evenly over the items.
N_ENDS, N_EVEN = 2**13, 2**14


def gathered(scores, codes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, codes and counts, (n_rows,), that represent many items.

    The grouping depends on the scores alone, not on the labels: both ends are finest, and large
    ties are kept. Few distinct scores are unchanged.
    """
    increasing = np.sort(scores)
    firsts, n = _firsts(increasing), len(increasing)
    counts = np.diff(firsts, append=n)
    smallest, largest = increasing[firsts], increasing[firsts + counts - 1]
    # Relative to the smallest score, so that sums stay small.
    above = np.add.reduceat(increasing, firsts) - counts * smallest
    is_known = codes != UNLABELED
    of_known = np.searchsorted(smallest, scores[is_known], side="right") - 1
    left = counts - np.bincount(of_known, minlength=len(counts))
    above -= np.bincount(of_known, scores[is_known] - smallest[of_known], len(counts))
    kept = left > 0
    means = np.clip(smallest[kept] + above[kept] / left[kept], smallest[kept], largest[kept])
    return (
        np.concatenate([scores[is_known], means]),
        np.concatenate([codes[is_known], np.full(len(means), UNLABELED)]),
        np.concatenate([np.ones(of_known.size), left[kept].astype(float)]),
    )


def _firsts(increasing) -> np.ndarray:
    """Return the start indices of groups of neighbors among increasing scores."""
    new = np.flatnonzero(increasing[1:] > increasing[:-1])
    if len(new) < MAX_ONE_BY_ONE:
        return np.append(0, new + 1)
    n = len(increasing)
    ends = np.geomspace(1, n / 2, N_ENDS).astype(int)
    some = np.concatenate([[0], ends, n - ends, np.linspace(0, n - 1, N_EVEN).astype(int)])
    values = increasing[np.unique(some)]
    # Start of each value, and end of each tie.
    starts, stops = (np.searchsorted(increasing, values, side=side) for side in ("left", "right"))
    firsts = np.unique(np.concatenate([starts, stops[stops - starts > 1]]))
    return firsts[firsts < n]
