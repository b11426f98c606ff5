"""Normal classes with a nearest-point rule: the distribution of the conditional accuracy.

Distances are from the test point, and everything depends on its distance from the mean of all
classes. Given this, the distance from a wrong class is the root of a noncentral chi-square
variable, and so is the distance from the true class, whose position given the test point is normal,
too.

All integrals are by quadrature, at nodes that leave out less than 1e-17 of each distribution.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from .._arrays import row_tiles
from ._conditional_accuracy import TrueDistribution
from ._distance_density import distance_density, distance_ends
from ._distance_grid import DistanceGrid, legendre_rule

__all__ = ["nearest_centroid_distribution", "nearest_of_several_distribution"]

_TAIL = 1e-18
_N_POINTS = 160
# Widths of panels, in standard deviations: where the distribution of the conditional accuracy is
# interpolated, and where a smooth function is only integrated.
_FINE, _COARSE = 0.35, 2.0


def nearest_centroid_distribution(
    n_features: int, point_variance: float, centroid_variance: float, covariance: float
) -> TrueDistribution:
    """Return the distribution if each class has one centroid, and the nearest wins."""
    radii, point_weights = _test_points(n_features, point_variance)
    # Given the test point, the mean of its true centroid is a share of the way towards it.
    offsets = (1.0 - covariance / point_variance) * radii
    true_scale = math.sqrt(centroid_variance - covariance**2 / point_variance)
    lower, upper = distance_ends(n_features, _TAIL)
    grid = DistanceGrid.between(
        np.maximum(offsets - upper * true_scale, lower * true_scale),
        offsets + upper * true_scale,
        true_scale,
        _FINE,
    )
    wrong_scale = math.sqrt(centroid_variance)
    true = distance_density(grid.distances, offsets[:, np.newaxis], true_scale, n_features)
    wrong = distance_density(grid.distances, radii[:, np.newaxis], wrong_scale, n_features)
    return TrueDistribution(
        point_weights=point_weights,
        node_weights=grid.weights,
        true_density=true,
        true_cdf=grid.running_integral(true),
        wrong_density=wrong,
        wrong_cdf=grid.running_integral(wrong),
    )


def nearest_of_several_distribution(
    n_features: int, noise: float, n_train: int
) -> TrueDistribution:
    """Return the distribution if each class has several points, and the nearest of all wins.

    The means of classes are standard normal. Given the distance of a class mean from the test
    point, the distances of its training points are independent: the distribution of the smallest is
    known, and is integrated over that of the distance, which differs between wrong classes and the
    true class.
    """
    point_variance = 1.0 + noise**2
    radii, point_weights = _test_points(n_features, point_variance)
    true_offsets = noise**2 / point_variance * radii
    true_scale = noise / math.sqrt(point_variance)
    lower, upper = distance_ends(n_features, _TAIL)
    farthest_true = true_offsets[-1] + upper * true_scale
    farthest = farthest_true + upper * noise
    nearest = math.hypot(true_scale, noise) * distance_ends(n_features, _TAIL / n_train)[0]
    grid = DistanceGrid.between(nearest, farthest, noise, _FINE)
    # Means that are farther away have no training point within the grid.
    means = DistanceGrid.between(
        lower * true_scale,
        max(farthest_true, min(radii[-1] + upper, farthest + upper * noise)),
        true_scale,
        _COARSE,
    )
    true_means = distance_density(
        means.distances, true_offsets[:, np.newaxis], true_scale, n_features
    )
    wrong_means = distance_density(means.distances, radii[:, np.newaxis], 1.0, n_features)
    distributions = _nearest_of_several(
        grid,
        means.distances[0],
        [true_means * means.weights, wrong_means * means.weights],
        (n_features, noise, n_train),
    )
    (true_density, true_cdf), (wrong_density, wrong_cdf) = distributions
    return TrueDistribution(
        point_weights=point_weights,
        node_weights=grid.weights,
        true_density=true_density,
        true_cdf=true_cdf,
        wrong_density=wrong_density,
        wrong_cdf=wrong_cdf,
    )


def _test_points(n_features, variance) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances of test points from the mean of all classes, and their weights."""
    lower, upper = distance_ends(n_features, _TAIL)
    nodes, weights = legendre_rule(_N_POINTS)
    radii = lower + (upper - lower) * nodes
    weights = (upper - lower) * weights * distance_density(radii, 0.0, 1.0, n_features)
    return math.sqrt(variance) * radii, weights


def _nearest_of_several(grid, offsets, mixtures, cloud) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return density and distribution function of the nearest of several points at the nodes."""
    n_features, noise, n_train = cloud
    n_nodes = grid.distances.shape[1]
    shapes = [(len(m), n_nodes) for m in mixtures]
    results = [(np.zeros(shape), np.zeros(shape)) for shape in shapes]
    for tile in row_tiles(len(offsets), n_nodes):
        one = distance_density(grid.distances, offsets[tile, np.newaxis], noise, n_features)
        within = np.minimum(grid.running_integral(one), 1.0)
        density = n_train * one * np.exp(special.xlog1py(n_train - 1, -within))
        cdf = -np.expm1(special.xlog1py(n_train, -within))
        for mixture, (mixed_density, mixed_cdf) in zip(mixtures, results, strict=True):
            mixed_density += mixture[:, tile] @ density
            mixed_cdf += mixture[:, tile] @ cdf
    return results
