"""Modes of a log density, with heights and curvatures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from scipy import optimize
from sklearn.utils.parallel import Parallel, delayed

from ._blas import OneBlasThread
from ._read_only import freeze_fields

# Drop modes more than this many nats below the best, with about exp(-15) of its mass.
DROP_NATS = 15.0
# Optima closer than this many standard deviations are merged.
_MERGE_DISTANCE = 1.0
# Penalty of a step off the support, in nats above the worst value so far. Finite and moderate, so
# that the line search can interpolate.
_BARRIER = 1e3
_DIFFERENCE_STEP = 1e-4
_OPTIONS = {"maxiter": 200, "ftol": 1e-8, "gtol": 1e-4}


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes of an unconstrained log density, best first.

    Parameters
    ----------
    points : ndarray of shape (n_modes, n_dim)
        Locations of the modes.
    log_densities : ndarray of shape (n_modes,)
        The unnormalized log densities, in decreasing order.
    curvatures : ndarray of shape (n_modes, n_dim, n_dim)
        Negative Hessians. They need not be positive definite: see `covariances`.
    """

    points: np.ndarray
    log_densities: np.ndarray
    curvatures: np.ndarray

    def __post_init__(self):
        freeze_fields(self, "points", "log_densities", "curvatures")

    @property
    def covariances(self) -> np.ndarray:
        """Inverse curvatures, repaired to be positive definite: (n_modes, n_dim, n_dim).

        Eigenvalues are replaced by their absolute values, as directions of negative curvature have
        the same length scale, with a floor of 1e-8 of the largest.
        """
        values, vectors = np.linalg.eigh(self.curvatures)
        return np.einsum("kij,kj,klj->kil", vectors, 1.0 / _positive(values), vectors)

    @property
    def log_masses(self) -> np.ndarray:
        """Laplace's approximation of the log mass under each mode: (n_modes,)."""
        values = _positive(np.linalg.eigvalsh(self.curvatures))
        return self.log_densities + 0.5 * np.log(2.0 * np.pi / values).sum(axis=1)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        best = self.log_densities[0]
        return f"Modes(n_modes={len(self)}, n_dim={self.points.shape[1]}, best={best:.4g})"


def find_modes(value_and_gradient, starts, *, n_jobs=None) -> Modes:
    """Maximize from several starts and return the distinct modes.

    Parameters
    ----------
    value_and_gradient : callable
        Maps points (m, n_dim) to the log density (m,), which may be -inf, and
        its gradient (m, n_dim).
    starts : array-like of shape (n_starts, n_dim)
        Starting points of L-BFGS-B.
    n_jobs : int, default=None
        Number of workers over the starts; None uses the joblib context. Results do not depend on
        it.

    Returns
    -------
    modes : Modes
        Best first. Of several optima within one standard deviation (in units of
        the better one's curvature) the best is kept; modes more than 15 nats
        below the best are dropped, as their mass is negligible.

    Raises
    ------
    ValueError
        If the log density or its gradient is not finite at any start.

    Notes
    -----
    The curvature is minus the Jacobian of the gradient, by central differences,
    all modes in a single call of `value_and_gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import find_modes
    >>> modes = find_modes(lambda u: (-2.0 * (u**2).sum(axis=1), -4.0 * u), np.ones((3, 2)))
    >>> len(modes), modes.curvatures[0].round(3).tolist()
    (1, [[4.0, 0.0], [0.0, 4.0]])
    """
    starts = np.array(starts, dtype=np.float64, ndmin=2)
    ends = _climb_all(value_and_gradient, starts, n_jobs)
    ends = [end for end in ends if end is not None]
    if not ends:
        raise ValueError(
            f"The log density or its gradient is not finite at any of the {len(starts)} starts; "
            "at least one start must have positive density."
        )
    # Stable sort: ties are resolved by the order of the starts.
    ends.sort(key=lambda end: -end[1])
    ends = [end for end in ends if end[1] >= ends[0][1] - DROP_NATS]
    points = np.array([point for point, _ in ends])
    curvatures = _curvatures(value_and_gradient, points)
    kept = _distinct(points, curvatures)
    log_densities = np.array([value for _, value in ends])
    return Modes(points[kept], log_densities[kept], curvatures[kept])


