"""Draws of a normal law around a maximum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._draws import Draws
from ._modes import Modes
from ._pareto import smooth_log_weights
from ._read_only import freeze_fields

# With fewer draws k-hat is mostly noise.
LEAST_CHECKED = 500


@dataclass(frozen=True, eq=False, repr=False)
class NormalDraws(Draws):
    """Draws of the normal law that has its centre at a maximum and the curvature there.

    What an estimate by maximum likelihood says of its own error. The draws are weighted alike;
    `pareto_k` is that of the weights which would make them draws of the density itself, and
    large where it is not nearly normal.

    Parameters
    ----------
    points, log_weights, pareto_k, log_evidence
        As those of `Draws`; the evidence is Laplace's approximation.
    centre : ndarray of shape (n_dim,)
        The maximum.
    last_change : float
        How much the last iteration raised the log likelihood, relative to its size.
    converged : bool
        Whether that was little enough.
    """

    centre: np.ndarray
    last_change: float
    converged: bool

    def __post_init__(self):
        super().__post_init__()
        freeze_fields(self, "centre")

    @property
    def centred(self) -> Draws:
        """The maximum as the only draw."""
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
    """Draw from the normal law around the best of some modes.

    Parameters
    ----------
    log_density : callable
        As for `importance_sample`; a rough one will do, it is asked how normal it is.
    maximum : Modes
        Its curvature is the observed information. Directions in which it is not positive count
        with its absolute value: see `Modes.covariances`.
    n_draws : int
    rng : numpy.random.Generator
    last_change : float, default=0.0
    converged : bool, default=True
        What `NormalDraws` is to tell of the climb.

    Returns
    -------
    draws : NormalDraws
        In pairs on opposite sides of the centre, so that the mean of the draws is the centre.
    """
    centre, root = maximum.points[0], np.linalg.cholesky(maximum.covariances[0])
    half = rng.standard_normal(((max(n_draws, LEAST_CHECKED) + 1) // 2, len(centre)))
    z = np.stack([half, -half], axis=1).reshape(-1, len(centre))
    # Not a matrix product: BLAS sums in an order that depends on the machine's threads.
    points = centre + np.einsum("ij,kj->ik", z, root)
    _, pareto_k = smooth_log_weights(log_density(points) + 0.5 * (z**2).sum(axis=1))
    points, log_weights = points[:n_draws], np.full(n_draws, -np.log(n_draws))
    log_evidence = float(maximum.log_masses[0])
    return NormalDraws(points, log_weights, pareto_k, log_evidence, centre, last_change, converged)
