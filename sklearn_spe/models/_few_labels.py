r"""Categories with few labels or none: the curve of the others, or another prevalence.

Labels of other categories may carry over in two ways:

* P(y = 1 | score) is the same, up to the random effects of categories.
* p(score | y) is the same, and the prevalence differs (label shift). With reference categories of
  prevalence :math:`\pi_0` whose curve is :math:`p_0(s)`, a score has the likelihood ratio

  .. math:: r(s) = \frac{p_0(s)}{1 - p_0(s)} \frac{1 - \pi_0}{\pi_0},

  and the scores of the category alone have the likelihood
  :math:`\prod_i \{1 - \pi + \pi r(s_i)\}` of its prevalence :math:`\pi`.

Both are equally probable before any label of the category. Without one, half of the posterior draws
take one hypothesis and half the other; a few labels weigh them, and so do scores that are no
mixture of those of the two classes. Without label shift the draws of a quiet period would take the
positives of a busy one along with its false alarms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from ..data._gathered_rows import representative_rows
from ..engine._components import RandomEffects, Walk
from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ._row_posterior import PrevalenceShift, RowPosterior

# Prior probability of label shift.
PROBABILITY_OF_SHIFT = 0.5
# With so many labels a category needs no others.
MANY_LABELS = 20
# Random effects that differ between categories, that of the log-odds first.
OF_CATEGORIES = ("category", "slope in the category")
# Rows that represent the reference categories, and the category itself.
MAX_ROWS_OF_REFERENCE, MAX_ROWS_OF_CATEGORY = 128, 64
# The scores of a category count for no more items than this: the distributions of scores of each
# class are never exactly the same. They are compared in so many bins.
MAX_COUNT, N_BINS = 300.0, 8
# Grid of the log-odds of a prevalence, and nodes of the integral over a random effect.
GRID, N_NODES = np.linspace(-8.0, 8.0, 65), 9
# The largest log likelihood ratio of a score; and the margin by which probabilities are kept from 0
# and 1 where their log-odds are taken.
MAX_LOG_RATIO, MARGIN = 30.0, 1e-12


def with_shifted_prevalences(
    posterior: RowPosterior, columns, category: Partition | None, rng: np.random.Generator
) -> RowPosterior:
    """Return the posterior with label shift in some draws of categories with few labels.

    `columns` are the scores of the items, (n_items, n_columns).
    """
    if category is None:
        return posterior
    n_items = np.bincount(category.codes, posterior.counts, category.n_parts)
    is_labeled = posterior.codes >= 0
    n_labeled = np.bincount(category.codes[is_labeled], minlength=category.n_parts)
    # The labels of the others are more than its own.
    has_few = (n_labeled < MANY_LABELS) & (2 * n_labeled < n_labeled.sum())
    few = np.flatnonzero((n_items > 0) & has_few)
    if not len(few):
        return posterior

    posterior = _by_category(posterior)
    carried = CarriedLabels(posterior, columns, category)
    n_draws = posterior.n_draws
    is_first_half = rng.permutation(n_draws) < PROBABILITY_OF_SHIFT * n_draws
    log_odds, result = np.zeros((n_draws, len(few))), posterior
    for k, code in enumerate(few.tolist()):
        reference = np.flatnonzero((n_labeled > 0) & (np.arange(category.n_parts) != code))
        shift, log_bayes_factor = carried.shifts(code, reference, rng)
        by_labels = special.expit(special.logit(PROBABILITY_OF_SHIFT) + log_bayes_factor)
        # Without labels exactly half of the draws, the same ones for all categories.
        chosen = rng.random(n_draws) < by_labels if n_labeled[code] else is_first_half
        log_odds[chosen, k] = shift[chosen]
        shares = n_items[reference] / n_items[reference].sum()
        result = _with_effects(result, posterior, reference, shares, [code], chosen)

    column = np.full(category.n_parts, -1)
    column[few] = np.arange(len(few))
    return replace(result, shift=PrevalenceShift(column[category.codes], log_odds))


def _by_category(posterior: RowPosterior) -> RowPosterior:
    """Return the posterior with a coefficient for each category, where there is a random walk."""
    pairs = zip(posterior.effects.effects, posterior.updated.effects, strict=True)
    by_category = [
        effect.by_group(draws) if isinstance(effect, Walk) else (effect, draws)
        for effect, draws in pairs
    ]
    effects = RandomEffects(tuple(effect for effect, _ in by_category))
    updated = replace(posterior.updated, effects=tuple(draws for _, draws in by_category))
    return replace(posterior, effects=effects, updated=updated)


def _with_effects(
    result: RowPosterior, posterior: RowPosterior, reference, shares, categories, chosen
) -> RowPosterior:
    """Return a result in which categories have the effects of the reference, in chosen draws.

    These are the means of the `posterior`'s over the reference categories, weighted by `shares`.
    """
    draws = list(result.updated.effects)
    for k, effect in enumerate(posterior.effects.effects):
        if effect.name in OF_CATEGORIES:
            mean = np.einsum("ij,j->i", posterior.updated.effects[k].normal[:, reference], shares)
            normal = np.array(draws[k].normal)
            normal[np.ix_(chosen, categories)] = mean[chosen, np.newaxis]
            draws[k] = replace(draws[k], normal=normal)
    return replace(result, updated=replace(result.updated, effects=tuple(draws)))


@dataclass(frozen=True, eq=False)
class CarriedLabels(FrozenArrays):
    """What the labels of some categories say of another one, draw by draw."""

    posterior: RowPosterior
    columns: np.ndarray  # (n_items, n_columns), the scores
    category: Partition

    @cached_property
    def without_effects(self) -> RowPosterior:
        """The posterior without the random effects of categories."""
        pairs = zip(self.posterior.effects.effects, self.posterior.updated.effects, strict=True)
        draws = tuple(
            replace(drawn, size=0.0 * drawn.size) if effect.name in OF_CATEGORIES else drawn
            for effect, drawn in pairs
        )
        return replace(self.posterior, updated=replace(self.posterior.updated, effects=draws))

    def shifts(self, code: int, reference, rng) -> tuple[np.ndarray, np.ndarray]:
        """Return shifts of the log-odds of a category, and the evidence of its labels for them.

        Both are (n_draws,): the shift under label shift, relative to the curve of the reference
        categories, and the log Bayes factor of label shift.
        """
        others, n_others = self._rows(reference, MAX_ROWS_OF_REFERENCE)
        members, n_members = self._rows([code], MAX_ROWS_OF_CATEGORY)
        labeled = np.flatnonzero((self.category.codes == code) & (self.posterior.codes >= 0))
        as_others = self._as_reference(reference)

        offset = -self._log_odds_of_prevalence(others, n_others, rng)
        # What the mean effect of several reference categories leaves.
        rest = _log_odds(self.posterior, others) - _log_odds(as_others, others)
        offset += np.einsum("ij,j->i", rest, n_others / n_others.sum())
        log_ratio = _log_odds(as_others, members) + offset[:, np.newaxis]
        tempered = n_members * min(1.0, MAX_COUNT / n_members.sum())
        log_density = _log_density_of_prevalence(log_ratio, tempered)
        by_scores = special.logsumexp(log_density, axis=0)

        of_labels = _log_odds(as_others, labeled) + offset[:, np.newaxis]
        for density, point in zip(log_density, GRID, strict=True):
            density += self._log_likelihood(of_labels + point, labeled)
        log_evidence = special.logsumexp(log_density, axis=0) - by_scores
        log_evidence -= self._log_evidence_of_effects(labeled)
        log_evidence += log_fit_of_shift(
            _log_odds(as_others, others).mean(axis=0),
            n_others,
            _log_odds(as_others, members).mean(axis=0),
            n_members,
        )
        return offset + _drawn_from_grid(log_density, rng), log_evidence

    def _as_reference(self, reference) -> RowPosterior:
        """Return the posterior as if all items were of the reference categories."""
        codes, counts = self.category.codes, self.posterior.counts
        n_items = np.bincount(codes, counts, self.category.n_parts)[reference]
        every_draw = np.ones(self.posterior.n_draws, dtype=bool)
        return _with_effects(
            self.posterior,
            self.posterior,
            reference,
            n_items / n_items.sum(),
            np.arange(self.category.n_parts),
            every_draw,
        )

    def _rows(self, categories, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return items that represent all of some categories, and the count of each."""
        codes, counts = self.category.codes, self.posterior.counts
        items = np.flatnonzero(np.isin(codes, categories))
        if len(items) <= n_rows:
            return items, counts[items]
        strata = codes[items].astype(np.intp)
        chosen, n_each, _ = representative_rows(self.columns[items], strata, counts[items], n_rows)
        return items[chosen], n_each

    def _log_odds_of_prevalence(self, items, counts, rng) -> np.ndarray:
        """Return those of the reference, a sample: by Bayesian bootstrap, (n_draws,)."""
        p = special.expit(_log_odds(self.posterior, items))
        shares = rng.standard_gamma(np.broadcast_to(counts, p.shape))
        prevalence = (shares * p).sum(axis=1) / shares.sum(axis=1)
        return special.logit(np.clip(prevalence, MARGIN, 1.0 - MARGIN))

    def _log_likelihood(self, log_odds, labeled) -> np.ndarray:
        """Return the log likelihood of labels given log-odds of the items, (n_draws,)."""
        sign = np.where(self.posterior.codes[labeled] == 1, 1.0, -1.0)
        logs = special.log_expit(sign * log_odds)
        return np.einsum("ij,j->i", logs, self.posterior.counts[labeled])

    def _log_evidence_of_effects(self, labeled) -> np.ndarray:
        """Return the log probability of the labels with a random effect from its prior."""
        names = [effect.name for effect in self.posterior.effects.effects]
        size = self.posterior.updated.effects[names.index(OF_CATEGORIES[0])].size[:, np.newaxis]
        curve = _log_odds(self.without_effects, labeled)
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        logs = [self._log_likelihood(curve + node * size, labeled) for node in nodes]
        return special.logsumexp(logs, axis=0, b=(weights / weights.sum())[:, np.newaxis])


