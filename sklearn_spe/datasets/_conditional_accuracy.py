"""The distribution of the conditional accuracy, by quadrature over distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from .._arrays import FrozenArrays

__all__ = ["TrueDistribution"]

# Nodes with a smaller probability are left out of moments.
_NEGLIGIBLE = 1e-20
# Probabilities at which distances are cut: below the first for wrong classes, 1 - u is 0 or at
# least 1e-16; above the second the true class lies even more rarely.
_SURELY_FARTHER, _SURELY_NEARER = 1e-25, 1.0 - 1e-10


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

    def moments(self, powers) -> np.ndarray:
        """Return E[U ** power], for an array of nonnegative powers."""
        weights, beaten = self._counted_nodes
        moments = np.empty(np.shape(powers))
        for place, power in np.ndenumerate(powers):
            # The logarithm is precise near one, where large powers need it.
            moments[place] = np.sum(weights * np.exp(special.xlog1py(power, -beaten)))
        # Normalized, so that the power of zero is exactly one.
        return np.minimum(moments / np.sum(weights), 1.0)

    def cdf(self, u) -> np.ndarray:
        """Return P(U <= u), for an array of numbers in [0, 1].

        U is at most u where R is at least the quantile of W at 1 - u.
        """
        log_odds = -special.logit(u)
        farther, total = np.zeros(np.shape(u)), 0.0
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

    def _true_cdf_at(self, row, log_odds) -> np.ndarray:
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
