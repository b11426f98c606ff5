"""Histogram of scores with some labeled items."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, replace

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._alignment import check_aligned
from ..inputs._array_like import as_numbers, as_plain
from ._cut_bins import CutBins

__all__ = ["LabeledHistogram", "read_labeled"]

# Maximum share of all items in one row: steps of this height are negligible when the score
# distribution is compared with a continuous one.
SHARE_OF_A_ROW = 2.0**-14


@dataclass(frozen=True, eq=False, repr=False)
class LabeledHistogram(FrozenArrays):
    """Histogram with labels, in place of X, y and sample_weight in `fit`.

    Rows are the labeled items in the given order, followed by the bins. A bin with many items
    becomes several rows, spread over its width. Created by `ScoreHistogram.with_labels`.
    """

    scores: np.ndarray  # (n_rows,)
    y: np.ndarray  # (n_rows,), labels as given; None for bins
    counts: np.ndarray  # (n_rows,), number of items of each row
    # (n_rows,), number of the first item, for `ScoreHistogram.find`; -1 for labeled items
    firsts: np.ndarray
    source: str  # identifies the items, whichever of them are labeled

    @classmethod
    def of(cls, cut: CutBins, scores, y, parts=None) -> LabeledHistogram:
        """Combine bins with labeled items.

        `scores` and `y` are (n_items,), those of labeled items; `parts` (n_items,) are their parts
        of the bins, None if they were not counted. Raise ValueError if they cannot have been
        counted.
        """
        left = cut.counts
        if parts is not None:
            own = np.bincount(parts[parts >= 0], minlength=len(left))
            wrong = int((parts < 0).sum() + np.maximum(own - left, 0).sum())
            if wrong:
                raise ValueError(
                    f"{wrong} of {len(scores)} labeled items are not among the {cut.n_items} "
                    "that were counted. If the histogram excludes them, pass counted=False; "
                    "else their scores differ (another model, or rounded)."
                )
            left = left - own
        rows, counts, of_row = laid_out(cut.scores, cut.smallest, cut.largest, left)
        labels = np.empty(len(scores) + len(rows), dtype=object)
        labels[: len(scores)] = y
        # First item number of the part, plus the items of its previous rows.
        before = np.cumsum(counts) - counts - (np.cumsum(left) - left)[of_row]
        firsts = np.r_[np.full(len(scores), -1), cut.firsts[of_row] + before.astype(np.int64)]
        weights = np.r_[np.ones(len(scores)), counts]
        source = _source(cut, scores if parts is None else ())
        return cls(np.r_[scores, rows], labels, weights, firsts, source)

    def without_empty_rows(self) -> LabeledHistogram:
        """Return the same items without empty rows."""
        kept = self.counts > 0.0
        columns = {name: getattr(self, name)[kept] for name in ("scores", "y", "counts", "firsts")}
        return replace(self, **columns)

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"


def _source(cut: CutBins, others) -> str:
    """Return a digest of the counted items and of the scores of other items."""
    digest = hashlib.sha256()
    columns = [getattr(cut, field.name) for field in fields(cut)]
    for column in (*columns, np.sort(np.asarray(others, dtype=float))):
        digest.update(column.tobytes())
    return digest.hexdigest()


def read_labeled(scores, y) -> tuple[np.ndarray, np.ndarray]:
    """Return the scores of labeled items, and the labels as given."""
    check_aligned(scores=scores, y=y)
    given, labels = as_numbers(scores, "scores"), as_plain(y, "y")
    if given.ndim != 1:
        raise ValueError(f"scores must have shape (n_items,), got {given.shape}.")
    if labels.shape != given.shape:
        raise ValueError(
            f"scores and y must have an entry for each labeled item, got shapes {given.shape} "
            f"and {labels.shape}."
        )
    return given, labels


def laid_out(scores, smallest, largest, counts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, counts and bins of rows, spread evenly around the mean of each bin.

    `scores`, `smallest` and `largest` (n_bins,) are the mean and the bounds of the rows.
    """
    n_rows = np.ceil(counts / max(SHARE_OF_A_ROW * counts.sum(), 1.0)).astype(np.int64)
    n_rows = np.where(largest > smallest, np.maximum(n_rows, 1), 1)
    firsts = np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    place = np.arange(len(firsts)) - firsts
    of_row = np.repeat(n_rows, n_rows)
    share = np.repeat(counts, n_rows) / of_row
    reach = np.repeat(np.minimum(scores - smallest, largest - scores), n_rows)
    laid = np.repeat(scores, n_rows) + reach * ((2 * place + 1) / of_row - 1.0)
    # Integer counts that sum to that of the bin.
    rows = np.floor((place + 1) * share + 0.5) - np.floor(place * share + 0.5)
    return laid, rows, np.repeat(np.arange(len(counts)), n_rows)
