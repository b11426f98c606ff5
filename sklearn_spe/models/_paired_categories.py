r"""Dependence of the rates of categories whose items share groups: systems on the same prompts.

A random effect of groups on log-odds cannot carry it: where two systems agree on nearly every
prompt, its size would be so large that the rates themselves were narrower than their labels allow.
Here the posterior of rows states the rate of each category, and the labels alone state how the
rates of different categories depend on each other. Draws of each rate keep their values, and take
the order of the draws of the labels (a copula).

By the labels alone the rate of category k is

.. math:: q_k = \frac{\sum_g e_g n_{gk1} + a_k}{\sum_g e_g n_{gk} + a_k + b_k}

with standard exponential weights :math:`e_g` of the labeled groups, common to all categories (the
Bayesian bootstrap of groups), and gamma variables :math:`a_k, b_k` of Jeffreys' prior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inputs._arrays import FrozenArrays
from ._item_table import ItemTable

# Prior number of labels of each class (Jeffreys).
PRIOR_COUNT = 0.5


@dataclass(frozen=True, eq=False)
class PairedCategories(FrozenArrays):
    """The rank of each draw of the rates of all items and of each category."""

    ranks: np.ndarray  # (n_draws, 1 + n_categories), of int

    @classmethod
    def of(
        cls, table: ItemTable, n_draws: int, rng: np.random.Generator
    ) -> PairedCategories | None:
        """Rank draws of the rates by the labels alone; None without labels of shared groups.

        Scores relate labels to each other as well: with scores there is none.
        """
        if not _share_groups(table) or any(sample.n_cells > 1 for sample in table.samples):
            return None
        category, groups = table.category, table.clusters
        n_categories = category.n_parts  # type: ignore[union-attr]
        labeled = np.flatnonzero(table.codes >= 0)
        counts = table.weights[labeled]
        unit = np.unique(groups.codes[labeled], return_inverse=True)[1]  # type: ignore[union-attr]
        cell = 2 * category.codes[labeled] + table.codes[labeled]  # type: ignore[union-attr]

        # The Bayesian bootstrap of groups: gamma variables of negatives and positives.
        weights = rng.exponential(size=(n_draws, unit.max() + 1))
        sums = rng.gamma(PRIOR_COUNT, size=(n_draws, 2 * n_categories))
        for weight, total in zip(weights, sums, strict=True):
            total += np.bincount(cell, counts * weight[unit], minlength=2 * n_categories)
        negative = sums[:, ::2]
        positive = sums[:, 1::2]
        rates = positive / (negative + positive)

        sizes = np.bincount(category.codes, table.weights, n_categories)  # type: ignore[union-attr]
        of_all = np.einsum("ij,j->i", rates, sizes / sizes.sum())
        rates = np.column_stack([of_all, rates])
        order = np.argsort(rates, axis=0)
        return cls(np.argsort(order, axis=0))

    def in_order(self, draws: np.ndarray, part: int | None) -> np.ndarray:
        """Return draws of a rate, (n_draws, n_points), in the order of all or of a category."""
        rank = self.ranks[:, 0 if part is None else part + 1]
        return np.sort(draws, axis=0)[rank]


def _share_groups(table: ItemTable) -> bool:
    """Return whether a group has labels in more than one category."""
    if table.category is None or table.clusters is None or not (table.codes < 0).any():
        return False
    labeled = table.codes >= 0
    pairs = np.column_stack([table.clusters.codes[labeled], table.category.codes[labeled]])
    group = np.unique(pairs, axis=0)[:, 0]
    return len(np.unique(group)) < len(group)
