"""The answers of annotators, checked before anything changes."""

from __future__ import annotations

import warnings

import numpy as np

from ...exceptions import OutsideDesignWarning, SkippedLabelsWarning, UnvettedWarning
from ...inputs._alignment import check_aligned, check_labels_of
from ...inputs._array_like import as_plain
from ...inputs._labels import BinaryLabels
from ._item_rows import ItemRows
from ._query_log import NEVER, QueryLog

__all__ = [
    "as_lists",
    "check_answers",
    "check_indices",
    "check_new",
    "warn_of_answers",
    "warn_of_unvetted",
]


def as_lists(indices, labels, index):
    """Return indices and labels of several items, where those of one may be no lists.

    Raises
    ------
    ValueError
        If labels have an index of pandas that is not that of the items, by the index that X had.
    """
    if _is_single(indices) and _is_single(labels):
        return [indices], [labels]
    check_aligned(indices=indices, labels=labels)
    check_labels_of(indices, labels, index)
    return indices, labels


def _is_single(value) -> bool:
    """Return whether a value is one, and not a list or an array of values."""
    is_text = isinstance(value, (str, bytes))
    return is_text or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def check_indices(indices, n_items: int) -> np.ndarray:
    """Return the places of items."""
    is_one = np.isscalar(indices) or getattr(indices, "ndim", 1) == 0
    places = as_plain(np.atleast_1d(indices) if is_one else indices, "indices")
    if places.dtype.kind == "b":
        raise ValueError("indices are the places of items in X; of a mask pass np.flatnonzero.")
    if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
        raise ValueError(
            f"indices must be whole numbers, the places of items in X; got an array of shape "
            f"{places.shape} and dtype {places.dtype}."
        )
    wrong = (places < 0) | (places >= n_items)
    if wrong.any():
        raise ValueError(
            f"indices must lie between 0 and {n_items - 1}, got {places[wrong][0]}; they are the "
            f"places of items in the X of fit."
        )
    return places.astype(np.intp)


def check_answers(indices, codes, rows: ItemRows, query_log: QueryLog, labels: BinaryLabels):
    """Return which items get which new labels."""
    named = check_indices(indices, rows.n_rows)
    if len(named) != len(codes):
        raise ValueError(
            f"indices and labels must have the same length, got {len(named)} and {len(codes)}."
        )
    places = rows.items_at(named)
    if (places < 0).any():
        raise ValueError(rows.refusal(named[places < 0][0]))
    items, first, inverse = np.unique(places, return_index=True, return_inverse=True)
    again = codes != codes[first][inverse]
    if again.any():
        item = named[again][0]
        raise ValueError(
            f"Item {item} comes twice, with two different labels or once without. Settle which is "
            f"right; the rest of this update was not taken either."
        )
    first = np.sort(first)
    items, codes = places[first], codes[first]
    before = query_log.codes[items]
    # A missing answer takes nothing back.
    other = (before >= 0) & (codes >= 0) & (codes != before)
    if other.any():
        item = rows.of_items(items[other])[0]
        raise ValueError(
            f"Item {item} was labelled {labels.decode(before[other]).tolist()[0]!r} before and "
            f"gets another label now; nothing was changed. To correct a label, correct it in the "
            f"table (to_frame) and resume from there (from_frame)."
        )
    return check_new(items, codes, rows, query_log)


def check_new(items, codes, rows: ItemRows, query_log: QueryLog):
    """Return the answers that are new."""
    late = query_log.skipped[items] & (codes >= 0)
    if late.any():
        raise ValueError(
            f"Item {rows.of_items(items[late])[0]} was skipped before, and the estimate went on "
            f"without it; nothing was changed. To add it, fill it in in the table (to_frame) "
            f"and resume from there (from_frame)."
        )
    new = (query_log.codes[items] < 0) & ~query_log.skipped[items]
    return items[new], codes[new]


def warn_of_answers(items, codes, query_log: QueryLog, stacklevel: int = 3) -> None:
    """Warn of items that were not asked for, and of those that were skipped."""
    n_outside = int(np.count_nonzero(query_log.asked[items] == NEVER))
    if n_outside:
        warnings.warn(
            f"{n_outside} of {len(items)} items were not asked for. They are taken as known; they "
            f"must have been chosen by their scores and earlier labels alone.",
            OutsideDesignWarning,
            stacklevel=stacklevel,
        )
    n_skipped = int(np.count_nonzero(codes < 0))
    if n_skipped:
        warnings.warn(
            f"{n_skipped} of {len(items)} items have no label: they count as skipped, and will not "
            f"be asked for again. What annotators skip is seldom like the rest.",
            SkippedLabelsWarning,
            stacklevel=stacklevel,
        )


def warn_of_unvetted(n_empty: int, n_lists: int, stacklevel: int = 3) -> None:
    """Warn of lists without a vetted item, if there are any."""
    if n_empty:
        warnings.warn(
            f"{n_empty} of {n_lists} lists have no vetted item, and what is averaged over vetted "
            f"items alone is not known (NaN, not 0). Vet some of each, or look at estimate_.",
            UnvettedWarning,
            stacklevel=stacklevel,
        )
