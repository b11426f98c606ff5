"""Mixture of multivariate Student t distributions: several modes, heavy tails."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._modes import Modes
from .._read_only import freeze_fields

# Laplace's masses may be inaccurate, and a mode without draws would be lost.
_SHARED_WEIGHT = 0.2


@dataclass(frozen=True, eq=False)
class StudentMixture:
    """A mixture of multivariate t distributions with full scale matrices.

    Parameters
    ----------
    weights : ndarray of shape (n_components,)
        Positive, with sum one.
    means : ndarray of shape (n_components, n_dim)
    scales : ndarray of shape (n_components, n_dim, n_dim)
        Scale matrices; a component's covariance is ``dof / (dof - 2)`` times its
        scale.
    dof : float, default=5.0
        Degrees of freedom of all components. Small, so that the tails are heavier than those of a
        posterior and importance weights stay bounded.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import StudentMixture
    >>> mixture = StudentMixture([0.5, 0.5], [[-3.0], [3.0]], np.ones((2, 1, 1)))
    >>> mixture.rvs(np.random.default_rng(0), 4).shape, mixture.logpdf(np.zeros((3, 1))).shape
    ((4, 1), (3,))
    """

    weights: np.ndarray
    means: np.ndarray
    scales: np.ndarray
    dof: float = 5.0

    def __post_init__(self):
        freeze_fields(self, "weights", "means", "scales")

    @classmethod
    def from_modes(cls, modes: Modes, dof: float = 5.0) -> StudentMixture:
        """Return one component per mode, with scale from its curvature.

        Weights are the modes' Laplace masses, of which a fifth is shared out
        equally; curvatures that are not positive definite are repaired (see
        `Modes.covariances`).
        """
        masses = special.softmax(modes.log_masses)
        weights = (1.0 - _SHARED_WEIGHT) * masses + _SHARED_WEIGHT / len(modes)
        return cls(weights, modes.points, modes.covariances, dof)

    @property
    def n_components(self) -> int:
        """Number of components."""
        return len(self.weights)

    @property
    def n_dim(self) -> int:
        """Number of coordinates."""
        return self.means.shape[1]

    def rvs(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return draws of shape (n, n_dim) in random order.

        Components are taken in proportion to their weights (systematically, with
        one random offset), which is unbiased and adds no noise to the masses of separated modes.
        """
        marks = (np.arange(n) + rng.random()) / n
        labels = np.searchsorted(np.cumsum(self.weights)[:-1], marks)
        labels = labels[rng.permutation(n)]
        normal = rng.standard_normal((n, self.n_dim))
        radius = np.sqrt(self.dof / rng.chisquare(self.dof, n))
        steps = np.einsum("nij,nj->ni", self._factors[labels], normal)
        return self.means[labels] + radius[:, np.newaxis] * steps

    def logpdf(self, u: np.ndarray) -> np.ndarray:
        """Return the log density (m,) at points (m, n_dim)."""
        log_joint, _ = self.log_joint(u)
        largest = log_joint.max(axis=1)
        return largest + np.log(np.exp(log_joint - largest[:, np.newaxis]).sum(axis=1))

    def log_joint(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log weight plus log density of each component, and squared distances.

        Both are (m, n_components); a distance is Mahalanobis' in a component's
        scale.
        """
        # One contiguous row per coordinate: the arithmetic below runs along draws.
        columns = np.ascontiguousarray(np.transpose(u))
        squared = np.stack([self._squared_distance(columns, k) for k in range(len(self.means))], 1)
        log_kernel = -0.5 * (self.dof + self.n_dim) * np.log1p(squared / self.dof)
        return self._log_constants + log_kernel, squared

    def widened(self, factor: float) -> StudentMixture:
        """Return the mixture with every standard deviation multiplied by `factor`."""
        return StudentMixture(self.weights, self.means, factor**2 * self.scales, self.dof)

    def defended(self, share: float = 0.1, factor: float = 2.0) -> StudentMixture:
        """Return the mixture with an additional wide (defensive) component.

        The component has the mean of the whole mixture and `factor` times its standard deviations.
        It bounds the weights where the other components miss mass, at the cost of at most the
        `share` of draws.
        """
        mean = np.einsum("k,ki->i", self.weights, self.means)
        steps = self.means - mean
        scale = np.einsum("k,kij->ij", self.weights, self.scales)
        scale += np.einsum("k,ki,kj->ij", self.weights, steps, steps)
        return StudentMixture(
            np.append((1.0 - share) * self.weights, share),
            np.vstack([self.means, mean]),
            np.concatenate([self.scales, factor**2 * scale[np.newaxis]]),
            self.dof,
        )

    def __repr__(self) -> str:
        return f"StudentMixture(n_components={self.n_components}, n_dim={self.n_dim})"

    def _squared_distance(self, columns, k):
        # Explicit sums rather than a matrix product, whose last bits depend on the number of rows
        # and of threads.
        inverse, steps = self._inverse_factors[k], columns - self.means[k][:, np.newaxis]
        squared = np.zeros(columns.shape[1])
        for row in range(self.n_dim):
            standard = inverse[row, 0] * steps[0]
            for column in range(1, row + 1):
                standard += inverse[row, column] * steps[column]
            standard *= standard
            squared += standard
        return squared

    @cached_property
    def _factors(self):
        return np.linalg.cholesky(self.scales)

    @cached_property
    def _inverse_factors(self):
        return np.linalg.inv(self._factors)

    @cached_property
    def _log_constants(self):
        log_det = np.log(np.diagonal(self._factors, axis1=1, axis2=2)).sum(axis=1)
        log_norm = special.gammaln(0.5 * (self.dof + self.n_dim)) - special.gammaln(0.5 * self.dof)
        log_norm -= 0.5 * self.n_dim * np.log(self.dof * np.pi)
        return np.log(self.weights) + log_norm - log_det
