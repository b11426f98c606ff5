"""A rate for each stratum of tail ranks: what the labels alone say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..inference._sampling import systematic_resample
from ._expert import MAX_LOG_ODDS, DiscrepancyScale, Expert

# Strata of tail ranks: the first has so many items, and the last rank of each further one is so
# many times as large, with a boundary at each, or halfway between in logs.
FIRST_RANK, RATIOS, OFFSETS = 10.0, (2.0, 3.0, 5.0), (0.0, 0.5)
# Parameter of the Beta prior of a rate, for the frequent class; the rare class has it divided by
# the number of strata, so that about one half of an item is expected in all of them together.
JEFFREYS = 0.5
# So many proposals for each curve, of which those are kept whose prevalence is likely.
N_PROPOSED = 8
# Fewer cells than this have a rate each in `ValueShares`.
MIN_CELLS = 3


@dataclass(frozen=True)
class StratumRates(Expert):
    r"""Each stratum of tail ranks has a rate of positives of its own: nothing but counts.

    Strata are ranges of the rank from the top (half of the curves: from the bottom), each 2, 3 or 5
    times as wide as the one before. With H strata a rate is :math:`\mathrm{Beta}(1/(2H), 1/2)`,
    for strata from the bottom :math:`\mathrm{Beta}(1/2, 1/(2H))`, and labels update it in closed
    form: no family is assumed, no order, no smoothness. It weighs little where one of the other
    experts is right. Where the labels are concentrated on some of the scores, so that what fits
    the labeled items need not fit the others, it keeps at least a fifth of the posterior draws.
    Scores of two values leave it out: `ValueShares` is the same for them.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_curves : int, default=400
    weight : float, default=None
        See `Expert`.

    References
    ----------
    J. Neyman, "On the two different aspects of the representative method", Journal of the Royal
    Statistical Society 97 (1934).
    """

    name: ClassVar[str] = "stratum_rates"
    weights: ClassVar[dict[str, float]] = {"default": 0.06}
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.0, stretch=0.0, roughness=0.0, small_lapse=0.0, large_lapse=0.0
    )
    is_conjugate: ClassVar[bool] = True

    n_curves: int = 400

    def prior_weight(self, cells: ScoreCells) -> float:
        """Return the weight of this expert before any label: none for one or two values."""
        if self.weight is None and cells.n_cells < MIN_CELLS:
            return 0.0
        return super().prior_weight(cells)

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        no_labels = np.zeros(cells.n_cells)
        return self.updated_curves(cells, no_labels, no_labels, None, rng)[0]

    def updated_curves(
        self,
        cells: ScoreCells,
        negative: np.ndarray,
        positive: np.ndarray,
        log_weight: Callable[[np.ndarray], np.ndarray] | None,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, float]:
        # Proposals by the labels alone, in closed form.
        posteriors = [division.updated(negative, positive) for division in _divisions(cells)]
        log_evidence = np.array([posterior.log_evidence for posterior in posteriors])
        n_proposals = self.n_curves if log_weight is None else N_PROPOSED * self.n_curves
        division = systematic_resample(special.softmax(log_evidence), rng, n_proposals)
        n_drawn = np.bincount(division, minlength=len(posteriors))
        log_odds = [
            posterior.draw(n, rng) for posterior, n in zip(posteriors, n_drawn, strict=True)
        ]

        # Weighted by the prevalence, and resampled.
        total = float(special.logsumexp(log_evidence) - np.log(len(posteriors)))
        proposal = np.arange(n_proposals)
        if log_weight is not None:
            prevalence = [
                posterior.prevalence(of_strata, cells)
                for posterior, of_strata in zip(posteriors, log_odds, strict=True)
            ]
            log_weights = log_weight(np.concatenate(prevalence))
            proposal = systematic_resample(special.softmax(log_weights), rng, self.n_curves)
            total += float(special.logsumexp(log_weights) - np.log(n_proposals))

        # From strata to cells; proposals are in the order of the divisions.
        ends = np.cumsum(n_drawn)
        resampled = np.split(proposal, np.searchsorted(proposal, ends[:-1]))
        curves = [
            of_strata[numbers - first][:, posterior.stratum]
            for posterior, of_strata, numbers, first in zip(
                posteriors, log_odds, resampled, ends - n_drawn, strict=True
            )
        ]
        return np.concatenate(curves), total


class _UpdatedDivision(NamedTuple):
    """Beta distributions of the rate of each stratum given labels."""

    stratum: np.ndarray  # (n_cells,) of int
    a: np.ndarray  # (n_strata,)
    b: np.ndarray  # (n_strata,)
    log_evidence: float

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw log-odds of the rates, (n, n_strata)."""
        # By gamma variables, as rates of a rare class may be smaller than the smallest number.
        shape = n, len(self.a)
        log_odds = _log_gamma(self.a, shape, rng) - _log_gamma(self.b, shape, rng)
        return np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)

    def prevalence(self, log_odds: np.ndarray, cells: ScoreCells) -> np.ndarray:
        """Return the share of positives among the items, (n,)."""
        shares = np.bincount(self.stratum, cells.shares, len(self.a))
        return np.einsum("ij,j->i", special.expit(log_odds), shares)


class _Division(NamedTuple):
    """A division of the cells in strata, and the Beta prior of the rate of each."""

    stratum: np.ndarray  # (n_cells,) of int
    n_strata: int
    a: float
    b: float

    def updated(self, negative: np.ndarray, positive: np.ndarray) -> _UpdatedDivision:
        """Return the distributions given labels, counts in cells."""
        a, b = (
            prior + np.bincount(self.stratum, labels, self.n_strata)
            for prior, labels in ((self.a, positive), (self.b, negative))
        )
        log_evidence = (special.betaln(a, b) - special.betaln(self.a, self.b)).sum()
        return _UpdatedDivision(self.stratum, a, b, float(log_evidence))


def _divisions(cells: ScoreCells) -> list[_Division]:
    """Return the divisions of the cells: half by the rank from the top, and their mirror images."""
    n_items = float(cells.counts.sum())
    low, high = cells.rank_ends
    middle = (low + high) / 2.0

    divisions = []
    for tail, ratio, offset in product((1.0 - middle, middle), RATIOS, OFFSETS):
        # Strata of ranks that grow by the ratio. Rounding must not put a rank and its mirror image
        # in different strata.
        rank = np.maximum(tail * n_items, 0.5)
        number = np.log(rank / FIRST_RANK) / np.log(ratio) + offset
        number = np.maximum(np.floor(number + 1e-9), -1.0)
        _, stratum = np.unique(number, return_inverse=True)

        n_strata = int(stratum.max()) + 1
        parameters = JEFFREYS / n_strata, JEFFREYS
        a, b = parameters if tail is not middle else parameters[::-1]
        divisions.append(_Division(stratum, n_strata, a, b))
    return divisions


def _log_gamma(shape: np.ndarray, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Draw the logs of gamma variables, finite however small the shape is."""
    # A gamma variable is one of shape + 1 times a power of a uniform one.
    log = np.log(rng.standard_gamma(shape + 1.0, size))
    return log - rng.standard_exponential(size) / shape