def modes_at(value_and_gradient, points) -> Modes:
    """Return given points as modes, with their log densities and curvatures.

    Parameters
    ----------
    value_and_gradient : callable
        As for `find_modes`.
    points : array-like of shape (n_points, n_dim)
        Best first, such as the maxima of a slightly different density.
    """
    points = np.array(points, dtype=np.float64, ndmin=2)
    log_densities, _ = value_and_gradient(points)
    return Modes(points, log_densities, _curvatures(value_and_gradient, points))


def _climb_all(value_and_gradient, starts, n_jobs):
    with OneBlasThread():
        return _climb_each(value_and_gradient, starts, n_jobs)


def _climb_each(value_and_gradient, starts, n_jobs):
    if effective_n_jobs(n_jobs) == 1 or len(starts) == 1:
        return [climb(value_and_gradient, start) for start in starts]
    # A hint, not a backend: the densities release the GIL.
    parallel = Parallel(n_jobs=n_jobs, prefer="threads")
    return parallel(delayed(climb)(value_and_gradient, start) for start in starts)


def climb(value_and_gradient, start):
    """Return the maximum from one start and its log density; None if the start fails."""
    objective = _Objective(value_and_gradient)
    _, gradient = objective(start)
    if not np.isfinite(objective.best_value):
        return None
    if np.any(gradient):
        optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options=_OPTIONS)
    return objective.best_point, -objective.best_value


class _Objective:
    """Negative log density of one point, finite everywhere; stores its best point."""

    def __init__(self, value_and_gradient):
        self._value_and_gradient = value_and_gradient
        self._worst_value = -np.inf
        self.best_value, self.best_point = np.inf, None

    def __call__(self, point):
        values, gradients = self._value_and_gradient(point[np.newaxis])
        value, gradient = -float(values[0]), -np.asarray(gradients[0], dtype=np.float64)
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            return self._worst_value + _BARRIER, np.zeros_like(point)
        self._worst_value = max(self._worst_value, value)
        if value < self.best_value:
            self.best_value, self.best_point = value, point.copy()
        return value, gradient


def _curvatures(value_and_gradient, points):
    n_modes, n_dim = points.shape
    steps = _DIFFERENCE_STEP * np.eye(n_dim)
    shifted = points[:, np.newaxis, np.newaxis] + np.stack([steps, -steps])
    _, gradients = value_and_gradient(shifted.reshape(-1, n_dim))
    ahead, behind = np.moveaxis(np.reshape(gradients, (n_modes, 2, n_dim, n_dim)), 1, 0)
    curvatures = (behind - ahead) / (2.0 * _DIFFERENCE_STEP)
    # An edge of the support within a step gives no information on the curvature.
    curvatures = np.where(np.isfinite(curvatures), curvatures, 0.0)
    return 0.5 * (curvatures + curvatures.transpose(0, 2, 1))


def _distinct(points, curvatures):
    """Return the indices of points that do not duplicate a better one."""
    kept: list[int] = []
    for index, point in enumerate(points):
        if all(_distance(point - points[k], curvatures[k]) > _MERGE_DISTANCE for k in kept):
            kept.append(index)
    return kept


def _distance(step, curvature):
    values, vectors = np.linalg.eigh(curvature)
    along = np.einsum("ij,i->j", vectors, step)
    return np.sqrt(np.sum(_positive(values) * along**2))


def _positive(eigenvalues):
    size = np.abs(eigenvalues)
    largest = size.max(axis=-1, keepdims=True)
    return np.maximum(size, np.where(largest > 0.0, 1e-8 * largest, 1.0))
