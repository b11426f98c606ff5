"""One number of several systems, or categories, beside one another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._bands import ScalarEstimate
from ._estimate_table import EstimateTable
from ._ranking import order_probability, ranking_probability

__all__ = ["SideBySide"]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """One number of several sides, systems or categories, measured on the same labels.

    Attributes
    ----------
    names : tuple
        Of the sides.
    estimates : tuple of ScalarEstimate
        Of one fit. NaN where a draw does not define a side: it is then not behind, and not zero.
    greater_is_ahead : bool, default=True
    """

    names: tuple
    estimates: tuple[ScalarEstimate, ...]
    greater_is_ahead: bool = True

    @cached_property
    def draws(self) -> np.ndarray:
        """Larger for those that are ahead, (n_draws, n_sides)."""
        sign = 1.0 if self.greater_is_ahead else -1.0
        return sign * np.column_stack([estimate.draws for estimate in self.estimates])

    @cached_property
    def ahead(self) -> np.ndarray:
        """How probable it is that one side is ahead of another, (n_sides, n_sides).

        Entry [i, j] is that side i is ahead of side j; ties count half.
        """
        return ranking_probability(self.draws)

    @cached_property
    def order_proba(self) -> float:
        """How probable it is that all are in the order of their estimates."""
        return order_probability(self.draws)

    @property
    def first(self) -> int:
        """The place of the side that is most probably ahead of the others."""
        return int(np.argmax(np.nansum(self.ahead, axis=1)))

    def less(self, reference: int) -> EstimateTable:
        """Return the numbers of the others, less that of the side at a place."""
        others = self.others(reference)
        return EstimateTable(
            tuple(str(self.names[k]) for k in others),
            tuple(self.estimates[k] - self.estimates[reference] for k in others),
        )

    def ahead_of(self, reference: int) -> tuple[float, ...]:
        """Return how probable it is that each of the others is ahead of the side at a place."""
        return tuple(float(self.ahead[k, reference]) for k in self.others(reference))

    def others(self, reference: int) -> list[int]:
        """Return the places of all other sides."""
        return [k for k in range(len(self.names)) if k != reference]
