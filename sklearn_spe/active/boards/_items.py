"""What may be asked for, and which entries of a board it settles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._arrays import FrozenArrays

__all__ = ["BoardItems", "members_of"]


@dataclass(frozen=True, eq=False)
class BoardItems(FrozenArrays):
    """The items of a board, rows of X of which a label is wanted.

    Attributes
    ----------
    places : ndarray of shape (n_items,), of int
        The row of X of each item, rising; other rows stand in no list.
    n_rows : int
        How many rows X has.
    codes : ndarray of shape (n_items,)
        1 or 0 where an item is vetted at the start, else -1.
    item : ndarray of shape (n_entries,), of int
        Which item is to be vetted to know each entry of the board; -1 where it is known.
    category : ndarray of shape (n_items,), of int, default=None
        For strategies that look at it.
    above : ndarray of bool of shape (n_items,), default=None
        Which items the decision calls positive, for a threshold metric of one list.
    given : dict of ndarray of shape (n_rows,), default=None
        The columns of a table from which the same can be started again; None if none holds it.
    """

    places: np.ndarray
    n_rows: int
    codes: np.ndarray
    item: np.ndarray
    category: np.ndarray | None = None
    above: np.ndarray | None = None
    given: dict | None = None

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether each item is the entry of the same number."""
        return np.array_equal(self.item, np.arange(len(self.places)))

    def sums(self, values) -> np.ndarray:
        """Return the sum over the entries that each item settles, (n_items,)."""
        asked = self.item >= 0
        return np.bincount(self.item[asked], values[asked], len(self.places))

    def means(self, values) -> np.ndarray:
        """Return the mean over the entries that each item settles, (n_items,)."""
        if self.is_one_to_one:
            return values
        return self.sums(values) / self.sums(np.ones(len(self.item)))

    def groups(self, group) -> np.ndarray:
        """Return the group of each item, given that of each entry."""
        of_items = np.zeros(len(self.places), dtype=np.intp)
        asked = self.item >= 0
        of_items[self.item[asked]] = group[asked]
        return of_items


def members_of(group, n_groups: int) -> list[np.ndarray]:
    """Return the places of each group, rising, one array a group.

    Parameters
    ----------
    group : ndarray of shape (n,), of int
    n_groups : int
    """
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=n_groups)
    return np.split(order, np.cumsum(sizes)[:-1])
