"""Means of categories whose items are all labeled, compared on common groups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data._item_data import ItemData
from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ..inputs._labels import UNLABELED
from ..inputs._validation import spawn
from ..models._row_reasons import MIN_GROUPS
from ..results._estimates import ScalarEstimate


@dataclass(frozen=True, eq=False)
class CountedMeans(FrozenArrays):
    """The mean label of each category, of items that are all labeled.

    Further groups, such as cases that several systems ran, are a Bayesian bootstrap of these ones,
    common to all categories. A mean has half a group of a prior on each end of the range, a
    difference of two means a whole one, of the size of the differences that groups show. Means of
    these items are counts; which of two is ahead is asked of further groups.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
    label_range : (float, float)
    category, groups : Partition
    n_draws, seed : int
    confidence_level : float
    """

    labels: np.ndarray
    label_range: tuple[float, float]
    category: Partition
    groups: Partition
    n_draws: int
    seed: int
    confidence_level: float

    @classmethod
    def of(
        cls,
        data: ItemData,
        label_range: tuple[float, float],
        n_draws: int,
        seed: int,
        confidence_level: float,
    ) -> CountedMeans | None:
        """Return the means of labels in a range.

        None if a label is missing, or if few groups have items of several categories.
        """
        labels, limits = data.outcomes, label_range
        if labels is None:
            labels, limits = np.where(data.codes == UNLABELED, np.nan, data.codes), (0.0, 1.0)
        category, groups = data.category, data.groups
        if category is None or groups is None or not np.isfinite([*labels, *limits]).all():
            return None
        means = cls(labels, limits, category, groups, n_draws, seed, confidence_level)
        n_parts = (means._counts[1][:, :-1] > 0.0).sum(axis=1)
        n_common = np.count_nonzero(n_parts >= min(2, len(category.names)))
        return means if n_common >= MIN_GROUPS else None

    def estimate(self, target: str, category: Hashable = None) -> ScalarEstimate:
        """Return the mean of all items, or of a category by name."""
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
            # Which of two is ahead in these items is known.
            compared=None if target == "sample" else compared[:, part],
        )

    def draws(self, target: str) -> np.ndarray:
        """Return draws of the mean of all items, and of each category, (n_draws, n_parts)."""
        rates, _, shares = self._draws
        ordered = np.roll(np.arange(len(shares)), 1)
        if target == "sample":
            return np.tile(shares[ordered], (self.n_draws, 1))
        return rates[:, ordered]

    @property
    def codes(self) -> np.ndarray:
        """The labels 1 and 0 of two classes; raise if there are others."""
        if not np.isin(self.labels, (0.0, 1.0)).all():
            raise ValueError("pass^k needs labels 0 and 1 for each run of a task.")
        return self.labels.astype(int)

    @cached_property
    def _counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums and numbers of labels of each group in each category, and in all as the last one."""
        low, high = self.label_range
        scaled = (self.labels - low) / (high - low)
        shape = (len(self.groups.names), len(self.category.names) + 1)
        n_items, sums = np.zeros(shape), np.zeros(shape)
        for part in (self.category.codes, np.full(len(scaled), shape[1] - 1)):
            np.add.at(n_items, (self.groups.codes, part), 1.0)
            np.add.at(sums, (self.groups.codes, part), scaled)
        return sums, n_items

    @cached_property
    def _draws(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws of further groups, those that are compared, and the shares of these items."""
        sums, n_items = self._counts
        has_items = n_items > 0.0
        of_groups = np.divide(sums, n_items, out=np.zeros(n_items.shape), where=has_items)
        rng = spawn(self.seed)
        weights = rng.standard_gamma(1.0, (self.n_draws, len(of_groups)))
        halves = rng.standard_gamma(0.5, (2, self.n_draws, n_items.shape[1]))
        wholes = rng.standard_gamma(1.0, (self.n_draws, n_items.shape[1]))

        passed, total = weights @ of_groups, weights @ has_items
        rates = (passed + halves[0]) / (total + halves.sum(axis=0))
        size = _size_of_changes(np.where(has_items, of_groups, np.nan)[:, :-1])
        # One made-up group on each side: fewer groups do not move a mean up or down.
        compared = (passed + 1.0 + size * (wholes - 1.0)) / (total + 2.0)
        of_items = sums.sum(axis=0) / n_items.sum(axis=0)
        low, high = self.label_range
        width = high - low
        return low + width * rates, low + width * compared, low + width * of_items


def _size_of_changes(shares: np.ndarray) -> float:
    """Return the root mean square of the differences of two categories that are not zero.

    `shares` has NaN where a group has no item of a category.
    """
    squares, n_changes = 0.0, 0
    for first in range(shares.shape[1] - 1):
        changes = np.nan_to_num(shares[:, first + 1 :] - shares[:, [first]])
        squares += float((changes**2).sum())
        n_changes += int(np.count_nonzero(changes))
    return float(np.sqrt(squares / n_changes)) if n_changes else 1.0
