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
from ..engine._random_effects import Members, RandomEffects, Walk
from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ._row_posterior import PrevalenceShift, RowPosterior

# Prior probability of label shift.
PROBABILITY_OF_SHIFT = 0.5
# With so many labels a category needs no others.
MANY_LABELS = 20
# Of so many categories with labels, the reference of each of them is all: its own share of the
# reference is small.
MANY_CATEGORIES = 20
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
# A share of the classes that is less than this is zero.
SMALLEST = np.finfo(float).tiny
# So many ratios of scores are multiplied at once: their product does not overflow.
MAX_FACTORS = 16


def with_shifted_prevalences(
    posterior: RowPosterior,
    columns: np.ndarray,
    category: Partition | None,
    rng: np.random.Generator,
) -> RowPosterior:
    """Return the posterior with label shift in some draws of categories with few labels.

    `columns` are the scores of the items, (n_items, n_columns).
    """
    if category is None:
        return posterior
    n_items = np.bincount(category.codes, posterior.counts, category.n_parts)
    is_labeled = posterior.codes >= 0
    n_labeled = np.bincount(category.codes[is_labeled], minlength=category.n_parts)
    # The other categories have more labels.
    has_few = (n_labeled < MANY_LABELS) & (2 * n_labeled < n_labeled.sum())
    shifted = np.flatnonzero((n_items > 0) & has_few)
    if not len(shifted):
        return posterior

    posterior = _by_category(posterior)
    carried = CarriedLabels(posterior, columns, category, n_items, n_labeled)
    n_draws = posterior.n_draws
    is_first_half = rng.permutation(n_draws) < PROBABILITY_OF_SHIFT * n_draws
    log_odds = np.zeros((n_draws, len(shifted)))
    normal = {k: np.array(posterior.updated.effects[k].normal) for k in carried.numbers_of_effects}

    for k, code in enumerate(shifted.tolist()):
        reference = carried.reference_of(code, rng)
        shift, log_bayes_factor = carried.shifts(code, reference, rng)
        # Without labels exactly half of the draws, the same ones for all categories.
        chosen = is_first_half
        if n_labeled[code]:
            by_labels = special.expit(special.logit(PROBABILITY_OF_SHIFT) + log_bayes_factor)
            chosen = rng.random(n_draws) < by_labels
        log_odds[chosen, k] = shift[chosen]
        for number, mean in zip(normal, reference.effects, strict=True):
            normal[number][chosen, code] = mean[chosen]

    draws = list(posterior.updated.effects)
    for number, coefficients in normal.items():
        draws[number] = replace(draws[number], normal=coefficients)

    updated = replace(posterior.updated, effects=tuple(draws))
    column = np.full(category.n_parts, -1)
    column[shifted] = np.arange(len(shifted))
    shifts = PrevalenceShift(column[category.codes], log_odds)
    return replace(posterior, updated=updated, shift=shifts)


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


@dataclass(frozen=True, eq=False)
class Reference(FrozenArrays):
    """Categories whose labels carry over to another one, and rows that represent their items."""

    posterior: RowPosterior  # as if all items were of these categories
    effects: tuple[np.ndarray, ...]  # (n_draws,) each, the mean of each effect of categories
    counts: np.ndarray  # (n_rows,)
    log_odds: np.ndarray  # (n_draws, n_rows), of the rows, with the mean effects
    # (n_draws,), what makes of these the log likelihood ratios of scores: less the log-odds of the
    # prevalence, plus the mean log-odds that mean effects leave, where there are several categories
    offset: np.ndarray


