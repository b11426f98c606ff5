"""A metric of several systems or categories, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ._bands import ScalarEstimate
from ._estimate_table import EstimateTable
from ._ranking import order_probability, ranking_probability

__all__ = ["SideBySide"]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A metric of several sides (systems or categories) from the same labels."""

    names: tuple  # Of the sides
    # Of one fit; NaN where a draw does not define a side, which is then not behind.
    estimates: tuple[ScalarEstimate, ...]
    greater_is_ahead: bool = True
    # For sides with different items: both metrics on their common items, by pairs of indices.
    pairs: Mapping[tuple[int, int], tuple[ScalarEstimate, ScalarEstimate] | None] | None = None

    @cached_property
    def draws(self) -> np.ndarray:
        """Draws of the metric, negated if smaller is better, (n_draws, n_sides)."""
        return self._signed(self.estimates)

    def _signed(self, estimates) -> np.ndarray:
        sign = 1.0 if self.greater_is_ahead else -1.0
        return sign * np.column_stack([estimate.draws for estimate in estimates])

    @cached_property
    def ahead(self) -> np.ndarray:
        """The probability that one side is ahead of another, (n_sides, n_sides).

        Ties count half. NaN without common items.
        """
        if self.pairs is None:
            return ranking_probability(self.draws)
        ahead = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(ahead, 0.5)
        for (i, j), both in self.pairs.items():
            if both is not None:
                ahead[np.ix_([i, j], [i, j])] = ranking_probability(self._signed(both))
        return ahead

    @cached_property
    def order_proba(self) -> float:
        """The probability that all are in the order of their estimates.

        For sides with different items: that each is ahead of the next, on their common items.
        """
        if self.pairs is None:
            return order_probability(self.draws)
        values = np.array([estimate.value for estimate in self.estimates])
        order = np.argsort(-values if self.greater_is_ahead else values, kind="stable")
        steps = [self._both(i, j) for i, j in pairwise(order.tolist())]
        compared = [both for both in steps if both is not None]
        if len(compared) < len(steps):
            return np.nan
        leads = np.column_stack([np.subtract(*self._signed(both).T) for both in compared])
        leads = leads[~np.isnan(leads).any(axis=1)]
        return float((leads >= 0.0).all(axis=1).mean()) if len(leads) else 0.0

    def _both(self, i: int, j: int) -> tuple[ScalarEstimate, ScalarEstimate] | None:
        if self.pairs is None:
            return self.estimates[i], self.estimates[j]
        both = self.pairs[min(i, j), max(i, j)]
        return both if both is None or i < j else both[::-1]

    def difference(self, i: int, j: int) -> ScalarEstimate | None:
        """Return the difference of two sides; None without common items."""
        both = self._both(i, j)
        return None if both is None else both[0] - both[1]

    @property
    def first(self) -> int:
        """The index of the side that is most probably ahead of the others."""
        return int(np.argmax(np.nansum(self.ahead, axis=1)))

    def less(self, reference: int) -> EstimateTable:
        """Return the differences of the others from the reference."""
        others = self.others(reference)
        off = [self.difference(k, reference) for k in others]
        found = tuple(estimate for estimate in off if estimate is not None)
        return EstimateTable(tuple(str(self.names[k]) for k in others), found)

    def ahead_of(self, reference: int) -> tuple[float, ...]:
        """Return the probability that each of the others is ahead of the reference."""
        return tuple(float(self.ahead[k, reference]) for k in self.others(reference))

    def others(self, reference: int) -> list[int]:
        """Return the indices of all other sides that can be compared with the reference."""
        apart = range(len(self.names))
        return [k for k in apart if k != reference and self._both(k, reference) is not None]
