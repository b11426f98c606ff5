"""Samples, regressions and posterior draws of a mean."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ._confusion import MAX_VALUES, TILE

# Prior standard deviations of coefficients, in standard deviations of the residuals; selected by
# their evidence: of the slope, and of further blocks of features.
SLOPES = (0.3, 1.0, 3.0, 10.0)
SIZES = {
    "basis": (0.0, 0.5, 2.0),
    "category": (0.0, 0.3, 1.0, 3.0),
    "slope_interaction": (0.0, 1.0),
}
# Prior scale of the deviation of a category's coefficients from the common ones: the bias of
# proxies may differ between categories.
MIN_OFFSET = 1.0
# Models of smaller weight only cost time.
MIN_WEIGHT = 1e-4
# Prior weight, in labels, of the assumption of equal error variances.
PRIOR_WEIGHT = 10.0
# Labels this near to their prediction, in spreads of labels over their number, agree with it.
AGREES = 0.02


@dataclass(frozen=True, eq=False)
class Population(FrozenArrays):
    """All items, as a sample of a population: predictions vary between samples too."""

    features: np.ndarray  # (n_items, n_features)
    parts: np.ndarray  # (n_items, n_parts), of bool
    is_labeled: np.ndarray  # (n_items,), of bool
    units: np.ndarray  # (n_items,), of int; which items belong together

    def influence(self, slopes: np.ndarray, labeled_units: np.ndarray) -> tuple:
        """Return the influence of units on the mean prediction, with and without labels.

        `slopes` (n_features, n_parts) make the predictions, and `labeled_units` (n_labeled,) are
        the numbers of the units of labeled items. Each is (n_units, n_parts).
        """
        n_items = self.parts.sum(axis=0)
        predictions = self.features @ slopes
        means = (self.parts * predictions).sum(axis=0) / n_items
        influence = self.parts * (predictions - means) / n_items

        numbers, place = np.unique(self.units, return_inverse=True)
        of_units = np.zeros((len(numbers), influence.shape[1]))
        np.add.at(of_units, place, influence)

        rows = np.zeros(labeled_units.max() + 1, dtype=int)
        rows[labeled_units] = place[self.is_labeled]
        return of_units[rows], np.delete(of_units, rows, axis=0)


@dataclass(frozen=True, eq=False)
class MeanSample(FrozenArrays):
    """Features of items, labels of some, and the parts of the items whose means are estimated."""

    features: np.ndarray  # (n_labeled, n_features)
    blocks: np.ndarray  # (n_features,), of str; the block of each feature
    labels: np.ndarray  # (n_labeled,)
    # (n_labeled,); number of items represented: 1 / inclusion_proba - 1 unlabeled ones, and itself
    # in a population.
    represented: np.ndarray
    parts: np.ndarray  # (n_labeled, n_parts), of bool; membership; the first part is all items
    # Share of each part whose labels are predicted: the unlabeled items, or all of a population.
    predicted: np.ndarray  # (n_parts,)
    # Sums over those items, by the number of items of the part: (n_parts, n_features).
    predicted_features: np.ndarray
    known_means: np.ndarray  # (n_parts,); contribution of labels that are kept
    # (n_parts,); variance of the mean of further labels at unit variance of one: finite samples.
    finite: np.ndarray
    units: np.ndarray  # (n_labeled,), of int; which labeled items belong together
    population: Population | None = None

    @classmethod
    def of(cls, blocks, labels, chances, category, units, *, of_population=False) -> MeanSample:
        """Make a sample from blocks of features, each (n_items, n_features)."""
        known = ~np.isnan(labels)
        codes = np.zeros((len(labels), 0), dtype=bool)
        if category is not None:
            codes = category.codes[:, np.newaxis] == np.arange(category.n_parts)
            blocks = {**blocks, "category": codes.astype(float)}
            if "ranks" in blocks:
                blocks["slope_interaction"] = codes * blocks["ranks"][:, [-1]]
        features = np.column_stack([np.zeros((len(labels), 0)), *blocks.values()])
        names = [name for name, block in blocks.items() for _ in range(block.shape[1])]
        parts = np.column_stack([np.ones(len(labels), dtype=bool), codes])
        n_items = parts.sum(axis=0)
        predicted = parts if of_population else parts & ~known[:, np.newaxis]
        n_predicted = predicted.sum(axis=0)
        place = np.unique(units[known], return_inverse=True)[1]
        is_observed = ~predicted[known] & parts[known]
        return cls(
            features[known],
            np.array(names, dtype=str),
            labels[known],
            1.0 / chances[known] - (0.0 if of_population else 1.0),
            parts[known],
            n_predicted / n_items,
            predicted.T.astype(float) @ features / n_items[:, np.newaxis],
            labels[known] @ is_observed / n_items,
            np.zeros(len(n_items)) if of_population else n_predicted / n_items**2,
            place,
            Population(features, parts, known, units) if of_population else None,
        )

    def possible(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on the mean of each part, given bounds on the labels."""
        # Zero unlabeled items times an infinite bound is zero.
        ends = (np.where(self.predicted > 0.0, end, 0.0) * self.predicted for end in (low, high))
        smallest, largest = (self.known_means + end for end in ends)
        return smallest, largest

    @property
    def weights(self) -> np.ndarray:
        """Regression weights of labeled items, one on average, (n_labeled,)."""
        total = self.represented.sum()
        # All items are labeled: nothing is predicted.
        return (
            self.represented * len(self.labels) / total
            if total > 0.0
            else np.ones(len(self.labels))
        )


