r"""Rates of groups whose items depend on each other, without scores: the labels alone.

Where nearly all items of a group have the same label, a group is hardly more than one observation
of the rate, and the few groups that are labeled do not support that their effects are normal. So in
draws in which effects of groups are not small, the labels alone state the rate of new groups:

.. math:: q = \frac{\sum_g e_g n_{g1} + a}{\sum_g e_g n_g + a + b}

with standard exponential weights :math:`e_g` of the labeled groups (the Bayesian bootstrap),
numbers of labels that sum to the effective number of groups, and gamma variables a and b of
Jeffreys' prior. Draws keep the order of their rates. The log-odds of all rows move by the same
amount, until the mean over the labeled rows is that rate: differences of categories stay. So does
what is known of a labeled group: its effect moves against the curve.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from ..inputs._groups import GROUPS
from ._item_table import ItemTable
from ._row_posterior import RowPosterior

# Smallest standard deviation of the effects, on the log-odds of a group, that is not small.
MIN_SIZE = 0.7
# Prior number of labels of each class (Jeffreys), and the closest that rates come to 0 and 1.
PRIOR_COUNT, MARGIN = 0.5, 1e-12
# Halvings of the interval in which a shift is searched.
N_HALVINGS = 50


def with_rates_of_groups(
    posterior: RowPosterior, table: ItemTable, rng: np.random.Generator
) -> RowPosterior:
    """Return the posterior with rates by the labels alone where effects of groups are not small.

    Scores have information on the rate as well, and labels that were drawn by class are no sample
    of it: with them nothing changes.
    """
    if table.inclusion.knows_classes:
        return posterior
    names = [effect.name for effect in posterior.effects.effects]
    labeled = np.flatnonzero(table.codes >= 0)
    if not are_labels_of_groups_alone(table) or not len(labeled):
        return posterior

    updated = posterior.updated
    number = names.index(GROUPS)
    of_groups = updated.effects[number]
    is_large = of_groups.size * updated.steepness > MIN_SIZE
    if not is_large.any():
        return posterior

    # Lapses at both ends would keep rates away from 0 and 1.
    bottom = np.where(is_large, 0.0, updated.bottom)
    top = np.where(is_large, 0.0, updated.top)
    updated = replace(updated, bottom=bottom, top=top)
    without_lapse_rates = replace(posterior, updated=updated)

    # The rates of the labels alone, in the order of those of the draws.
    probability = in_new_groups(without_lapse_rates, labeled, is_large)
    shares = table.label_counts[labeled] / table.label_counts[labeled].sum()
    rates = np.sort(_rates_by_labels(table, labeled, len(probability), rng))
    rank = np.argsort(np.argsort(probability @ shares, kind="stable"), kind="stable")
    shift = np.zeros(posterior.n_draws)
    shift[is_large] = _shifts_to(rates[rank], probability, shares)

    # Effects of the labeled groups move against the curve.
    normal = np.array(of_groups.normal)
    touched = posterior.effects.effects[number].touched(labeled)
    large = np.flatnonzero(is_large)
    normal[np.ix_(large, touched)] -= (shift[large] / of_groups.size[large])[:, np.newaxis]
    effects = list(updated.effects)
    effects[number] = replace(of_groups, normal=normal)
    updated = replace(
        updated,
        curves=tuple(
            replace(on_axis, added=on_axis.added + shift[on_axis.first : on_axis.last])
            for on_axis in updated.curves
        ),
        effects=tuple(effects),
    )
    return replace(posterior, updated=updated)


def are_labels_of_groups_alone(table: ItemTable) -> bool:
    """Return whether the rates of a table have no information but labels of groups."""
    return table.clusters is not None and all(sample.n_cells == 1 for sample in table.samples)


def weight_of_labels(n_labels: np.ndarray) -> float:
    """Return the weight of a label with which all count as the effective number of groups (Kish).

    `n_labels` (n_groups,) are those of each group.
    """
    return float(n_labels.sum() / (n_labels**2).sum())


def in_new_groups(posterior: RowPosterior, items: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return P(y = 1) of items in new groups in some draws, (n_draws, n_items)."""
    of_blocks = [
        posterior.probability_anywhere(block, GROUPS, items)[draws[block.rows]]
        for block in posterior.blocks()
    ]
    return np.concatenate(of_blocks)


def _shifts_to(rates: np.ndarray, probability: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the shift of the log-odds with which the mean probability is a rate, (n_draws,)."""
    log_odds = special.logit(np.clip(probability, MARGIN, 1.0 - MARGIN))
    level = special.logit(np.clip(rates, MARGIN, 1.0 - MARGIN))
    low = level - log_odds.max(axis=1)
    high = level - log_odds.min(axis=1)
    for _ in range(N_HALVINGS):
        middle = 0.5 * (low + high)
        is_above = special.expit(log_odds + middle[:, np.newaxis]) @ shares > rates
        low = np.where(is_above, low, middle)
        high = np.where(is_above, middle, high)
    return 0.5 * (low + high)


def _rates_by_labels(
    table: ItemTable, labeled: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw the rate of new groups by the labels alone, (n_draws,)."""
    counts = table.label_counts[labeled]
    groups = table.clusters.codes[labeled]  # type: ignore[union-attr]
    unit = np.unique(groups, return_inverse=True)[1]
    n_labels = np.bincount(unit, counts)
    n_positive = np.bincount(unit, counts * (table.codes[labeled] == 1))

    # Groups count by their labels, and all together as the effective number of groups (Kish).
    scale = weight_of_labels(n_labels)
    weights = scale * rng.exponential(size=(n_draws, len(n_labels)))
    positive = np.einsum("ij,j->i", weights, n_positive)
    negative = np.einsum("ij,j->i", weights, n_labels - n_positive)
    positive += rng.standard_gamma(PRIOR_COUNT, n_draws)
    negative += rng.standard_gamma(PRIOR_COUNT, n_draws)
    return positive / (positive + negative)
