"""Distributions of the conditional accuracy of recognition tasks, by quadrature.

Normal classes with a nearest-point rule: the distribution of the conditional accuracy.

Distances are from the test point, and everything depends on its distance from the mean of all
classes. Given this, the distance from a wrong class is the root of a noncentral chi-square
variable, and so is the distance from the true class, whose position given the test point is normal,
too.

All integrals are by quadrature, at nodes that leave out less than 1e-17 of each distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from ..inputs._arrays import FrozenArrays, row_tiles

# Nodes with a smaller probability are left out of moments.
_NEGLIGIBLE = 1e-20
# Probabilities at which distances are cut: below the first for wrong classes, 1 - u is 0 or at
# least 1e-16; above the second the true class lies even more rarely.
_SURELY_FARTHER = 1e-25
_SURELY_NEARER = 1.0 - 1e-10
# From this order on Debye's expansion is accurate to 1e-9.
_LARGE_ORDER = 150.0
# Number of nodes per panel.
_ORDER = 16
_TAIL = 1e-18
_N_POINTS = 160
# Widths of panels, in standard deviations: where the distribution of the conditional accuracy is
# interpolated, and where a smooth function is only integrated.
_FINE = 0.35
_COARSE = 2.0


@dataclass(frozen=True, eq=False)
class TrueDistribution(FrozenArrays):
    """The distribution of U = 1 - W(R), with R the distance of a test point from its true class.

    Nearer classes score higher. Given the test point, W is the distribution function of its
    distance from a wrong class, and T that of its distance R from its true class; both are
    evaluated at nodes, one row per test point.
    """

    point_weights: np.ndarray  # (n_points,); weights of the test points, summing to one
    # (n_points, n_nodes) or (1, n_nodes); quadrature weights over the distance.
    node_weights: np.ndarray
    true_density: np.ndarray  # (n_points, n_nodes); the density of T
    true_cdf: np.ndarray  # (n_points, n_nodes); T
    wrong_density: np.ndarray  # (n_points, n_nodes); the density of W
    wrong_cdf: np.ndarray  # (n_points, n_nodes); W

    def moments(self, powers: npt.ArrayLike) -> np.ndarray:
        """Return E[U ** power], for an array of nonnegative powers."""
        weights, beaten = self._counted_nodes
        moments = np.empty(np.shape(powers))
        for index, power in np.ndenumerate(powers):
            # The logarithm is precise near one, where large powers need it.
            moments[index] = np.sum(weights * np.exp(special.xlog1py(power, -beaten)))
        # Normalized, so that the power of zero is exactly one.
        return np.minimum(moments / np.sum(weights), 1.0)

    def cdf(self, u: npt.ArrayLike) -> np.ndarray:
        """Return P(U <= u), for an array of numbers in [0, 1].

        U is at most u where R is at least the quantile of W at 1 - u.
        """
        log_odds = -special.logit(u)
        farther = np.zeros(np.shape(u))
        total = 0.0
        for row, weight in enumerate(self.point_weights):
            farther += weight * (1.0 - self._true_cdf_at(row, log_odds))
            total += weight
        return np.clip(farther / total, 0.0, 1.0)

    @cached_property
    def _counted_nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """The probability of each node, and that a wrong class is nearer there."""
        weights = self.point_weights[:, np.newaxis] * self.node_weights * self.true_density
        counted = weights > _NEGLIGIBLE
        # Quadrature may exceed one by a rounding error.
        return weights[counted], np.minimum(self.wrong_cdf[counted], 1.0)

    def _true_cdf_at(self, row: int, log_odds: np.ndarray) -> np.ndarray:
        """Return T where the log-odds of W are given, for one test point."""
        wrong = self.wrong_cdf[row]
        inner = (wrong > _SURELY_FARTHER) & (wrong < _SURELY_NEARER)
        inner &= self.wrong_density[row] > 0.0
        if inner.sum() < 2:
            # Within float64 the true class is nearer than all wrong ones.
            return (log_odds > -np.inf).astype(float)

        wrong = wrong[inner]
        true = self.true_cdf[row, inner]
        odds = special.logit(wrong)
        slopes = self.true_density[row, inner] / self.wrong_density[row, inner]
        between = CubicHermiteSpline(odds, true, slopes * wrong * (1.0 - wrong))

        value = between(np.clip(log_odds, odds[0], odds[-1]))
        value = np.where(log_odds < odds[0], 0.0, value)
        return np.where(log_odds > odds[-1], 1.0, value)


def distance_density(
    distances: npt.ArrayLike, offset: npt.ArrayLike, scale: float, n_features: int
) -> np.ndarray:
    """Return the density of the distance between a fixed point and a normal one, at `offset`."""
    half = 0.5 * n_features
    r = np.asarray(distances) / scale
    m = np.asarray(offset) / scale
    log_density = (
        (n_features - 1.0) * np.log(r)
        - 0.5 * (r - m) ** 2
        - (half - 1.0) * np.log(2.0)
        - special.gammaln(half)
        + _log_bessel(half, r * m)
    )
    return np.exp(log_density) / scale


def distance_ends(n_features: int, tail: float) -> tuple[float, float]:
    """Return the distances below and above which a normal point lies with probability `tail`.

    Distances of a standard normal point are from its mean.
    """
    half = 0.5 * n_features
    lower = special.gammaincinv(half, tail)
    upper = special.gammainccinv(half, tail)
    return float(np.sqrt(2.0 * lower)), float(np.sqrt(2.0 * upper))


def _log_bessel(half: float, z: np.ndarray) -> np.ndarray:
    """Return log 0F1(half; z^2 / 4) - z, the Bessel function of order half - 1 without its power.

    The Bessel function may underflow and 0F1 overflow: three formulas are needed.
    """
    order = half - 1.0
    if order > _LARGE_ORDER:
        return _log_bessel_of_large_order(order, z)

    border = 40.0 * np.sqrt(half)
    small = np.minimum(z, border)
    large = np.maximum(z, border)
    by_series = np.log(special.hyp0f1(half, 0.25 * small**2)) - small
    by_bessel = (
        special.gammaln(half) - order * np.log(0.5 * large) + np.log(special.ive(order, large))
    )
    return np.where(z < border, by_series, by_bessel)


def _log_bessel_of_large_order(order: float, z: np.ndarray) -> np.ndarray:
    """Return the same by Debye's expansion, whose error is of the order ``order**-4``.

    See section 10.41 of the NIST Digital Library of Mathematical Functions.
    """
    x = z / order
    w = np.sqrt(1.0 + x**2)
    p = 1.0 / w

    first = p * (3.0 - 5.0 * p**2) / 24.0
    second = p**2 * (81.0 - 462.0 * p**2 + 385.0 * p**4) / 1152.0
    third = p**3 * (30375.0 - 369603.0 * p**2 + 765765.0 * p**4 - 425425.0 * p**6) / 414720.0

    return (
        special.gammaln(order + 1.0)
        - order * np.log(0.5 * order * (1.0 + w))
        + order / (w + x)
        - 0.5 * np.log(2.0 * np.pi * order * w)
        + np.log1p(first / order + second / order**2 + third / order**3)
    )


@cache
def legendre_rule(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the Gauss-Legendre rule on [0, 1]."""
    nodes, weights = legendre.leggauss(order)
    return 0.5 * (nodes + 1.0), 0.5 * weights


