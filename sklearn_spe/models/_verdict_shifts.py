r"""Shifts of verdicts by their labels alone, in some of the draws.

Several judges predict single items by what they have in common, and the errors of one of them are
what it has not: its sensitivity and specificity are shrunk toward those of the others, whose errors
are no evidence of its own where judges err together. So in half of the draws (a linear opinion pool
[1]_) the log-odds :math:`f_i` of the items move by verdict, :math:`f_i + a + \sum_j b_j v_{ij}`,
with coefficients from their posterior given the labels, a logistic regression whose prior is so
wide that it shrinks next to nothing. At its mode the labels of each verdict of each judge have the
rate that the draw states: what one judge with two verdicts has without a model.

References
----------
.. [1] M. Stone. The opinion pool. Annals of Mathematical Statistics 32 (1961) 1339-1342.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..data._gathered_rows import merged_rows
from ._category_shifts import MIN_LABELS, drawn_coefficients, effective_weights, labeled_probability
from ._item_table import ItemTable
from ._row_posterior import PrevalenceShift, RowPosterior

# The share of draws that the labels alone state.
SHARE = 0.5
# Scores of so many values at most are verdicts, such as pass, partial and fail.
MAX_VALUES = 3


def with_shifts_of_verdicts(
    posterior: RowPosterior, table: ItemTable, rng: np.random.Generator
) -> RowPosterior:
    """Return the posterior with the shifts of verdicts by their labels alone in some draws.

    A stated prevalence or number of positives binds the shifts of all verdicts.
    """
    if table.is_one_pool or posterior.known_positives.is_stated:
        return posterior
    verdicts = _verdicts(table)
    if not verdicts.shape[1]:
        return posterior

    # Items with the same verdicts move alike. A judge that repeats another one counts once.
    rows, pattern, _ = merged_rows(list(verdicts.T), table.weights)
    distinct = np.unique(verdicts[rows], axis=1)
    patterns = np.column_stack([np.ones(len(rows)), distinct])

    n_draws = posterior.n_draws
    is_pooled = rng.permutation(n_draws) < SHARE * n_draws
    labeled = posterior.labeled
    coefficients = drawn_coefficients(
        labeled_probability(posterior, labeled, table.clusters, is_pooled),
        posterior.codes[labeled] == 1,
        effective_weights(posterior.label_counts[labeled], labeled, table.clusters),
        patterns[pattern[labeled]],
        rng,
    )
    log_odds = np.zeros((n_draws, len(patterns)))
    log_odds[is_pooled] = np.einsum("ij,kj->ik", coefficients, patterns)
    return replace(posterior, of_verdicts=PrevalenceShift(pattern, log_odds))


def _verdicts(table: ItemTable) -> np.ndarray:
    """Return indicators of verdicts with labels enough, less their means, (n_items, n_verdicts).

    Those of missing verdicts are zero.
    """
    # The consensus of judges has no verdict of its own.
    columns = table.columns[:, table.n_systems :] if table.is_consensus else table.columns
    indicators = [np.empty((table.n_items, 0))]
    for column in columns.T:
        is_present = ~np.isnan(column)
        values = np.unique(column[is_present])
        if len(values) > MAX_VALUES:
            continue
        is_verdict = column[:, np.newaxis] == values
        n_labels = table.label_counts[table.codes >= 0] @ is_verdict[table.codes >= 0]
        is_verdict = is_verdict[:, n_labels >= MIN_LABELS]
        shares = np.average(is_verdict[is_present], axis=0, weights=table.weights[is_present])
        # One of the verdicts is what the others are not.
        centered = np.where(is_present[:, np.newaxis], is_verdict - shares, 0.0)
        indicators.append(centered[:, 1:])
    return np.hstack(indicators)
