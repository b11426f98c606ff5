"""Distances of normal points, and integrals over them, against other formulas and finer nodes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.extrapolation import BivariateNormalClasses, GaussianClasses, _recognition_truth
from sklearn_spe.extrapolation._recognition_truth import (
    DistanceGrid,
    distance_cdf,
    distance_density,
    distance_ends,
    nearest_centroid_distribution,
    nearest_of_several_distribution,
)

COUNTS = np.array([1, 2, 10, 1000, 10**6])


def test_density_on_a_line_is_that_of_a_folded_normal():
    distances = np.array([1e-12, 0.1, 1.0, 5.0, 50.0])
    for offset in (0.0, 0.3, 45.0):
        expected = stats.norm.pdf(distances, offset) + stats.norm.pdf(distances, -offset)
        assert_allclose(distance_density(distances, offset, 1.0, 1), expected, rtol=1e-12)


def test_density_in_space_is_a_difference_of_normal_ones():
    # Over a sphere, exp(r m cos) has the mean sinh(r m) / (r m).
    distances = np.array([0.1, 1.0, 5.0, 20.0])
    for offset in (0.3, 4.0, 18.0):
        difference = stats.norm.pdf(distances, offset) - stats.norm.pdf(distances, -offset)
        density = 0.7 * distance_density(0.7 * distances, 0.7 * offset, 0.7, 3)
        assert_allclose(density, distances / offset * difference, rtol=1e-9, atol=1e-60)


@pytest.mark.parametrize("n_features", [1, 4, 400])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_the_density_is_the_slope_of_the_distribution(n_features, offset):
    lower, upper = distance_ends(n_features, 1e-20)
    middle = 2.0 * np.hypot(offset, np.sqrt(n_features))
    for first, last in ((2.0 * lower, middle), (middle, 2.0 * (upper + offset))):
        grid = DistanceGrid.between(first, last, 2.0, 0.35)
        density = distance_density(grid.distances, 2.0 * offset, 2.0, n_features)
        below, above = distance_cdf([first, last], 2.0 * offset, 2.0, n_features)
        assert_allclose(np.sum(grid.weights * density), above - below, rtol=1e-9)


@pytest.mark.slow
def test_one_training_point_is_the_nearest_of_one():
    n_features, noise = 2, 0.5
    variance = 1.0 + noise**2
    centroid = nearest_centroid_distribution(n_features, variance, variance, 1.0)
    several = nearest_of_several_distribution(n_features, noise, 1)
    assert_allclose(several.moments(COUNTS - 1), centroid.moments(COUNTS - 1), rtol=1e-9)
    u = np.linspace(0.0, 1.0, 50)
    assert_allclose(several.cdf(u), centroid.cdf(u), atol=2e-8)


@pytest.mark.parametrize(
    "make",
    [
        lambda: BivariateNormalClasses(0.99),
        lambda: GaussianClasses(),
        lambda: GaussianClasses(n_features=100, noise=1.0),
        *(
            pytest.param(make, marks=pytest.mark.slow)
            for make in (
                lambda: BivariateNormalClasses(0.3),
                lambda: GaussianClasses(n_features=3, noise=1.0, n_train=50),
            )
        ),
    ],
    ids=["on a line", "in space", "in many dimensions", "badly told apart", "nearest of many"],
)
def test_finer_nodes_change_nothing_that_is_promised(make, monkeypatch):
    u = np.concatenate([np.linspace(0.0, 1.0, 100), 1.0 - np.logspace(-3, -12, 20)])
    task = make()
    accuracy, distribution = task.accuracy(COUNTS), task.distribution(u)
    monkeypatch.setattr(_recognition_truth, "_FINE", 0.28)
    monkeypatch.setattr(_recognition_truth, "_COARSE", 1.5)
    monkeypatch.setattr(_recognition_truth, "_N_POINTS", 200)
    finer = make()
    assert_allclose(finer.accuracy(COUNTS), accuracy, rtol=1e-9)
    assert_allclose(finer.distribution(u), distribution, atol=5e-8)


def test_classes_without_any_noise_to_speak_of_are_always_distinguished():
    task = GaussianClasses(n_features=3000, noise=1e-3)
    assert_allclose(task.accuracy(COUNTS), 1.0, rtol=1e-9)
    assert_allclose(task.distribution([0.0, 0.5, 1.0 - 1e-15, 1.0]), [0.0, 0.0, 0.0, 1.0])