def _regressions(sample: MeanSample) -> tuple:
    r"""Fit ridge regressions with several prior scales, and average them by their evidence.

    The label is :math:`y = \beta_0 + \beta' x + \varepsilon` with a flat prior of :math:`\beta_0`
    and :math:`\log \sigma`, and :math:`\beta_j \sim N(0, s_j^2 \sigma^2)`. No model needs to be
    correct: labeled items are weighted by the number of items they represent, so that the weighted
    mean of the residuals is zero and the mean over all items is a difference estimator.

    Returns
    -------
    weights, means : ndarray of shape (n_models, n_parts)
        Posterior probabilities, summing to one; and means over all items, labeled or not.
    influence : ndarray of shape (n_labeled, n_parts)
        Influence of each leave-one-out residual on the mean.
    shared : ndarray of shape (n_parts, n_parts)
        Covariance due to the uncertainty of coefficients.
    variance : ndarray of shape (n_parts,)
        Variance of the residuals.
    errors : ndarray of shape (n_labeled,)
        Leave-one-out residuals.
    slopes : ndarray of shape (n_features, n_parts)
        Coefficients.
    """
    every_size = _sizes(sample.blocks)
    fits = [_ridge(sample, sizes) for sizes in every_size]
    evidence, means, variances, every_error = map(np.array, list(zip(*fits, strict=True))[:4])
    of_category = sample.blocks == "category"
    offsets = np.array([sizes[of_category].max(initial=0.0) for sizes in every_size])
    n_parts = sample.parts.shape[1]
    # The first part is all items, which every model may predict.
    may_speak = (offsets[:, np.newaxis] >= MIN_OFFSET) | (np.arange(n_parts) == 0)
    weights = _probabilities(np.where(may_speak, evidence[:, np.newaxis], -np.inf))
    influence, shared = np.zeros(sample.parts.shape), np.zeros((n_parts, n_parts))
    n_own = sample.parts.sum(axis=0)
    slopes = np.zeros((len(sample.blocks), n_parts))
    for weight, fit in zip(weights, fits, strict=True):
        if not weight.any():
            continue
        _, _, variance, errors, share, left, coefficients = fit
        slopes += np.outer(coefficients, weight)
        squares = errors[:, np.newaxis] ** 2
        # Few residuals may by chance be small where their weights are large.
        squares = (n_own * squares + PRIOR_WEIGHT * variance) / (n_own + PRIOR_WEIGHT)
        signs = np.where(errors < 0.0, -1.0, 1.0)[:, np.newaxis]
        influence += weight * share * signs * np.sqrt(squares)
        left = left * np.sqrt(weight * variance)
        shared += left.T @ left
    errors = weights[:, 0] @ every_error
    return weights, means, influence, shared, variances @ weights, errors, slopes


def _probabilities(evidence) -> np.ndarray:
    """Return the weights of models with this log evidence, (n_models, n_parts)."""
    weights = np.exp(evidence - evidence.max(axis=0))
    weights[weights < MIN_WEIGHT * weights.sum(axis=0)] = 0.0
    return weights / weights.sum(axis=0)


def _sizes(blocks) -> list[np.ndarray]:
    """Return the prior standard deviations of the features in each model."""
    names = set(blocks.tolist())
    slopes: list[Any] = [{"missingness": 0.0}]
    slopes += [{of: s, "missingness": s} for of in ("raw", "ranks") if of in names for s in SLOPES]
    others = {name: sizes for name, sizes in SIZES.items() if name in names}

    models = []
    for slope, *other_sizes in product(slopes, *others.values()):
        sizes = {**slope, **dict(zip(others, other_sizes, strict=True))}
        # An interaction is one of slopes and categories.
        if not sizes.get("slope_interaction") or (len(slope) > 1 and sizes["category"]):
            models.append(np.array([sizes.get(name, 0.0) for name in blocks]))
    return models


