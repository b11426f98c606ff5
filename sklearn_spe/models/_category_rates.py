r"""Rates of categories by their labels alone, in some of the draws.

A score, or a judge, that predicts single items well may still err alike on all items of a category:
a judge flatters one system. What it says of items is no evidence of that, and random effects are
shrunk toward what all categories have in common. So some draws take the rate of a category from its
labels alone (a linear opinion pool of two posteriors [1]_): the log-odds of its items move by the
same amount, until their mean over its labeled items is a draw of

.. math:: q \sim \mathrm{Beta}(n_1 + p, n_0 + 1 - p),

with :math:`n_1, n_0` labels of each class, and one more label that the model adds with its mean
probability p of the labeled items. Where labels were chosen by their scores it is still the
category's effect that moves: the curve says how labeled and other items differ.

They are the same draws for all categories, so that differences of rates are pooled as well.

References
----------
.. [1] M. Stone. The opinion pool. Annals of Mathematical Statistics 32 (1961) 1339-1342.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..inputs._groups import GROUPS, Partition
from ._group_rates import shifts_to_rates
from ._row_posterior import PrevalenceShift, RowPosterior

# The share of draws that the labels alone state, and the least number of labels of a category.
SHARE, MIN_LABELS = 0.2, 5
# The closest that drawn rates come to 0 and 1.
MARGIN = 1e-9


def with_rates_of_labels(
    posterior: RowPosterior,
    category: Partition | None,
    groups: Partition | None,
    rng: np.random.Generator,
) -> RowPosterior:
    """Return the posterior with the rates of categories by their labels alone in some draws.

    Where the number of positives is known labels alone do not state a rate.
    """
    is_known = posterior.known_positives.total is not None
    if category is None or category.n_parts < 2 or is_known:
        return posterior
    labeled = np.flatnonzero(posterior.codes >= 0)
    n_labels = np.bincount(
        category.codes[labeled], posterior.counts[labeled], minlength=category.n_parts
    )
    pooled = np.flatnonzero(n_labels >= MIN_LABELS)
    if not len(pooled):
        return posterior

    n_draws = posterior.n_draws
    draws = np.flatnonzero(rng.permutation(n_draws) < SHARE * n_draws)
    log_odds = np.zeros((n_draws, len(pooled)))
    for k, code in enumerate(pooled.tolist()):
        rows = labeled[category.codes[labeled] == code]
        probability = _in_new_groups(posterior, rows, groups)[draws]
        shares = posterior.counts[rows] / posterior.counts[rows].sum()
        expected = np.einsum("ij,j->i", probability, shares)
        rates = drawn_rates(*_effective_labels(posterior, rows, groups), expected, rng)
        log_odds[draws, k] = shifts_to_rates(rates, probability, shares)

    column = np.full(category.n_parts, -1)
    column[pooled] = np.arange(len(pooled))
    return replace(posterior, by_labels=PrevalenceShift(column[category.codes], log_odds))


def _in_new_groups(
    posterior: RowPosterior, rows: np.ndarray, groups: Partition | None
) -> np.ndarray:
    """Return P(y = 1) of rows in new groups, (n_draws, n_rows): a group's labels say its effect."""
    if groups is None:
        return posterior.probability_in_all_draws(rows)
    blocks = posterior.blocks()
    return np.concatenate([posterior.probability_anywhere(block, GROUPS, rows) for block in blocks])


def drawn_rates(
    n_positive: float, n_negative: float, expected: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw rates by labels, and one more label that is positive with an expected probability."""
    # Where the model is certain, and all labels agree with it, a count would be zero.
    expected = np.clip(expected, MARGIN, 1.0 - MARGIN)
    rates = rng.beta(n_positive + expected, n_negative + 1.0 - expected)
    return np.clip(rates, MARGIN, 1.0 - MARGIN)


def _effective_labels(
    posterior: RowPosterior, rows: np.ndarray, groups: Partition | None
) -> tuple[float, float]:
    """Return the numbers of positive and negative labels; groups count as one item each (Kish)."""
    counts = posterior.counts[rows]
    n_positive = counts[posterior.codes[rows] == 1].sum()
    n_labels = counts.sum()
    if groups is None:
        return n_positive, n_labels - n_positive
    of_group = np.unique(groups.codes[rows], return_inverse=True)[1]
    n_each = np.bincount(of_group, counts)
    scale = n_labels / (n_each**2).sum()
    return scale * n_positive, scale * (n_labels - n_positive)
