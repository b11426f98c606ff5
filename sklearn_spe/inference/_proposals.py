"""Proposal densities of importance sampling.

A proposal has ``rvs(rng, n) -> (n, n_dim)`` and a normalized
``logpdf(u: (m, n_dim)) -> (m,)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy import special

from ._draws import effective_size, freeze_fields
from ._modes import Modes

# A normal has 1e-5 of its mass beyond this drop.
_DROP_NATS = 10.0
_REACHES = 1e-3 * 1.5 ** np.arange(32)
_GRID_SIZE = 25
# Laplace's masses may be inaccurate, and a mode without draws would be lost.
_SHARED_WEIGHT = 0.2
# Minimum weight of a component: below it, it would fit one or two draws.
_SMALLEST_WEIGHT = 0.01
# Draws with less than this fraction of the average weight are ignored.
_NEGLIGIBLE = 1e-3


class Proposal(Protocol):
    """A normalized unconstrained density that can be sampled."""

    def rvs(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return draws of shape (n, n_dim)."""

    def logpdf(self, u: np.ndarray) -> np.ndarray:
        """Return the normalized log density (m,) at points (m, n_dim)."""


@dataclass(frozen=True, eq=False)
class DiagonalNormal:
    """Independent normals.

    Parameters
    ----------
    mean, standard_deviation : ndarray of shape (n_dim,)
    """

    mean: np.ndarray
    standard_deviation: np.ndarray

    def __post_init__(self):
        freeze_fields(self, "mean", "standard_deviation")

    def rvs(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Return draws of shape (n, n_dim)."""
        return self.mean + self.standard_deviation * rng.standard_normal((n, len(self.mean)))

    def logpdf(self, u: np.ndarray) -> np.ndarray:
        """Return the log density (m,) at points (m, n_dim)."""
        z = (np.ascontiguousarray(u) - self.mean) / self.standard_deviation
        log_norm = np.log(self.standard_deviation).sum() + 0.5 * len(self.mean) * np.log(2 * np.pi)
        return -0.5 * (z * z).sum(axis=1) - log_norm


def diagonal_normal(
    log_density: Callable[[np.ndarray], np.ndarray], mode: npt.ArrayLike
) -> DiagonalNormal:
    """Fit a univariate normal along each axis through a mode, the others held fixed.

    The variance of an axis is the second moment, about the mode, of the density
    along that axis: the normal centered at the mode that is closest in
    Kullback-Leibler divergence. The moment is a trapezoid sum over a grid that
    ends, on each side, where the density first drops by ten nats, so that other modes are excluded.

    Parameters
    ----------
    log_density : callable
        Maps points (m, n_dim) to log densities (m,).
    mode : array-like of shape (n_dim,)
        The center of the proposal, the paper's maximum a posteriori.

    Returns
    -------
    proposal : DiagonalNormal

    Raises
    ------
    ValueError
        If the density is zero at `mode`.

    Notes
    -----
    Its standard deviations are conditional ones. Where coordinates are correlated it is narrower
    than the density, and importance weights have heavy tails; `adaptive_importance_sample` improves
    on it.

    References
    ----------
    .. [1] Welinder, Welling, Perona (2013). A lazy man's approach to benchmarking:
       semisupervised classifier evaluation and recalibration. CVPR. Equation 9.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference._proposals import diagonal_normal
    >>> proposal = diagonal_normal(lambda u: -0.5 * (u**2 / [1.0, 4.0]).sum(axis=1), [0.0, 0.0])
    >>> proposal.standard_deviation.round(3)
    array([1., 2.])
    """
    mode = np.asarray(mode, dtype=np.float64)
    height = float(log_density(mode[np.newaxis])[0])
    if not np.isfinite(height):
        raise ValueError(f"The log density at the mode must be finite, got {height}.")
    ends = _reach(log_density, mode, height)
    offsets = np.concatenate([_ramp(-ends[0])[:, ::-1], _ramp(ends[1])[:, 1:]], axis=1)
    drops = _along_axes(log_density, mode, offsets) - height
    # At a point that is not the maximum of an axis, heights relative to that maximum.
    drops -= np.maximum(drops.max(axis=1, keepdims=True), 0.0)
    mass = np.exp(drops) * _trapezoid_widths(offsets)
    return DiagonalNormal(mode, np.sqrt((mass * offsets**2).sum(axis=1) / mass.sum(axis=1)))


def _reach(log_density: Callable[[np.ndarray], np.ndarray], mode: np.ndarray, height: float):
    """Return the range to evaluate below and above the mode on each axis, (2, n_dim)."""
    n_dim = len(mode)
    n_reaches = len(_REACHES)
    both = np.broadcast_to(np.concatenate([-_REACHES, _REACHES]), (n_dim, 2 * n_reaches))
    drops = height - _along_axes(log_density, mode, both).reshape(n_dim, 2, n_reaches)
    fallen = drops >= _DROP_NATS
    fallen[:, :, -1] = True
    return _REACHES[fallen.argmax(axis=2)].T


def _along_axes(
    log_density: Callable[[np.ndarray], np.ndarray], mode: np.ndarray, offsets: np.ndarray
):
    """Return the log density (n_dim, m) at offsets (n_dim, m) along each axis."""
    n_dim, n_offsets = offsets.shape
    points = np.tile(mode, (n_dim, n_offsets, 1))
    axes = np.arange(n_dim)
    points[axes, :, axes] += offsets
    return log_density(points.reshape(-1, n_dim)).reshape(n_dim, n_offsets)


def _ramp(ends: np.ndarray):
    return ends[:, np.newaxis] * np.linspace(0.0, 1.0, _GRID_SIZE)


def _trapezoid_widths(offsets: np.ndarray):
    gaps = np.diff(offsets, axis=1)
    widths = np.zeros_like(offsets)
    widths[:, :-1] += 0.5 * gaps
    widths[:, 1:] += 0.5 * gaps
    return widths


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
    >>> from sklearn_spe.inference._proposals import StudentMixture
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

    def _squared_distance(self, columns: np.ndarray, k: int):
        # Explicit sums rather than a matrix product, whose last bits depend on the number of rows
        # and of threads.
        inverse = self._inverse_factors[k]
        steps = columns - self.means[k][:, np.newaxis]
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


def fit_student_mixture(
    points: np.ndarray, weights: np.ndarray, start: StudentMixture, n_iterations: int = 6
) -> StudentMixture:
    """Fit a Student mixture to weighted draws by regularized EM.

    Parameters
    ----------
    points : ndarray of shape (n_draws, n_dim)
        Draws.
    weights : ndarray of shape (n_draws,)
        Normalized weights.
    start : StudentMixture
        The mixture at which EM begins. It is also the prior: its means count as
        one draw, its scales as n_dim + 2 draws a component, against the Kish
        effective size of the weighted draws. A few heavy draws therefore
        cannot collapse a component.
    n_iterations : int, default=6
        EM steps; none costs a call of the target.

    Returns
    -------
    mixture : StudentMixture
        With the components and degrees of freedom of `start`.

    Notes
    -----
    Each step lowers the Kullback-Leibler divergence of target from mixture
    ([1]_, equations 23 to 25, for t components) apart from the pull of the prior.

    References
    ----------
    .. [1] Cappe, Douc, Guillin, Marin, Robert (2008). Adaptive importance sampling
       in general mixture classes. Statistics and Computing 18.
    """
    n_effective = effective_size(weights)
    heavy = weights >= _NEGLIGIBLE / len(weights)
    points = points[heavy]
    weights = weights[heavy]
    mixture = start
    for _ in range(n_iterations):
        mixture = _em_step(points, n_effective * weights, mixture, start)
    return mixture


def _em_step(
    points: np.ndarray, counts: np.ndarray, mixture: StudentMixture, prior: StudentMixture
):
    log_joint, squared = mixture.log_joint(points)
    shares = np.exp(log_joint - log_joint.max(axis=1, keepdims=True))
    shares *= (counts / shares.sum(axis=1))[:, np.newaxis]

    # A t distribution is a normal of random precision; this is its expectation.
    precise = shares * (mixture.dof + mixture.n_dim) / (mixture.dof + squared)
    sizes = shares.sum(axis=0)
    components = [
        _m_step(points, precise[:, k], sizes[k], prior.means[k], prior.scales[k])
        for k in range(mixture.n_components)
    ]
    means, scales = zip(*components, strict=True)
    weights = np.maximum(sizes / sizes.sum(), _SMALLEST_WEIGHT)
    weights /= weights.sum()

    return StudentMixture(weights, np.array(means), np.array(scales), mixture.dof)


def _m_step(
    points: np.ndarray,
    precise: np.ndarray,
    size: float,
    prior_mean: np.ndarray,
    prior_scale: np.ndarray,
):
    """Return the mean and scale of one component, with a prior worth a few draws."""
    mean = (np.einsum("n,ni->i", precise, points) + prior_mean) / (precise.sum() + 1.0)
    steps = points - mean
    scatter = np.einsum("ni,nj->ij", precise[:, np.newaxis] * steps, steps)
    pull = mean - prior_mean
    strength = len(mean) + 2.0
    scatter += pull[:, np.newaxis] * pull + strength * prior_scale
    return mean, scatter / (size + strength)


def scattered_mixture(
    points: np.ndarray,
    weights: np.ndarray,
    n_components: int,
    rng: np.random.Generator,
    dof: float = 5.0,
) -> StudentMixture:
    """Return a mixture with components spread over weighted draws, as a start of EM.

    Centers are drawn as k-means++ draws them: each with probability proportional
    to its weight and its squared distance from the centers chosen before, in
    units of the draws' covariance.

    Parameters
    ----------
    points : ndarray of shape (n_draws, n_dim)
    weights : ndarray of shape (n_draws,)
        Normalized weights.
    n_components : int
    rng : numpy.random.Generator
    dof : float, default=5.0

    Returns
    -------
    mixture : StudentMixture
        Equal weights and a common scale: the covariance of the draws, reduced by the number of
        components.
    """
    covariance = _covariance(points, weights)
    first = points[_pick(weights, rng)][np.newaxis]
    means = _spread(points, weights, covariance, first, n_components - 1, rng)
    scales = np.repeat(_shared(covariance, n_components), n_components, axis=0)
    return StudentMixture(np.full(n_components, 1.0 / n_components), means, scales, dof)


def enriched_mixture(
    mixture: StudentMixture,
    points: np.ndarray,
    weights: np.ndarray,
    n_components: int,
    rng: np.random.Generator,
) -> StudentMixture:
    """Return a mixture with additional components in regions not yet covered.

    The new centers are chosen as `scattered_mixture` does, given the old ones.

    Parameters
    ----------
    mixture : StudentMixture
    points : ndarray of shape (n_draws, n_dim)
    weights : ndarray of shape (n_draws,)
        Normalized weights.
    n_components : int
        Total number of components; a mixture with as many is returned unchanged.
    rng : numpy.random.Generator
    """
    n_new = n_components - mixture.n_components
    if n_new <= 0:
        return mixture

    covariance = _covariance(points, weights)
    means = _spread(points, weights, covariance, mixture.means, n_new, rng)
    new_scales = np.repeat(_shared(covariance, n_components), n_new, axis=0)
    old_weights = mixture.weights * (mixture.n_components / n_components)
    new_weights = np.full(n_new, 1.0 / n_components)

    return StudentMixture(
        np.concatenate([old_weights, new_weights]),
        means,
        np.concatenate([mixture.scales, new_scales]),
        mixture.dof,
    )


def _spread(
    points: np.ndarray,
    weights: np.ndarray,
    covariance: np.ndarray,
    centers: np.ndarray,
    n_new: int,
    rng: np.random.Generator,
):
    """Return the centers followed by `n_new` draws far from them."""
    whiten = np.linalg.inv(np.linalg.cholesky(covariance))
    standard = np.einsum("ij,nj->ni", whiten, points)
    squared = np.full(len(points), np.inf)
    for center in centers:
        squared = np.minimum(squared, _squared(standard, np.einsum("ij,j->i", whiten, center)))
    chosen = []
    for _ in range(n_new):
        chosen.append(_pick(weights * squared, rng))
        squared = np.minimum(squared, _squared(standard, standard[chosen[-1]]))
    return np.vstack([centers, points[chosen]])


def _squared(points: np.ndarray, center: np.ndarray):
    return ((points - center) ** 2).sum(axis=1)


def _pick(masses: np.ndarray, rng: np.random.Generator):
    cumulative = np.cumsum(masses)
    index = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return min(int(index), len(masses) - 1)


def _shared(covariance: np.ndarray, n_components: int):
    # Components that tile a volume each cover their share of it.
    return (covariance * n_components ** (-2.0 / len(covariance)))[np.newaxis]


def _covariance(points: np.ndarray, weights: np.ndarray):
    """Return the covariance of weighted draws, with a ridge that keeps it invertible."""
    steps = points - np.einsum("n,ni->i", weights, points)
    covariance = np.einsum("ni,nj->ij", weights[:, np.newaxis] * steps, steps)
    return covariance + np.diag(1e-9 * np.diagonal(covariance) + 1e-12)
