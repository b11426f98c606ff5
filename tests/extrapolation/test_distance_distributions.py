"""Distances of normal points, and integrals over them, against other formulas and finer nodes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.extrapolation import BivariateNormalClasses, GaussianClasses, _recognition_truth
from sklearn_spe.extrapolation._recognition_truth import (
    DistanceGrid,
    distance_density,
    distance_ends,
    nearest_centroid_distribution,
    nearest_of_several_distribution,
)

COUNTS = np.array([1, 2, 10, 1000, 10**6])


@pytest.mark.parametrize("n_features", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("offset", [0.01, 1.0, 30.0])
def test_density_of_a_distance_is_noncentral_chi(n_features, offset):
    scale = 0.7
    center = np.hypot(offset, scale * np.sqrt(n_features))
    distances = np.maximum(center + scale * np.linspace(-4.0, 4.0, 9), 1e-3)
    squares = (distances / scale) ** 2
    expected = (
        stats.ncx2.pdf(squares, n_features, (offset / scale) ** 2) * 2.0 * squares / distances
    )
    density = distance_density(distances, offset, scale, n_features)
    assert_allclose(density, expected, rtol=1e-8, atol=1e-30)


def test_density_on_a_line_is_that_of_a_folded_normal():
    distances = np.array([1e-12, 0.1, 1.0, 5.0, 50.0])
    for offset in (0.0, 0.3, 45.0):
        expected = stats.norm.pdf(distances, offset) + stats.norm.pdf(distances, -offset)
        assert_allclose(distance_density(distances, offset, 1.0, 1), expected, rtol=1e-12)


def test_the_formula_for_many_features_joins_that_for_few(monkeypatch):
    n_features = 250
    distances = np.linspace(5.0, 60.0, 50)
    offsets = np.array([0.0, 1.0, 20.0, 50.0])[:, np.newaxis]
    few = distance_density(distances, offsets, 1.0, n_features)
    monkeypatch.setattr(_recognition_truth, "_LARGE_ORDER", 10.0)
    assert_allclose(distance_density(distances, offsets, 1.0, n_features), few, rtol=1e-9)


@pytest.mark.parametrize("n_features", [1, 10, 1000])
def test_ends_leave_out_what_was_asked_for(n_features):
    lower, upper = distance_ends(n_features, 1e-9)
    assert_allclose(stats.chi(n_features).cdf(lower), 1e-9, rtol=1e-8)
    assert_allclose(stats.chi(n_features).sf(upper), 1e-9, rtol=1e-8)


@pytest.mark.parametrize("n_features", [1, 4, 400])
def test_running_integrals_keep_their_digits_in_the_tail(n_features):
    lower, upper = distance_ends(n_features, 1e-20)
    grid = DistanceGrid.between(2.0 * lower, 2.0 * upper, 2.0, 0.35)
    density = distance_density(grid.distances, 0.0, 2.0, n_features)
    expected = special.gammainc(0.5 * n_features, 0.125 * grid.distances**2)
    counted = expected > 1e-10
    integral = grid.running_integral(density)
    assert_allclose(integral[counted], expected[counted], rtol=1e-9)
    assert_allclose(np.sum(grid.weights * density), 1.0, rtol=1e-9)


def test_rows_of_a_grid_have_ends_of_their_own():
    grid = DistanceGrid.between([0.1, 1.0], [2.0, 5.0], 1.0, 0.5)
    for row, (lower, upper) in enumerate([(0.1, 2.0), (1.0, 5.0)]):
        distances = grid.distances[row]
        assert (np.diff(distances) > 0.0).all()
        assert lower < distances[0] < distances[-1] < upper
    # Of 1 / r, the integral is the logarithm.
    integral = grid.running_integral(1.0 / grid.distances)
    expected = np.log(grid.distances / np.array([[0.1], [1.0]]))
    assert_allclose(integral, expected, rtol=1e-9)


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
        lambda: GaussianClasses(n_features=2000, noise=4.0),
        *(
            pytest.param(make, marks=pytest.mark.slow)
            for make in (
                lambda: BivariateNormalClasses(0.1),
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
