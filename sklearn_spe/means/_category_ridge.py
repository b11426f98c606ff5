r"""Ridge regressions with separate coefficients for each category, and predicted means.

The precision of the coefficients, at unit error variance, is

.. math:: A = \begin{pmatrix} D^\top W D + P & C^\top \\ C & E \end{pmatrix}

of the intercept and the common features D, with a flat prior of the intercept and a standard normal
one of the others (P), and of the coefficients of categories. These are independent given the common
ones: E has one small block for each category, so a regression of a thousand categories takes
no matrix larger than the common features.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import sparse

from ._mean_sample import MeanSample

# Prior standard deviations of coefficients, in standard deviations of the residuals; selected by
# their evidence: of the slope, of the basis functions, of the mean of a category and of its slope.
SLOPES = (0.3, 1.0, 3.0, 10.0)
BASIS = (0.0, 0.5, 2.0)
CATEGORY = (0.0, 0.3, 1.0, 3.0)
CATEGORY_SLOPE = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class ModelSizes:
    """Prior standard deviations of the coefficients of models."""

    features: np.ndarray  # (n_models, n_features)
    of_category: np.ndarray  # (n_models, n_category_features), of one category; none without

    def take(self, models: slice) -> ModelSizes:
        return ModelSizes(self.features[models], self.of_category[models])


def model_sizes(sample: MeanSample) -> ModelSizes:
    """Return the prior standard deviations of each model."""
    names = set(sample.blocks.tolist())
    slopes: list[dict[str, float]] = [{"missingness": 0.0}]
    for proxy in ("raw", "ranks"):
        if proxy in names:
            slopes += [{proxy: size, "missingness": size} for size in SLOPES]
    has_categories = sample.n_parts > 1
    basis = BASIS if "basis" in names else (0.0,)
    category = CATEGORY if has_categories else (0.0,)
    category_slope = CATEGORY_SLOPE if has_categories and "ranks" in names else (0.0,)

    features = []
    of_categories = []
    for of_slope, *further in product(slopes, basis, category, category_slope):
        of_basis, of_category, of_category_slope = further
        # The slope of a category deviates from a common one.
        has_both = len(of_slope) > 1 and of_category > 0.0
        if of_category_slope and not has_both:
            continue
        sizes = of_slope | {"basis": of_basis}
        features.append([sizes.get(name, 0.0) for name in sample.blocks])
        of_categories.append([of_category, of_category_slope])
    n_features = sample.category_features.shape[1] if has_categories else 0
    return ModelSizes(np.array(features), np.array(of_categories)[:, :n_features])


@dataclass(frozen=True, eq=False)
class RidgeFits:
    """Ridge regressions of several models, and the means that they predict."""

    sample: MeanSample
    evidence: np.ndarray  # (n_models,), log evidence, up to a constant that all models share
    variance: np.ndarray  # (n_models,), of the residuals
    errors: np.ndarray  # (n_models, n_labeled); leave-one-out residuals
    means: np.ndarray  # (n_models, n_parts)
    slopes: np.ndarray  # (n_models, n_features); common coefficients
    category_slopes: np.ndarray  # (n_models, n_categories, n_category_features)
    system: RidgeSystem

    @classmethod
    def of(cls, sample: MeanSample, sizes: ModelSizes) -> RidgeFits:
        """Fit regressions with these prior standard deviations of the coefficients."""
        system = RidgeSystem.of(sample, sizes)
        weights = sample.weights
        n = len(sample.labels)
        mean = weights @ sample.labels / n
        y = sample.labels - mean
        common, of_categories = system.solve(weights * y)
        residuals = y - system.predict(common, of_categories)

        # Residuals of an exact fit are rounding errors; those of equal labels are zero.
        floating = np.finfo(float)
        floor = floating.eps * float(weights @ y**2) + floating.tiny
        residual_sum = np.maximum(residuals @ (weights * y), floor)
        evidence = -0.5 * system.log_det - 0.5 * (n - 1.0) * np.log(residual_sum)

        # A single label has no leave-one-out prediction, and needs none.
        divisor = 1.0 - weights * system.quadratic
        errors = np.divide(residuals, divisor, out=np.zeros(divisor.shape), where=divisor > 0.0)
        variance = errors**2 @ weights / n

        # The coefficients in units of the features; those of categories that items have.
        slopes = common[:, 1:] * sizes.features
        n_categories, n_features = sample.predicted_in_category.shape
        category_slopes = np.zeros((len(slopes), n_categories, n_features))
        n_used = sizes.of_category.shape[1]
        category_slopes[:, :, :n_used] = (
            sizes.of_category[:, np.newaxis] * of_categories[:, :n_categories]
        )

        # The mean predictions, of all items and of each category.
        intercept = mean + common[:, [0]]
        means = sample.known_means + sample.predicted * intercept
        means += slopes @ sample.predicted_features.T
        of_categories_sums = (sample.predicted_in_category * category_slopes).sum(axis=2)
        means[:, 0] += of_categories_sums.sum(axis=1) / sample.n_items[0]
        means[:, 1:] += of_categories_sums / sample.n_items[1:]
        return cls(sample, evidence, variance, errors, means, slopes, category_slopes, system)

    def label_weights(self) -> np.ndarray:
        """Return the weight of labels in predicted means, (n_models, n_labeled, n_parts)."""
        system = self.system
        label_weights = system.remainder @ system.directions
        label_weights[:, :, 0] += system.at_rows(system.all_items)
        rows = np.arange(len(self.sample.labels))
        if self.sample.n_parts > 1:
            label_weights[:, rows, 1 + self.sample.category] += system.at_rows(system.own_category)
        return self.sample.weights[:, np.newaxis] * label_weights

    def prior_covariance(self) -> np.ndarray:
        r"""Return the part of the prior in the covariance of the means, at unit error variance.

        With the sums of features S of the parts that is :math:`S A^{-1} P A^{-1} S^\top`, for each
        model.
        """
        system = self.system
        directions = system.directions
        implied = system.implied
        of_common = np.einsum("mjqa,mjqb->mab", implied, implied)
        features = np.arange(1, of_common.shape[1])
        of_common[:, features, features] += 1.0

        # Coefficients of a category follow the common ones, and have a direction of their own.
        crossed = np.zeros_like(directions)
        crossed[:, :, 0] = np.einsum("mjqa,mjq->ma", implied, system.all_items)
        n_parts = self.sample.n_parts
        squares = np.zeros((len(directions), n_parts, n_parts))
        squares[:, 0, 0] = np.sum(system.all_items**2, axis=(1, 2))
        if n_parts > 1:
            crossed[:, :, 1:] = np.einsum("mjqa,mjq->maj", implied, system.own_category)
            with_all = np.sum(system.all_items * system.own_category, axis=2)
            squares[:, 0, 1:] = squares[:, 1:, 0] = with_all
            categories = np.arange(1, n_parts)
            squares[:, categories, categories] = np.sum(system.own_category**2, axis=2)
        transposed = directions.swapaxes(1, 2)
        mixed = transposed @ crossed
        return transposed @ of_common @ directions - mixed - mixed.swapaxes(1, 2) + squares


@dataclass(frozen=True, eq=False)
class RidgeSystem:
    """The linear equations of regressions, with categories eliminated."""

    common: np.ndarray  # (n_models, n_labeled, n_common); one, and the common features, scaled
    of_category: np.ndarray  # (n_models, n_labeled, n_used); those that categories have, scaled
    category: np.ndarray  # (n_labeled,), of int
    rows: sparse.csr_array  # (n_categories, n_labeled), indicators of the category
    inverses: np.ndarray  # (n_models, n_categories, n_used, n_used); of the blocks of E
    implied: np.ndarray  # (n_models, n_categories, n_used, n_common); E^-1 C
    inverse: np.ndarray  # (n_models, n_common, n_common); of the curvature without categories
    # (n_models, n_labeled, n_common); what categories leave of the common features
    remainder: np.ndarray
    log_det: np.ndarray  # (n_models,), of A, up to a constant
    # A^-1 times the sums of features of the parts: (n_models, n_common, n_parts), of the common
    # ones, and of categories, less what follows from these: (n_models, n_categories, n_used).
    directions: np.ndarray
    all_items: np.ndarray
    own_category: np.ndarray

    @classmethod
    def of(cls, sample: MeanSample, sizes: ModelSizes) -> RidgeSystem:
        """Eliminate the coefficients of categories."""
        n_models, n_used = sizes.of_category.shape
        scale = sizes.features[:, np.newaxis]
        ones = np.ones((n_models, len(sample.labels), 1))
        common = np.concatenate([ones, sample.features * scale], axis=2)
        category_scale = sizes.of_category[:, np.newaxis]
        of_category = sample.category_features[:, :n_used] * category_scale
        category = sample.category

        # The blocks of A.
        weights = sample.weights[:, np.newaxis]
        rows = sample.rows_of_category
        blocks = np.eye(n_used) + _sums_of_products(rows, weights * of_category, of_category)
        cross = _sums_of_products(rows, weights * of_category, common)
        curvature = (common * weights).swapaxes(1, 2) @ common
        features = np.arange(1, curvature.shape[1])
        curvature[:, features, features] += 1.0

        # Without categories.
        inverses = np.linalg.inv(blocks)
        implied = inverses @ cross
        curvature -= np.einsum("mjqa,mjqb->mab", cross, implied)
        inverse = np.linalg.inv(curvature)
        followed = np.zeros(common.shape)
        for feature in range(n_used):
            followed += of_category[:, :, [feature]] * implied[:, category, feature]
        log_det = np.linalg.slogdet(curvature)[1] + np.linalg.slogdet(blocks)[1].sum(axis=1)

        # The sums of the parts.
        of_parts = np.broadcast_to(sample.predicted, (n_models, 1, sample.n_parts))
        features_of_parts = sample.predicted_features.T * sizes.features[:, :, np.newaxis]
        sums = np.concatenate([of_parts, features_of_parts], axis=1)
        all_items = own_category = np.zeros((n_models, rows.shape[0], n_used))
        if sample.n_parts > 1:
            category_sums = sample.predicted_in_category[:, :n_used] * category_scale
            solved = (inverses @ category_sums[:, :, :, np.newaxis])[:, :, :, 0]
            all_items = solved / sample.n_items[0]
            own_category = solved / sample.n_items[1:, np.newaxis]
            of_implied = np.einsum("mjqa,mjq->maj", implied, category_sums)
            sums[:, :, 0] -= of_implied.sum(axis=2) / sample.n_items[0]
            sums[:, :, 1:] -= of_implied / sample.n_items[1:]
        return cls(
            common,
            of_category,
            category,
            rows,
            inverses,
            implied,
            inverse,
            common - followed,
            log_det,
            inverse @ sums,
            all_items,
            own_category,
        )

    def solve(self, weighted_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the common coefficients, and those of each category."""
        right_side = self.remainder.swapaxes(1, 2) @ weighted_labels
        common = (self.inverse @ right_side[:, :, np.newaxis])[:, :, 0]
        ones = np.ones((*self.of_category.shape[:2], 1))
        sums = _sums_of_products(self.rows, weighted_labels[:, np.newaxis] * self.of_category, ones)
        of_categories = (self.inverses @ sums)[:, :, :, 0]
        return common, of_categories - np.einsum("mjqa,ma->mjq", self.implied, common)

    def predict(self, common: np.ndarray, of_categories: np.ndarray) -> np.ndarray:
        """Return the predictions of the labels, (n_models, n_labeled)."""
        of_common = (self.common @ common[:, :, np.newaxis])[:, :, 0]
        return of_common + self.at_rows(of_categories)

    def at_rows(self, of_categories: np.ndarray) -> np.ndarray:
        """Return what coefficients of categories add at labeled items, (n_models, n_labeled)."""
        return (self.of_category * of_categories[:, self.category]).sum(axis=2)

    @property
    def quadratic(self) -> np.ndarray:
        """The features of labeled items, squared by the inverse of A, (n_models, n_labeled)."""
        of_common = ((self.remainder @ self.inverse) * self.remainder).sum(axis=2)
        inverses = self.inverses[:, self.category]
        scaled = (self.of_category[:, :, np.newaxis] @ inverses)[:, :, 0]
        return of_common + (scaled * self.of_category).sum(axis=2)


def _sums_of_products(rows: sparse.csr_array, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return sums over the rows of each category of products, (n_models, n, n_left, n_right)."""
    n_models, n_labeled, n_left = left.shape
    shape = n_models, rows.shape[0], n_left, right.shape[2]
    if not n_left:
        return np.zeros(shape)
    products = left[:, :, :, np.newaxis] * right[:, :, np.newaxis]
    sums = rows @ np.moveaxis(products, 0, 1).reshape(n_labeled, -1)
    return np.moveaxis(sums.reshape(shape[1], n_models, *shape[2:]), 0, 1)
