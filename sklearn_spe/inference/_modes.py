"""Modes of a log density, their Hessians, and normal draws around them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from threading import Lock, get_ident
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from ._draws import Draws, freeze_fields, smooth_log_weights

# Maps points (m, n_dim) to log densities (m,) and gradients (m, n_dim).
ValueAndGradient = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
LogDensity = Callable[[np.ndarray], np.ndarray]
# Drop modes more than this many nats below the best, with about exp(-15) of its mass.
DROP_NATS = 15.0
# Optima closer than this many standard deviations are merged.
_MERGE_DISTANCE = 1.0
_DIFFERENCE_STEP = 1e-4
# Dampings of a Newton step, as shares of the mean curvature; the best of them is taken.
_DAMPING = (0.0, 0.03, 0.3, 3.0, 30.0, 3000.0)
# A climb ends where a step gains less than this many nats, or after so many steps.
_TOLERANCE, _MAX_STEPS = 1e-4, 60
# Minimum number of draws for k-hat.
MIN_CHECKED = 500


class OneBlasThread:
    """Limit BLAS to one thread until the last concurrent user is done.

    The optimizer's matrices are small: on a busy machine threads would wait for each other, for
    milliseconds per step.
    """

    _lock = Lock()
    _threads: ClassVar[list[int]] = []
    _limits: Any = None

    def __enter__(self):
        cls = type(self)
        with cls._lock:
            if cls._limits is None:
                cls._limits = _blas().limit(limits=1, user_api="blas")
            cls._threads.append(get_ident())

    def __exit__(self, *error):
        cls = type(self)
        with cls._lock:
            cls._threads.remove(get_ident())
            if not cls._threads:
                cls._limits.restore_original_limits()
                cls._limits = None

    @classmethod
    def _renew(cls) -> None:
        """Remove the other threads in a forked child: it does not have them.

        The limit stays until the next user of the child is done.
        """
        cls._lock = Lock()
        cls._threads = [thread for thread in cls._threads if thread == get_ident()]


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=OneBlasThread._renew)


@cache
def _blas():
    return ThreadpoolController()


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
    def best(self) -> Draws:
        """The highest mode as a single draw."""
        return Draws(self.points[:1], np.zeros(1), np.inf, float(self.log_densities[0]))

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


def find_modes(
    value_and_gradient: ValueAndGradient,
    starts: npt.ArrayLike,
    *,
    log_density: LogDensity | None = None,
    tolerance: float = _TOLERANCE,
    max_steps: int = _MAX_STEPS,
) -> Modes:
    """Maximize from several starts and return the distinct modes.

    Parameters
    ----------
    value_and_gradient : callable
        Maps points (m, n_dim) to the log density (m,), which may be -inf, and
        its gradient (m, n_dim).
    starts : array-like of shape (n_starts, n_dim)
        Where the climbs begin.
    log_density : callable, default=None
        The log density alone, if that is quicker than with its gradient.
    tolerance : float, default=1e-4
        A climb ends where a step gains less than this many nats.
    max_steps : int, default=60
        The largest number of steps of a climb.

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
    All starts climb together, by Newton steps with several dampings: two calls of
    `value_and_gradient` a step. The curvature is minus the Jacobian of the gradient, by
    differences.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference._modes import find_modes
    >>> modes = find_modes(lambda u: (-2.0 * (u**2).sum(axis=1), -4.0 * u), np.ones((3, 2)))
    >>> len(modes), modes.curvatures[0].round(3).tolist()
    (1, [[4.0, 0.0], [0.0, 4.0]])
    """
    starts = np.array(starts, dtype=np.float64, ndmin=2)
    ends, heights = climb(value_and_gradient, starts, tolerance, max_steps, log_density=log_density)
    highest = _highest(heights)
    points = ends[highest]
    curvatures = _curvatures(value_and_gradient, points)

    distinct = _distinct(points, curvatures)
    return Modes(points[distinct], heights[highest][distinct], curvatures[distinct])


def _highest(heights: np.ndarray) -> np.ndarray:
    """Return the indices of the maxima that may have relevant mass, best first."""
    if not np.isfinite(heights).any():
        raise ValueError(
            f"The log density or its gradient is not finite at any of the {len(heights)} starts; "
            "at least one start must have positive density."
        )
    # Sorting is stable, so that ties are settled by the order of the starts.
    order = np.argsort(-heights, kind="stable")
    return order[heights[order] >= heights[order[0]] - DROP_NATS]


def modes_at(value_and_gradient: ValueAndGradient, points: npt.ArrayLike) -> Modes:
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


def climb(
    value_and_gradient: ValueAndGradient,
    starts: np.ndarray,
    tolerance: float = _TOLERANCE,
    max_steps: int = _MAX_STEPS,
    *,
    log_density: LogDensity | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Climb from several starts together by damped Newton steps.

    Returns the ends (n_starts, n_dim) and their log densities (n_starts,); a start without a
    finite log density stays, at -inf.
    """
    points = np.array(starts, dtype=np.float64)
    n_dim = points.shape[1]

    # Each point, and one step of a difference along each axis.
    around = _DIFFERENCE_STEP * np.concatenate([np.zeros((1, n_dim)), np.eye(n_dim)])

    with OneBlasThread():
        values = _heights(value_and_gradient, points)
        climbing = np.flatnonzero(np.isfinite(values))

        for _ in range(max_steps):
            if not len(climbing):
                break

            slopes = _gradients(value_and_gradient, points[climbing, np.newaxis] + around)
            slopes = _finite(slopes, 0.0)
            gradients = slopes[:, 0]
            shifted = slopes[:, 1:]
            curvatures = (gradients[:, np.newaxis] - shifted) / _DIFFERENCE_STEP

            candidates = points[climbing] + _newton_steps(gradients, curvatures)
            heights = _heights(value_and_gradient, candidates, log_density)
            best = heights.argmax(axis=0)
            climbers = np.arange(len(climbing))
            gains = heights[best, climbers] - values[climbing]

            higher = gains > 0.0
            points[climbing[higher]] = candidates[best, climbers][higher]
            values[climbing[higher]] = heights[best, climbers][higher]
            climbing = climbing[gains > tolerance]

    return points, values


