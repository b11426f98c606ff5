"""Posterior draws of a mean: regressions averaged by their evidence, and their errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from ._category_ridge import RidgeFits, model_sizes
from ._confusion import MAX_VALUES, TILE
from ._mean_sample import MeanSample, PartSlopes

# Prior scale of the deviation of a category's coefficients from the common ones: the bias of
# proxies may differ between categories.
MIN_OFFSET = 1.0
# Models of smaller weight only cost time.
MIN_WEIGHT = 1e-4
# Prior weight, in labels, of the assumption of equal error variances.
PRIOR_WEIGHT = 10.0
# Labels this near to their prediction, in spreads of labels over their number, agree with it.
AGREES = 0.02


class RidgeAverage(NamedTuple):
    """Ridge regressions with several prior scales, averaged by their evidence."""

    weights: np.ndarray  # (n_models, n_parts); posterior probabilities, summing to one
    means: np.ndarray  # (n_models, n_parts); over all items, labeled or not
    influence: np.ndarray  # (n_labeled, n_parts); of each leave-one-out residual on the mean
    shared: np.ndarray  # (n_parts, n_parts); covariance due to the prior of the coefficients
    variance: np.ndarray  # (n_parts,); of the residuals
    errors: np.ndarray  # (n_labeled,); leave-one-out residuals
    slopes: PartSlopes

    @classmethod
    def of(cls, sample: MeanSample) -> RidgeAverage:
        r"""Fit the regressions.

        The label is :math:`y = \beta_0 + \beta' x + \varepsilon` with a flat prior of
        :math:`\beta_0` and :math:`\log \sigma`, and :math:`\beta_j \sim N(0, s_j^2 \sigma^2)`.
        No model needs to be correct: labeled items are weighted by the number of items they
        represent, so the weighted mean of the residuals is zero and the mean over all items is
        a difference estimator.
        """
        sizes = model_sizes(sample)
        n_models = len(sizes.features)
        n_labeled = len(sample.labels)
        widest = max(sample.n_parts, sample.features.shape[1], 1)
        step = max(1, TILE // (widest * max(n_labeled, widest)))
        tiles = [slice(first, first + step) for first in range(0, n_models, step)]
        fits = [RidgeFits.of(sample, sizes.take(tile)) for tile in tiles]
        evidence = np.concatenate([fit.evidence for fit in fits])

        # Models that may predict a category let it differ; the first part is all items, which every
        # model may predict.
        may_predict = np.full((n_models, sample.n_parts), True)
        may_predict[:, 1:] = sizes.of_category[:, :1] >= MIN_OFFSET
        weights = _probabilities(np.where(may_predict, evidence[:, np.newaxis], -np.inf))

        influence = np.zeros((n_labeled, sample.n_parts))
        shared = np.zeros((sample.n_parts, sample.n_parts))
        n_of_parts = sample.parts.sum(axis=0)
        for tile, fit in zip(tiles, fits, strict=True):
            of_tile = weights[tile]
            if not of_tile.any():
                continue

            # Few residuals may by chance be small where their weights are large.
            squares = fit.errors[:, :, np.newaxis] ** 2
            variance = fit.variance[:, np.newaxis]
            sums = n_of_parts * squares + PRIOR_WEIGHT * variance[:, np.newaxis]
            stds = np.sqrt(sums / (n_of_parts + PRIOR_WEIGHT))
            signs = np.where(fit.errors < 0.0, -1.0, 1.0)[:, :, np.newaxis]
            of_labels = fit.label_weights() * signs * stds
            influence += np.einsum("mp,mip->ip", of_tile, of_labels)

            scale = np.sqrt(of_tile * variance)
            shared += np.einsum("mpq,mp,mq->pq", fit.prior_covariance(), scale, scale)

        slopes = PartSlopes.averaged(
            weights,
            np.concatenate([fit.slopes for fit in fits]),
            np.concatenate([fit.category_slopes for fit in fits]),
        )
        means = np.concatenate([fit.means for fit in fits])
        variances = np.concatenate([fit.variance for fit in fits])
        errors = weights[:, 0] @ np.concatenate([fit.errors for fit in fits])
        return cls(weights, means, influence, shared, variances @ weights, errors, slopes)


def _probabilities(evidence: np.ndarray) -> np.ndarray:
    """Return the weights of models with this log evidence, (n_models, n_parts)."""
    weights = np.exp(evidence - evidence.max(axis=0))
    weights[weights < MIN_WEIGHT * weights.sum(axis=0)] = 0.0
    return weights / weights.sum(axis=0)


def mean_draws(
    sample: MeanSample, same: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
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
    average = RidgeAverage.of(sample)
    shared = average.shared

    # The influence of units: items that belong together.
    n_units = sample.units.max() + 1
    unit_influence = np.zeros((n_units, sample.n_parts))
    np.add.at(unit_influence, sample.units, average.influence)
    if sample.population is not None:
        of_labeled, of_unlabeled = sample.population.influence(average.slopes, sample.units)
        unit_influence += of_labeled
        shared = shared + (of_unlabeled.T @ of_unlabeled).toarray()
    if n_units < len(sample.units):
        unit_influence *= np.sqrt(n_units / (n_units - 1.0))

    # The errors of the mean, with the shift for skewed labels.
    draws = _bootstrapped(unit_influence, n_draws, rng)
    unexplained = _unexplained(sample, average.influence, average.variance, unit_influence)
    draws += _normal(shared + unexplained, n_draws, rng)
    squares = (unit_influence**2).sum(axis=0)
    cubes = (unit_influence**3).sum(axis=0)
    shift = cubes / np.where(squares > 0.0, 2.0 * squares, 1.0)

    # Student's t, with the degrees of freedom of each part.
    levels = rng.random(n_draws)[:, np.newaxis]
    degrees, part_index = np.unique(_degrees(sample), return_inverse=True)
    spread = np.sqrt(special.chdtri(degrees, levels) / degrees)
    draws /= spread[:, part_index]
    draws += shift + _unobserved(sample, same, average.errors, n_draws, rng)
    return _of_models(average.weights, average.means, n_draws, rng) + draws


def _unobserved(
    sample: MeanSample,
    same: np.ndarray,
    errors: np.ndarray,
    n_draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw the contribution of labels that disagree with predictions but were not observed.

    If all of n labels agree with their predictions, the share that disagrees, on either side, is
    Gamma(1) / n: below 1 - .05^(1/n), about 3 / n, with probability .95. For labels with few values
    it is Gamma(1/2) / n (Jeffreys). Where fewer labels agree, errors are observed and less is
    added. The size of an unobserved error is the difference of two labels.
    """
    labels = sample.labels
    weights = sample.weights
    n = len(labels)
    center = weights @ labels / n
    spread = np.sqrt(2.0 * (weights @ (labels - center) ** 2) / n)

    # The size of an error, and how near a label must be to its prediction to agree.
    values = np.unique(labels)
    tolerance = AGREES * spread / n
    size = spread
    shape = 1.0
    if 1 < len(values) <= MAX_VALUES:
        gap = np.diff(values).min()
        tolerance = max(tolerance, gap / 2.0)
        size = max(spread, gap)
        shape = 0.5
    agrees = same | (np.abs(errors) < tolerance)
    share_agreeing = weights @ agrees / n

    size = size * sample.predicted / np.maximum(_n_units(sample), 1.0)
    above, below = rng.standard_gamma(shape * share_agreeing, (2, n_draws, len(size)))
    return size * (above - below)


