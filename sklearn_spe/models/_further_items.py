r"""Further items like those of a part: the distribution of its rates, given its labels.

Labels count as they are, known or drawn: their weights are those of a Bayesian bootstrap [1]_ of
items or, where items belong together, of groups, shared by all parts. What is known of an item is
not modeled, so labels that are all equal need a prior of their own: half a label on each side
(Jeffreys), of the share of positives and, within each class, of a threshold,

.. math:: q = \frac{\sum_g e_g n_{g1} + u a}{\sum_g e_g n_g + u (a + b)}, \quad
    a, b \sim \operatorname{Gamma}(1/2).

Without groups it is Beta(k + 1/2, n - k + 1/2). A label of the prior counts for u labels, as many
as are worth one independent label (the design effect [2]_): all of a group where they agree, one
where groups do not matter.

Of two parts with the same cases only those that differ count, and half labels are too bold. Their
difference takes one made-up case on each side: half of one in which the first part alone is
positive, and half of one in which the second alone is negative. In a difference they count in full,

.. math::

    d = \frac{\sum_g e_g (n_{g1} - n'_{g1}) + u (a - b) - u (a' - b')}{\sum_g e_g n_g + \ldots}

so that draws of each part carry its own term, without which no difference of two rates could be
told from their draws.

References
----------
.. [1] D. Rubin. The Bayesian bootstrap. Annals of Statistics 9 (1981) 130-134.
.. [2] L. Kish. Survey Sampling. Wiley, 1965.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition, concentration_of
from ..inputs._validation import spawn
from ..posterior._posterior import Block
from ._item_table import ItemTable
from ._row_posterior import RowPosterior

# The prior's labels on each side (Jeffreys).
HALF = 0.5
# The variance of a label that is known beforehand to agree with all of its group: half a label of
# each side. Where all labels of all parts agree, nothing else tells how groups matter.
VARIANCE_OF_GROUP = 0.25
# Weights of nothing at all, and differences of sums that are equal.
TINY, ROUNDING = 1e-300, 1e-9
# Spawn keys of the random streams of the bootstrap, and of the prior's labels.
BOOTSTRAP, PRIOR = 3, 9


@dataclass(frozen=True, eq=False)
class FurtherItems(FrozenArrays):
    """Weights of items, and of the labels of the prior, common to all parts and columns."""

    items: RowPosterior
    category: Partition | None
    clusters: Partition | None  # groups of dependent items; None if independent
    n_columns: int  # of scores: systems and raters
    has_gathered_groups: bool = False  # whether the last group is all of those without labels
    prior: Any = HALF  # shapes of the prior's labels, for each of their numbers and sides

    @classmethod
    def of(cls, items: RowPosterior, table: ItemTable) -> FurtherItems:
        """Return those of the rows of a table."""
        n_columns = table.columns.shape[1]
        return cls(items, table.category, table.groups, n_columns, table.has_gathered_groups)

    def weights(self, block: Block, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Draw the weights of positives and of negatives of some rows, (n_draws, n_rows) each."""
        items = self.items
        rng = spawn(items.entropy, BOOTSTRAP, block.index)
        positives = items.positives(block)
        negatives = items.counts - positives
        if self.clusters is None:
            # All rows, so that rankings of some of them share their weights.
            return rng.standard_gamma(positives)[:, rows], rng.standard_gamma(negatives)[:, rows]

        shape = len(positives), self.clusters.n_parts
        of_groups = rng.standard_gamma(self.groups.concentration, shape)
        of_rows = of_groups[:, self.clusters.codes[rows]]
        # A row that represents items of many groups has a weight of its own.
        of_many = np.flatnonzero(self.represents_groups[rows])
        counts = items.counts[rows[of_many]]
        of_rows[:, of_many] = self.groups.concentration * (
            rng.standard_gamma(counts, (len(positives), len(of_many))) / counts
        )
        return of_rows * positives[:, rows], of_rows * negatives[:, rows]

    def rates_by_labels(
        self, n_draws: int, rng: np.random.Generator, *, are_alike: bool = False
    ) -> np.ndarray:
        """Draw the rate of each category by its labels alone, (n_draws, n_categories).

        Of many categories that are alike half of the prior's label has the rate of all labels.
        """
        category, items = self.category, self.items
        n_parts = 1 if category is None else category.n_parts
        labeled = items.labeled
        part = np.zeros(len(labeled), int) if category is None else category.codes[labeled]
        center = self.center if are_alike else HALF
        shapes = HALF * (HALF + np.array([1.0 - center, center]))[:, np.newaxis, np.newaxis]
        drawn = rng.standard_gamma(np.broadcast_to(shapes, (2, n_draws, n_parts)))
        prior = self.groups.labels_of_prior * drawn
        sums = []
        for code in (0, 1):
            counts = items.label_counts[labeled] * (items.codes[labeled] == code)
            if self.clusters is None:
                sums.append(rng.standard_gamma(np.bincount(part, counts, n_parts), prior[0].shape))
                continue
            group, number = np.unique(self.clusters.codes[labeled], return_inverse=True)
            of_groups = np.zeros((len(group), n_parts))
            np.add.at(of_groups, (number.ravel(), part), counts)
            if not sums:
                concentration = self.groups.concentration
                weights = rng.standard_gamma(concentration, (n_draws, len(group)))
            sums.append(np.einsum("ij,jk->ik", weights, of_groups))
        against, support = sums + prior
        return support / np.maximum(against + support, TINY)

    def prior_labels(self, block: Block, part: int | None) -> np.ndarray:
        """Draw the labels of the prior of a part, (n_draws, 1 + 2 n_columns, 2).

        The first are of the share of positives, the others of both classes by each column; the last
        axis is the side: against, and for.
        """
        drawn = self._prior_labels(block)
        return drawn[:, 0 if part is None else 1 + part]

    def _prior_labels(self, block: Block) -> np.ndarray:
        rng = spawn(self.items.entropy, PRIOR, block.index)
        n_parts = 0 if self.category is None else self.category.n_parts
        n_draws = block.rows.stop - block.rows.start
        shape = n_draws, 1 + n_parts, 1 + 2 * self.n_columns, 2
        return self.groups.labels_of_prior * rng.standard_gamma(np.broadcast_to(self.prior, shape))

    def rate(
        self, block: Block, yes: np.ndarray, total: np.ndarray, prior: np.ndarray, signed: bool
    ) -> np.ndarray:
        """Return shares of a total, (n_draws, n), given the prior's labels, (n_draws, 2).

        `yes` is (n_draws, n) and `total` (n_draws, 1). If signed, the prior's labels count in full,
        as in a difference.
        """
        against, support = prior[:, :1], prior[:, 1:]
        if not signed:
            return (yes + support) / np.maximum(total + support + against, TINY)
        # A common scale for all parts, about a center: what made-up cases add to the cases.
        made_up = 4.0 * self._prior_labels(block).mean(axis=(1, 2, 3))[:, np.newaxis]
        scale = total / (total + made_up)
        centered = yes / np.maximum(total, TINY) - self.center
        return self.center + scale * centered + (support - against) / (total + made_up)

    @cached_property
    def represents_groups(self) -> np.ndarray:
        """Whether a row represents items of several groups without labels, (n_rows,)."""
        clusters: Any = self.clusters
        return (clusters.codes == clusters.n_parts - 1) & self.has_gathered_groups

    @cached_property
    def center(self) -> float:
        """The share of positives of all labels."""
        counts, codes = self.items.counts, self.items.codes
        n_labels = counts[codes >= 0].sum()
        return float((counts[codes == 1].sum() + HALF) / (n_labels + 2.0 * HALF))

    @cached_property
    def pairs_parts(self) -> bool:
        """Whether labels of different categories are of the same groups."""
        if self.category is None or self.clusters is None:
            return False
        labeled = self.items.labeled
        pairs = np.column_stack([self.clusters.codes[labeled], self.category.codes[labeled]])
        group = np.unique(pairs, axis=0)[:, 0]
        return len(np.unique(group)) < len(group)

    @cached_property
    def groups(self) -> GroupWeights:
        """How labels of one group depend on each other."""
        if self.clusters is None:
            return GroupWeights()
        items = self.items
        labeled = items.labeled
        part = np.zeros(items.n_items, dtype=int)
        if self.category is not None:
            part = self.category.codes
        pairs = np.column_stack([self.clusters.codes, part])
        n_groups = len(np.unique(pairs, axis=0)) // len(np.unique(part))
        return GroupWeights.of(
            np.unique(pairs[labeled], axis=0, return_inverse=True)[1].ravel(),
            part[labeled],
            items.counts[labeled],
            items.codes[labeled] == 1,
            n_groups,
        )


