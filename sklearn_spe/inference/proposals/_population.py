"""Population Monte Carlo: fit of a Student mixture to weighted draws."""

from __future__ import annotations

import numpy as np

from .._weights import effective_size
from ._student_mixture import StudentMixture

# Minimum weight of a component: below it, it would fit one or two draws.
_SMALLEST_WEIGHT = 0.01
# Draws with less than this fraction of the average weight are ignored.
_NEGLIGIBLE = 1e-3


def fit_student_mixture(
    points, weights, start: StudentMixture, n_iterations: int = 6
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
    points, weights = points[heavy], weights[heavy]
    mixture = start
    for _ in range(n_iterations):
        mixture = _em_step(points, n_effective * weights, mixture, start)
    return mixture


def _em_step(points, counts, mixture, prior):
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
    return StudentMixture(weights / weights.sum(), means, scales, mixture.dof)


def _m_step(points, precise, size, prior_mean, prior_scale):
    """Return the mean and scale of one component, with a prior worth a few draws."""
    mean = (np.einsum("n,ni->i", precise, points) + prior_mean) / (precise.sum() + 1.0)
    steps = points - mean
    scatter = np.einsum("ni,nj->ij", precise[:, np.newaxis] * steps, steps)
    pull = mean - prior_mean
    strength = len(mean) + 2.0
    scatter += pull[:, np.newaxis] * pull + strength * prior_scale
    return mean, scatter / (size + strength)
