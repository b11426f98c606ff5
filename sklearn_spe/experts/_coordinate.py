"""A coordinate: one number of the items on which curves may live."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..sample._cells import ScoreCells
from ._banks import CurveBanks

__all__ = ["Coordinate", "Places"]


@dataclass(frozen=True, eq=False)
class Places(FrozenArrays):
    """Where scores lie among cells: at a share of the way from one to the next.

    Attributes
    ----------
    left : ndarray of shape (n,), of int
    share : ndarray of shape (n,)
    """

    left: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, cells: ScoreCells, scores) -> Places:
        """Return the places of scores."""
        return cls(*cells.place(scores))

    def take(self, rows) -> Places:
        return Places(self.left[rows], self.share[rows])

    def at(self, on_cells) -> np.ndarray:
        """Interpolate rows of cells, (n_cells, n_draws), at these places: (n, n_draws)."""
        share = self.share[:, np.newaxis]
        following = np.minimum(self.left + 1, len(on_cells) - 1)
        # In place: of many items arrays take longer to come by than to fill.
        before, after = on_cells[self.left], on_cells[following]
        before *= 1.0 - share
        after *= share
        before += after
        return before


@dataclass(frozen=True, eq=False)
class Coordinate(FrozenArrays):
    """One number of each item on which curves live, and what experts make of these numbers.

    A score, a consensus of several, the rank of a score within a group: labels judge between
    coordinates as they judge between experts.

    Attributes
    ----------
    name : str
    weight : float
        Before any label, up to a factor common to all.
    banks : CurveBanks
        On cells of these numbers.
    numbers : ndarray of shape (n_items,)
    items : Places
        Where all items lie among the cells.
    """

    name: str
    weight: float
    banks: CurveBanks
    numbers: np.ndarray
    items: Places

    @classmethod
    def of(cls, name: str, weight: float, banks: CurveBanks, numbers) -> Coordinate:
        """Return a coordinate of items, given its number of each."""
        return cls(name, weight, banks, numbers, Places.of(banks.cells, numbers))
