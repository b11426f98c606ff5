"""Wins: how many wrong classes each test item's true class outscores, and how many it ties with."""

from __future__ import annotations

import numpy as np

from .._arrays import row_tiles

__all__ = ["count_wins", "wins_histogram"]


def count_wins(scores, columns) -> tuple[np.ndarray, np.ndarray]:
    """Count the wrong classes that score below, and those that score like, the true class.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_classes)
    columns : ndarray of shape (n_items,), dtype=int
        The column of each item's true class.

    Returns
    -------
    wins, ties : ndarray of shape (n_items,), dtype=int64
        Their sum is at most ``n_classes - 1``.
    """
    n_items, n_classes = scores.shape
    own = np.take_along_axis(scores, columns[:, np.newaxis], axis=1)
    wins = np.empty(n_items, dtype=np.int64)
    ties = np.empty(n_items, dtype=np.int64)
    for rows in row_tiles(n_items, n_classes):
        wins[rows] = np.count_nonzero(scores[rows] < own[rows], axis=1)
        # The true class ties with itself.
        ties[rows] = np.count_nonzero(scores[rows] == own[rows], axis=1) - 1
    return wins, ties


def wins_histogram(wins, ties, weights, n_wrong: int) -> np.ndarray:
    """Return the share of the items with 0, 1, ..., `n_wrong` wins, ties in expectation.

    Among t classes with equal scores a random one comes first: the true class then wins against
    w, w + 1, ... or w + t classes, each with probability 1 / (t + 1). The histogram is all that
    average accuracies depend on.

    Parameters
    ----------
    wins, ties : ndarray of shape (n_items,), dtype=int
    weights : ndarray of shape (n_items,)
        Summing to one.
    n_wrong : int
        The number of classes less one.

    Returns
    -------
    histogram : ndarray of shape (n_wrong + 1,)
    """
    untied = ties == 0
    histogram = np.bincount(wins[untied], weights[untied], minlength=n_wrong + 1)
    if untied.all():
        return histogram
    wins, ties, share = wins[~untied], ties[~untied], (weights / (ties + 1.0))[~untied]
    # Each tied item adds the same share to a run of bins: mark where runs begin and end.
    marks = np.bincount(wins, share, minlength=n_wrong + 2)
    marks -= np.bincount(wins + ties + 1, share, minlength=n_wrong + 2)
    return np.maximum(histogram + np.cumsum(marks[:-1]), 0.0)
