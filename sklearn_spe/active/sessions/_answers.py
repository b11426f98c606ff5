"""Validation of the answers of annotators."""

from __future__ import annotations

import warnings

import numpy as np

from ...exceptions import OutsideDesignWarning, SkippedLabelsWarning, UnverifiedWarning
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
    "warn_of_unverified",
]


def as_lists(indices, labels, index):
    """Return indices and labels as lists; check a pandas index of labels against that of X."""
    if _is_single(indices) and _is_single(labels):
        return [indices], [labels]
    check_aligned(indices=indices, labels=labels)
    check_labels_of(indices, labels, index)
    return indices, labels


def _is_single(value) -> bool:
    """Return whether a value is a scalar, not a list or an array."""
    is_text = isinstance(value, (str, bytes))
    return is_text or not hasattr(value, "__len__") or getattr(value, "shape", None) == ()


def check_indices(indices, n_items: int) -> np.ndarray:
    """Return the validated indices of items."""
    is_one = np.isscalar(indices) or getattr(indices, "ndim", 1) == 0
    places = as_plain(np.atleast_1d(indices) if is_one else indices, "indices")
    if places.dtype.kind == "b":
        raise ValueError("indices must be row numbers of X; for a mask pass np.flatnonzero(mask).")
    if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
        raise ValueError(
            f"indices must be whole numbers, row numbers of X; got an array of shape "
            f"{places.shape} and dtype {places.dtype}."
        )
    wrong = (places < 0) | (places >= n_items)
    if wrong.any():
        raise ValueError(
            f"indices must lie between 0 and {n_items - 1}, got {places[wrong][0]}; they are row "
            "numbers of the X passed to fit."
        )
    return places.astype(np.intp)


def check_answers(indices, codes, rows: ItemRows, query_log: QueryLog, labels: BinaryLabels):
    """Return the items with new labels."""
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
            f"Item {item} is duplicated, with two different labels or once without one. Correct "
            "it; nothing was changed."
        )
    first = np.sort(first)
    items, codes = places[first], codes[first]
    before = query_log.codes[items]
    # A missing answer does not remove an earlier label.
    other = (before >= 0) & (codes >= 0) & (codes != before)
    if other.any():
        item = rows.of_items(items[other])[0]
        raise ValueError(
            f"Item {item} was labeled {labels.decode(before[other]).tolist()[0]!r} before and has "
            "another label now; nothing was changed. To correct a label, correct it in the "
            f"table (to_frame) and resume from there (from_frame)."
        )
    return check_new(items, codes, rows, query_log)


def check_new(items, codes, rows: ItemRows, query_log: QueryLog):
    """Return the answers that are new."""
    late = query_log.skipped[items] & (codes >= 0)
    if late.any():
        raise ValueError(
            f"Item {rows.of_items(items[late])[0]} was skipped before, and the estimate excludes "
            "it; nothing was changed. To add it, fill it in in the table (to_frame) "
            f"and resume from there (from_frame)."
        )
    new = (query_log.codes[items] < 0) & ~query_log.skipped[items]
    return items[new], codes[new]


def warn_of_answers(items, codes, query_log: QueryLog, stacklevel: int = 3) -> None:
    """Warn of items that were not queried, and of skipped ones."""
    n_outside = int(np.count_nonzero(query_log.asked[items] == NEVER))
    if n_outside:
        warnings.warn(
            f"{n_outside} of {len(items)} items were not queried. They are used as known labels; "
            "they must have been chosen by their scores and earlier labels alone.",
            OutsideDesignWarning,
            stacklevel=stacklevel,
        )
    n_skipped = int(np.count_nonzero(codes < 0))
    if n_skipped:
        warnings.warn(
            f"{n_skipped} of {len(items)} items have no label: they count as skipped, and will not "
            "be queried again. Skipped items are rarely a random sample.",
            SkippedLabelsWarning,
            stacklevel=stacklevel,
        )


def warn_of_unverified(n_empty: int, n_lists: int, stacklevel: int = 3) -> None:
    """Warn of lists without a verified item, if any."""
    if n_empty:
        warnings.warn(
            f"{n_empty} of {n_lists} lists have no verified item, so that the mean over verified "
            "items alone is undefined (NaN). Verify some of each, or use estimate_.",
            UnverifiedWarning,
            stacklevel=stacklevel,
        )
