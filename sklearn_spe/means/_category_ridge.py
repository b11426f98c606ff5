r"""Ridge regressions with separate coefficients for each category, and predicted means.

The precision of the coefficients, at unit error variance, is

.. math:: A = \begin{pmatrix} D^\top W D + P & C^\top \\ C & E \end{pmatrix}

of the intercept and the common features D, with a flat prior of the intercept and a standard normal
one of the others (P), and of the coefficients of categories. These are independent given the common
ones: E has one small block for each category, so that a regression of a thousand categories takes
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
    """Prior standard deviations of the coefficients of one regression."""

    features: np.ndarray  # (n_features,)
    category: float
    category_slope: float

    @property
    def of_category(self) -> np.ndarray:
        """Prior standard deviations of the coefficients of one category, without zeros."""
        sizes = np.array([self.category, self.category_slope])
        return sizes[sizes > 0.0]


def model_sizes(sample: MeanSample) -> list[ModelSizes]:
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

    models = []
    for of_slope, *further in product(slopes, basis, category, category_slope):
        of_basis, of_category, of_category_slope = further
        # The slope of a category deviates from a common one.
        has_both = len(of_slope) > 1 and of_category > 0.0
        if of_category_slope and not has_both:
            continue
        sizes = of_slope | {"basis": of_basis}
        features = np.array([sizes.get(name, 0.0) for name in sample.blocks])
        models.append(ModelSizes(features, of_category, of_category_slope))
    return models


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """One ridge regression, and the means that it predicts."""

    sample: MeanSample
    evidence: float  # log evidence, up to a constant that all models share
    variance: float  # of the residuals
    errors: np.ndarray  # (n_labeled,); leave-one-out residuals
    means: np.ndarray  # (n_parts,)
    slopes: np.ndarray  # (n_features,); common coefficients
    category_slopes: np.ndarray  # (n_categories, n_category_features)
    system: RidgeSystem

    @classmethod
    def of(cls, sample: MeanSample, sizes: ModelSizes) -> RidgeFit:
        """Fit one regression with these prior standard deviations of the coefficients."""
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
        residual_sum = max(float((weights * y) @ residuals), floor)
        evidence = -0.5 * system.log_det - 0.5 * (n - 1.0) * np.log(residual_sum)

        # A single label has no leave-one-out prediction, and needs none.
        divisor = 1.0 - weights * system.quadratic
        errors = np.divide(residuals, divisor, out=np.zeros(n), where=divisor > 0.0)
        variance = float(weights @ errors**2 / n)

        # The coefficients in units of the features.
        slopes = np.zeros(len(sizes.features))
        slopes[sizes.features > 0.0] = common[1:]
        slopes *= sizes.features
        category_slopes = np.zeros_like(sample.predicted_in_category)
        n_used = len(sizes.of_category)
        if len(category_slopes):
            category_slopes[:, :n_used] = sizes.of_category * of_categories

        # The mean predictions, of all items and of each category.
        intercept = mean + common[0]
        means = sample.known_means + sample.predicted * intercept
        means += sample.predicted_features @ slopes
        of_categories_sums = (sample.predicted_in_category * category_slopes).sum(axis=1)
        means[0] += of_categories_sums.sum() / sample.n_items[0]
        means[1:] += of_categories_sums / sample.n_items[1:]
        return cls(sample, evidence, variance, errors, means, slopes, category_slopes, system)

    def label_weights(self) -> np.ndarray:
        """Return the weight of each label in the predicted means, (n_labeled, n_parts)."""
        system = self.system
        label_weights = system.remainder @ system.directions
        label_weights[:, 0] += system.at_rows(system.all_items)
        rows = np.arange(len(self.sample.labels))
        if len(system.own_category):
            label_weights[rows, 1 + self.sample.category] += system.at_rows(system.own_category)
        return self.sample.weights[:, np.newaxis] * label_weights

    def prior_covariance(self) -> np.ndarray:
        r"""Return the part of the prior in the covariance of the means, at unit error variance.

        With the sums of features S of the parts that is :math:`S A^{-1} P A^{-1} S^\top`.
        """
        system = self.system
        directions = system.directions
        implied = system.implied
        of_common = np.einsum("jqa,jqb->ab", implied, implied)
        of_common[np.arange(1, len(of_common)), np.arange(1, len(of_common))] += 1.0

        # Coefficients of a category follow the common ones, and have a direction of their own.
        crossed = np.zeros_like(directions)
        crossed[:, 0] = np.einsum("jqa,jq->a", implied, system.all_items)
        squares = np.zeros((self.sample.n_parts, self.sample.n_parts))
        squares[0, 0] = np.sum(system.all_items**2)
        if len(system.own_category):
            crossed[:, 1:] = np.einsum("jqa,jq->aj", implied, system.own_category)
            squares[0, 1:] = squares[1:, 0] = np.sum(system.all_items * system.own_category, axis=1)
            categories = np.arange(1, self.sample.n_parts)
            squares[categories, categories] = np.sum(system.own_category**2, axis=1)
        mixed = directions.T @ crossed
        return directions.T @ of_common @ directions - mixed - mixed.T + squares


@dataclass(frozen=True, eq=False)
class RidgeSystem:
    """The linear equations of one regression, with categories eliminated."""

    common: np.ndarray  # (n_labeled, n_common); one, and the common features, scaled
    of_category: np.ndarray  # (n_labeled, n_used); those that categories have, scaled
    category: np.ndarray  # (n_labeled,), of int
    rows: sparse.csr_array  # (n_categories, n_labeled), indicators of the category
    inverses: np.ndarray  # (n_categories, n_used, n_used); of the blocks of E
    implied: np.ndarray  # (n_categories, n_used, n_common); E^-1 C
    inverse: np.ndarray  # (n_common, n_common); of the curvature without categories
    remainder: np.ndarray  # (n_labeled, n_common); what categories leave of the common features
    log_det: float  # of A, up to a constant
    # A^-1 times the sums of features of the parts: (n_common, n_parts), of the common ones, and of
    # categories, less what follows from these: (n_categories, n_used).
    directions: np.ndarray
    all_items: np.ndarray
    own_category: np.ndarray

    @classmethod
    def of(cls, sample: MeanSample, sizes: ModelSizes) -> RidgeSystem:
        """Eliminate the coefficients of categories."""
        is_used = sizes.features > 0.0
        scale = sizes.features[is_used]
        ones = np.ones((len(sample.labels), 1))
        common = np.hstack([ones, sample.features[:, is_used] * scale])
        n_used = len(sizes.of_category)
        of_category = sample.category_features[:, :n_used] * sizes.of_category
        category = sample.category

        # The blocks of A.
        weighted = sample.weights[:, np.newaxis] * of_category
        rows = sample.rows_of_category
        blocks = np.eye(n_used) + _sums_of_products(rows, weighted, of_category)
        cross = _sums_of_products(rows, weighted, common)
        curvature = (common * sample.weights[:, np.newaxis]).T @ common
        features = np.arange(1, len(curvature))
        curvature[features, features] += 1.0

        # Without categories.
        inverses = np.linalg.inv(blocks)
        implied = inverses @ cross
        curvature -= np.einsum("jqa,jqb->ab", cross, implied)
        inverse = np.linalg.inv(curvature)
        followed = (of_category[:, :, np.newaxis] * implied[category]).sum(axis=1)
        log_det = np.linalg.slogdet(curvature)[1] + np.linalg.slogdet(blocks)[1].sum()

        # The sums of the parts.
        sums = np.hstack(
            [sample.predicted[:, np.newaxis], sample.predicted_features[:, is_used] * scale]
        ).T
        category_sums = sample.predicted_in_category[:, :n_used] * sizes.of_category
        solved = (inverses[: len(category_sums)] @ category_sums[:, :, np.newaxis])[:, :, 0]
        all_items = solved / sample.n_items[0]
        own_category = solved / sample.n_items[1:, np.newaxis]
        if len(category_sums):
            of_implied = np.einsum("jqa,jq->aj", implied, category_sums)
            sums[:, 0] -= of_implied.sum(axis=1) / sample.n_items[0]
            sums[:, 1:] -= of_implied / sample.n_items[1:]
        else:
            all_items = np.zeros((rows.shape[0], n_used))
        return cls(
            common,
            of_category,
            category,
            rows,
            inverses,
            implied,
            inverse,
            common - followed,
            float(log_det),
            inverse @ sums,
            all_items,
            own_category,
        )

    def solve(self, weighted_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the common coefficients, and those of each category."""
        common = self.inverse @ (self.remainder.T @ weighted_labels)
        sums = self.rows @ (weighted_labels[:, np.newaxis] * self.of_category)
        of_categories = (self.inverses @ sums[:, :, np.newaxis])[:, :, 0]
        return common, of_categories - self.implied @ common

    def predict(self, common: np.ndarray, of_categories: np.ndarray) -> np.ndarray:
        """Return the predictions of the labels, (n_labeled,)."""
        return self.common @ common + self.at_rows(of_categories)

    def at_rows(self, of_categories: np.ndarray) -> np.ndarray:
        """Return what coefficients of categories add at each labeled item, (n_labeled,)."""
        return (self.of_category * of_categories[self.category]).sum(axis=1)

    @property
    def quadratic(self) -> np.ndarray:
        """The features of each labeled item, squared by the inverse of A, (n_labeled,)."""
        of_common = ((self.remainder @ self.inverse) * self.remainder).sum(axis=1)
        scaled = (self.of_category[:, np.newaxis] @ self.inverses[self.category])[:, 0]
        return of_common + (scaled * self.of_category).sum(axis=1)


def _sums_of_products(rows: sparse.csr_array, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return sums over the rows of each category of products, (n, n_left, n_right)."""
    products = left[:, :, np.newaxis] * right[:, np.newaxis]
    sums = rows @ products.reshape(len(left), -1)
    return sums.reshape(rows.shape[0], left.shape[1], right.shape[1])
