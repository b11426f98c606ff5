"""The drawn items of a histogram, by their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._item_rows import ItemRows

__all__ = ["DrawnItems"]


@dataclass(frozen=True, eq=False)
class DrawnItems(ItemRows):
    """Items that were separated from their row, and their numbers."""

    n_given: int = 0  # number of rows of X; separated items come after them
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
            f"Item {row} was not queried, and for a histogram only queried items can be labeled. "
            "Pass earlier labels to with_labels; nothing was changed."
        )

    def spread(self, values, fill):
        return np.array(values[: self.n_given])