@dataclass(frozen=True)
class GroupWeights:
    """What groups are worth, where their items depend on each other."""

    concentration: float = 1.0  # of the weights of groups
    labels_of_prior: float = 1.0  # how many labels are worth an independent one, by these weights

    @classmethod
    def of(
        cls,
        group: np.ndarray,
        part: np.ndarray,
        counts: np.ndarray,
        is_positive: np.ndarray,
        n_groups: int,
    ) -> GroupWeights:
        """Return the weights of groups by their labels, whose arrays are (n_labeled,).

        `n_groups` is the number of groups of a part, labeled or not.
        """
        if not len(group):
            return cls()
        n_labels = np.bincount(part, counts)
        rate = np.bincount(part, counts * is_positive) / np.maximum(n_labels, 1.0)

        # Sums over the labels of a group in a part, and over each label by itself.
        size = np.bincount(group, counts)
        deviation = np.bincount(group, counts * (is_positive - rate[part]))
        variance = (rate * (1.0 - rate))[part] @ counts + VARIANCE_OF_GROUP
        largest = (size**2).sum() / size.sum()
        effect = (deviation @ deviation + VARIANCE_OF_GROUP * largest) / variance
        if effect >= largest - ROUNDING:
            # Each group is a label, whose posterior under Jeffreys' prior is that of its rate.
            return cls(1.0, float(largest))
        # Means of groups have the spread of a t interval.
        concentration = concentration_of(n_groups)
        return cls(concentration, concentration * float(max(effect, 1.0)))