@dataclass(frozen=True, eq=False)
class CarriedLabels(FrozenArrays):
    """Information on a category from the labels of others, draw by draw."""

    posterior: RowPosterior
    columns: np.ndarray  # (n_items, n_columns), the scores
    category: Partition
    n_items: np.ndarray  # (n_categories,)
    n_labeled: np.ndarray  # (n_categories,)

    @cached_property
    def numbers_of_effects(self) -> list[int]:
        """The numbers of the random effects of categories."""
        effects = self.posterior.effects.effects
        return [k for k, effect in enumerate(effects) if effect.name in OF_CATEGORIES]

    @cached_property
    def _references(self) -> dict[int, Reference]:
        return {}

    def reference_of(self, code: int, rng: np.random.Generator) -> Reference:
        """Return the other categories that have labels; all of many, or if it has none."""
        is_part = self.n_labeled[code] > 0 and np.count_nonzero(self.n_labeled) < MANY_CATEGORIES
        left_out = code if is_part else -1
        if left_out not in self._references:
            self._references[left_out] = self._of_others(left_out, rng)
        return self._references[left_out]

    def _of_others(self, left_out: int, rng: np.random.Generator) -> Reference:
        is_other = self.n_labeled > 0
        if left_out >= 0:
            is_other[left_out] = False
        reference = np.flatnonzero(is_other)
        shares = self.n_items[reference] / self.n_items[reference].sum()

        # Their mean effects.
        draws = self.posterior.updated.effects
        means = tuple(
            np.einsum("ij,j->i", draws[k].normal[:, reference], shares)
            for k in self.numbers_of_effects
        )

        # Rows that represent their items, with the effects of each category and with the mean ones.
        rows, counts = self._rows(is_other, MAX_ROWS_OF_REFERENCE)
        as_reference = self._with_effects(means)
        log_odds = _log_odds(self.posterior, rows)
        with_means = _log_odds(as_reference, rows)
        residual = np.einsum("ij,j->i", log_odds - with_means, counts / counts.sum())

        # The reference is a sample: its prevalence by Bayesian bootstrap.
        resampled = rng.standard_gamma(np.broadcast_to(counts, log_odds.shape))
        n_positive = np.einsum("ij,ij->i", resampled, special.expit(log_odds))
        prevalence = n_positive / resampled.sum(axis=1)
        offset = residual - special.logit(np.clip(prevalence, MARGIN, 1.0 - MARGIN))
        return Reference(as_reference, means, counts, with_means, offset)

    def _with_effects(self, means: tuple[np.ndarray, ...]) -> RowPosterior:
        """Return the posterior with all items in one category that has these effects."""
        effects = list(self.posterior.effects.effects)
        draws = list(self.posterior.updated.effects)
        one = np.zeros_like(self.category.codes)
        for k, mean in zip(self.numbers_of_effects, means, strict=True):
            effect = effects[k]
            effects[k] = Members(
                effect.name, effect.sizes, effect.probabilities, one, 1, on=effect.on
            )
            draws[k] = replace(draws[k], normal=mean[:, np.newaxis])
        updated = replace(self.posterior.updated, effects=tuple(draws))
        return replace(self.posterior, effects=RandomEffects(tuple(effects)), updated=updated)

    @cached_property
    def without_effects(self) -> RowPosterior:
        """The posterior without the random effects of categories."""
        pairs = zip(self.posterior.effects.effects, self.posterior.updated.effects, strict=True)
        draws = tuple(
            replace(drawn, size=0.0 * drawn.size) if effect.name in OF_CATEGORIES else drawn
            for effect, drawn in pairs
        )
        return replace(self.posterior, updated=replace(self.posterior.updated, effects=draws))

    def shifts(
        self, code: int, reference: Reference, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return shifts of the log-odds of a category, and the evidence of its labels for them.

        Both are (n_draws,): the shift under label shift, relative to the curve of the reference
        categories, and the log Bayes factor of label shift, zero without labels.
        """
        is_category = np.arange(self.category.n_parts) == code
        members, n_members = self._rows(is_category, MAX_ROWS_OF_CATEGORY)
        # Log-odds plus this are log likelihood ratios, and with a point of the grid log-odds there.
        offset = reference.offset
        of_members = _log_odds(reference.posterior, members)
        tempered = n_members * min(1.0, MAX_COUNT / n_members.sum())

        # The density of the prevalence by the scores of the category.
        log_density = _log_density_of_prevalence(of_members + offset[:, np.newaxis], tempered)

        log_evidence = np.zeros(len(offset))
        if self.n_labeled[code]:
            # And by its labels, whose evidence is relative to that of a random effect.
            labeled = np.flatnonzero((self.category.codes == code) & (self.posterior.codes >= 0))
            by_scores = special.logsumexp(log_density, axis=0)
            of_labels = _log_odds(reference.posterior, labeled) + offset[:, np.newaxis]
            at_points = of_labels + GRID[:, np.newaxis, np.newaxis]
            log_density += self._log_likelihood(at_points, labeled)
            log_evidence += special.logsumexp(log_density, axis=0) - by_scores
            log_evidence -= self._log_evidence_of_effects(labeled)
            log_evidence += log_fit_of_shift(
                reference.log_odds.mean(axis=0),
                reference.counts,
                of_members.mean(axis=0),
                n_members,
            )
        return offset + _drawn_from_grid(log_density, rng), log_evidence

    def _rows(self, is_taken: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return items that represent all of the categories taken, and the count of each."""
        codes = self.category.codes
        counts = self.posterior.counts
        items = np.flatnonzero(is_taken[codes])
        if len(items) <= n_rows:
            return items, counts[items]

        strata = codes[items].astype(np.intp)
        chosen, n_each, _ = representative_rows(self.columns[items], strata, counts[items], n_rows)
        return items[chosen], n_each

    def _log_likelihood(self, log_odds: np.ndarray, labeled: np.ndarray) -> np.ndarray:
        """Return the log likelihood of labels given log-odds of the items, (..., n_labeled)."""
        # Of both classes a share is labeled.
        log_shares = np.log(np.maximum(self.posterior.inclusion.labeled, SMALLEST))
        among_labeled = log_odds + log_shares[1] - log_shares[0]
        sign = np.where(self.posterior.codes[labeled] == 1, 1.0, -1.0)
        logs = special.log_expit(sign * among_labeled)
        return np.einsum("...j,j->...", logs, self.posterior.label_counts[labeled])

    def _log_evidence_of_effects(self, labeled: np.ndarray) -> np.ndarray:
        """Return the log probability of the labels with a random effect from its prior."""
        names = [effect.name for effect in self.posterior.effects.effects]
        updated = self.posterior.updated
        size = updated.effects[names.index(OF_CATEGORIES[0])].size * updated.steepness
        curve = _log_odds(self.without_effects, labeled)
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        logs = self._log_likelihood(
            curve + nodes[:, np.newaxis, np.newaxis] * size[:, np.newaxis], labeled
        )
        return special.logsumexp(logs, axis=0, b=(weights / weights.sum())[:, np.newaxis])


def _log_odds(posterior: RowPosterior, items: np.ndarray) -> np.ndarray:
    """Return the log-odds of items in all draws, (n_draws, n_items)."""
    probability = posterior.probability_in_all_draws(items)
    return special.logit(np.clip(probability, MARGIN, 1.0 - MARGIN))


def log_fit_of_shift(
    log_odds: np.ndarray, counts: np.ndarray, of_category: np.ndarray, n_members: np.ndarray
) -> float:
    """Return how well a mixture of both classes elsewhere fits the scores of a category.

    It enters the evidence that the category differs by its prevalence alone, against an effect of
    the category, which is no model of the scores: hence zero at most. It is the log
    likelihood relative to any distribution over bins of the probability that its score gives an
    item, plus what it lacks on average if the mixture is right (Akaike).
    """
    all_log_odds = np.r_[log_odds, of_category]
    weights = np.r_[counts, n_members]
    order = np.argsort(all_log_odds, kind="stable")
    share_up_to = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(share_up_to, np.arange(1, N_BINS) / N_BINS)
    edges = np.unique(all_log_odds[order][places])

    # The counts of each class elsewhere, and of the category, in bins.
    n_bins = len(edges) + 1
    bin_of_row = np.searchsorted(edges, log_odds)
    positive = special.expit(log_odds)
    in_bins = [
        np.bincount(bin_of_row, counts * of_class, n_bins)
        for of_class in (positive, 1.0 - positive)
    ]
    classes = np.array(in_bins)
    observed = np.bincount(np.searchsorted(edges, of_category), n_members, n_bins)
    is_used = classes.sum(axis=0) + observed > 0.0

    # Half an item in each bin: none is impossible.
    of_positive, of_negative = classes[:, is_used] + 0.5
    observed = observed[is_used] / n_members.sum()
    prevalence = special.expit(GRID)[:, np.newaxis]
    expected = prevalence * of_positive / of_positive.sum()
    expected += (1.0 - prevalence) * of_negative / of_negative.sum()

    # The nearest mixture of both classes.
    distance = special.rel_entr(observed, expected).sum(axis=1).min()

    # Both histograms are samples, with a parameter for each bin but one, and the prevalence.
    n_effective = min(MAX_COUNT, 1.0 / (1.0 / counts.sum() + 1.0 / n_members.sum()))
    dimension = max(is_used.sum() - 2, 0)
    return float(min(0.0, 0.5 * dimension - n_effective * distance))


def _log_density_of_prevalence(log_ratio: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the log density of a prevalence on the grid, given the scores, (n_points, n_draws).

    `log_ratio` is log p(score | 1) - log p(score | 0) of items, (n_draws, n_items); the prior is
    Jeffreys' of a share.
    """
    order = np.argsort(counts, kind="stable")
    log_ratio = log_ratio.T[order]
    counts = counts[order]
    ratio_less_one = np.expm1(np.clip(log_ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO))

    # One logarithm of the product of factors of items that count for as many.
    index = np.arange(len(counts))
    is_new = np.diff(counts, prepend=-1.0) > 0.0
    in_run = index - np.maximum.accumulate(np.where(is_new, index, 0))
    firsts = np.flatnonzero(in_run % MAX_FACTORS == 0)

    log_density = np.empty((len(GRID), log_ratio.shape[1]))
    for density, point in zip(log_density, GRID, strict=True):
        factors = special.expit(point) * ratio_less_one
        factors += 1.0
        logs = np.log(np.multiply.reduceat(factors, firsts, axis=0))
        density[:] = np.einsum("ij,i->j", logs, counts[firsts])
        density += 0.5 * (special.log_expit(point) + special.log_expit(-point))
    return log_density


def _drawn_from_grid(log_density: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a point for each column of log densities, uniformly within the cells of the grid."""
    n_draws = log_density.shape[1]
    cumulative = np.cumsum(special.softmax(log_density, axis=0), axis=0)
    point = (cumulative < rng.random(n_draws) * cumulative[-1]).sum(axis=0)
    within = (rng.random(n_draws) - 0.5) * (GRID[1] - GRID[0])
    return GRID[np.minimum(point, len(GRID) - 1)] + within
