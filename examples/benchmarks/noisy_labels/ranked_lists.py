"""Items with noisy and clean labels in one or several ranked lists, and metrics of these."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.metrics import average_precision_score

from sklearn_spe.metrics import PrecisionAtK


@dataclass(frozen=True)
class RankedLists:
    """Items of one classifier, a list for each category.

    Attributes
    ----------
    k : int or None
        Of Precision@K; None stands for average precision.
    scores : ndarray of shape (n,)
    labels, noisy : ndarray of shape (n,)
        0 or 1; clean ones and noisy ones.
    category : ndarray of shape (n,) or None
        From 0 on; None if there is one list.
    """

    k: int | None
    scores: np.ndarray
    labels: np.ndarray
    noisy: np.ndarray
    category: np.ndarray | None = None

    @property
    def metric(self):
        """What `ActiveTestSelector` is asked for."""
        return "average_precision" if self.k is None else PrecisionAtK(self.k)

    @property
    def given(self):
        """The data at the start, as `ActiveTestSelector.fit` takes them."""
        return {"X": self.scores, "noisy_labels": self.noisy, "category": self.category}

    def answers(self, items):
        """Return clean labels."""
        return self.labels[items]

    @cached_property
    def shares(self):
        """Which share of each item counts: of a tie around the K highest, what fits."""
        if self.k is None:
            return np.ones(len(self.scores))
        shares = np.zeros(len(self.scores))
        for items in self._items_by_category():
            last = np.partition(self.scores[items], -self.k)[-self.k]
            above, tied = self.scores[items] > last, self.scores[items] == last
            shares[items[above]] = 1.0
            shares[items[tied]] = (self.k - above.sum()) / tied.sum()
        return shares

    @cached_property
    def candidates(self):
        """The items whose labels matter."""
        return np.flatnonzero(self.shares > 0.0)

    @cached_property
    def truth(self):
        """The metric of each list with all clean labels."""
        return self.values(self.labels)

    def naive_values(self, verified):
        """Return the metric of each list with clean labels where verified, else noisy ones.

        Parameters
        ----------
        verified : ndarray of int
            Items.
        """
        labels = self.noisy.copy()
        labels[verified] = self.labels[verified]
        return self.values(labels)

    def verified_values(self, verified):
        """Return the metric of each list of verified items alone."""
        return self.values(self.labels, np.isin(np.arange(len(self.scores)), verified))

    def values(self, labels, among=True):
        """Return the metric of each list; NaN where it is not defined.

        Parameters
        ----------
        labels : ndarray of shape (n,)
        among : ndarray of bool of shape (n,), default=True
            Which items count.
        """
        counts = (self.shares > 0.0) & among
        return np.array(
            [self._value(items[counts[items]], labels) for items in self._items_by_category()]
        )

    def _value(self, items, labels):
        own, shares = labels[items], self.shares[items]
        if not (len(items) if self.k else own.any()):
            return np.nan
        if self.k:
            return shares @ own / shares.sum()
        return average_precision_score(own, self.scores[items])

    def _items_by_category(self):
        if self.category is None:
            return [np.arange(len(self.scores))]
        order = np.argsort(self.category, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.category))[:-1])
