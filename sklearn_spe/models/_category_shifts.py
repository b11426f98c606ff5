r"""Shifts of categories by their labels alone, in some of the draws.

A score, or a judge, that predicts single items well may still err alike on all items of a category:
a judge flatters one system. What it says of items is no evidence of that, and random effects are
shrunk toward what all categories have in common. So some draws take the shift of a category from
its own labels (a linear opinion pool of two posteriors [1]_): the log-odds :math:`f_i` of its items
move by the same a, which has the posterior

.. math:: p(a) \propto N(a; 0, \sigma^2) \prod_i \operatorname{expit}(\pm (f_i + a))

of a prior so wide that it shrinks next to nothing. Where labels were chosen by their scores it is
still the category's shift: the curve says how labeled and other items differ. They are the same
draws for all categories, so that differences of rates are pooled as well.

References
----------
.. [1] M. Stone. The opinion pool. Annals of Mathematical Statistics 32 (1961) 1339-1342.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import special

from ..inputs._groups import Partition
from ._group_rates import in_new_groups, weight_of_labels
from ._row_posterior import PrevalenceShift, RowPosterior

# The share of draws that the labels alone state, and the least number of labels of a category.
SHARE, MIN_LABELS = 0.2, 5
# Standard deviation of a shift before its labels: that of the largest random effect of categories.
PRIOR_SIZE = 2.5
# Newton steps to a mode, the largest one, where items are nearly certain, and the last one.
N_STEPS, MAX_STEP, TOLERANCE = 40, 1.0, 1e-6
# Moves of each draw from Laplace's approximation to the posterior.
N_MOVES = 10
# The closest that probabilities come to 0 and 1.
MARGIN = 1e-12


def with_shifts_by_labels(
    posterior: RowPosterior,
    category: Partition | None,
    groups: Partition | None,
    rng: np.random.Generator,
) -> RowPosterior:
    """Return the posterior with the shifts of categories by their labels alone in some draws.

    A stated prevalence or number of positives binds the shifts of all categories.
    """
    if category is None or category.n_parts < 2 or posterior.known_positives.is_stated:
        return posterior
    labeled = np.flatnonzero(posterior.codes >= 0)
    n_labels = np.bincount(
        category.codes[labeled], posterior.counts[labeled], minlength=category.n_parts
    )
    pooled = np.flatnonzero(n_labels >= MIN_LABELS)
    if not len(pooled):
        return posterior

    n_draws = posterior.n_draws
    is_pooled = rng.permutation(n_draws) < SHARE * n_draws
    log_odds = np.zeros((n_draws, len(pooled)))
    for k, code in enumerate(pooled.tolist()):
        rows = labeled[category.codes[labeled] == code]
        probability = labeled_probability(posterior, rows, groups, is_pooled)
        is_positive = posterior.codes[rows] == 1
        weights = effective_weights(posterior.label_counts[rows], rows, groups)
        log_odds[is_pooled, k] = drawn_shifts(probability, is_positive, weights, rng)

    column = np.full(category.n_parts, -1)
    column[pooled] = np.arange(len(pooled))
    return replace(posterior, by_labels=PrevalenceShift(column[category.codes], log_odds))


def drawn_shifts(
    probability: np.ndarray,
    is_positive: np.ndarray,
    weights: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the shift of the log-odds of labeled items given their labels, (n_draws,).

    `probability` (n_draws, n_labeled) is that of a positive without the shift.
    """
    columns = np.ones((len(weights), 1))
    return drawn_coefficients(probability, is_positive, weights, columns, rng)[:, 0]


def drawn_coefficients(
    probability: np.ndarray,
    is_positive: np.ndarray,
    weights: np.ndarray,
    columns: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the coefficients of columns in the log-odds of labeled items, (n_draws, n_columns).

    `columns` are (n_labeled, n_columns), other arrays as in `drawn_shifts`.
    """
    log_odds = special.logit(np.clip(probability, MARGIN, 1.0 - MARGIN))
    signs = np.where(is_positive, 1.0, -1.0)
    mode, curvature = _mode(log_odds, signs, weights, columns)
    scale = np.swapaxes(np.linalg.inv(np.linalg.cholesky(curvature)), 1, 2)

    # Laplace's approximation is symmetric where few labels, all of one class, are not: moves of
    # Metropolis and Hastings that propose from it make the draws exact.
    coefficients = mode
    log_ratio = np.full(len(mode), -np.inf)
    for _ in range(N_MOVES):
        normal = _stratified_normal(mode.shape, rng)
        proposal = mode + np.einsum("ijk,ik->ij", scale, normal)
        shifted_log_odds = log_odds + np.einsum("ij,kj->ik", proposal, columns)
        log_posterior = np.einsum("ik,k->i", special.log_expit(signs * shifted_log_odds), weights)
        log_posterior -= 0.5 * np.einsum("ij,ij->i", proposal, proposal) / PRIOR_SIZE**2

        # How far the posterior density exceeds that of the proposals, a constant aside.
        proposal_log_ratio = log_posterior + 0.5 * np.einsum("ij,ij->i", normal, normal)
        accepted = np.log(rng.random(len(mode))) < proposal_log_ratio - log_ratio
        coefficients = np.where(accepted[:, np.newaxis], proposal, coefficients)
        log_ratio = np.where(accepted, proposal_log_ratio, log_ratio)
    return coefficients


def _mode(
    log_odds: np.ndarray, signs: np.ndarray, weights: np.ndarray, columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the most probable coefficients, (n_draws, n_columns), and the curvature there."""
    n_columns = columns.shape[1]
    prior = np.eye(n_columns) / PRIOR_SIZE**2
    squares = np.einsum("kj,kl->kjl", columns, columns)
    mode = np.zeros((len(log_odds), n_columns))
    for _ in range(N_STEPS):
        shifted_log_odds = log_odds + np.einsum("ij,kj->ik", mode, columns)
        error = special.expit(-signs * shifted_log_odds)
        slope = np.einsum("ik,kj->ij", weights * signs * error, columns) - mode / PRIOR_SIZE**2
        variance = weights * error * (1.0 - error)
        curvature = np.einsum("ik,kjl->ijl", variance, squares) + prior

        step = np.linalg.solve(curvature, slope[:, :, np.newaxis])[:, :, 0]
        step = np.clip(step, -MAX_STEP, MAX_STEP)
        mode = mode + step
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    return mode, curvature


def _stratified_normal(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Draw standard normal numbers, of each column one in each stratum of equal probability."""
    strata = rng.permuted(np.broadcast_to(np.arange(shape[0])[:, np.newaxis], shape), axis=0)
    return special.ndtri((strata + rng.random(shape)) / shape[0])


def labeled_probability(
    posterior: RowPosterior, rows: np.ndarray, groups: Partition | None, draws: np.ndarray
) -> np.ndarray:
    """Return P(y = 1) of labeled rows in some draws, in new groups, (n_draws, n_labeled)."""
    # What is known of a labeled group are its labels.
    if groups is None:
        probability = posterior.probability_in_all_draws(rows)[draws]
    else:
        probability = in_new_groups(posterior, rows, draws)
    return posterior.inclusion.thinned(probability)


def effective_weights(counts: np.ndarray, rows: np.ndarray, groups: Partition | None) -> np.ndarray:
    """Return the weights of labels, the effective number of groups in all (Kish)."""
    if groups is None:
        return counts
    of_group = np.unique(groups.codes[rows], return_inverse=True)[1]
    return counts * weight_of_labels(np.bincount(of_group, counts))