def _n_units(sample: MeanSample) -> np.ndarray:
    """Return the number of labeled units of each part, (n_parts,)."""
    return np.array([len(np.unique(sample.units[part])) for part in sample.parts.T])


def _unexplained(
    sample: MeanSample, influence: np.ndarray, variance: np.ndarray, unit_influence: np.ndarray
) -> np.ndarray:
    """Return the covariance of the labels of unlabeled items that regressions do not explain.

    Their errors are correlated within units and between parts, as those of labeled items are.
    """
    covariance = unit_influence.T @ unit_influence
    independent = (influence**2).sum(axis=0)
    # All items of some parts are labeled.
    divisor = np.where(independent > 0.0, independent, 1.0)
    scale = sample.finite * variance / divisor
    return covariance * np.sqrt(np.outer(scale, scale))


def _of_models(
    weights: np.ndarray, means: np.ndarray, n_draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw models, and return their predictions of each part."""
    levels = rng.random(n_draws)
    cumulative = weights.cumsum(axis=0)
    columns = []
    for part_means, part_cumulative in zip(means.T, cumulative.T, strict=True):
        model = np.searchsorted(part_cumulative, levels)
        model = np.minimum(model, len(part_means) - 1)
        columns.append(part_means[model])
    return np.column_stack(columns)


def _degrees(sample: MeanSample) -> np.ndarray:
    """Return the degrees of freedom of the errors of each part."""
    weights = sample.weights
    effective_share = weights.sum() ** 2 / (weights @ weights) / len(weights)
    n_units = _n_units(sample)
    n_in_other_parts = n_units[0] - n_units
    n_borrowed = np.minimum(PRIOR_WEIGHT, n_in_other_parts)
    return np.maximum(effective_share * (n_units + n_borrowed) - 1.0, 1.0)


def _bootstrapped(unit_influence: np.ndarray, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return bootstrap draws of the sums of influences, (n_draws, n_parts), made in tiles."""
    n_units = len(unit_influence)
    n_rows = max(1, TILE // n_units)
    draws = []
    for start in range(0, n_draws, n_rows):
        n = min(n_rows, n_draws - start)
        weights = rng.exponential(size=(n, n_units))
        draws.append((weights - 1.0) @ unit_influence)
    return np.concatenate(draws)


def _normal(covariance: np.ndarray, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw from a normal distribution with mean zero, (n_draws, n_parts)."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return rng.standard_normal((n_draws, len(root))) @ root.T
