r"""Rates of categories by their labels alone, in some of the draws.

A score, or a judge, that predicts single items well may still err alike on all items of a category:
a judge flatters one system. What it says of items is no evidence of that, and random effects are
shrunk toward what all categories have in common. So in some draws, the same ones for all
categories, the labels of a category alone state its rate (a linear opinion pool of two posteriors
[1]_): its log-odds are shifted by one number a draw, until the mean over the labeled items is that
rate (`_further_items`). Where labels were chosen by their scores the curve says how the other items
differ.

References
----------
.. [1] M. Stone. The opinion pool. Annals of Mathematical Statistics 32 (1961) 1339-1342.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from ..inputs._groups import GROUPS, Partition
from ._further_items import FurtherItems
from ._item_table import ItemTable
from ._row_posterior import PrevalenceShift, RowPosterior

# The share of draws that the labels alone state, and the least number of labels of a category.
SHARE, MIN_LABELS = 0.2, 3
# Halvings and tolerance of a shift, and the largest one.
N_STEPS, TOLERANCE, FARTHEST = 60, 1e-6, 40.0


def with_shifts_by_labels(
    posterior: RowPosterior, table: ItemTable, rng: np.random.Generator
) -> RowPosterior:
    """Return the posterior with the rates of categories by their labels alone in some draws.

    A stated prevalence or number of positives binds the rates of all categories.
    """
    category = table.category
    if category is None or category.n_parts < 2 or posterior.known_positives.is_stated:
        return posterior
    return with_rates_by_labels(posterior, table, category, np.full(category.n_parts, SHARE), rng)


def with_rates_by_labels(
    posterior: Any,
    table: ItemTable,
    category: Partition,
    shares: np.ndarray,
    rng: np.random.Generator,
    *,
    are_alike: bool = False,
) -> Any:
    """Return the posterior with the rates of parts by their labels alone in some draws.

    `shares` (n_parts,) are those of the draws. Of many parts that are alike the rate of all labels
    is evidence too.
    """
    labeled = posterior.labeled
    codes = category.codes[labeled]
    n_labels = np.bincount(codes, posterior.counts[labeled], category.n_parts)
    pooled_parts = np.flatnonzero((n_labels >= MIN_LABELS) & (shares > 0.0))
    if not len(pooled_parts):
        return posterior

    # The same draws for all parts, the more of them the larger the share.
    n_draws = posterior.n_draws
    place = (rng.permutation(n_draws) + 0.5) / n_draws
    further = replace(FurtherItems.of(posterior, table), category=category)
    rates = further.rates_by_labels(n_draws, rng, are_alike=are_alike)
    log_odds = np.zeros((n_draws, category.n_parts))
    for part in pooled_parts:
        rows = labeled[codes == part]
        pooled = np.flatnonzero(place < shares[part])
        probability = _labeled_probability(posterior, rows, table.groups, pooled)
        counts = posterior.label_counts[rows]
        log_odds[pooled, part] = shift_to(probability, counts, rates[pooled, part])
    return replace(posterior, by_labels=PrevalenceShift(category.codes, log_odds))


def shift_to(probability: np.ndarray, counts: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Return the shift of the log-odds in each draw that makes the mean a rate, (n_draws,).

    `probability` is (n_draws, n_rows), `counts` (n_rows,), and `rates` (n_draws,).
    """
    log_odds = special.logit(np.clip(probability, 1e-12, 1.0 - 1e-12))
    shares = counts / counts.sum()
    rates = np.clip(rates, 1e-9, 1.0 - 1e-9)
    low = np.full(len(rates), -FARTHEST)
    high = -low
    shift = np.zeros(len(rates))
    for _ in range(N_STEPS):
        shifted = special.expit(log_odds + shift[:, np.newaxis])
        error = np.einsum("ij,j->i", shifted, shares) - rates
        if np.abs(error).max(initial=0.0) < TOLERANCE:
            break
        low = np.where(error < 0.0, shift, low)
        high = np.where(error > 0.0, shift, high)
        slope = np.einsum("ij,ij,j->i", shifted, 1.0 - shifted, shares)
        # Newton's step, or a halving where it leaves the bracket.
        step = shift - error / np.maximum(slope, 1e-300)
        is_inside = (step > low) & (step < high)
        shift = np.where(is_inside, step, 0.5 * (low + high))
    return shift


def _labeled_probability(
    posterior: RowPosterior, rows: np.ndarray, groups: Partition | None, draws: np.ndarray
) -> np.ndarray:
    """Return P(y = 1) of labeled rows in some draws, in new groups, (n_draws, n_labeled)."""
    # Labels are evidence on the rate of all groups, of which these are some.
    if groups is None:
        probability = posterior.probability_in_all_draws(rows)[draws]
    else:
        of_blocks = [
            posterior.probability_anywhere(block, GROUPS, rows) for block in posterior.blocks()
        ]
        probability = np.concatenate(of_blocks)[draws]
    return posterior.inclusion.thinned(probability)
