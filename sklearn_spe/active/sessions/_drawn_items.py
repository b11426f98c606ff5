"""Which items of a histogram were drawn, by their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._item_rows import ItemRows

__all__ = ["DrawnItems"]


@dataclass(frozen=True, eq=False)
class DrawnItems(ItemRows):
    """The items that were told apart from the others of their row, and what these are called.

    Attributes
    ----------
    n_rows : int
        One more than the largest number that an item may have.
    n_given : int
        How many rows X has; items that are told apart come after them.
    numbers : ndarray of shape (n_items,), of int
        Of each item; where several are one, of the next that is told apart; -1 of items that were
        labelled at the start, which have none.
    is_drawn : ndarray of shape (n_items,), of bool
        Whether it was told apart.
    """

    n_given: int = 0
    numbers: np.ndarray = None  # type: ignore[assignment]
    is_drawn: np.ndarray = None  # type: ignore[assignment]

    def of_items(self, items):
        return self.numbers[items]

    def items_at(self, rows):
        drawn = np.flatnonzero(self.is_drawn)
        if not len(drawn):
            return np.full(len(rows), -1)
        order = drawn[np.argsort(self.numbers[drawn])]
        at = np.minimum(np.searchsorted(self.numbers[order], rows), len(order) - 1)
        return np.where(self.numbers[order][at] == rows, order[at], -1)

    def refusal(self, row):
        return (
            f"Item {row} was not asked for, and of a histogram only items that were can be told "
            f"apart. What is labelled before the start goes into with_labels; nothing was changed."
        )

    def spread(self, values, fill):
        return np.array(values[: self.n_given])
