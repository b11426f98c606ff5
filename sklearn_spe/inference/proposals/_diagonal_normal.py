"""The proposal of the 2013 paper: a normal fitted along each axis through the mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._read_only import freeze_fields

# A normal has 1e-5 of its mass beyond this drop.
_DROP_NATS = 10.0
_REACHES = 1e-3 * 1.5 ** np.arange(32)
_GRID_SIZE = 25


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


def diagonal_normal(log_density, mode) -> DiagonalNormal:
    """Fit a univariate normal along each axis through a mode, the others held fixed.

    The variance of an axis is the second moment, about the mode, of the density
    along that axis: the normal centred at the mode that is closest in
    Kullback-Leibler divergence. The moment is a trapezoid sum over a grid that
    ends, on each side, where the density first drops by ten nats, so that other modes are excluded.

    Parameters
    ----------
    log_density : callable
        Maps points (m, n_dim) to log densities (m,).
    mode : array-like of shape (n_dim,)
        The centre of the proposal, the paper's maximum a posteriori.

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
    >>> from sklearn_spe.inference import diagonal_normal
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
    mass = np.exp(np.minimum(drops, 700.0)) * _trapezoid_widths(offsets)
    return DiagonalNormal(mode, np.sqrt((mass * offsets**2).sum(axis=1) / mass.sum(axis=1)))


def _reach(log_density, mode, height):
    """Return the range to evaluate below and above the mode on each axis, (2, n_dim)."""
    n_dim, n_reaches = len(mode), len(_REACHES)
    both = np.broadcast_to(np.concatenate([-_REACHES, _REACHES]), (n_dim, 2 * n_reaches))
    drops = height - _along_axes(log_density, mode, both).reshape(n_dim, 2, n_reaches)
    fallen = drops >= _DROP_NATS
    fallen[:, :, -1] = True
    return _REACHES[fallen.argmax(axis=2)].T


def _along_axes(log_density, mode, offsets):
    """Return the log density (n_dim, m) at offsets (n_dim, m) along each axis."""
    n_dim, n_offsets = offsets.shape
    points = np.tile(mode, (n_dim, n_offsets, 1))
    axes = np.arange(n_dim)
    points[axes, :, axes] += offsets
    return log_density(points.reshape(-1, n_dim)).reshape(n_dim, n_offsets)


def _ramp(ends):
    return ends[:, np.newaxis] * np.linspace(0.0, 1.0, _GRID_SIZE)


def _trapezoid_widths(offsets):
    gaps = np.diff(offsets, axis=1)
    widths = np.zeros_like(offsets)
    widths[:, :-1] += 0.5 * gaps
    widths[:, 1:] += 0.5 * gaps
    return widths