def _ridge(sample, sizes) -> tuple:
    """Fit one ridge regression.

    Returns its log evidence, up to a constant that all models share; the means, (n_parts,); the
    variance of the residuals, and the leave-one-out residuals, (n_labeled,); the weight of each
    label in the mean prediction of unlabeled items, (n_labeled, n_parts); the root of the
    covariance of coefficients at unit error variance, (n_used, n_parts); and the coefficients,
    (n_features,).
    """
    used = sizes > 0.0
    weights = sample.weights
    n = len(sample.labels)

    # Features in units of the prior, and labels, less their weighted means.
    x = sample.features[:, used] * sizes[used]
    center = weights @ x / n
    x = x - center
    y = sample.labels - weights @ sample.labels / n

    weighted = x * weights[:, np.newaxis]
    precision = np.eye(x.shape[1]) + weighted.T @ x
    inverse = np.linalg.inv(precision)
    coefficients = inverse @ (weighted.T @ y)
    residuals = y - x @ coefficients

    leverage = weights * (1.0 / n + ((x @ inverse) * x).sum(axis=1))
    # Residuals of an exact fit are rounding errors; those of equal labels are zero.
    floor = np.finfo(float).eps * float(weights @ y**2) + np.finfo(float).tiny
    residual_sum = max(float((weights * y) @ residuals), floor)
    # A single label has no leave-one-out prediction, and needs none.
    apart = 1.0 - leverage
    errors = np.divide(residuals, apart, out=np.zeros(n), where=apart > 0.0)

    # The mean prediction of unlabeled items is linear in the labels.
    sums = sample.predicted_features[:, used] * sizes[used]
    off = inverse @ (sums - sample.predicted[:, np.newaxis] * center).T
    share = weights[:, np.newaxis] * (sample.predicted / n + x @ off)
    evidence = -0.5 * np.linalg.slogdet(precision)[1] - 0.5 * (n - 1.0) * np.log(residual_sum)

    means = sample.known_means + share.T @ sample.labels
    variance = float(weights @ errors**2 / n)
    slopes = np.zeros(len(sizes))
    slopes[used] = sizes[used] * coefficients
    return evidence, means, variance, errors, share, off, slopes


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
    weights, means, influence, shared, variance, errors, slopes = _regressions(sample)
    n_units, n_parts = sample.units.max() + 1, sample.parts.shape[1]
    added = np.zeros((n_units, n_parts))
    np.add.at(added, sample.units, influence)
    if sample.population is not None:
        of_labeled, of_others = sample.population.influence(slopes, sample.units)
        added += of_labeled
        shared = shared + of_others.T @ of_others
    added *= np.sqrt(n_units / (n_units - 1.0)) if n_units < len(sample.units) else 1.0
    draws = _bootstrapped(added, n_draws, rng)
    squares = (added**2).sum(axis=0)
    draws += _normal(shared + _left(sample, influence, variance, added), n_draws, rng)
    moved = (added**3).sum(axis=0) / np.where(squares > 0.0, 2.0 * squares, 1.0)
    levels = rng.random(n_draws)[:, np.newaxis]
    degrees = _degrees(sample)
    draws /= np.sqrt(special.chdtri(degrees, levels) / degrees)
    draws += moved + _unseen(sample, same, errors, n_draws, rng)
    return _of_models(weights, means, n_draws, rng) + draws


def _unseen(sample, same, errors, n_draws, rng) -> np.ndarray:
    """Draw the contribution of labels that disagree with predictions but were not observed.

    If all of n labels agree with their predictions, the share that disagrees, on either side, is
    Gamma(1) / n: below 1 - .05^(1/n), about 3 / n, with probability .95. For labels with few values
    it is Gamma(1/2) / n (Jeffreys). Where fewer labels agree, errors are observed and less is
    added. The size of an unobserved error is the difference of two labels.
    """
    labels, weights = sample.labels, sample.weights
    center = weights @ labels / len(labels)
    spread = np.sqrt(2.0 * (weights @ (labels - center) ** 2) / len(labels))
    values = np.unique(labels)
    near, size, shape = AGREES * spread / len(labels), spread, 1.0
    if 1 < len(values) <= MAX_VALUES:
        gap = np.diff(values).min()
        near, size, shape = max(near, gap / 2.0), max(spread, gap), 0.5
    agree = weights @ (same | (np.abs(errors) < near)) / len(labels)
    n_units = np.array([len(np.unique(sample.units[part])) for part in sample.parts.T])
    size = size * sample.predicted / np.maximum(n_units, 1.0)
    above, below = rng.standard_gamma(shape * agree, (2, n_draws, len(size)))
    return size * (above - below)


def _left(sample, influence, variance, added) -> np.ndarray:
    """Return the covariance of the labels of unlabeled items that regressions do not explain.

    Their errors are correlated within units and between parts, as those of labeled items are.
    """
    covariance = added.T @ added
    alone = (influence**2).sum(axis=0)
    # All items of some parts are labeled.
    scale = sample.finite * variance / np.where(alone > 0.0, alone, 1.0)
    return covariance * np.sqrt(np.outer(scale, scale))


def _of_models(weights, means, n_draws, rng) -> np.ndarray:
    """Draw models, and return their predictions of each part."""
    levels = rng.random(n_draws)
    ends = weights.cumsum(axis=0)
    columns = [
        part_means[np.minimum(np.searchsorted(end, levels), len(part_means) - 1)]
        for part_means, end in zip(means.T, ends.T, strict=True)
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
