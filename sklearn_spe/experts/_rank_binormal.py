"""The ROC curve is binormal: what the ranks alone say."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from .._parameter import NormalPrior
from ..sample._cells import ScoreCells
from ._expert import LARGEST_LOG_ODDS, Expert

# The table is made at normal ranks up to this distance, from so many points of the latent scale.
REACH, N_RANKS, N_LATENT = 8.0, 321, 400
# Curves of the default.
N_CURVES = 2048
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

    n_curves: int = N_CURVES
    log_odds: NormalPrior = field(default=NormalPrior(-2.0, 1.5))
    separation: NormalPrior = field(default=NormalPrior(2.2, 1.4))
    log_spread: NormalPrior = field(default=NormalPrior(-0.03, 0.25))

    def __post_init__(self):
        for name in ("log_odds", "separation", "log_spread"):
            if not isinstance(getattr(self, name), NormalPrior):
                raise TypeError(f"{name} must be a NormalPrior, got {getattr(self, name)!r}.")

    def steeper(self, gain: float) -> RankBinormal:
        """Return the expert of classes that lie further apart, by the root of a gain."""
        further = self.separation.location * np.sqrt(gain)
        return replace(self, separation=replace(self.separation, location=float(further)))

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        # The curves depend on the ranks only: one table serves every sample.
        law, latent = _table(self.n_curves, self.log_odds, self.separation, self.log_spread)
        low, high = cells.rank_ends
        # Among many millions of items the table ends before the last of them.
        edge = 2.0 * special.ndtr(-REACH)
        middle = np.clip((low + high) / 2.0, edge, 1.0 - edge)
        half = np.maximum((high - low) / 2.0, LEAST_WIDTH * middle * (1.0 - middle))
        ends = _at(latent, middle - half), _at(latent, middle + half)
        positive = _normal_mass(*((end - law.distance) / law.spread for end in ends))
        with np.errstate(divide="ignore"):
            f = np.log(positive) - np.log(_normal_mass(*ends)) + law.log_odds
        # Where both masses underflow the curve goes on as it was.
        f = np.nan_to_num(f, nan=0.0, posinf=LARGEST_LOG_ODDS, neginf=-LARGEST_LOG_ODDS)
        rising = law.spread[:, 0] <= 1.0
        f[rising] = np.maximum.accumulate(f[rising], axis=1)
        f[~rising] = np.minimum.accumulate(f[~rising, ::-1], axis=1)[:, ::-1]
        return f


@dataclass(frozen=True, eq=False)
class _Laws(FrozenArrays):
    """Draws of the parameters, each of shape (n_curves, 1)."""

    log_odds: np.ndarray
    distance: np.ndarray
    spread: np.ndarray


def _normal_mass(low, high) -> np.ndarray:
    """Return the standard normal mass between two points, from the nearer tail."""
    upper = low > 0.0
    low, high = np.where(upper, -high, low), np.where(upper, -low, high)
    return special.ndtr(high) - special.ndtr(low)


def _at(latent, ranks) -> np.ndarray:
    """Return the latent scale at given ranks, linear in the normal rank between the table's."""
    position = (np.clip(special.ndtri(ranks), -REACH, REACH) + REACH) / (2.0 * REACH)
    position *= N_RANKS - 1
    left = np.minimum(position.astype(int), N_RANKS - 2)
    share = position - left
    return latent[:, left] * (1.0 - share) + latent[:, left + 1] * share


def _table(n_curves, *priors) -> tuple[_Laws, np.ndarray]:
    """Return draws of the parameters, and the latent scale at evenly spaced normal ranks."""
    # The first draws are the same however many follow: few are cut from the table of many.
    law, latent = _long_table(max(n_curves, N_CURVES), *priors)
    first = (getattr(law, of.name)[:n_curves] for of in fields(law))
    return _Laws(*first), latent[:n_curves]


@lru_cache(maxsize=4)
def _long_table(n_curves, log_odds, separation, log_spread) -> tuple[_Laws, np.ndarray]:
    levels = (0.5 + np.arange(1, n_curves + 1)[:, np.newaxis] * RECURRENCE) % 1.0
    priors = (log_odds, separation, log_spread)
    logit, distance, log_sigma = (
        prior.ppf(level)[:, np.newaxis] for prior, level in zip(priors, levels.T, strict=True)
    )
    law = _Laws(logit, np.abs(distance), np.exp(log_sigma))
    wanted, steps = np.linspace(-REACH, REACH, N_RANKS), np.linspace(0.0, 1.0, N_LATENT)
    latent = np.empty((n_curves, N_RANKS))
    for i, (pi, d, sigma) in enumerate(
        zip(special.expit(logit[:, 0]), law.distance[:, 0], law.spread[:, 0], strict=True)
    ):
        low, high = min(-8.5, d - 8.5 * sigma), max(8.5, d + 8.5 * sigma)
        x = low + (high - low) * steps
        below = (1.0 - pi) * special.ndtr(x) + pi * special.ndtr((x - d) / sigma)
        above = (1.0 - pi) * special.ndtr(-x) + pi * special.ndtr((d - x) / sigma)
        # From both tails, so that neither loses its digits.
        is_low = below < 0.5
        normal_rank = special.ndtri(np.where(is_low, below, above))
        normal_rank[~is_low] *= -1.0
        latent[i] = np.interp(wanted, normal_rank, x)
    latent.flags.writeable = False
    return law, latent
