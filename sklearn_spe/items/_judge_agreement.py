"""Effective number of independent raters among correlated raters."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ._item_posterior import ItemPosterior

__all__ = ["effective_number"]


def effective_number(posterior: ItemPosterior, said) -> np.ndarray:
    r"""Return the effective number of independent raters, for each draw of the labels.

    K raters whose errors have the mean correlation :math:`\bar\rho` are worth :math:`K / (1 + (K -
    1) \bar\rho)` independent ones (the design effect of Kish, 1965). An error is the deviation of a
    rater's score from its mean within the class. `said` is (n_items, n_judges), NaN if missing;
    each pair of raters is compared on the items that both rated. The result is (n_draws,), NaN if
    no two raters share items, or if one is constant within a class.
    """
    n, blocks = said.shape[1], posterior.blocks()
    correlations = [
        np.concatenate([_correlation(posterior, block, one, other) for block in blocks])
        for one, other in combinations(said.T, 2)
    ]
    return n / (1.0 + (n - 1.0) * np.mean(correlations, axis=0))


def _correlation(posterior, block, one, other) -> np.ndarray:
    """Return the within-class correlation of two raters, for each draw."""
    both = np.flatnonzero(~np.isnan(one) & ~np.isnan(other))
    one, other = one[both], other[both]
    parts = np.column_stack([np.ones(len(both)), one, other, one * other, one**2, other**2])
    positive = posterior.labels(block)[:, both].astype(float)
    within = np.zeros((3, len(positive)))
    for labels in (positive, 1.0 - positive):
        n, *first, product, square, of_other = np.einsum("ij,jk->ki", labels, parts)
        n = np.maximum(n, 1.0)
        within += (
            product - first[0] * first[1] / n,
            square - first[0] ** 2 / n,
            of_other - first[1] ** 2 / n,
        )
    covariance, spread, other_spread = within
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(spread * other_spread)
