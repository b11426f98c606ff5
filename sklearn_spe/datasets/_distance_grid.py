"""Integrals over distances, at nodes that crowd towards zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["DistanceGrid", "legendre_rule"]

# Nodes a panel.
_ORDER = 16


def legendre_rule(order: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the Gauss-Legendre rule on [0, 1]."""
    nodes, weights = legendre.leggauss(order)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _running_rule(order: int) -> np.ndarray:
    """Return the matrix that takes values at the nodes to their integrals from 0 to each node.

    Exact for the polynomial through the values: its Legendre series is integrated term by term.
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

    Distances that are small follow a power law, whose scale is the logarithm; larger ones have a
    standard deviation, which is the unit. Each row of the grid has ends of its own.

    Attributes
    ----------
    distances : ndarray of shape (n_rows, n_nodes)
    jacobian : ndarray of shape (n_rows, n_nodes)
        The derivative of the distance by t.
    step : ndarray of shape (n_rows, 1)
        The width of a panel in t.
    """

    distances: np.ndarray
    jacobian: np.ndarray
    step: np.ndarray

    @classmethod
    def between(cls, lower, upper, scale: float, width: float) -> DistanceGrid:
        """Return the grid between two distances.

        Parameters
        ----------
        lower, upper : array-like of shape (n_rows,)
            Positive.
        scale : float
            The unit in which the distance is log(1 + e^t).
        width : float
            The largest width of a panel in t.
        """
        first, last = (_inverse_softplus(np.atleast_1d(end) / scale) for end in (lower, upper))
        n_panels = int(np.ceil(np.max(last - first) / width))
        step = (last - first)[:, np.newaxis] / n_panels
        places = (np.arange(n_panels)[:, np.newaxis] + _NODES).reshape(1, -1)
        t = first[:, np.newaxis] + step * places
        return cls(scale * np.logaddexp(0.0, t), scale * special.expit(t), step)

    @property
    def weights(self) -> np.ndarray:
        """The weights with which sums over the nodes are integrals over the distance."""
        n_panels = self.distances.shape[1] // _ORDER
        return self.step * np.tile(_WEIGHTS, n_panels) * self.jacobian

    def running_integral(self, values) -> np.ndarray:
        """Return the integrals of a function from the lower end to each node.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_nodes)
            Those of the function at the nodes. With one row of nodes, there may be several
            functions.
        """
        panels = (values * self.jacobian).reshape(len(values), -1, _ORDER)
        panels *= self.step[:, :, np.newaxis]
        totals = panels @ _WEIGHTS
        before = np.cumsum(totals, axis=1) - totals
        return (before[:, :, np.newaxis] + panels @ _RUNNING.T).reshape(values.shape)


def _inverse_softplus(distance) -> np.ndarray:
    return distance + np.log(-np.expm1(-distance))
