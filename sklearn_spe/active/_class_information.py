r"""Expected information of a label with several classes, by predicted class.

For the label z of a random unlabeled item of a group, all predicted to be of one class, with
probabilities :math:`p_k` of the classes, and a metric M,

.. math:: \operatorname{Var} M - E \operatorname{Var}(M \mid z)
          = \sum_k \operatorname{Cov}(M, 1_{z = k})^2 / \bar p_k ,

where items of a group are exchangeable, so the covariance with one of them is that with the
share of class k among all. Where M is one confusion, only labels of its predicted class inform.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..models._class_draws import ClassDraws
from ..posterior._operating_points import Task

# More numbers than these, of draws, groups and classes, are taken of fewer draws.
MAX_SHARES = 2**25
# Keeps the probability of an absent class from being a divisor.
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class ClassInformation(FrozenArrays):
    """Expected information on a metric of one label in each group of predictions."""

    covariance: np.ndarray  # (n_groups, n_classes), of the metric and the shares of a group
    # (n_groups, n_classes, n_classes), of the shares of a group
    within: np.ndarray
    probability: np.ndarray  # (n_groups, n_classes), expected shares

    # Gains are the weights of the sampling.
    are_inclusion_proba: ClassVar[bool] = False

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray, shares: np.ndarray) -> ClassInformation:
        """Return the information, given draws.

        `values` (n_draws,) of the metric may be NaN where it is undefined, `weights` (n_draws,),
        and `shares` (n_draws, n_groups, n_classes) are those of the unlabeled items of each group.
        """
        weights = np.where(np.isfinite(values), weights, 0.0)
        if not weights.sum() > 0.0:
            # Undefined in all draws: every label is as good.
            values, weights = np.zeros(len(values)), np.ones(len(values))
        weights = weights / weights.sum()
        values = np.where(weights > 0.0, values, 0.0)

        probability = np.einsum("d,dgk->gk", weights, shares)
        deviations = shares - probability
        centered = weights * (values - weights @ values)
        covariance = np.einsum("d,dgk->gk", centered, deviations)
        within = np.einsum("d,dgk,dgl->gkl", weights, deviations, deviations, optimize=True)
        return cls(covariance, within, probability)

    @cached_property
    def gains(self) -> np.ndarray:
        """The expected reduction of the variance, (n_groups,)."""
        return (self.covariance * self._per_class).sum(axis=1)

    @property
    def _per_class(self) -> np.ndarray:
        """The covariances divided by the probability of the class, (n_groups, n_classes)."""
        return np.where(self.probability > 0.0, self.covariance, 0.0) / np.maximum(
            self.probability, TINY
        )

    def after(self, group: int) -> ClassInformation:
        """Return the information after querying a label of a group, by linear regression on it.

        What it tells of other groups, by parameters in common, is left out.
        """
        within = self.within[group]
        per_class = within / np.maximum(self.probability[group], TINY)
        covariance = self.covariance.copy()
        covariance[group] -= within @ self._per_class[group]
        all_within = self.within.copy()
        all_within[group] -= per_class @ within
        return replace(self, covariance=covariance, within=all_within)


def shares_of_unlabeled(draws: ClassDraws, task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Return the draws that are taken, and the shares of classes among the unlabeled items.

    The shares are (n_draws, n_groups, n_classes), those of a group without any are zero.
    """
    _, group = draws.groups
    codes = draws.table.codes
    n_groups, n_classes = int(group.max()) + 1, len(draws.table.classes)
    is_unlabeled = codes < 0
    n_unlabeled = np.bincount(group[is_unlabeled], draws.table.weights[is_unlabeled], n_groups)

    step = max(1, draws.posterior.n_draws * n_groups * n_classes // MAX_SHARES)
    parts = []
    for block in draws.posterior.blocks():
        if draws.is_counted:
            # The known labels are the same in all draws.
            known = draws.known_counts
            counts = draws.counts(block, task)[::step] - known
        else:
            completed = draws.codes(block, task)[::step][:, is_unlabeled].astype(np.intp)
            n_rows = len(completed)
            pair = group[is_unlabeled] * n_classes + completed
            pair += n_groups * n_classes * np.arange(n_rows)[:, np.newaxis]
            counts = np.bincount(pair.ravel(), minlength=n_rows * n_groups * n_classes)
            counts = counts.reshape(n_rows, n_groups, n_classes)
        parts.append(counts / np.maximum(n_unlabeled, 1.0)[:, np.newaxis])

    rows = np.arange(draws.posterior.n_draws)
    draws_of_blocks = [rows[block.rows][::step] for block in draws.posterior.blocks()]
    return np.concatenate(draws_of_blocks), np.concatenate(parts)
