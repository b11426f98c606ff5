r"""Categories without labels: the curve of the others, or another prevalence.

Labels of other categories may carry over in two ways, and no label decides between them:

* P(y = 1 | score) is the same, up to the random effects of categories.
* p(score | y) is the same, and the prevalence differs (label shift). With reference categories of
  prevalence :math:`\pi_0` whose curve is :math:`p_0(s)`, a score has the likelihood ratio

  .. math:: r(s) = \frac{p_0(s)}{1 - p_0(s)} \frac{1 - \pi_0}{\pi_0},

  and the scores of the category alone have the likelihood
  :math:`\prod_i \{1 - \pi + \pi r(s_i)\}` of its prevalence :math:`\pi`.

Half of the posterior draws take one hypothesis, half the other. Without this the draws of a quiet
period would take the positives of a busy one along with its false alarms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from ..data._gathered_rows import representative_rows
from ..engine._components import Members, RandomEffect, RandomEffects, Walk
from ..inputs._groups import Partition
from ._item_posterior import ItemPosterior, PrevalenceShift

# Weight of label shift.
WEIGHT_OF_SHIFT = 0.5
# Random effects that differ between categories.
OF_CATEGORIES = ("category", "slope in the category")
# Rows that represent the reference categories, and a category without labels.
MAX_ROWS_OF_REFERENCE, MAX_ROWS_OF_CATEGORY = 512, 128
# Grid of the log-odds of a prevalence, and the largest log likelihood ratio of a score.
GRID = np.linspace(-8.0, 8.0, 129)
MAX_LOG_RATIO = 30.0
# Probabilities stay this far from 0 and 1 where their log-odds are taken.
MARGIN = 1e-12


def with_shifted_prevalences(
    posterior: ItemPosterior, columns, category: Partition | None, rng: np.random.Generator
) -> ItemPosterior:
    """Return the posterior with label shift in half of its draws, where no label is.

    `columns` are the scores of the items, (n_items, n_columns).
    """
    if category is None:
        return posterior
    n_categories = category.n_parts
    n_items = np.bincount(category.codes, minlength=n_categories)
    n_labeled = np.bincount(category.codes[posterior.codes >= 0], minlength=n_categories)
    without_labels = np.flatnonzero((n_items > 0) & (n_labeled == 0))
    if not (len(without_labels) and n_labeled.any()):
        return posterior

    n_draws = posterior.n_draws
    is_shifted = rng.permutation(n_draws) < WEIGHT_OF_SHIFT * n_draws
    posterior = _without_effects(posterior, without_labels, is_shifted)
    reference = _rows(posterior, columns, category, n_labeled > 0, MAX_ROWS_OF_REFERENCE)
    log_odds = np.zeros((n_draws, len(without_labels)))
    for k, code in enumerate(without_labels):
        is_category = np.arange(n_categories) == code
        of_category = _rows(posterior, columns, category, is_category, MAX_ROWS_OF_CATEGORY)
        shifts = _shifts(posterior, int(code), reference, of_category, rng)
        log_odds[:, k] = np.where(is_shifted, shifts, 0.0)

    column = np.full(n_categories, -1)
    column[without_labels] = np.arange(len(without_labels))
    return replace(posterior, shift=PrevalenceShift(column[category.codes], log_odds))


def _without_effects(posterior: ItemPosterior, categories, is_shifted) -> ItemPosterior:
    """Return the posterior without random effects of some categories in some draws.

    A random walk has no effect of one category alone: its steps stay, and `_shifts` removes them.
    """
    draws = list(posterior.updated.effects)
    for k, effect in enumerate(posterior.effects.effects):
        if effect.name in OF_CATEGORIES and not isinstance(effect, Walk):
            normal = np.array(draws[k].normal)
            normal[np.ix_(is_shifted, categories)] = 0.0
            draws[k] = replace(draws[k], normal=normal)
    return replace(posterior, updated=replace(posterior.updated, effects=tuple(draws)))


def _rows(posterior: ItemPosterior, columns, category: Partition, is_member, n_rows: int):
    """Return items that represent all of some categories, and the count of each."""
    items = np.flatnonzero(is_member[category.codes])
    counts = posterior.counts[items]
    if len(items) <= n_rows:
        return items, counts
    some, counts = representative_rows(
        columns[items], category.codes[items].astype(np.intp), counts, n_rows
    )
    return items[some], counts


def _shifts(posterior: ItemPosterior, code: int, reference, of_category, rng) -> np.ndarray:
    """Return the shift of the log-odds of a category under label shift, for each draw."""
    items, counts = reference
    members, n_members = of_category
    effects = RandomEffects(tuple(_as_in(code, effect) for effect in posterior.effects.effects))
    shifts = []
    for block in posterior.blocks():
        p = posterior.probability(block, items)
        curve = special.logit(np.clip(p, MARGIN, 1.0 - MARGIN))
        same_items = _log_odds(posterior, block, items, effects)

        # From the curve of the category to that of the reference.
        carried = np.einsum("ij,j->i", curve - same_items, counts / counts.sum())
        shares = rng.standard_gamma(np.broadcast_to(counts, p.shape))
        prevalence = (shares * p).sum(axis=1) / shares.sum(axis=1)
        offset = carried - special.logit(np.clip(prevalence, MARGIN, 1.0 - MARGIN))

        log_ratio = _log_odds(posterior, block, members, effects) + offset[:, np.newaxis]
        shifts.append(offset + _drawn_prevalence(log_ratio, n_members, rng))
    return np.concatenate(shifts)


def _as_in(code: int, effect: RandomEffect) -> RandomEffect:
    """Return a random effect as if all items were of one category."""
    if effect.name in OF_CATEGORIES and isinstance(effect, Members):
        return replace(effect, codes=np.full_like(effect.codes, code))
    return effect


def _log_odds(posterior: ItemPosterior, block, items, effects: RandomEffects) -> np.ndarray:
    p = posterior.probability_with(block, items, effects)
    return special.logit(np.clip(p, MARGIN, 1.0 - MARGIN))


def _drawn_prevalence(log_ratio, counts, rng) -> np.ndarray:
    """Draw the log-odds of a prevalence, given log p(score | 1) - log p(score | 0) of its items.

    `log_ratio` is (n_draws, n_items), and the prior is Jeffreys' of a share.
    """
    ratio_less_one = np.expm1(np.clip(log_ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO))
    log_density = np.empty((len(GRID), len(log_ratio)))
    for density, point in zip(log_density, GRID, strict=True):
        likelihoods = np.log1p(special.expit(point) * ratio_less_one)
        density[:] = np.einsum("ij,j->i", likelihoods, counts)
        density += 0.5 * (special.log_expit(point) + special.log_expit(-point))

    cumulative = np.cumsum(special.softmax(log_density, axis=0), axis=0)
    uniform = rng.random(len(log_ratio)) * cumulative[-1]
    point = (cumulative < uniform).sum(axis=0)
    within = (rng.random(len(log_ratio)) - 0.5) * (GRID[1] - GRID[0])
    return GRID[np.minimum(point, len(GRID) - 1)] + within
