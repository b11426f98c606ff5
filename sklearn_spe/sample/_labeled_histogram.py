"""A histogram of scores beside the few of them that somebody looked at."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._alignment import check_aligned
from ..inputs._array_like import as_numbers, as_plain
from ._cut_bins import CutBins

__all__ = ["LabeledHistogram", "read_labeled"]

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
    firsts : ndarray of int of shape (n_rows,)
        The number of the first of them, for `ScoreHistogram.find`; -1 for items with labels.
    source : str
        What tells whether two are of the same items, whichever of them are labelled.
    """

    scores: np.ndarray
    y: np.ndarray
    counts: np.ndarray
    firsts: np.ndarray
    source: str

    @classmethod
    def of(cls, cut: CutBins, scores, y, parts=None) -> LabeledHistogram:
        """Set labelled items beside bins.

        Parameters
        ----------
        cut : CutBins
        scores, y : ndarray of shape (n_items,)
            Of items with labels.
        parts : ndarray of int of shape (n_items,), default=None
            In which part of the bins each was counted; None if they were not.

        Raises
        ------
        ValueError
            If they cannot have been counted.
        """
        left = cut.counts
        if parts is not None:
            own = np.bincount(parts[parts >= 0], minlength=len(left))
            wrong = int((parts < 0).sum() + np.maximum(own - left, 0).sum())
            if wrong:
                raise ValueError(
                    f"{wrong} of {len(scores)} labelled items are not among the {cut.n_items} that "
                    f"were counted. If the histogram is of the others say counted=False; else "
                    f"their scores are others (of another model, or rounded)."
                )
            left = left - own
        rows, counts, of_row = laid_out(cut.scores, cut.least, cut.greatest, left)
        labels = np.empty(len(scores) + len(rows), dtype=object)
        labels[: len(scores)] = y
        # The first number of a part, and what its rows before this one hold.
        before = np.cumsum(counts) - counts - (np.cumsum(left) - left)[of_row]
        firsts = np.r_[np.full(len(scores), -1), cut.firsts[of_row] + before.astype(np.int64)]
        weights = np.r_[np.ones(len(scores)), counts]
        source = _source(cut, scores if parts is None else ())
        return cls(np.r_[scores, rows], labels, weights, firsts, source)

    def without_empty_rows(self) -> LabeledHistogram:
        """Return the same items without rows of none."""
        kept = self.counts > 0.0
        columns = {name: getattr(self, name)[kept] for name in ("scores", "y", "counts", "firsts")}
        return replace(self, **columns)

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"


def _source(cut: CutBins, others) -> str:
    """Return a digest of counted items, and of the scores of others beside them."""
    digest = hashlib.sha256()
    columns = [getattr(cut, field.name) for field in fields(cut)]
    for column in (*columns, np.sort(np.asarray(others, dtype=float))):
        digest.update(column.tobytes())
    return digest.hexdigest()


def read_labeled(scores, y) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of labelled items, and the labels as they were given."""
    check_aligned(scores=scores, y=y)
    given, labels = as_numbers(scores, "scores"), as_plain(y, "y")
    if given.ndim != 1:
        raise ValueError(f"scores must have shape (n_items,), got {given.shape}.")
    if labels.shape != given.shape:
        raise ValueError(
            f"scores and y must have an entry for each labelled item, got shapes {given.shape} "
            f"and {labels.shape}."
        )
    return given, labels


def laid_out(scores, least, greatest, counts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, counts and bins of rows: the items of each bin, evenly around their mean.

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
    return laid, rows, np.repeat(np.arange(len(counts)), n_rows)
