"""Importance sampling from a fixed proposal."""

from __future__ import annotations

import numpy as np

from ._draws import Draws
from ._pareto import smooth_log_weights


def importance_sample(log_density, proposal, n_draws: int, rng: np.random.Generator) -> Draws:
    """Draw from a proposal and weight the draws by density over proposal.

    Parameters
    ----------
    log_density : callable
        Maps points (m, n_dim) to unnormalized log densities (m,), which may be
        -inf but not nan.
    proposal : Proposal
        Has ``rvs(rng, n)`` and ``logpdf(u)``.
    n_draws : int
        Number of draws, and of rows on which `log_density` is evaluated.
    rng : numpy.random.Generator

    Returns
    -------
    draws : Draws
        With Pareto-smoothed weights. The evidence is the mean of the *raw*
        weights, which is unbiased for any proposal, unlike that of smoothed weights.

    Raises
    ------
    ValueError
        If `log_density` returns nan or +inf, or no draw has positive density.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import diagonal_normal, importance_sample
    >>> log_density = lambda u: -0.5 * (u**2).sum(axis=1)
    >>> proposal = diagonal_normal(log_density, [0.0, 0.0])
    >>> draws = importance_sample(log_density, proposal, 500, np.random.default_rng(0))
    >>> len(draws), round(draws.log_evidence, 2)
    (500, 1.84)
    """
    points = proposal.rvs(rng, n_draws)
    return weighted_draws(points, log_density(points), proposal.logpdf(points))


def weighted_draws(points, log_densities, log_proposals) -> Draws:
    """Return draws weighted by density over proposal, given both log densities."""
    raw = log_densities - log_proposals
    log_weights, pareto_k = smooth_log_weights(raw)
    largest = raw.max()
    log_evidence = float(largest + np.log(np.exp(raw - largest).mean()))
    return Draws(points, log_weights, pareto_k, log_evidence)