def _heights(
    value_and_gradient: ValueAndGradient, points: np.ndarray, log_density: LogDensity | None = None
) -> np.ndarray:
    """Return the log densities of points (..., n_dim); -inf where they or their slopes are not."""
    flat = points.reshape(-1, points.shape[-1])
    if log_density is not None:
        heights = log_density(flat)
    else:
        heights, gradients = value_and_gradient(flat)
        heights = np.where(np.isfinite(gradients).all(axis=1), heights, -np.inf)
    return _finite(heights, -np.inf).reshape(points.shape[:-1])


def _newton_steps(gradients: np.ndarray, curvatures: np.ndarray):
    """Return a step for each damping, (n_dampings, n_points, n_dim)."""
    curvatures = 0.5 * (curvatures + curvatures.transpose(0, 2, 1))
    values, vectors = np.linalg.eigh(curvatures)
    values = _positive(values)
    along = np.einsum("kij,ki->kj", vectors, gradients)
    damping = np.multiply.outer(_DAMPING, values.mean(axis=1, keepdims=True))
    return np.einsum("kij,ckj->cki", vectors, along / (values + damping))


def _gradients(value_and_gradient: ValueAndGradient, points: np.ndarray) -> np.ndarray:
    """Return the gradients at points (..., n_dim), of their shape."""
    _, gradients = value_and_gradient(points.reshape(-1, points.shape[-1]))
    return gradients.reshape(points.shape)


def _finite(values: np.ndarray, instead: float) -> np.ndarray:
    return np.where(np.isfinite(values), values, instead)