def _log_odds(posterior: RowPosterior, items) -> np.ndarray:
    """Return the log-odds of items in all draws, (n_draws, n_items)."""
    p = posterior.probability_in_all_draws(items)
    return special.logit(np.clip(p, MARGIN, 1.0 - MARGIN))


def log_fit_of_shift(log_odds, counts, of_category, n_members) -> float:
    """Return how well the scores of a category are a mixture of those of both classes elsewhere.

    It is the log likelihood relative to any distribution over bins of P(y = 1 | score), plus what
    it lacks on average if that is true (Akaike), or zero if positive: the other hypothesis does
    not say how scores are distributed.
    """
    both, weights = np.r_[log_odds, of_category], np.r_[counts, n_members]
    order = np.argsort(both, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    edges = np.unique(both[order][np.searchsorted(share, np.arange(1, N_BINS) / N_BINS)])
    n_bins = len(edges) + 1
    place, p = np.searchsorted(edges, log_odds), special.expit(log_odds)
    classes = np.array([np.bincount(place, counts * own, n_bins) for own in (p, 1.0 - p)])
    observed = np.bincount(np.searchsorted(edges, of_category), n_members, n_bins)
    is_used = classes.sum(axis=0) + observed > 0.0

    # Half an item in each bin: none is impossible.
    of_positive, of_negative = classes[:, is_used] + 0.5
    observed = observed[is_used] / n_members.sum()
    prevalence = special.expit(GRID)[:, np.newaxis]
    expected = prevalence * of_positive / of_positive.sum()
    expected += (1.0 - prevalence) * of_negative / of_negative.sum()
    distance = special.rel_entr(observed, expected).sum(axis=1).min()
    n = min(MAX_COUNT, 1.0 / (1.0 / counts.sum() + 1.0 / n_members.sum()))
    dimension = max(is_used.sum() - 2, 0)
    return float(min(0.0, 0.5 * dimension - n * distance))


def _log_density_of_prevalence(log_ratio, counts) -> np.ndarray:
    """Return the log density of a prevalence on the grid, given the scores, (n_points, n_draws).

    `log_ratio` is log p(score | 1) - log p(score | 0) of items, (n_draws, n_items); the prior is
    Jeffreys' of a share.
    """
    ratio_less_one = np.expm1(np.clip(log_ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO))
    log_density = np.empty((len(GRID), len(log_ratio)))
    for density, point in zip(log_density, GRID, strict=True):
        likelihoods = np.log1p(special.expit(point) * ratio_less_one)
        density[:] = np.einsum("ij,j->i", likelihoods, counts)
        density += 0.5 * (special.log_expit(point) + special.log_expit(-point))
    return log_density


def _drawn_from_grid(log_density, rng) -> np.ndarray:
    """Draw a point for each column of log densities, uniformly within the cells of the grid."""
    n_draws = log_density.shape[1]
    cumulative = np.cumsum(special.softmax(log_density, axis=0), axis=0)
    point = (cumulative < rng.random(n_draws) * cumulative[-1]).sum(axis=0)
    within = (rng.random(n_draws) - 0.5) * (GRID[1] - GRID[0])
    return GRID[np.minimum(point, len(GRID) - 1)] + within
