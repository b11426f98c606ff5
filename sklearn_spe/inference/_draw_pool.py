"""Draws from all proposals of an adaptation, as one weighted sample."""

from __future__ import annotations

import numpy as np

from ._draws import Draws
from ._importance_sampling import weighted_draws
from ._tempering import normalised, power_with_ess
from ._weights import effective_size
from .proposals._population import fit_student_mixture
from .proposals._scatter import enriched_mixture
from .proposals._student_mixture import StudentMixture

# Effective draws per dimension needed to fit the shape of one component.
_ESS_PER_COMPONENT = 6.0
_MAX_COMPONENTS = 8
# Weights are tempered until there are this many effective draws per dimension.
_MIN_ESS = 4.0


class DrawPool:
    """Draws of several proposals, weighted by the mixture of all of them.

    The deterministic mixture of Owen and Zhou (2000), which adaptive multiple importance sampling
    uses to recycle draws: a draw with low density under its own proposal has no large weight if
    another proposal covers it.

    Parameters
    ----------
    log_density : callable
        Maps points (m, n_dim) to unnormalized log densities (m,).
    rng : numpy.random.Generator
    """

    def __init__(self, log_density, rng):
        self.log_density, self.rng = log_density, rng
        self._proposals, self._points, self._log_densities = [], [], []

    def add(self, proposal, n_draws: int) -> Draws | None:
        """Draw and store; return these draws, None if none has positive density."""
        points = proposal.rvs(self.rng, n_draws)
        log_densities = self.log_density(points)
        self._proposals.append(proposal)
        self._points.append(points)
        self._log_densities.append(log_densities)
        if np.isneginf(log_densities).all():
            return None
        return weighted_draws(points, log_densities, proposal.logpdf(points))

    def refit(self, mixture: StudentMixture, *, enrich: bool) -> StudentMixture:
        """Return the mixture fitted to all draws.

        With `enrich` it gets as many components as the draws can support.
        """
        points = np.concatenate(self._points)
        log_weights = self._log_weights(points)
        if np.isneginf(log_weights).all():
            return mixture.widened(0.5)
        weights = _flattened(log_weights, _MIN_ESS * mixture.n_dim)
        if enrich:
            n_components = int(effective_size(weights) / (_ESS_PER_COMPONENT * mixture.n_dim))
            n_components = min(n_components, _MAX_COMPONENTS)
            mixture = enriched_mixture(mixture, points, weights, n_components, self.rng)
        return fit_student_mixture(points, weights, mixture)

    def _log_weights(self, points):
        counts = np.array([len(block) for block in self._points])
        log_proposals = np.array([proposal.logpdf(points) for proposal in self._proposals])
        largest = log_proposals.max(axis=0)
        shares = (counts / counts.sum())[:, np.newaxis]
        mixed = largest + np.log((shares * np.exp(log_proposals - largest)).sum(axis=0))
        return np.concatenate(self._log_densities) - mixed


def _flattened(log_weights, ess):
    # A poor round has a few large weights: a power below one keeps their order and moves the
    # mixture towards them without collapse.
    power = power_with_ess(log_weights, ess)
    # A power of zero would give weight to impossible draws.
    possible = np.isfinite(log_weights)
    return normalised(np.where(possible, power * np.where(possible, log_weights, 0.0), -np.inf))