def _curvatures(value_and_gradient: ValueAndGradient, points: np.ndarray):
    n_dim = points.shape[1]
    steps = _DIFFERENCE_STEP * np.eye(n_dim)
    shifted = points[:, np.newaxis, np.newaxis] + np.stack([steps, -steps])
    ahead, behind = np.moveaxis(_gradients(value_and_gradient, shifted), 1, 0)
    curvatures = (behind - ahead) / (2.0 * _DIFFERENCE_STEP)
    # An edge of the support within a step gives no information on the curvature.
    curvatures = np.where(np.isfinite(curvatures), curvatures, 0.0)
    return 0.5 * (curvatures + curvatures.transpose(0, 2, 1))


def _distinct(points: np.ndarray, curvatures: np.ndarray):
    """Return the indices of points that do not duplicate a better one."""
    distinct: list[int] = []
    for index, point in enumerate(points):
        if all(_distance(point - points[k], curvatures[k]) > _MERGE_DISTANCE for k in distinct):
            distinct.append(index)
    return distinct


def _distance(step: np.ndarray, curvature: np.ndarray):
    values, vectors = np.linalg.eigh(curvature)
    along = np.einsum("ij,i->j", vectors, step)
    return np.sqrt(np.sum(_positive(values) * along**2))


def _positive(eigenvalues: np.ndarray):
    size = np.abs(eigenvalues)
    largest = size.max(axis=-1, keepdims=True)
    return np.maximum(size, np.where(largest > 0.0, 1e-8 * largest, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class NormalDraws(Draws):
    """Draws of the normal approximation (Laplace) at a maximum.

    The asymptotic distribution of a maximum likelihood estimate. The draws have equal weights;
    `pareto_k` is that of the importance weights to the density, and large if it is far from normal.

    Parameters
    ----------
    points, log_weights, pareto_k, log_evidence
        As in `Draws`; the evidence is Laplace's approximation.
    center : ndarray of shape (n_dim,)
        The maximum.
    last_change : float
        Relative increase of the log likelihood in the last iteration.
    converged : bool
        Whether it was within the tolerance.
    """

    center: np.ndarray
    last_change: float
    converged: bool

    def __post_init__(self):
        super().__post_init__()
        freeze_fields(self, "center")

    @property
    def centered(self) -> Draws:
        """The maximum as a single draw."""
        return Draws(self.center[np.newaxis], np.zeros(1), self.pareto_k, self.log_evidence)


def normal_draws(
    log_density: Callable[[np.ndarray], np.ndarray],
    maximum: Modes,
    n_draws: int,
    rng: np.random.Generator,
    *,
    last_change: float = 0.0,
    converged: bool = True,
) -> NormalDraws:
    """Draw from the normal approximation at the best of the modes.

    Parameters
    ----------
    log_density : callable
        As for `importance_sample`; only used for `pareto_k`, so an approximation is
        sufficient.
    maximum : Modes
        Its curvature is the observed information, made positive as in `Modes.covariances`.
    n_draws : int
    rng : numpy.random.Generator
    last_change : float, default=0.0
    converged : bool, default=True
        Convergence information, as in `NormalDraws`.

    Returns
    -------
    draws : NormalDraws
        Antithetic pairs, so the mean of the draws is the center.
    """
    center = maximum.points[0]
    root = np.linalg.cholesky(maximum.covariances[0])
    half = rng.standard_normal(((max(n_draws, MIN_CHECKED) + 1) // 2, len(center)))
    z = np.stack([half, -half], axis=1).reshape(-1, len(center))

    # Not a matrix product: the summation order of BLAS depends on the number of threads.
    points = center + np.einsum("ij,kj->ik", z, root)
    _, pareto_k = smooth_log_weights(log_density(points) + 0.5 * (z**2).sum(axis=1))

    points = points[:n_draws]
    log_weights = np.full(n_draws, -np.log(n_draws))
    log_evidence = float(maximum.log_masses[0])
    return NormalDraws(points, log_weights, pareto_k, log_evidence, center, last_change, converged)
