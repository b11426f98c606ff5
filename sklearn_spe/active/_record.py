"""The record of a labeling session in a table: its columns and their validation."""

from __future__ import annotations

import numpy as np

from ..inputs._listed import listed
from ._memory import recalled
from .sessions._query_log import NEVER

__all__ = ["RECORD", "checked_rows"]

# The columns and their types that a table needs to resume, besides scores and labels.
RECORD = {
    "item": int,
    "order": int,
    "chance": float,
    "query": int,
    "asked": int,
    "answered": int,
    "skipped": bool,
    "answer": object,
    "session": str,
}
COUNTS = ("order", "query", "asked", "answered")


def checked_rows(columns: dict, names: dict) -> tuple[dict, np.ndarray]:
    """Return the stored parameters, and the rows in the order of the items."""
    memory = recalled(columns["session"], names["session"])
    item = _whole(columns, names, "item", 0)
    _check_items(item, memory["n_items"], names["item"])
    counts = {name: _whole(columns, names, name, NEVER) for name in COUNTS}
    chance = columns["chance"].astype(float)
    wrong = ~(np.isnan(chance) | ((chance > 0.0) & (chance <= 1.0)))
    if wrong.any():
        raise ValueError(
            f"The column {names['chance']!r} must lie in (0, 1], got {chance[wrong][0]}: numbers "
            f"must not be rounded when the table is written."
        )
    for name in _not_as_written(**counts):
        raise ValueError(
            f"The column {names[name]!r} was changed: its numbers are not consecutive. Continue "
            "from a copy in which only labels were filled in."
        )
    return memory, np.argsort(item, kind="stable")


def _whole(columns, names, name, least) -> np.ndarray:
    """Return a column of whole numbers."""
    try:
        values = columns[name].astype(float)
    except (TypeError, ValueError):
        raise _no_numbers(names, name, least) from None
    # Larger ones overflow int64; smaller ones may still be wrong.
    if not ((values == np.floor(values)) & (values >= least) & (values < 2**53)).all():
        raise _no_numbers(names, name, least)
    return values.astype(np.int64)


def _check_items(item, n_items, name) -> None:
    there, times = np.unique(item, return_counts=True)
    if (there >= n_items).any():
        raise ValueError(
            f"The session was started with {n_items} rows, and its column {name!r} has the items "
            f"{listed(there[there >= n_items])}: rows were added, or numbers changed."
        )
    if (times > 1).any():
        raise ValueError(
            f"Duplicate rows: items {listed(there[times > 1])} in the column {name!r}. Return each "
            "row once."
        )
    if len(there) < n_items:
        lost = np.setdiff1d(np.arange(n_items), there)
        raise ValueError(
            f"The table has {len(there)} of the {n_items} rows with which the session was started; "
            f"rows are missing: items {listed(lost)} in the column {name!r}. To resume, all of "
            "them are needed: copy the new labels to the same items of the complete table, and "
            "continue from that; or, in Python, pass these items and labels to update()."
        )


def _no_numbers(names, name, least) -> ValueError:
    return ValueError(
        f"The column {names[name]!r} must hold whole numbers of at least {least} in every row; do "
        "not change it, and add no rows."
    )


def _not_as_written(order, query, asked, answered) -> list[str]:
    """Return the columns with an impossible history; the rest is replayed."""
    was_asked, was_answered = asked != NEVER, answered != NEVER
    happened = was_asked | was_answered
    wrong = {
        "order": (happened != (order != NEVER)).any()
        or not np.array_equal(np.sort(order[happened]), np.arange(happened.sum())),
        "query": (was_asked != (query != NEVER)).any() or _has_gaps(query[was_asked], 0),
        "asked": asked.max(initial=NEVER) > answered.max(initial=0)
        or (was_asked & was_answered & (asked >= answered)).any(),
        "answered": _has_gaps(answered[answered > 0], 1),
    }
    return [name for name, is_wrong in wrong.items() if is_wrong]


def _has_gaps(numbers, first) -> bool:
    there = np.unique(numbers)
    return not np.array_equal(there, np.arange(len(there)) + first)
