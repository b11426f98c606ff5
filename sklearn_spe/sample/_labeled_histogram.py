"""A histogram of scores beside the few of them that somebody looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays

__all__ = ["LabeledHistogram", "laid_out"]

# No row stands for more than such a share of all items: a step of that height in the distribution
# of the scores is nothing to whoever compares it with a smooth one.
SHARE_OF_A_ROW = 2.0**-14


@dataclass(frozen=True, eq=False, repr=False)
class LabeledHistogram(FrozenArrays):
    """What takes the place of X, y and sample_weight in `fit`; `ScoreHistogram.with_labels`.

    Rows are the items that were given with their scores, in the order given, and then the bins.
    What a bin holds lies somewhere in it: where it holds much, it is several rows.

    Attributes
    ----------
    scores : ndarray of shape (n_rows,)
    y : ndarray of object of shape (n_rows,)
        Labels as they were given; None for bins.
    counts : ndarray of shape (n_rows,)
        How many items each row stands for.
    """

    scores: np.ndarray
    y: np.ndarray
    counts: np.ndarray

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"


def laid_out(scores, least, greatest, counts) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and counts of rows: the items of each bin, evenly around their mean.

    Parameters
    ----------
    scores, least, greatest : ndarray of shape (n_bins,)
        The mean, and the ends between which the rows lie.
    counts : ndarray of int of shape (n_bins,)
    """
    n_rows = np.ceil(counts / max(SHARE_OF_A_ROW * counts.sum(), 1.0)).astype(np.int64)
    n_rows = np.where(greatest > least, np.maximum(n_rows, 1), 1)
    firsts = np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    place = np.arange(len(firsts)) - firsts
    of_row = np.repeat(n_rows, n_rows)
    share = np.repeat(counts, n_rows) / of_row
    reach = np.repeat(np.minimum(scores - least, greatest - scores), n_rows)
    laid = np.repeat(scores, n_rows) + reach * ((2 * place + 1) / of_row - 1.0)
    # Whole numbers of items, that add up to those of the bin.
    rows = np.floor((place + 1) * share + 0.5) - np.floor(place * share + 0.5)
    return laid, rows
