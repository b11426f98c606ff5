"""Quadrature over distances, at nodes that are dense near zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["DistanceGrid", "legendre_rule"]

# Number of nodes per panel.
_ORDER = 16


def legendre_rule(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the Gauss-Legendre rule on [0, 1]."""
    nodes, weights = legendre.leggauss(order)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _running_rule(order: int) -> np.ndarray:
    """Return the matrix from values at the nodes to their integrals from 0 to each node.

    It is exact for the interpolating polynomial: its Legendre series is integrated term by term.
    """
    nodes, weights = legendre.leggauss(order)
    degrees = np.arange(order)
    values = legendre.legvander(nodes, order)
    series = (degrees[:, np.newaxis] + 0.5) * (values[:, :order] * weights[:, np.newaxis]).T
    integrals = np.empty((order, order))
    integrals[:, 0] = nodes + 1.0
    integrals[:, 1:] = (values[:, 2:] - values[:, :-2]) / (2.0 * degrees[1:] + 1.0)
    return 0.5 * integrals @ series


_NODES, _WEIGHTS = legendre_rule(_ORDER)
_RUNNING = _running_rule(_ORDER)


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
    def between(cls, lower, upper, scale: float, width: float) -> DistanceGrid:
        """Return the grid between two distances, each (n_rows,), with panels of at most `width`."""
        first, last = (_inverse_softplus(np.atleast_1d(end) / scale) for end in (lower, upper))
        n_panels = int(np.ceil(np.max(last - first) / width))
        step = (last - first)[:, np.newaxis] / n_panels
        places = (np.arange(n_panels)[:, np.newaxis] + _NODES).reshape(1, -1)
        t = first[:, np.newaxis] + step * places
        return cls(scale * np.logaddexp(0.0, t), scale * special.expit(t), step)

    @property
    def weights(self) -> np.ndarray:
        """The quadrature weights of the nodes."""
        n_panels = self.distances.shape[1] // _ORDER
        return self.step * np.tile(_WEIGHTS, n_panels) * self.jacobian

    def running_integral(self, values) -> np.ndarray:
        """Return the integrals of values at the nodes from the lower end to each node."""
        panels = (values * self.jacobian).reshape(len(values), -1, _ORDER)
        panels *= self.step[:, :, np.newaxis]
        totals = panels @ _WEIGHTS
        before = np.cumsum(totals, axis=1) - totals
        return (before[:, :, np.newaxis] + panels @ _RUNNING.T).reshape(values.shape)


def _inverse_softplus(distance) -> np.ndarray:
    return distance + np.log(-np.expm1(-distance))
