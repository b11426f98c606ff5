"""Tempered sequential Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._draws import Draws
from ._pareto import smooth_log_weights
from ._tempering import normalised, power_with_ess

# Move until the average draw was moved this often, or for this many sweeps.
_MOVES_PER_DRAW, _MAX_SWEEPS = 2.0, 12
_SMALLEST_STEP = 1e-6
# Probability of a jump by the full difference of two other draws, between modes.
_JUMP_SHARE = 0.1
_JITTER = 1e-3


def tempered_smc(
    log_density, base, n_draws: int, rng: np.random.Generator, *, start=None, ess_share: float = 0.5
) -> Draws:
    """Move draws from a base density to a target through tempered densities.

    The bridge is ``(1 - t) log base + t log density``. Each step raises t until
    the effective size of the weights falls to `ess_share`, resamples
    systematically, and moves the draws by differential-evolution Metropolis
    steps, which keep the bridge invariant.

    Parameters
    ----------
    log_density : callable
        Maps points (m, n_dim) to unnormalized log densities (m,), which may be
        -inf but not nan.
    base : Proposal
        Start of the bridge, wider than the target, such as a prior or a widened proposal. Has
        ``rvs(rng, n)`` and a normalized ``logpdf(u)``.
    n_draws : int
        Size of the population.
    rng : numpy.random.Generator
    start : ndarray of shape (n_draws, n_dim), default=None
        Existing draws from `base` to start with.
    ess_share : float, default=0.5
        Effective size to keep at each step, as a share of `n_draws`.

    Returns
    -------
    draws : Draws
        Equally weighted and, unlike those of importance sampling, dependent. The
        evidence is the product of the steps' mean weights, which is unbiased for
        steps fixed in advance. `pareto_k` is the largest over the steps.

    Raises
    ------
    ValueError
        If no draw of the base has positive density, or `start` has another length.

    References
    ----------
    .. [1] Del Moral, Doucet, Jasra (2006). Sequential Monte Carlo samplers. Journal of
       the Royal Statistical Society B 68(3).
    .. [2] ter Braak (2006). A Markov chain Monte Carlo version of the genetic algorithm
       differential evolution. Statistics and Computing 16(3).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.inference import StudentMixture, tempered_smc
    >>> base = StudentMixture([1.0], [[0.0, 0.0]], 9.0 * np.eye(2)[np.newaxis])
    >>> log_density = lambda u: -0.5 * ((u - 2.0) ** 2).sum(axis=1)
    >>> draws = tempered_smc(log_density, base, 500, np.random.default_rng(0))
    >>> bool(abs(draws.points.mean() - 2.0) < 0.2)
    True
    """
    points = base.rvs(rng, n_draws) if start is None else np.array(start, dtype=np.float64)
    if len(points) != n_draws:
        raise ValueError(f"start must hold n_draws={n_draws} draws, got {len(points)}.")
    bridge = _Bridge(log_density, base.logpdf)
    population = bridge.population(points)
    if np.isneginf(population.log_target).all():
        raise ValueError(
            f"None of {n_draws} draws of the base has positive target density; the base must "
            "overlap the target."
        )
    log_evidence, worst_k = 0.0, -np.inf
    while bridge.temperature < 1.0:
        log_ratio = population.log_target - population.log_base
        step = power_with_ess(log_ratio, ess_share * n_draws, 1.0 - bridge.temperature)
        # If base and target hardly overlap, take the smallest step regardless of its effective
        # size.
        step = max(step, min(_SMALLEST_STEP, 1.0 - bridge.temperature))
        # 0 times -inf: a draw off the support has weight zero at any step.
        log_weights = np.where(np.isfinite(log_ratio), step * log_ratio, -np.inf)
        worst_k = max(worst_k, smooth_log_weights(log_weights)[1])
        log_evidence += _log_mean_exp(log_weights)
        bridge.advance(step)
        population = population.take(systematic_resample(normalised(log_weights), rng))
        population = bridge.move(population, rng)
    log_weights = np.full(n_draws, -np.log(n_draws))
    return Draws(population.points, log_weights, worst_k, log_evidence)


def systematic_resample(
    weights: np.ndarray, rng: np.random.Generator, n_draws: int | None = None
) -> np.ndarray:
    """Return indices (n_draws,), each about ``n_draws * weight`` times, from one uniform.

    None means the number of weights.
    """
    n_draws = len(weights) if n_draws is None else n_draws
    marks = (np.arange(n_draws) + rng.random()) / n_draws
    chosen = np.searchsorted(np.cumsum(weights), marks, side="right")
    # Rounding must not select draws of weight zero.
    return np.minimum(chosen, np.flatnonzero(weights)[-1])


@dataclass(frozen=True, eq=False)
class _Population:
    """Points with their log densities under base and target."""

    points: np.ndarray
    log_base: np.ndarray
    log_target: np.ndarray

    def take(self, indices) -> _Population:
        return _Population(self.points[indices], self.log_base[indices], self.log_target[indices])

    def replaced(self, indices, other, accepted) -> _Population:
        """Return the population with the accepted rows of another at the indices."""
        fields = []
        for mine, theirs in zip(self._fields(), other._fields(), strict=True):
            mine = mine.copy()
            mine[indices[accepted]] = theirs[accepted]
            fields.append(mine)
        return _Population(*fields)

    def _fields(self):
        return self.points, self.log_base, self.log_target


class _Bridge:
    """The tempered density between base and target, and moves that leave it invariant."""

    def __init__(self, log_density, log_base):
        self._log_density, self._log_base = log_density, log_base
        self.temperature = 0.0

    def advance(self, step):
        temperature = self.temperature + step
        # Rounding must not leave an empty last step.
        self.temperature = 1.0 if temperature > 1.0 - 1e-12 else temperature

    def population(self, points) -> _Population:
        return _Population(points, self._log_base(points), self._log_density(points))

    def move(self, population, rng) -> _Population:
        moved = 0.0
        for _ in range(_MAX_SWEEPS):
            population, accepted = self._sweep(population, rng)
            moved += accepted
            if moved >= _MOVES_PER_DRAW:
                break
        return population

    def _sweep(self, population, rng):
        # One half moves by differences of the other, which is held fixed: moving all at once would
        # not leave the density invariant.
        order = rng.permutation(len(population.points))
        half = len(order) // 2
        n_accepted = 0
        for movers, others in ((order[:half], order[half:]), (order[half:], order[:half])):
            steps = differences(population.points[others], len(movers), rng)
            proposed = self.population(population.points[movers] + steps)
            log_ratio = self._tempered(proposed) - self._tempered(population.take(movers))
            accepted = np.log(rng.random(len(movers))) < log_ratio
            population = population.replaced(movers, proposed, accepted)
            n_accepted += accepted.sum()
        return population, n_accepted / len(order)

    def _tempered(self, population):
        t = self.temperature
        return (1.0 - t) * population.log_base + t * population.log_target


def differences(points, n_steps, rng):
    """Return steps: scaled differences of two distinct points, plus small noise."""
    n_points, n_dim = points.shape
    first = rng.integers(n_points, size=n_steps)
    second = (first + rng.integers(1, n_points, size=n_steps)) % n_points
    # ter Braak's scale for a normal, halved at random for curved densities.
    scale = 2.38 / np.sqrt(2.0 * n_dim) * rng.choice([1.0, 0.5], size=n_steps)
    scale = np.where(rng.random(n_steps) < _JUMP_SHARE, 1.0, scale)
    noise = _JITTER * points.std(axis=0) * rng.standard_normal((n_steps, n_dim))
    return scale[:, np.newaxis] * (points[first] - points[second]) + noise


def _log_mean_exp(log_weights):
    largest = log_weights.max()
    return float(largest + np.log(np.exp(log_weights - largest).mean()))
