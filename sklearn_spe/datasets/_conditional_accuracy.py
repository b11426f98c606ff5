"""The law of the conditional accuracy: how surely a test point beats one wrong class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from .._arrays import FrozenArrays

__all__ = ["TrueLaw"]

# Nodes that are less probable are left out of moments.
_NEGLIGIBLE = 1e-20
# A distance within which a wrong class lies with a smaller probability is never asked for, as 1 - u
# is 0 or at least 1e-16; beyond one with a larger probability the true class lies even more rarely.
_SURELY_FARTHER, _SURELY_NEARER = 1e-25, 1.0 - 1e-10


@dataclass(frozen=True, eq=False)
class TrueLaw(FrozenArrays):
    """The law of U = 1 - W(R), where R is how far the test point is from its true class.

    Classes score higher the nearer they are. Given the test point, W is the distribution
    function of its distance from a wrong class, and T that of its distance R from its true class;
    both are known at nodes, one row a test point.

    Attributes
    ----------
    point_weights : ndarray of shape (n_points,)
        Of the test points, summing to one.
    node_weights : ndarray of shape (n_points, n_nodes) or (1, n_nodes)
        Sums with these weights are integrals over the distance.
    true_density, true_cdf : ndarray of shape (n_points, n_nodes)
        The density of T, and T.
    wrong_density, wrong_cdf : ndarray of shape (n_points, n_nodes)
        The density of W, and W.
    """

    point_weights: np.ndarray
    node_weights: np.ndarray
    true_density: np.ndarray
    true_cdf: np.ndarray
    wrong_density: np.ndarray
    wrong_cdf: np.ndarray

    def moments(self, powers) -> np.ndarray:
        """Return E[U ** power], for an array of powers that are not negative."""
        weights, beaten = self._counted_nodes
        moments = np.empty(np.shape(powers))
        for place, power in np.ndenumerate(powers):
            # By its logarithm U is right next to one, where large powers tell it from one.
            moments[place] = np.sum(weights * np.exp(special.xlog1py(power, -beaten)))
        # Divided by the same sum, the power of zero gives one to the last digit.
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
        # Quadrature may pass one by a rounding error.
        return weights[counted], np.minimum(self.wrong_cdf[counted], 1.0)

    def _true_cdf_at(self, row, log_odds) -> np.ndarray:
        """Return T where the log-odds of W are given, for one test point."""
        wrong = self.wrong_cdf[row]
        inner = (wrong > _SURELY_FARTHER) & (wrong < _SURELY_NEARER)
        inner &= self.wrong_density[row] > 0.0
        if inner.sum() < 2:
            # As far as anybody can ask the true class is nearer than all wrong ones.
            return (log_odds > -np.inf).astype(float)
        wrong = wrong[inner]
        true = self.true_cdf[row, inner]
        odds = special.logit(wrong)
        slopes = self.true_density[row, inner] / self.wrong_density[row, inner]
        between = CubicHermiteSpline(odds, true, slopes * wrong * (1.0 - wrong))
        value = between(np.clip(log_odds, odds[0], odds[-1]))
        value = np.where(log_odds < odds[0], 0.0, value)
        return np.where(log_odds > odds[-1], 1.0, value)
