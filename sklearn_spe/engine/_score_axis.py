"""A score axis: one number of the items on which curves may live."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..experts._ensemble import CurveEnsemble
from ..sample._cells import ScoreCells

__all__ = ["Positions", "ScoreAxis"]


@dataclass(frozen=True, eq=False)
class Positions(FrozenArrays):
    """Where scores lie among cells: at a share of the way from one to the next."""

    left: np.ndarray  # (n,), of int
    share: np.ndarray  # (n,)

    @classmethod
    def of(cls, cells: ScoreCells, scores) -> Positions:
        """Return the places of scores."""
        return cls(*cells.place(scores))

    def take(self, rows) -> Positions:
        return Positions(self.left[rows], self.share[rows])

    def at(self, on_cells) -> np.ndarray:
        """Interpolate rows of cells, (n_cells, n_columns), at these places: (n, n_columns)."""
        share = self.share[:, np.newaxis]
        following = np.minimum(self.left + 1, len(on_cells) - 1)
        # In place: of many items arrays take longer to come by than to fill.
        before, after = on_cells[self.left], on_cells[following]
        before *= 1.0 - share
        after *= share
        before += after
        return before


@dataclass(frozen=True, eq=False)
class ScoreAxis(FrozenArrays):
    """One number of each item, and what experts make of these numbers.

    A score, a consensus of several, the rank of a score within a group: labels weight axes as they
    weight experts.
    """

    name: str
    weight: float  # before any label, up to a factor common to all
    ensemble: CurveEnsemble  # on cells of these numbers
    numbers: np.ndarray  # (n_items,)
    items: Positions  # of all items among the cells

    @classmethod
    def of(cls, name: str, weight: float, ensemble: CurveEnsemble, numbers) -> ScoreAxis:
        """Return an axis of items, given its number of each."""
        return cls(name, weight, ensemble, numbers, Positions.of(ensemble.cells, numbers))
