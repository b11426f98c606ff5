"""The ROC curve is binormal: what the ranks alone say."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from .._cells import ScoreCells
from .._parameter import NormalPrior
from ._expert import Expert

# The table is made at normal ranks up to this distance, from so many points of the latent scale.
REACH, N_RANKS, N_LATENT = 5.0, 241, 300
# A cell is at least as wide as this times r (1 - r).
LEAST_WIDTH = 0.06
# Steps of an additive recurrence that fills the cube evenly (the generalised golden ratio).
RECURRENCE = 1.2207440846057596 ** -np.arange(1.0, 4.0)


@dataclass(frozen=True)
class RankBinormal(Expert):
    r"""Classes are normal on some increasing scale: :math:`N(0, 1)` and :math:`N(d, \sigma^2)`.

    The scale is the one on which the mixture has the ranks of the scores, so that only ranks
    matter. With the mixture's distribution function :math:`F` and
    :math:`G(u) = \pi \Phi((F^{-1}(u) - d) / \sigma)`, the probability of a cell between the ranks
    :math:`u_0` and :math:`u_1` is :math:`(G(u_1) - G(u_0)) / (u_1 - u_0)`, exact for ties; made
    monotone, as a binormal curve is not where :math:`\sigma \ne 1`.

    Parameters
    ----------
    n_curves : int, default=2048
    log_odds : NormalPrior, default=NormalPrior(-2, 1.5)
        Prior of the log-odds of the prevalence.
    separation : NormalPrior, default=NormalPrior(2.2, 1.4)
        Prior of d, whose absolute value counts. A known ROC AUC A, of a source domain say, is
        ``separation=NormalPrior(sqrt(2) * norm.ppf(A), 0.3)``.
    log_spread : NormalPrior, default=NormalPrior(-0.03, 0.25)
        Prior of the logarithm of sigma.
    weight : float, default=None
        See `Expert`.

    References
    ----------
    D. D. Dorfman, E. Alf, "Maximum-likelihood estimation of parameters of signal-detection theory
    and determination of confidence intervals", Journal of Mathematical Psychology 6 (1969).
    """

    name: ClassVar[str] = "rank_binormal"
    weights: ClassVar[dict[str, float]] = {"default": 0.14, "distance": 0.3, "unit": 0.2}

    n_curves: int = 2048
    log_odds: NormalPrior = field(default=NormalPrior(-2.0, 1.5))
    separation: NormalPrior = field(default=NormalPrior(2.2, 1.4))
    log_spread: NormalPrior = field(default=NormalPrior(-0.03, 0.25))

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        # The curves depend on the ranks only: one table serves every sample.
        table, rising = _table(self.n_curves, self.log_odds, self.separation, self.log_spread)
        low, high = cells.rank_ends
        edge = special.ndtr(-REACH)
        # Among many millions of items the table ends before the last of them.
        middle = np.clip((low + high) / 2.0, 2.0 * edge, 1.0 - 2.0 * edge)
        half = np.maximum((high - low) / 2.0, LEAST_WIDTH * middle * (1.0 - middle))
        low, high = (np.clip(end, edge, 1.0 - edge) for end in (middle - half, middle + half))
        p = (_at(table, high) - _at(table, low)) / (high - low)
        p[rising] = np.maximum.accumulate(p[rising], axis=1)
        p[~rising] = np.minimum.accumulate(p[~rising, ::-1], axis=1)[:, ::-1]
        return special.logit(np.clip(p, 1e-9, 1.0 - 1e-9))


def _ranks() -> np.ndarray:
    return special.ndtr(np.linspace(-REACH, REACH, N_RANKS))


def _at(table, ranks) -> np.ndarray:
    """Return G at given ranks, linear in rank between the points of the table."""
    known = _ranks()
    left = np.clip(np.searchsorted(known, ranks, side="right") - 1, 0, N_RANKS - 2)
    share = (ranks - known[left]) / (known[left + 1] - known[left])
    return table[:, left] + share * (table[:, left + 1] - table[:, left])


@lru_cache(maxsize=4)
def _table(n_curves, log_odds, separation, log_spread) -> tuple[np.ndarray, np.ndarray]:
    """Return G at the ranks of the table, and which curves bend upwards at the top."""
    levels = (0.5 + np.arange(1, n_curves + 1)[:, np.newaxis] * RECURRENCE) % 1.0
    priors = (log_odds, separation, log_spread)
    draws = [prior.ppf(level) for prior, level in zip(priors, levels.T, strict=True)]
    prevalence, distance = special.expit(draws[0]), np.abs(draws[1])
    spread = np.exp(draws[2])
    wanted = np.linspace(-REACH, REACH, N_RANKS)
    table = np.empty((n_curves, N_RANKS))
    steps = np.linspace(0.0, 1.0, N_LATENT)
    for i, (pi, d, sigma) in enumerate(zip(prevalence, distance, spread, strict=True)):
        low, high = min(-6.0, d - 6.0 * sigma), max(6.0, d + 6.0 * sigma)
        x = low + (high - low) * steps
        below = special.ndtr((x - d) / sigma)
        # From both tails, so that neither loses its digits.
        normal_rank = np.where(
            x < d,
            special.ndtri((1.0 - pi) * special.ndtr(x) + pi * below),
            -special.ndtri((1.0 - pi) * special.ndtr(-x) + pi * special.ndtr((d - x) / sigma)),
        )
        table[i] = pi * np.interp(wanted, normal_rank, below)
    table.flags.writeable = False
    return table, spread <= 1.0
