"""The rows of X that are items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import FrozenArrays

__all__ = ["ItemRows"]


@dataclass(frozen=True, eq=False)
class ItemRows(FrozenArrays):
    """The rows of X that may be labeled."""

    n_rows: int  # number of rows of X
    # (n_items,), of int; row of each item, increasing; None if every row is an item.
    places: np.ndarray | None = None

    def of_items(self, items) -> np.ndarray:
        """Return the rows of items."""
        return np.array(items) if self.places is None else self.places[items]

    def items_at(self, rows) -> np.ndarray:
        """Return the items at rows, -1 for rows that are not items."""
        if self.places is None:
            return rows
        at = np.minimum(np.searchsorted(self.places, rows), len(self.places) - 1)
        return np.where(self.places[at] == rows, at, -1)

    def refusal(self, row: int) -> str:
        """Return the message for a row without an item."""
        return (
            f"Item {row} is not among the k highest of any list: its label does not affect the "
            "metric. Leave it out; nothing was changed."
        )

    def spread(self, values, fill) -> np.ndarray:
        """Return values of items as values of rows, (n_rows,)."""
        if self.places is None:
            return np.array(values)
        spread = np.full(self.n_rows, fill, dtype=np.result_type(values, type(fill)))
        spread[self.places] = values
        return spread
