"""How many judges several judges are worth, who repeat each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ._item_posterior import ItemPosterior

__all__ = ["effective_number"]


def effective_number(posterior: ItemPosterior, said) -> np.ndarray:
    r"""Return how many independent judges are worth as much as these, for each draw of the labels.

    K judges whose errors have the mean correlation :math:`\bar\rho` are worth
    :math:`K / (1 + (K - 1) \bar\rho)` (the design effect of Kish, 1965). An error is how far a
    judge's number lies from what that judge says on average of items of the same label.

    Parameters
    ----------
    posterior : ItemPosterior
    said : ndarray of shape (n_items, n_judges)
        One number for each item, NaN where a judge said nothing. Pairs of judges are compared on
        what both spoke of.

    Returns
    -------
    number : ndarray of shape (n_draws,)
        NaN where no two judges spoke of the same items, or one says the same of all of a class.
    """
    n, blocks = said.shape[1], posterior.blocks()
    correlations = [
        np.concatenate([_correlation(posterior, block, one, other) for block in blocks])
        for one, other in combinations(said.T, 2)
    ]
    return n / (1.0 + (n - 1.0) * np.mean(correlations, axis=0))


def _correlation(posterior, block, one, other) -> np.ndarray:
    """Return the correlation of what two judges say within the classes, for each draw."""
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
