"""Binormal ROC curves: only the ranks of the scores matter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..families._family import NormalPrior
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import check_number
from ._expert import MAX_LOG_ODDS, Expert

# The table is made at normal ranks up to this distance, from so many points of the latent scale.
REACH, N_RANKS, N_LATENT = 8.0, 321, 400
LOG_ODDS, SEPARATION, LOG_SPREAD = (
    NormalPrior(-2.0, 1.5),
    NormalPrior(2.2, 1.4),
    NormalPrior(-0.03, 0.25),
)
PLAIN = LOG_ODDS, SEPARATION, LOG_SPREAD
# Where negatives have a heavy tail, rare positives are a narrow band of it, with negatives above.
NARROW = NormalPrior(-5.0, 2.0), NormalPrior(3.2, 1.2), NormalPrior(-0.8, 0.5)
# What these weigh, and which share of the curves they have.
MIXTURE = (PLAIN, 0.26, 0.6), (NARROW, 0.16, 0.4)
# A cell is at least as wide as this times r (1 - r).
MIN_WIDTH = 0.06
# Steps of an additive recurrence that fills the cube evenly (the generalized golden ratio).
RECURRENCE = 1.2207440846057596 ** -np.arange(1.0, 4.0)


@dataclass(frozen=True)
class RankBinormal(Expert):
    r"""Binormal curves of the rank: both classes are normal on some increasing scale.

    On that scale negatives are :math:`N(0, 1)`, positives are :math:`N(d, \sigma^2)` and the
    prevalence is :math:`\pi`. Only the ranks of the scores matter. Let :math:`F` be the
    distribution function of the mixture and :math:`G(u) = \pi \Phi((F^{-1}(u) - d) / \sigma)`. The
    probability of a cell between the ranks :math:`u_0` and :math:`u_1` is :math:`(G(u_1) - G(u_0))
    / (u_1 - u_0)`, which is exact for ties. The curve is then made monotone, since a binormal curve
    is not if :math:`\sigma \ne 1`.

    By default 62% of the weight is on the default priors below. The other 38% is on rare positives
    in a narrow range of scores, for negatives with a heavy tail: log-odds normal(-5, 2), :math:`d`
    normal(3.2, 1.2) and :math:`\log \sigma` normal(-0.8, 0.5). These curves are not made monotone,
    because negatives may lie above that range too. Half of the curves of each part are mirror
    images, with scores and classes exchanged. A given prior of the prevalence replaces the part for
    rare positives. Priors passed here are used as they are.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=900
    log_odds : NormalPrior, default=NormalPrior(-2, 1.5)
        Prior of the log-odds of the prevalence.
    separation : NormalPrior, default=NormalPrior(2.2, 1.4)
        Prior of d; its sign is ignored. If the ROC AUC is about A, for example in a source domain,
        use ``separation=NormalPrior(sqrt(2) * norm.ppf(A), 0.3)``.
    log_spread : NormalPrior, default=NormalPrior(-0.03, 0.25)
        Prior of the logarithm of sigma.
    gain : float, default=1
        For a mean of several scores: d is multiplied by the square root of the gain.
    weight : float, default=None
        See `Expert`.

    References
    ----------
    D. D. Dorfman, E. Alf, "Maximum-likelihood estimation of parameters of signal-detection theory
    and determination of confidence intervals", Journal of Mathematical Psychology 6 (1969).
    """

    name: ClassVar[str] = "rank_binormal"
    weights: ClassVar[dict[str, float]] = {"default": sum(weight for _, weight, _ in MIXTURE)}

    n_curves: int = 900
    log_odds: NormalPrior = field(default=LOG_ODDS)
    separation: NormalPrior = field(default=SEPARATION)
    log_spread: NormalPrior = field(default=LOG_SPREAD)
    gain: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("log_odds", "separation", "log_spread"):
            if not isinstance(getattr(self, name), NormalPrior):
                raise TypeError(f"{name} must be a NormalPrior, got {getattr(self, name)!r}.")
        check_number(self.gain, "gain", "(0, inf)")

    def steeper(self, gain: float) -> RankBinormal:
        """Return the expert of classes that lie further apart, by the root of a gain."""
        return replace(self, gain=float(self.gain * gain))

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        return np.concatenate([part.curves(cells, self.gain) for part in self._parts])

    def shares(self) -> np.ndarray:
        return np.concatenate([np.full(part.n, part.weight / part.n) for part in self._parts])

    def lapse_end(self) -> np.ndarray:
        ends = [np.full(part.n, -1 if part.mirrored else 1) for part in self._parts]
        return np.concatenate(ends).astype(np.int8)

    def expects_rare(self) -> np.ndarray:
        are_rare = [np.full(part.n, part.priors == NARROW) for part in self._parts]
        return np.concatenate(are_rare)

    @property
    def _parts(self) -> list[_Part]:
        priors = self.log_odds, self.separation, self.log_spread
        if priors != PLAIN:
            return [_Part(self.n_curves, 1.0, priors, mirrored=False)]

        parts = []
        left = self.n_curves
        for priors, weight, share in reversed(MIXTURE):
            n = left // 2 if priors == PLAIN else round(share * self.n_curves / 2.0)
            # An odd number of curves has one more of the mirror images.
            mirrored = left - n if priors == PLAIN else n
            parts += [
                _Part(n, weight / 2.0, priors, mirrored=False),
                _Part(mirrored, weight / 2.0, priors, mirrored=True),
            ]
            left -= n + mirrored
        return parts


class _Part(NamedTuple):
    """Curves of one prior, or their mirror images."""

    n: int
    weight: float
    priors: tuple[NormalPrior, NormalPrior, NormalPrior]  # log-odds, separation, log spread
    mirrored: bool

    def curves(self, cells: ScoreCells, gain: float) -> np.ndarray:
        """Return them on the cells, (n, n_cells)."""
        log_odds, separation, log_spread = self.priors
        further = replace(separation, location=float(separation.location * np.sqrt(gain)))
        # The curves depend on the ranks only: one table serves every sample.
        table = _table(self.n, log_odds, further, log_spread)

        low, high = cells.rank_ends
        is_monotone = self.priors != NARROW
        if self.mirrored:
            ranks = 1.0 - high[::-1], 1.0 - low[::-1]
            return -_curves_between(table, *ranks, is_monotone)[::-1].T
        return _curves_between(table, low, high, is_monotone).T


def _curves_between(
    table: _Table, low: np.ndarray, high: np.ndarray, is_monotone: bool
) -> np.ndarray:
    """Return the curves of a table on cells between given ranks, (n_cells, n_curves)."""
    middle = (low + high) / 2.0
    width = high - low
    is_wide = width > 2.0 * _half_width(middle)

    # Wide cells have the ratio of the masses between their ends, others one from a table.
    curves = np.empty((len(low), len(table.log_odds)))
    curves[~is_wide] = _at(table.smoothed, middle[~is_wide])
    curves[is_wide] = _log_odds_between(table, middle[is_wide], width[is_wide] / 2.0)
    curves += table.log_odds
    if not is_monotone:
        return curves

    # Rounding, and the change between both ways, must not make a monotone curve wiggle.
    is_narrow = table.spread <= 1.0
    curves[:, is_narrow] = np.maximum.accumulate(curves[:, is_narrow], axis=0)
    curves[:, ~is_narrow] = np.minimum.accumulate(curves[::-1, ~is_narrow], axis=0)[::-1]
    return curves


@dataclass(frozen=True, eq=False)
class _Table(FrozenArrays):
    """Draws of the parameters, and their curves at evenly spaced normal ranks.

    Attributes
    ----------
    log_odds, distance, spread : ndarray of shape (n_curves,)
    latent : ndarray of shape (N_RANKS, n_curves)
        The scale on which the classes are normal.
    smoothed : ndarray of shape (N_RANKS, n_curves)
        The log of the ratio of the classes' masses in cells of the least width.
    """

    log_odds: np.ndarray
    distance: np.ndarray
    spread: np.ndarray
    latent: np.ndarray
    smoothed: np.ndarray


def _half_width(middle: np.ndarray) -> np.ndarray:
    """Return half the least width of a cell around a rank."""
    return MIN_WIDTH * middle * (1.0 - middle)


def _log_odds_between(table: _Table, middle: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return the log of the ratio of the classes' masses between ranks, (n_ranks, n_curves)."""
    # Among many millions of items the table ends before the last of them.
    edge = 2.0 * special.ndtr(-REACH)
    middle = np.clip(middle, edge, 1.0 - edge)
    low = _at(table.latent, middle - half)
    high = _at(table.latent, middle + half)
    negative = _normal_mass(low, high)
    positive = _normal_mass(
        (low - table.distance) / table.spread, (high - table.distance) / table.spread
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_ratio = np.log(positive / negative)

    # Finite, so that it can be interpolated, and beyond the largest whatever the prevalence is.
    return np.nan_to_num(log_ratio, nan=0.0, posinf=4.0 * MAX_LOG_ODDS, neginf=-4.0 * MAX_LOG_ODDS)


def _normal_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the standard normal mass between two points, from the nearer tail."""
    upper = low > 0.0
    lower_end = np.where(upper, -high, low)
    upper_end = np.where(upper, -low, high)
    return special.ndtr(upper_end) - special.ndtr(lower_end)


def _at(table: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return the rows of a table at given ranks, linear in the normal rank between its own."""
    position = (np.clip(special.ndtri(ranks), -REACH, REACH) + REACH) / (2.0 * REACH)
    position *= N_RANKS - 1
    left = np.minimum(position.astype(int), N_RANKS - 2)
    share = (position - left)[:, np.newaxis]
    return table[left] * (1.0 - share) + table[left + 1] * share


@lru_cache(maxsize=8)
def _table(
    n_curves: int, log_odds: NormalPrior, separation: NormalPrior, log_spread: NormalPrior
) -> _Table:
    levels = (0.5 + np.arange(1, n_curves + 1)[:, np.newaxis] * RECURRENCE) % 1.0
    log_odds_draws = log_odds.ppf(levels[:, 0])
    distance = np.abs(separation.ppf(levels[:, 1]))
    spread = np.exp(log_spread.ppf(levels[:, 2]))

    # The latent scale at evenly spaced normal ranks.
    normal_ranks = np.linspace(-REACH, REACH, N_RANKS)
    latent = np.empty((N_RANKS, n_curves))
    for rows in row_tiles(n_curves, N_LATENT):
        prevalence = special.expit(log_odds_draws[rows])
        of_rows = _latent_scale(prevalence, distance[rows], spread[rows])
        for k, (rank, x) in enumerate(zip(*of_rows, strict=True), rows.start):
            latent[:, k] = np.interp(normal_ranks, rank, x)

    table = _Table(log_odds_draws, distance, spread, latent, latent)
    ranks = special.ndtr(normal_ranks)
    return replace(table, smoothed=_log_odds_between(table, ranks, _half_width(ranks)))


def _latent_scale(
    prevalence: np.ndarray, distance: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return normal ranks, and the latent scale there, each of shape (n_curves, N_LATENT)."""
    pi = prevalence[:, np.newaxis]
    d = distance[:, np.newaxis]
    sigma = spread[:, np.newaxis]
    low = np.minimum(-8.5, d - 8.5 * sigma)
    high = np.maximum(8.5, d + 8.5 * sigma)
    x = low + (high - low) * np.linspace(0.0, 1.0, N_LATENT)

    # The shares of items below and above each point of the latent scale.
    z = (x - d) / sigma
    below = (1.0 - pi) * special.ndtr(x) + pi * special.ndtr(z)
    above = (1.0 - pi) * special.ndtr(-x) + pi * special.ndtr(-z)

    # From both tails, so that neither loses its digits.
    is_low = below < 0.5
    rank = special.ndtri(np.where(is_low, below, above))
    return np.where(is_low, rank, -rank), x
