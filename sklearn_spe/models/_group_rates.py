r"""Rates of groups whose items depend on each other strongly, without scores: the labels alone.

Where nearly all items of a group have the same label, a group is hardly more than one observation
of the rate, and the few groups that are labeled do not support that their effects are normal. So in
draws in which effects of groups are large, the labels alone state the rate of new groups:

.. math:: q = \frac{\sum_g e_g n_{g1} + a}{\sum_g e_g n_g + a + b}

with standard exponential weights :math:`e_g` of the labeled groups (the Bayesian bootstrap),
numbers of labels that sum to the effective number of groups, and gamma variables a and b of
Jeffreys' prior. Draws keep the order of their rates. What is known of a labeled group stays: its
effect moves against the curve.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from ..inputs._groups import GROUPS
from ._item_table import ItemTable
from ._row_posterior import LARGE_EFFECT, RowPosterior

# Prior number of labels of each class (Jeffreys), and the closest that rates come to 0 and 1.
PRIOR_COUNT, MARGIN = 0.5, 1e-12


def with_rates_of_groups(
    posterior: RowPosterior, table: ItemTable, rng: np.random.Generator
) -> RowPosterior:
    """Return the posterior with the rates of the labels alone where effects of groups are large.

    Scores and categories have information on the rate as well: with them nothing changes.
    """
    effects = posterior.effects.effects
    has_groups_alone = len(effects) == 1 and effects[0].name == GROUPS
    labeled = np.flatnonzero(table.codes >= 0)
    has_scores = any(sample.n_cells > 1 for sample in table.samples)
    if not has_groups_alone or has_scores or not len(labeled):
        return posterior

    updated = posterior.updated
    (of_groups,) = updated.effects
    large = np.flatnonzero(of_groups.size * updated.steepness > LARGE_EFFECT)
    if not len(large):
        return posterior

    # The rates of the labels alone, in the order of those of the draws.
    (on_axis,) = updated.curves
    level = (on_axis.curves * on_axis.slope + on_axis.added)[0, large]
    rates = np.sort(_rates_by_labels(table, labeled, len(large), rng))
    rank = np.argsort(np.argsort(level, kind="stable"), kind="stable")
    shift = np.zeros(posterior.n_draws)
    shift[large] = special.logit(np.clip(rates[rank], MARGIN, 1.0 - MARGIN)) - level

    # Effects of the labeled groups move against the curve.
    normal = np.array(of_groups.normal)
    touched = effects[0].touched(labeled)
    normal[np.ix_(large, touched)] -= (shift[large] / of_groups.size[large])[:, np.newaxis]
    updated = replace(
        updated,
        curves=(replace(on_axis, added=on_axis.added + shift),),
        bottom=np.where(shift == 0.0, updated.bottom, 0.0),
        top=np.where(shift == 0.0, updated.top, 0.0),
        effects=(replace(of_groups, normal=normal),),
    )
    return replace(posterior, updated=updated)


def _rates_by_labels(
    table: ItemTable, labeled: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw the rate of new groups by the labels alone, (n_draws,)."""
    counts = table.weights[labeled]
    groups = table.clusters.codes[labeled]  # type: ignore[union-attr]
    unit = np.unique(groups, return_inverse=True)[1]
    n_labels = np.bincount(unit, counts)
    n_positive = np.bincount(unit, counts * (table.codes[labeled] == 1))

    # Groups count by their labels, and all together as the effective number of groups (Kish).
    scale = n_labels.sum() / (n_labels**2).sum()
    weights = scale * rng.exponential(size=(n_draws, len(n_labels)))
    positive = np.einsum("ij,j->i", weights, n_positive)
    negative = np.einsum("ij,j->i", weights, n_labels - n_positive)
    positive += rng.standard_gamma(PRIOR_COUNT, n_draws)
    negative += rng.standard_gamma(PRIOR_COUNT, n_draws)
    return positive / (positive + negative)
