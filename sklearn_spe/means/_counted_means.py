"""Rates of categories whose items are all labeled, compared on common groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ..inputs._validation import spawn
from ..results._estimates import ScalarEstimate

# Fewer groups say nothing about further ones.
MIN_GROUPS = 5


@dataclass(frozen=True, eq=False)
class CountedMeans(FrozenArrays):
    """The share of positives of each category, of items that are all labeled.

    Further groups, such as cases that several systems ran, are a Bayesian bootstrap of these ones,
    common to all categories. A rate has half a group of a prior on each side, a difference of two
    rates a whole one, of the size of the differences that groups show. Rates of these items are
    counts; which of two is ahead is asked of further groups.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        1 and 0.
    category, groups : Partition
    n_draws, seed : int
    confidence_level : float
    """

    codes: np.ndarray
    category: Partition
    groups: Partition
    n_draws: int
    seed: int
    confidence_level: float

    @staticmethod
    def applies(codes: np.ndarray, category: Partition | None, groups: Partition | None) -> bool:
        """Return whether all items are labeled, in groups that are not too few."""
        if category is None or groups is None:
            return False
        return len(groups.names) >= MIN_GROUPS and bool((codes >= 0).all())

    def estimate(self, target: str, category: Hashable = None) -> ScalarEstimate:
        """Return the share of positives of all items, or of a category by name."""
        part = len(self.category.names) if category is None else self.category.number_of(category)
        rates, compared, shares = self._draws
        draws = np.full(self.n_draws, shares[part]) if target == "sample" else rates[:, part]
        return ScalarEstimate.from_draws(
            "mean",
            draws,
            np.ones(self.n_draws),
            confidence_level=self.confidence_level,
            n_items=float(self._counts[1][:, part].sum()) if target == "sample" else None,
            origin=f"counts {self.seed}",
            compared=compared[:, part],
        )

    def draws(self, target: str) -> np.ndarray:
        """Return draws of the mean of all items, and of each category, (n_draws, n_parts)."""
        rates, _, shares = self._draws
        ordered = np.roll(np.arange(len(shares)), 1)
        if target == "sample":
            return np.tile(shares[ordered], (self.n_draws, 1))
        return rates[:, ordered]

    @cached_property
    def _counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Positives and items of each group in each category, and in all as the last one."""
        shape = (len(self.groups.names), len(self.category.names) + 1)
        n_items, n_positive = np.zeros(shape), np.zeros(shape)
        for part in (self.category.codes, np.full(len(self.codes), shape[1] - 1)):
            np.add.at(n_items, (self.groups.codes, part), 1.0)
            np.add.at(n_positive, (self.groups.codes, part), self.codes == 1)
        return n_positive, n_items

    @cached_property
    def _draws(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws of further groups, those that are compared, and the shares of these items."""
        n_positive, n_items = self._counts
        has_items = n_items > 0.0
        of_groups = np.divide(n_positive, n_items, out=np.zeros(n_items.shape), where=has_items)
        rng = spawn(self.seed)
        weights = rng.standard_gamma(1.0, (self.n_draws, len(of_groups)))
        halves = rng.standard_gamma(0.5, (2, self.n_draws, n_items.shape[1]))
        wholes = rng.standard_gamma(1.0, (self.n_draws, n_items.shape[1]))

        passed, total = weights @ of_groups, weights @ has_items
        rates = (passed + halves[0]) / (total + halves.sum(axis=0))
        compared = (passed + _size_of_changes(of_groups[:, :-1]) * wholes) / (total + 2.0)
        return rates, compared, n_positive.sum(axis=0) / n_items.sum(axis=0)


def _size_of_changes(shares: np.ndarray) -> float:
    """Return the root mean square of the differences of two categories that are not zero."""
    squares, n_changes = 0.0, 0
    for first in range(shares.shape[1] - 1):
        changes = shares[:, first + 1 :] - shares[:, [first]]
        squares += float((changes**2).sum())
        n_changes += int(np.count_nonzero(changes))
    return float(np.sqrt(squares / n_changes)) if n_changes else 1.0
