"""Draws of means: joint distribution of their errors over all parts."""

from __future__ import annotations

import numpy as np
from scipy import special

from ._label_values import MAX_VALUES
from ._mean_regression import MeanRegressions
from ._mean_sample import MeanSample

__all__ = ["mean_draws"]

# Prior weight, in labels, of the assumption of equal error variances.
PRIOR_WEIGHT = 10.0
# Labels this near to their prediction, in spreads of labels over their number, agree with it.
AGREES = 0.02
# Maximum number of array elements held at once.
TILE = 2**20


def mean_draws(sample: MeanSample, same: np.ndarray, n_draws: int, rng) -> np.ndarray:
    r"""Draw the means of all parts, (n_draws, n_parts).

    The error of a mean is a sum of the influences of labeled items, :math:`\sum_i D_i`. Each draw
    multiplies these by independent :math:`g_i - 1` with exponential :math:`g_i`, as in the Bayesian
    bootstrap: the sum has variance :math:`\sum D_i^2` and twice the skewness of :math:`\sum_i D_i`.
    Shifted by :math:`\sum D_i^3 / 2 \sum D_i^2`, its quantiles are to first order those of the
    studentized mean of skewed labels [1]_. It is divided by the root of a chi-square variable, as
    in Student's t. `same` marks labels that equal a proxy.

    References
    ----------
    .. [1] P. Hall. "On the removal of skewness by transformation." JRSS B 54, 221-228 (1992).
    """
    fits = MeanRegressions.of(sample, PRIOR_WEIGHT)
    n_units, n_parts = sample.units.max() + 1, sample.parts.shape[1]
    added = np.zeros((n_units, n_parts))
    np.add.at(added, sample.units, fits.influence)
    added *= np.sqrt(n_units / (n_units - 1.0)) if n_units < len(sample.units) else 1.0
    draws = _bootstrapped(added, n_draws, rng)
    squares = (added**2).sum(axis=0)
    draws += _normal(fits.shared + _left(sample, fits, added), n_draws, rng)
    moved = (added**3).sum(axis=0) / np.where(squares > 0.0, 2.0 * squares, 1.0)
    levels = rng.random(n_draws)[:, np.newaxis]
    degrees = _degrees(sample)
    draws /= np.sqrt(special.chdtri(degrees, levels) / degrees)
    draws += moved + _unseen(sample, same, fits, n_draws, rng)
    return _of_models(fits, n_draws, rng) + draws


def _unseen(sample, same, fits, n_draws, rng) -> np.ndarray:
    """Draw the contribution of labels that disagree with predictions but were not observed.

    If all of n labels agree with their predictions, the share that disagrees, on either side, is
    Gamma(1) / n: below 1 - .05^(1/n), about 3 / n, with probability .95. For labels with few values
    it is Gamma(1/2) / n (Jeffreys). Where fewer labels agree, errors are observed and less is
    added. The size of an unobserved error is the difference of two labels.
    """
    labels, weights = sample.labels, sample.weights
    centre = weights @ labels / len(labels)
    spread = np.sqrt(2.0 * (weights @ (labels - centre) ** 2) / len(labels))
    values = np.unique(labels)
    near, size, shape = AGREES * spread / len(labels), spread, 1.0
    if 1 < len(values) <= MAX_VALUES:
        gap = np.diff(values).min()
        near, size, shape = max(near, gap / 2.0), max(spread, gap), 0.5
    agree = weights @ (same | (np.abs(fits.errors) < near)) / len(labels)
    n_units = np.array([len(np.unique(sample.units[part])) for part in sample.parts.T])
    size = size * sample.n_unlabeled / sample.n_items / np.maximum(n_units, 1.0)
    above, below = rng.standard_gamma(shape * agree, (2, n_draws, len(size)))
    return size * (above - below)


def _left(sample, fits, added) -> np.ndarray:
    """Return the covariance of the labels of unlabeled items that regressions do not explain.

    Their errors are correlated within units and between parts, as those of labeled items are.
    """
    covariance = added.T @ added
    alone = (fits.influence**2).sum(axis=0)
    # All items of some parts are labeled.
    scale = (
        sample.n_unlabeled / sample.n_items**2 * fits.variance / np.where(alone > 0.0, alone, 1.0)
    )
    return covariance * np.sqrt(np.outer(scale, scale))


def _of_models(fits, n_draws, rng) -> np.ndarray:
    """Draw models, and return their predictions of each part."""
    levels, ends = rng.random(n_draws), fits.weights.cumsum(axis=0)
    columns = [
        means[np.minimum(np.searchsorted(end, levels), len(means) - 1)]
        for means, end in zip(fits.means.T, ends.T, strict=True)
    ]
    return np.column_stack(columns)


def _degrees(sample) -> np.ndarray:
    """Return the degrees of freedom of the errors of each part."""
    weights = sample.weights
    effective = weights.sum() ** 2 / (weights @ weights) / len(weights)
    n_units = np.array([len(np.unique(sample.units[part])) for part in sample.parts.T])
    others = n_units[0] - n_units
    return np.maximum(effective * (n_units + np.minimum(PRIOR_WEIGHT, others)) - 1.0, 1.0)


def _bootstrapped(added, n_draws, rng) -> np.ndarray:
    rows = max(1, TILE // len(added))
    sizes = [min(rows, n_draws - start) for start in range(0, n_draws, rows)]
    return np.concatenate([(rng.exponential(size=(n, len(added))) - 1.0) @ added for n in sizes])


def _normal(covariance, n_draws, rng) -> np.ndarray:
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return rng.standard_normal((n_draws, len(root))) @ root.T
