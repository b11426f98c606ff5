"""Rows of a histogram for a fit: its labeled items, and its bins without them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..inputs._arrays import CountedItems, FrozenArrays
from ..inputs._frames import read_column
from ..inputs._validation import as_plain
from ._cut_bins import CutBins

# Maximum share of all items in one row: steps of this height are negligible when the score
# distribution is compared with a continuous one.
SHARE_OF_A_ROW = 2.0**-14


@dataclass(frozen=True, eq=False, repr=False)
class LabeledHistogram(CountedItems, FrozenArrays):
    """Histogram with labels, in place of X, y and sample_weight in `fit`.

    Rows are the labeled items in the given order, followed by the bins or cells. A bin with many
    items becomes several rows, spread over its width. Created by `with_labels` of a histogram.
    """

    # (n_rows,); (n_rows, n_systems) of several, NaN if missing; (n_rows, n_classes) of classes
    scores: np.ndarray
    y: np.ndarray  # (n_rows,), labels as given; None for bins
    counts: np.ndarray  # (n_rows,), number of items of each row
    source: str  # identifies the items, whichever of them are labeled
    # (n_rows,), number of the first item, for `ScoreHistogram.find`; -1 for labeled items
    firsts: np.ndarray | None = None  # None for cells
    systems: tuple[str, ...] | None = None  # None for one system, or one of several classes
    judges: tuple[str, ...] = ()
    verdicts: np.ndarray | None = None  # (n_rows, n_judges), as given; None if missing

    @classmethod
    def of(
        cls,
        scores: np.ndarray,
        labels: np.ndarray,
        n: np.ndarray,
        rows: np.ndarray,
        counts: np.ndarray,
        source: str,
        *,
        firsts: np.ndarray | None = None,
        systems: tuple[str, ...] | None = None,
        judges: tuple[str, ...] = (),
        verdicts: np.ndarray | None = None,
    ) -> LabeledHistogram:
        """Return `n` items for each of the labeled scores, followed by rows without labels."""
        y = np.empty(len(labels) + len(rows), dtype=object)
        y[: len(labels)] = labels
        weights = np.r_[n.astype(float), counts.astype(float)]
        all_scores = np.concatenate([scores, rows])
        return cls(all_scores, y, weights, source, firsts, systems, judges, verdicts)

    def __repr__(self) -> str:
        return f"LabeledHistogram: {self.counts.sum():.0f} items in {len(self.scores)} rows"


def labels_of(scores: np.ndarray, y: Any) -> np.ndarray:
    """Return the labels of items, as given; raise unless there is one for each."""
    labels = as_plain(read_column(y, "y"), "y")
    if labels.shape != scores.shape[:1]:
        raise ValueError(
            f"scores and y must have an entry for each labeled item, got shapes {scores.shape} "
            f"and {labels.shape}."
        )
    return labels


def labeled_rows(
    cut: CutBins,
    scores: np.ndarray,
    y: np.ndarray,
    parts: np.ndarray | None = None,
    n: np.ndarray | None = None,
) -> LabeledHistogram:
    """Return labeled items and bins without them.

    `scores` and `y` are (n_items,), those of labeled items; `parts` (n_items,) are their parts of
    the bins, None if they were not counted; `n` (n_items,) are their counts, 1 if None. Raise
    ValueError if they cannot have been counted.
    """
    if n is None:
        n = np.ones(len(scores), dtype=np.int64)

    n_unlabeled = cut.counts
    if parts is not None:
        is_counted = parts >= 0
        n_labeled = np.zeros(len(n_unlabeled), dtype=np.int64)
        np.add.at(n_labeled, parts[is_counted], n[is_counted])
        n_outside = (~is_counted).sum()
        n_in_excess = np.maximum(n_labeled - n_unlabeled, 0).sum()
        check_counted(int(n_outside + n_in_excess), len(scores), cut.n_items, "another model")
        n_unlabeled = n_unlabeled - n_labeled

    rows, counts, part_of_row = _spread_rows(cut.scores, cut.smallest, cut.largest, n_unlabeled)

    # First item number of the part, plus the items of its previous rows.
    before_row = np.cumsum(counts) - counts
    before_part = np.cumsum(n_unlabeled) - n_unlabeled
    n_before = (before_row - before_part[part_of_row]).astype(np.int64)
    firsts = np.r_[np.full(len(scores), -1), cut.firsts[part_of_row] + n_before]

    columns = [getattr(cut, field.name) for field in fields(cut)]
    source = digest_of("", *columns, np.sort(scores if parts is None else np.empty(0)))
    return LabeledHistogram.of(scores, y, n, rows, counts, source, firsts=firsts)


def check_counted(n_uncounted: int, n_labeled: int, n_items: int, cause: str) -> None:
    """Raise if some labeled items cannot have been counted."""
    if n_uncounted:
        raise ValueError(
            f"{n_uncounted} of {n_labeled} labeled items are not among the {n_items} that were "
            "counted. If the histogram excludes them, pass counted=False; else their scores "
            f"differ ({cause}, or rounded)."
        )


def digest_of(head: str, *columns: np.ndarray) -> str:
    """Return a digest of the columns of a histogram."""
    digest = hashlib.sha256(head.encode())
    for column in columns:
        digest.update(column.tobytes())
    return digest.hexdigest()


def _spread_rows(
    scores: np.ndarray, smallest: np.ndarray, largest: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores, counts and bins of rows, spread evenly around the mean of each bin.

    `scores`, `smallest` and `largest` (n_bins,) are the mean and the bounds of the rows.
    """
    # More rows for bins of many items; a bin of equal scores has one.
    max_count = max(SHARE_OF_A_ROW * counts.sum(), 1.0)
    n_rows = np.ceil(counts / max_count).astype(np.int64)
    n_rows = np.where(largest > smallest, np.maximum(n_rows, 1), 1)
    bin_of_row = np.repeat(np.arange(len(counts)), n_rows)
    first_row = np.cumsum(n_rows) - n_rows
    rank = np.arange(len(bin_of_row)) - first_row[bin_of_row]
    n_rows_of_bin = n_rows[bin_of_row]

    # Evenly over the widest interval around the mean that the bounds leave.
    reach = np.minimum(scores - smallest, largest - scores)[bin_of_row]
    position = (2 * rank + 1) / n_rows_of_bin - 1.0
    row_scores = scores[bin_of_row] + reach * position

    # Integer counts that sum to that of the bin.
    share = counts[bin_of_row] / n_rows_of_bin
    upper = np.floor((rank + 1) * share + 0.5)
    lower = np.floor(rank * share + 0.5)
    return row_scores, upper - lower, bin_of_row