@cache
def _running_rule(order: int) -> np.ndarray:
    """Return the matrix from values at the nodes to their integrals from 0 to each node.

    It is exact for the interpolating polynomial: its Legendre series is integrated term by term.
    """
    nodes, weights = legendre.leggauss(order)
    degrees = np.arange(order)
    # The values at the nodes as a series of Legendre polynomials ...
    values = legendre.legvander(nodes, order)
    series = (degrees[:, np.newaxis] + 0.5) * (values[:, :order] * weights[:, np.newaxis]).T

    # ... whose integrals are differences of polynomials.
    integrals = np.empty((order, order))
    integrals[:, 0] = nodes + 1.0
    integrals[:, 1:] = (values[:, 2:] - values[:, :-2]) / (2.0 * degrees[1:] + 1.0)
    return 0.5 * integrals @ series


@dataclass(frozen=True, eq=False)
class DistanceGrid(FrozenArrays):
    """Nodes between two distances, in panels that are equal in t with distance = log(1 + e^t).

    The density of small distances is a power, for which the log scale is natural; larger ones have
    unit standard deviation. Each row of the grid has its own ends.
    """

    distances: np.ndarray  # (n_rows, n_nodes)
    jacobian: np.ndarray  # (n_rows, n_nodes); derivative of the distance by t
    step: np.ndarray  # (n_rows, 1); width of a panel in t

    @classmethod
    def between(
        cls, lower: npt.ArrayLike, upper: npt.ArrayLike, scale: float, width: float
    ) -> DistanceGrid:
        """Return the grid between two distances, each (n_rows,), with panels of at most `width`."""
        first = _inverse_softplus(np.atleast_1d(lower) / scale)
        last = _inverse_softplus(np.atleast_1d(upper) / scale)
        n_panels = int(np.ceil(np.max(last - first) / width))
        step = (last - first)[:, np.newaxis] / n_panels
        nodes, _ = legendre_rule(_ORDER)
        node_steps = (np.arange(n_panels)[:, np.newaxis] + nodes).reshape(1, -1)
        t = first[:, np.newaxis] + step * node_steps
        return cls(scale * np.logaddexp(0.0, t), scale * special.expit(t), step)

    @property
    def weights(self) -> np.ndarray:
        """The quadrature weights of the nodes."""
        n_panels = self.distances.shape[1] // _ORDER
        _, weights = legendre_rule(_ORDER)
        return self.step * np.tile(weights, n_panels) * self.jacobian

    def running_integral(self, values: np.ndarray) -> np.ndarray:
        """Return the integrals of values at the nodes from the lower end to each node."""
        panels = (values * self.jacobian).reshape(len(values), -1, _ORDER)
        panels *= self.step[:, :, np.newaxis]
        _, weights = legendre_rule(_ORDER)
        totals = panels @ weights
        before = np.cumsum(totals, axis=1) - totals
        within = panels @ _running_rule(_ORDER).T
        return (before[:, :, np.newaxis] + within).reshape(values.shape)


def _inverse_softplus(distance: np.ndarray) -> np.ndarray:
    return distance + np.log(-np.expm1(-distance))


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
        point_weights,
        grid.weights,
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

    # The distances between which the nearest training point of a class may lie.
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

    # Mix the nearest of the training points over the distance of the mean of their class.
    true, wrong = _nearest_of_several(
        grid,
        means.distances[0],
        [true_means * means.weights, wrong_means * means.weights],
        n_features,
        noise,
        n_train,
    )
    return TrueDistribution(point_weights, grid.weights, *true, *wrong)


def _test_points(n_features: int, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances of test points from the mean of all classes, and their weights."""
    lower, upper = distance_ends(n_features, _TAIL)
    nodes, weights = legendre_rule(_N_POINTS)
    radii = lower + (upper - lower) * nodes
    weights = (upper - lower) * weights * distance_density(radii, 0.0, 1.0, n_features)
    return math.sqrt(variance) * radii, weights


def _nearest_of_several(
    grid: DistanceGrid,
    offsets: np.ndarray,
    mixtures: list[np.ndarray],
    n_features: int,
    noise: float,
    n_train: int,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return density and distribution function of the nearest of several points at the nodes."""
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
