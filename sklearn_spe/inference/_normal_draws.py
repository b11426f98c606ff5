"""Draws of the normal approximation at a maximum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._draws import Draws
from ._modes import Modes
from ._pareto import smooth_log_weights
from ._read_only import freeze_fields

# Minimum number of draws for k-hat.
MIN_CHECKED = 500


@dataclass(frozen=True, eq=False, repr=False)
class NormalDraws(Draws):
    """Draws of the normal approximation (Laplace) at a maximum.

    The asymptotic distribution of a maximum likelihood estimate. The draws have equal weights;
    `pareto_k` is that of the importance weights to the density, and large if it is far from normal.

    Parameters
    ----------
    points, log_weights, pareto_k, log_evidence
        As in `Draws`; the evidence is Laplace's approximation.
    centre : ndarray of shape (n_dim,)
        The maximum.
    last_change : float
        Relative increase of the log likelihood in the last iteration.
    converged : bool
        Whether it was within the tolerance.
    """

    centre: np.ndarray
    last_change: float
    converged: bool

    def __post_init__(self):
        super().__post_init__()
        freeze_fields(self, "centre")

    @property
    def centred(self) -> Draws:
        """The maximum as a single draw."""
        return Draws(self.centre[np.newaxis], np.zeros(1), self.pareto_k, self.log_evidence)


def normal_draws(
    log_density,
    maximum: Modes,
    n_draws: int,
    rng: np.random.Generator,
    *,
    last_change: float = 0.0,
    converged: bool = True,
) -> NormalDraws:
    """Draw from the normal approximation at the best of some modes.

    Parameters
    ----------
    log_density : callable
        As for `importance_sample`; only used for `pareto_k`, so that an approximation is
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
        Antithetic pairs, so that the mean of the draws is the centre.
    """
    centre, root = maximum.points[0], np.linalg.cholesky(maximum.covariances[0])
    half = rng.standard_normal(((max(n_draws, MIN_CHECKED) + 1) // 2, len(centre)))
    z = np.stack([half, -half], axis=1).reshape(-1, len(centre))
    # Not a matrix product: the summation order of BLAS depends on the number of threads.
    points = centre + np.einsum("ij,kj->ik", z, root)
    _, pareto_k = smooth_log_weights(log_density(points) + 0.5 * (z**2).sum(axis=1))
    points, log_weights = points[:n_draws], np.full(n_draws, -np.log(n_draws))
    log_evidence = float(maximum.log_masses[0])
    return NormalDraws(points, log_weights, pareto_k, log_evidence, centre, last_change, converged)
