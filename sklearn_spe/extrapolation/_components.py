r"""Simple laws of the conditional accuracy, of which others are mixtures.

The conditional accuracy U of an item is the probability that a random wrong class scores below
its true one. Each component is a law of U on [0, 1]; what a method needs of it are its moments
:math:`E[U^{k - 1}]`, the average accuracies with k classes, and its distribution function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["Components", "Points", "Powers", "ProbitNormals", "Ramps"]


class Components(FrozenArrays, ABC):
    """Several laws of the conditional accuracy, of one kind."""

    @abstractmethod
    def picked(self, chosen) -> Components:
        """Return some of the components; `chosen` is a mask or an index array."""

    @property
    def always_right(self) -> np.ndarray:
        """The probability that U = 1 under each."""
        return np.zeros(1)

    @abstractmethod
    def accuracies(self, n_classes) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""

    @abstractmethod
    def distribution(self, u) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""


@dataclass(frozen=True, eq=False)
class Ramps(Components):
    r"""The linear splines :math:`(u - t)_+` of the paper: U is uniform between t and 1.

    A spline is the distribution function of that law times 1 - t; their moments (eq. 13) are
    those of a uniform variable.

    Attributes
    ----------
    gaps : ndarray of shape (n_components,)
        1 - t, in (0, 1]: knots near 1 are exact.
    """

    gaps: np.ndarray

    def picked(self, chosen) -> Ramps:
        """Return some of the components."""
        return Ramps(self.gaps[chosen])

    def accuracies(self, n_classes) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        k = np.asarray(n_classes, dtype=float)[:, np.newaxis]
        with np.errstate(divide="ignore"):
            powers = -np.expm1(k * np.log1p(-self.gaps))
        return powers / (k * self.gaps)

    def distribution(self, u) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        missing = 1.0 - np.asarray(u, dtype=float)[:, np.newaxis]
        return np.clip(1.0 - missing / self.gaps, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Powers(Components):
    """Powers of u: U is Beta(degree, 1).

    Attributes
    ----------
    degrees : ndarray of shape (n_components,)
    """

    degrees: np.ndarray

    def picked(self, chosen) -> Powers:
        """Return some of the components."""
        return Powers(self.degrees[chosen])

    def accuracies(self, n_classes) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        k = np.asarray(n_classes, dtype=float)[:, np.newaxis]
        return self.degrees / (self.degrees + k - 1.0)

    def distribution(self, u) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        return np.asarray(u, dtype=float)[:, np.newaxis] ** self.degrees


@dataclass(frozen=True, eq=False)
class Points(Components):
    """Single values of U.

    Attributes
    ----------
    log_values : ndarray of shape (n_components,)
        Their logarithms, which are exact near U = 1; ``-inf`` for U = 0.
    """

    log_values: np.ndarray

    # Gathered values keep this distance on the probit scale.
    SPACING: ClassVar[float] = 0.01
    RANGE: ClassVar[tuple[float, float]] = (-8.0, 9.0)

    @classmethod
    def gathered(cls, probits, weights) -> tuple[Points, np.ndarray]:
        """Return few points that stand for many, and their weights.

        Each value is shared between its neighbours on a grid of the probit scale, so that the
        mean stays.

        Parameters
        ----------
        probits, weights : ndarray of shape (n_values,)
        """
        low, high = cls.RANGE
        places = (np.clip(probits, low, high) - low) / cls.SPACING
        left = np.floor(places).astype(int)
        share = places - left
        n_nodes = round((high - low) / cls.SPACING) + 2
        total = np.bincount(left, weights * (1.0 - share), minlength=n_nodes)
        total += np.bincount(left + 1, weights * share, minlength=n_nodes)
        found = np.flatnonzero(total)
        return cls(special.log_ndtr(low + cls.SPACING * found)), total[found]

    @property
    def always_right(self) -> np.ndarray:
        """Whether a value is 1."""
        return (self.log_values == 0.0).astype(float)

    def picked(self, chosen) -> Points:
        """Return some of the components."""
        return Points(self.log_values[chosen])

    def accuracies(self, n_classes) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        return powers_of(self.log_values, n_classes)

    def distribution(self, u) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        return (np.exp(self.log_values) <= np.asarray(u)[:, np.newaxis]).astype(float)


@dataclass(frozen=True, eq=False)
class ProbitNormals(Components):
    r"""Laws under which :math:`\Phi^{-1}(U)` is normal.

    Attributes
    ----------
    means : ndarray of shape (n_components,)
    std : float
        Of all of them.
    """

    means: np.ndarray
    std: float

    # The trapezoidal rule converges faster than any power once its step resolves both the normal
    # density and the power of U, which rises from 0 to 1 within about 1 / sqrt(2 log k).
    STEPS_A_STD: ClassVar[float] = 4.0
    WIDEST_STEP: ClassVar[float] = 0.05
    REACH: ClassVar[float] = 8.0

    def picked(self, chosen) -> ProbitNormals:
        """Return some of the components."""
        return ProbitNormals(self.means[chosen], self.std)

    def accuracies(self, n_classes) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        step = min(self.std / self.STEPS_A_STD, self.WIDEST_STEP)
        reach = self.REACH * self.std
        nodes = np.arange(self.means.min() - reach, self.means.max() + reach + step, step)
        with np.errstate(under="ignore"):
            density = np.exp(-0.5 * ((nodes[:, np.newaxis] - self.means) / self.std) ** 2)
            density /= density.sum(axis=0)
            return powers_of(special.log_ndtr(nodes), n_classes) @ density

    def distribution(self, u) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        z = special.ndtri(np.asarray(u, dtype=float))[:, np.newaxis]
        return special.ndtr((z - self.means) / self.std)


def powers_of(log_values, n_classes) -> np.ndarray:
    """Return the values to the power k - 1, of shape (n_counts, n_values); 0 to the 0 is 1."""
    exponents = np.asarray(n_classes, dtype=float)[:, np.newaxis] - 1.0
    with np.errstate(invalid="ignore", under="ignore"):
        return np.where(exponents == 0.0, 1.0, np.exp(exponents * log_values))
