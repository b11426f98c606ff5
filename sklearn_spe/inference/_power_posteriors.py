"""Power posteriors: a prior times rising powers of a likelihood."""

from __future__ import annotations

import numpy as np

from ._smc import differences, systematic_resample
from ._tempering import normalised

# Powers double on the way. A draw is moved once after each, and so often where it is kept.
FIRST_POWER, N_MOVES = 1.0, 2
MOVES_ON_THE_WAY = 1


def power_posteriors(log_likelihood, draw, log_prior, powers, n_draws, rng) -> list[np.ndarray]:
    """Draw from a prior times powers of a likelihood, from the lowest power to the highest.

    Sequential Monte Carlo on a fixed ladder that doubles: reweight, resample
    systematically, and move every draw by differences of two others (differential evolution
    Metropolis), twice where draws are kept. One density a draw and move; for targets that
    are wide, as low powers are.

    Parameters
    ----------
    log_likelihood : callable
        Maps points (m, n_dim) to finite logs (m,).
    draw : callable
        Maps a number to so many points of the prior.
    log_prior : callable
        Maps points (m, n_dim) to log densities (m,).
    powers : sequence of float
        Positive, rising.
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    draws : list of ndarray of shape (n_draws, n_dim)
        One for each power; equally weighted.

    References
    ----------
    .. [1] Friel, Pettitt (2008). Marginal likelihood estimation via power posteriors. Journal
       of the Royal Statistical Society B 70(3).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import power_posteriors
    >>> rng = np.random.default_rng(0)
    >>> normal = lambda u: -0.5 * (u**2).sum(axis=1)
    >>> draw = lambda n: rng.standard_normal((n, 1))
    >>> once, thrice = power_posteriors(normal, draw, normal, (1, 3), 2000, rng)
    >>> bool(abs(thrice.std() - 0.5) < 0.05)
    True
    """
    points = draw(n_draws)
    likelihood, prior = log_likelihood(points), log_prior(points)
    kept, power = [], 0.0
    for following in _ladder(powers):
        chosen = systematic_resample(normalised((following - power) * likelihood), rng)
        points, likelihood, prior = points[chosen], likelihood[chosen], prior[chosen]
        power = following
        for _ in range(N_MOVES if power in powers else MOVES_ON_THE_WAY):
            # One half moves by differences of the other, which stands still meanwhile.
            order = rng.permutation(n_draws)
            halves = order[: n_draws // 2], order[n_draws // 2 :]
            for movers, others in (halves, halves[::-1]):
                proposed = points[movers] + differences(points[others], len(movers), rng)
                new_likelihood, new_prior = log_likelihood(proposed), log_prior(proposed)
                log_ratio = power * (new_likelihood - likelihood[movers])
                log_ratio += new_prior - prior[movers]
                accepted = np.log(rng.random(len(movers))) < log_ratio
                moved = movers[accepted]
                points[moved] = proposed[accepted]
                likelihood[moved], prior[moved] = new_likelihood[accepted], new_prior[accepted]
        if power in powers:
            kept.append(points.copy())
    return kept


def _ladder(powers) -> list[float]:
    """Return the powers, and those that double on the way to each."""
    ladder, last = [], FIRST_POWER / 2.0
    for power in powers:
        while 2.0 * last < power:
            last *= 2.0
            ladder.append(last)
        ladder.append(power)
        last = power
    return ladder
