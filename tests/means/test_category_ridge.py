"""Ridge regressions with categories are those of all columns at once, and of one label less."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.inputs._groups import Partition
from sklearn_spe.means._category_ridge import RidgeFits, model_sizes
from sklearn_spe.means._mean_input import features_of
from sklearn_spe.means._mean_sample import MeanSample

N, N_LABELED, N_CATEGORIES = 90, 24, 3


@pytest.fixture(scope="module", params=[True, False], ids=["categories", "none"])
def items(request, global_random_seed):
    """Features, labels, inclusion probabilities, the categories and units of some items."""
    rng = np.random.default_rng(global_random_seed)
    codes = rng.integers(N_CATEGORIES, size=N)
    proxy = rng.normal(size=(N, 1))
    labels = proxy[:, 0] + 0.5 * codes + rng.normal(size=N)
    y = np.where(np.arange(N) < N_LABELED, labels, np.nan)
    chances = np.where(np.arange(N) < 4, 0.6, 0.2)
    category = Partition.read(codes, "category", N) if request.param else None
    return features_of(proxy, np.arange(N_LABELED)), y, chances, category, np.arange(N)


@pytest.fixture(scope="module", params=[True, False], ids=["population", "sample"])
def sample(request, items):
    return MeanSample.of(*items, of_population=request.param)


def models_of(sample):
    """Yield the prior sizes of each model."""
    sizes = model_sizes(sample)
    for model in range(len(sizes.features)):
        yield sizes.features[model], sizes.of_category[model]


def columns(sample, features, of_category):
    """Return all columns of the labeled items, scaled, after one of ones."""
    parts = sample.parts[:, 1:].astype(float)
    of_categories = [
        parts * sample.category_features[:, [k]] * size for k, size in enumerate(of_category)
    ]
    ones = np.ones((len(sample.labels), 1))
    return np.hstack([ones, sample.features * features, *of_categories])


def sums_of_parts(sample, features, of_category):
    """Return the sums of these columns over predicted items of each part, (n_parts, n)."""
    shares = np.eye(sample.n_parts)[:, 1:] / sample.n_items[1:]
    shares[0] = 1.0 / sample.n_items[0]
    of_categories = [
        shares * sample.predicted_in_category[:, k] * size for k, size in enumerate(of_category)
    ]
    common = sample.predicted_features * features
    return np.hstack([sample.predicted[:, np.newaxis], common, *of_categories])


def test_means_and_weights_of_labels_are_those_of_all_columns(sample):
    fits = RidgeFits.of(sample, model_sizes(sample))
    of_labels = fits.label_weights()
    of_prior = fits.prior_covariance()
    for model, sizes in enumerate(models_of(sample)):
        design = columns(sample, *sizes)
        prior = np.eye(design.shape[1])
        prior[0, 0] = 0.0
        weighted = design * sample.weights[:, np.newaxis]
        inverse = np.linalg.inv(design.T @ weighted + prior)
        direction = inverse @ sums_of_parts(sample, *sizes).T

        label_weights = weighted @ direction
        assert_allclose(of_labels[model], label_weights, atol=1e-9)
        means = sample.known_means + label_weights.T @ sample.labels
        assert_allclose(fits.means[model], means, atol=1e-9)
        assert_allclose(of_prior[model], direction.T @ prior @ direction, atol=1e-9)


def test_evidence_is_that_of_all_columns(sample):
    fits = RidgeFits.of(sample, model_sizes(sample))
    differences = []
    for model, sizes in enumerate(models_of(sample)):
        # Up to a constant, -log |X'WX + P| / 2 - (n - 1) / 2 log of the sum of squares.
        design = columns(sample, *sizes)
        prior = np.eye(design.shape[1])
        prior[0, 0] = 0.0
        root = np.sqrt(sample.weights)
        precision = (design * sample.weights[:, np.newaxis]).T @ design + prior
        rows = np.vstack([design * root[:, np.newaxis], prior])
        right_side = np.concatenate([sample.labels * root, np.zeros(len(prior))])
        coefficients = np.linalg.lstsq(rows, right_side, rcond=None)[0]
        squares = np.sum((right_side - rows @ coefficients) ** 2)
        evidence = -0.5 * np.linalg.slogdet(precision)[1]
        evidence -= 0.5 * (N_LABELED - 1) * np.log(squares)
        differences.append(fits.evidence[model] - evidence)
    assert_allclose(differences, differences[0], atol=1e-8)


def test_errors_are_those_of_fits_without_the_label(sample):
    *_, sizes = models_of(sample)
    errors = RidgeFits.of(sample, model_sizes(sample)).errors[-1]
    for row in range(0, N_LABELED, 7):
        # The weights of the others stay as they are.
        others = np.arange(N_LABELED) != row
        design = columns(sample, *sizes)
        weights = sample.weights[others]
        prior = np.eye(design.shape[1])
        prior[0, 0] = 0.0
        precision = (design[others] * weights[:, np.newaxis]).T @ design[others] + prior
        right_side = design[others].T @ (weights * sample.labels[others])
        predicted = design[row] @ np.linalg.solve(precision, right_side)
        assert_allclose(errors[row], sample.labels[row] - predicted, atol=1e-8)


def test_many_categories_take_no_large_matrix(global_random_seed):
    # A thousand categories of a hundred items: their columns alone would take 1.6 GB.
    rng = np.random.default_rng(global_random_seed)
    n, n_categories, n_labeled = 100_000, 1_000, 2_000
    proxy = rng.normal(size=(n, 1))
    y = np.where(np.arange(n) < n_labeled, proxy[:, 0] + rng.normal(size=n), np.nan)
    category = Partition.read(rng.integers(n_categories, size=n), "category", n)
    features = features_of(proxy, np.arange(n_labeled))
    sample = MeanSample.of(features, y, np.full(n, 0.02), category, np.arange(n))
    assert max(np.size(value) for value in vars(sample).values()) <= 2 * n
    fit = RidgeFits.of(sample, model_sizes(sample).take(slice(-1, None)))
    widest = max(np.size(value) for value in vars(fit.system).values())
    assert widest < n_categories * n_labeled // 4
    # The mean of all items is that of the categories.
    assert_allclose(fit.means[:, 0], fit.means[:, 1:] @ sample.n_items[1:] / n, atol=1e-9)
