"""The items that may be queried, and the rows whose labels they determine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays

__all__ = ["ListItems", "members_of"]


@dataclass(frozen=True, eq=False)
class ListItems(FrozenArrays):
    """The items of ranked lists: rows of X that may be labeled."""

    # (n_items,), of int; row of X of each item, increasing; other rows are in no list.
    places: np.ndarray
    n_rows: int  # number of rows of X
    codes: np.ndarray  # (n_items,); 1 or 0 where verified at the start, else -1
    # (n_rows,), of int; the item that determines each row's label; -1 where known.
    item: np.ndarray
    category: np.ndarray | None = None  # (n_items,), of int; for strategies that use it
    # (n_items,); classified as positive, for a threshold metric of one list.
    above: np.ndarray | None = None
    # Columns (n_rows,) of a table from which to restart; None if not possible.
    given: dict | None = None

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether each item is the row of the same index."""
        return np.array_equal(self.item, np.arange(len(self.places)))

    def sums(self, values) -> np.ndarray:
        """Return the sum over the rows that each item determines, (n_items,)."""
        asked = self.item >= 0
        return np.bincount(self.item[asked], values[asked], len(self.places))

    def means(self, values) -> np.ndarray:
        """Return the mean over the rows that each item determines, (n_items,)."""
        if self.is_one_to_one:
            return values
        return self.sums(values) / self.sums(np.ones(len(self.item)))

    def groups(self, group) -> np.ndarray:
        """Return the group of each item, given that of each row."""
        of_items = np.zeros(len(self.places), dtype=np.intp)
        asked = self.item >= 0
        of_items[self.item[asked]] = group[asked]
        return of_items


def members_of(group, n_groups: int) -> list[np.ndarray]:
    """Return the indices of each group's members, increasing, one array per group."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=n_groups)
    return np.split(order, np.cumsum(sizes)[:-1])
