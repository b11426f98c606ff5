"""Initialization of Student mixture components, spread over weighted draws."""

from __future__ import annotations

import numpy as np

from ._student_mixture import StudentMixture


def scattered_mixture(
    points, weights, n_components: int, rng: np.random.Generator, dof: float = 5.0
) -> StudentMixture:
    """Return a mixture with components spread over weighted draws, as a start of EM.

    Centres are drawn as k-means++ draws them: each with probability proportional
    to its weight and its squared distance from the centres chosen before, in
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
    mixture: StudentMixture, points, weights, n_components: int, rng: np.random.Generator
) -> StudentMixture:
    """Return a mixture with additional components in regions not yet covered.

    The new centres are chosen as `scattered_mixture` does, given the old ones.

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


def _spread(points, weights, covariance, centres, n_new, rng):
    """Return the centres followed by `n_new` draws far from them."""
    whiten = np.linalg.inv(np.linalg.cholesky(covariance))
    standard = np.einsum("ij,nj->ni", whiten, points)
    squared = np.full(len(points), np.inf)
    for centre in centres:
        squared = np.minimum(squared, _squared(standard, np.einsum("ij,j->i", whiten, centre)))
    chosen = []
    for _ in range(n_new):
        chosen.append(_pick(weights * squared, rng))
        squared = np.minimum(squared, _squared(standard, standard[chosen[-1]]))
    return np.vstack([centres, points[chosen]])


def _squared(points, centre):
    return ((points - centre) ** 2).sum(axis=1)


def _pick(masses, rng):
    cumulative = np.cumsum(masses)
    index = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
    return min(int(index), len(masses) - 1)


def _shared(covariance, n_components):
    # Components that tile a volume each cover their share of it.
    return (covariance * n_components ** (-2.0 / len(covariance)))[np.newaxis]


def _covariance(points, weights):
    """Return the covariance of weighted draws, with a ridge that keeps it invertible."""
    steps = points - np.einsum("n,ni->i", weights, points)
    covariance = np.einsum("ni,nj->ij", weights[:, np.newaxis] * steps, steps)
    return covariance + np.diag(1e-9 * np.diagonal(covariance) + 1e-12)
