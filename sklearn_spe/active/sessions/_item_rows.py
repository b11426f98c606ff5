"""Which rows of X are items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import FrozenArrays

__all__ = ["ItemRows"]


@dataclass(frozen=True, eq=False)
class ItemRows(FrozenArrays):
    """The rows of X of which a label is wanted.

    Attributes
    ----------
    n_rows : int
        How many rows X has.
    places : ndarray of shape (n_items,), of int, default=None
        The row of each item, rising; None if every row is an item.
    """

    n_rows: int
    places: np.ndarray | None = None

    def of_items(self, items) -> np.ndarray:
        """Return the rows of items."""
        return np.array(items) if self.places is None else self.places[items]

    def items_at(self, rows) -> np.ndarray:
        """Return the items at rows, -1 for rows of which no label is wanted."""
        if self.places is None:
            return rows
        at = np.minimum(np.searchsorted(self.places, rows), len(self.places) - 1)
        return np.where(self.places[at] == rows, at, -1)

    def refusal(self, row: int) -> str:
        """Return why there is no item at a row."""
        return (
            f"Item {row} is in no list among the k highest: its label does not matter to the "
            f"metric. Leave it out; nothing was changed."
        )

    def spread(self, values, fill) -> np.ndarray:
        """Return values of items as those of rows, (n_rows,)."""
        if self.places is None:
            return np.array(values)
        spread = np.full(self.n_rows, fill, dtype=np.result_type(values, type(fill)))
        spread[self.places] = values
        return spread
