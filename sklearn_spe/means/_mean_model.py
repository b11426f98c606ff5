"""Samples, regressions and posterior draws of a mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
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

    def influence(
        self, slopes: np.ndarray, labeled_units: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the influence of units on the mean prediction, with and without labels.

        `slopes` (n_features, n_parts) make the predictions, and `labeled_units` (n_labeled,) are
        the numbers of the units of labeled items. Each is (n_units, n_parts).
        """
        n_items = self.parts.sum(axis=0)
        predictions = self.features @ slopes
        means = (self.parts * predictions).sum(axis=0) / n_items
        influence = self.parts * (predictions - means) / n_items

        # Summed over the items of a unit.
        units, unit_index = np.unique(self.units, return_inverse=True)
        unit_influence = np.zeros((len(units), influence.shape[1]))
        np.add.at(unit_influence, unit_index, influence)

        rows = np.zeros(labeled_units.max() + 1, dtype=int)
        rows[labeled_units] = unit_index[self.is_labeled]
        return unit_influence[rows], np.delete(unit_influence, rows, axis=0)


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
    def of(
        cls,
        blocks: Mapping[str, np.ndarray],
        labels: np.ndarray,
        chances: np.ndarray,
        category: Partition | None,
        units: np.ndarray,
        *,
        of_population: bool = False,
    ) -> MeanSample:
        """Make a sample from blocks of features, each (n_items, n_features)."""
        n = len(labels)
        known = ~np.isnan(labels)

        # Indicators of categories, and differences between their slopes.
        indicators = np.zeros((n, 0), dtype=bool)
        if category is not None:
            indicators = category.codes[:, np.newaxis] == np.arange(category.n_parts)
            blocks = {**blocks, "category": indicators.astype(float)}
            if "ranks" in blocks:
                rank = blocks["ranks"][:, [-1]]
                blocks["slope_interaction"] = indicators * rank
        features = np.column_stack([np.zeros((n, 0)), *blocks.values()])
        names = [name for name, block in blocks.items() for _ in range(block.shape[1])]

        # The parts, and the items of each whose labels are predicted.
        parts = np.column_stack([np.ones(n, dtype=bool), indicators])
        n_items = parts.sum(axis=0)
        is_predicted = parts if of_population else parts & ~known[:, np.newaxis]
        n_predicted = is_predicted.sum(axis=0)
        feature_sums = is_predicted.T.astype(float) @ features
        is_observed = ~is_predicted[known] & parts[known]
        label_sums = labels[known] @ is_observed

        # A population is infinite, and a labeled item represents itself too.
        represented = 1.0 / chances[known]
        finite = np.zeros(len(n_items))
        population = None
        if of_population:
            population = Population(features, parts, known, units)
        else:
            represented = represented - 1.0
            finite = n_predicted / n_items**2

        return cls(
            features[known],
            np.array(names, dtype=str),
            labels[known],
            represented,
            parts[known],
            n_predicted / n_items,
            feature_sums / n_items[:, np.newaxis],
            label_sums / n_items,
            finite,
            np.unique(units[known], return_inverse=True)[1],
            population,
        )

    def possible(self, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on the mean of each part, given bounds on the labels."""
        # Zero unlabeled items times an infinite bound is zero.
        has_unlabeled = self.predicted > 0.0
        lowest = np.where(has_unlabeled, low, 0.0) * self.predicted
        highest = np.where(has_unlabeled, high, 0.0) * self.predicted
        return self.known_means + lowest, self.known_means + highest

    @property
    def weights(self) -> np.ndarray:
        """Regression weights of labeled items, one on average, (n_labeled,)."""
        n_labeled = len(self.labels)
        total = self.represented.sum()
        if not total > 0.0:
            # All items are labeled: nothing is predicted.
            return np.ones(n_labeled)
        return self.represented * n_labeled / total


def _regressions(sample: MeanSample) -> tuple[np.ndarray, ...]:
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
    model_sizes = _sizes(sample.blocks)
    fits = [_ridge(sample, sizes) for sizes in model_sizes]
    evidence = np.array([fit.evidence for fit in fits])

    # Models that may predict a category let it differ; the first part is all items, which every
    # model may predict.
    of_category = sample.blocks == "category"
    offsets = np.array([sizes[of_category].max(initial=0.0) for sizes in model_sizes])
    n_parts = sample.parts.shape[1]
    may_predict = (offsets[:, np.newaxis] >= MIN_OFFSET) | (np.arange(n_parts) == 0)
    weights = _probabilities(np.where(may_predict, evidence[:, np.newaxis], -np.inf))

    influence = np.zeros(sample.parts.shape)
    shared = np.zeros((n_parts, n_parts))
    slopes = np.zeros((len(sample.blocks), n_parts))
    n_labeled = sample.parts.sum(axis=0)
    for weight, fit in zip(weights, fits, strict=True):
        if not weight.any():
            continue
        slopes += np.outer(fit.slopes, weight)

        # Few residuals may by chance be small where their weights are large.
        squares = fit.errors[:, np.newaxis] ** 2
        sums = n_labeled * squares + PRIOR_WEIGHT * fit.variance
        stds = np.sqrt(sums / (n_labeled + PRIOR_WEIGHT))
        signs = np.where(fit.errors < 0.0, -1.0, 1.0)[:, np.newaxis]
        influence += weight * fit.label_weights * signs * stds

        root = fit.covariance_root * np.sqrt(weight * fit.variance)
        shared += root.T @ root

    means = np.array([fit.means for fit in fits])
    variances = np.array([fit.variance for fit in fits])
    errors = weights[:, 0] @ np.array([fit.errors for fit in fits])
    return weights, means, influence, shared, variances @ weights, errors, slopes


def _probabilities(evidence: np.ndarray) -> np.ndarray:
    """Return the weights of models with this log evidence, (n_models, n_parts)."""
    weights = np.exp(evidence - evidence.max(axis=0))
    weights[weights < MIN_WEIGHT * weights.sum(axis=0)] = 0.0
    return weights / weights.sum(axis=0)


def _sizes(blocks: np.ndarray) -> list[np.ndarray]:
    """Return the prior standard deviations of the features in each model."""
    names = set(blocks.tolist())
    slopes: list[dict[str, float]] = [{"missingness": 0.0}]
    for proxy in ("raw", "ranks"):
        if proxy in names:
            slopes += [{proxy: size, "missingness": size} for size in SLOPES]
    block_sizes = {name: sizes for name, sizes in SIZES.items() if name in names}

    models = []
    for slope in slopes:
        for further_sizes in product(*block_sizes.values()):
            sizes = slope | dict(zip(block_sizes, further_sizes, strict=True))
            # An interaction is one of slopes and categories.
            has_both = len(slope) > 1 and sizes.get("category", 0.0) > 0.0
            if has_both or not sizes.get("slope_interaction"):
                models.append(np.array([sizes.get(name, 0.0) for name in blocks]))
    return models


class RidgeFit(NamedTuple):
    """One ridge regression, and the means that it predicts."""

    evidence: float  # log evidence, up to a constant that all models share
    means: np.ndarray  # (n_parts,)
    variance: float  # of the residuals
    errors: np.ndarray  # (n_labeled,); leave-one-out residuals
    # (n_labeled, n_parts); weight of each label in the mean prediction of unlabeled items
    label_weights: np.ndarray
    # (n_used, n_parts); root of the covariance of coefficients at unit error variance
    covariance_root: np.ndarray
    slopes: np.ndarray  # (n_features,); coefficients


def _ridge(sample: MeanSample, sizes: np.ndarray) -> RidgeFit:
    """Fit one ridge regression with these prior standard deviations of the coefficients."""
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

    # Residuals of an exact fit are rounding errors; those of equal labels are zero.
    floating = np.finfo(float)
    floor = floating.eps * float(weights @ y**2) + floating.tiny
    residual_sum = max(float((weights * y) @ residuals), floor)
    log_determinant = np.linalg.slogdet(precision)[1]
    evidence = -0.5 * log_determinant - 0.5 * (n - 1.0) * np.log(residual_sum)

    # A single label has no leave-one-out prediction, and needs none.
    quadratic = ((x @ inverse) * x).sum(axis=1)
    leverage = weights * (1.0 / n + quadratic)
    divisor = 1.0 - leverage
    errors = np.divide(residuals, divisor, out=np.zeros(n), where=divisor > 0.0)

    # The mean prediction of unlabeled items is linear in the labels.
    sums = sample.predicted_features[:, used] * sizes[used]
    centered_sums = sums - sample.predicted[:, np.newaxis] * center
    root = inverse @ centered_sums.T
    label_weights = weights[:, np.newaxis] * (sample.predicted / n + x @ root)
    means = sample.known_means + label_weights.T @ sample.labels

    variance = float(weights @ errors**2 / n)
    slopes = np.zeros(len(sizes))
    slopes[used] = sizes[used] * coefficients
    return RidgeFit(evidence, means, variance, errors, label_weights, root, slopes)


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
    weights, means, influence, shared, variance, errors, slopes = _regressions(sample)

    # The influence of units: items that belong together.
    n_units = sample.units.max() + 1
    n_parts = sample.parts.shape[1]
    unit_influence = np.zeros((n_units, n_parts))
    np.add.at(unit_influence, sample.units, influence)
    if sample.population is not None:
        of_labeled, of_unlabeled = sample.population.influence(slopes, sample.units)
        unit_influence += of_labeled
        shared = shared + of_unlabeled.T @ of_unlabeled
    if n_units < len(sample.units):
        unit_influence *= np.sqrt(n_units / (n_units - 1.0))

    # The errors of the mean, with the shift for skewed labels.
    draws = _bootstrapped(unit_influence, n_draws, rng)
    unexplained = _unexplained(sample, influence, variance, unit_influence)
    draws += _normal(shared + unexplained, n_draws, rng)
    squares = (unit_influence**2).sum(axis=0)
    cubes = (unit_influence**3).sum(axis=0)
    shift = cubes / np.where(squares > 0.0, 2.0 * squares, 1.0)

    # Student's t, with the degrees of freedom of each part.
    levels = rng.random(n_draws)[:, np.newaxis]
    degrees = _degrees(sample)
    chi_square = special.chdtri(degrees, levels)
    draws /= np.sqrt(chi_square / degrees)
    draws += shift + _unobserved(sample, same, errors, n_draws, rng)
    return _of_models(weights, means, n_draws, rng) + draws


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
