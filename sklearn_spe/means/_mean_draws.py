"""Draws of means: what their errors may be, all parts together."""

from __future__ import annotations

import numpy as np
from scipy import special

from ._label_values import MAX_VALUES
from ._mean_regression import MeanRegressions
from ._mean_sample import MeanSample

__all__ = ["mean_draws"]

# How many labels the assumption is worth that errors are as large everywhere.
DOUBT = 10.0
# Labels this near to what is predicted, in spreads of labels over their number, agree with it.
AGREES = 0.02
# Numbers that are held at once.
TILE = 2**20


def mean_draws(sample: MeanSample, same: np.ndarray, n_draws: int, rng) -> np.ndarray:
    r"""Draw the means of all parts, (n_draws, n_parts).

    The error of a mean is a sum of what labelled items add to it, :math:`\sum_i D_i`. Each draw
    multiplies these by independent :math:`g_i - 1` with exponential :math:`g_i`, as the Bayesian
    bootstrap does: the sum has the variance :math:`\sum D_i^2`, and twice the skewness of
    :math:`\sum_i D_i`. Moved by :math:`\sum D_i^3 / 2 \sum D_i^2` its quantiles are, to first
    order, those of the studentised mean of skewed labels [1]_. It is divided by a root of a
    chi-square, as in Student's t. `same` are labels that equal a proxy.

    References
    ----------
    .. [1] P. Hall. "On the removal of skewness by transformation." JRSS B 54, 221-228 (1992).
    """
    fits = MeanRegressions.of(sample, DOUBT)
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
    """Draw what labels that disagree may add, of which agreement shows none.

    If all of n labels agree with what is predicted, the share that does not, on either side, is
    Gamma(1) / n: below 1 - .05^(1/n), about 3 / n, with a probability of .95. Of labels of few
    values it is Gamma(1/2) / n, by Jeffreys. Where fewer agree errors are seen, and less is added.
    These labels are off as two labels differ.
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
    """Return the covariance of what no regression knows of items without a label.

    Their errors hang together within units, and between parts, as those of labelled items do.
    """
    covariance = added.T @ added
    alone = (fits.influence**2).sum(axis=0)
    # All items of some parts are labelled.
    scale = (
        sample.n_unlabeled / sample.n_items**2 * fits.variance / np.where(alone > 0.0, alone, 1.0)
    )
    return covariance * np.sqrt(np.outer(scale, scale))


def _of_models(fits, n_draws, rng) -> np.ndarray:
    """Draw models, and return what they say of each part."""
    levels, ends = rng.random(n_draws), fits.weights.cumsum(axis=0)
    columns = [
        means[np.minimum(np.searchsorted(end, levels), len(means) - 1)]
        for means, end in zip(fits.means.T, ends.T, strict=True)
    ]
    return np.column_stack(columns)


def _degrees(sample) -> np.ndarray:
    """Return how many labels speak of the errors of each part, less one."""
    weights = sample.weights
    effective = weights.sum() ** 2 / (weights @ weights) / len(weights)
    n_units = np.array([len(np.unique(sample.units[part])) for part in sample.parts.T])
    others = n_units[0] - n_units
    return np.maximum(effective * (n_units + np.minimum(DOUBT, others)) - 1.0, 1.0)


def _bootstrapped(added, n_draws, rng) -> np.ndarray:
    rows = max(1, TILE // len(added))
    sizes = [min(rows, n_draws - start) for start in range(0, n_draws, rows)]
    return np.concatenate([(rng.exponential(size=(n, len(added))) - 1.0) @ added for n in sizes])


def _normal(covariance, n_draws, rng) -> np.ndarray:
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return rng.standard_normal((n_draws, len(root))) @ root.T
