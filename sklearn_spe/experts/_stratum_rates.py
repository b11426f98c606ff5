"""A rate of positives for each stratum of tail ranks, estimated by labels alone."""

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
    r"""Independent rates of positives in strata of tail ranks, estimated by counts.

    Strata are ranges of the rank from the top (half of the curves: from the bottom), each 2, 3 or 5
    times as wide as the one before. With H strata a rate is :math:`\mathrm{Beta}(1/(2H), 1/2)`,
    for strata from the bottom :math:`\mathrm{Beta}(1/2, 1/(2H))`, and labels update it in closed
    form: no family is assumed and no smoothness, and no order but of strata without labels. These
    have at least the rate of the next stratum below them (from the bottom: at most that of the next
    one above): no label is evidence against the order there.

    It weighs little where one of the other experts is right. Where the labels are concentrated on
    some of the scores, what fits the labeled items need not fit the others: the more they are, the
    less their evidence counts against it, and from half of the labels on it keeps at least a fifth
    of the posterior draws. Scores of two values leave it out: `ValueShares` is the same for them.

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
        # By the labels alone, in closed form.
        priors = _divisions(cells, negative + positive > 0.0)
        posteriors = [division.updated(negative, positive) for division in priors]
        log_evidence = np.array(
            [
                posterior.log_beta() - prior.log_beta()
                for posterior, prior in zip(posteriors, priors, strict=True)
            ]
        )
        total = _log_mean_exp(log_evidence)
        n_proposals = self.n_curves if log_weight is None else N_PROPOSED * self.n_curves
        proposals = _DrawnRates.drawn(posteriors, special.softmax(log_evidence), n_proposals, rng)
        if log_weight is None:
            return proposals.curves(np.arange(n_proposals)), total

        # Weighted by the prevalence, relative to its weights before the labels, and resampled.
        equal = np.full(len(priors), 1.0 / len(priors))
        prior_rates = _DrawnRates.drawn(priors, equal, n_proposals, rng)
        prior_log_weights = log_weight(prior_rates.prevalence(cells))
        log_weights = log_weight(proposals.prevalence(cells))
        total += _log_mean_exp(log_weights) - _log_mean_exp(prior_log_weights)
        numbers = systematic_resample(special.softmax(log_weights), rng, self.n_curves)
        return proposals.curves(numbers), total


class _Division(NamedTuple):
    """A division of the cells in strata, with a Beta distribution of the rate of each.

    Strata are in the order of their ranks from the top, or from the bottom.
    """

    stratum: np.ndarray  # (n_cells,) of int
    a: np.ndarray  # (n_strata,)
    b: np.ndarray  # (n_strata,)
    has_label: np.ndarray  # (n_strata,) of bool
    is_from_top: bool

    def updated(self, negative: np.ndarray, positive: np.ndarray) -> _Division:
        """Return the distributions given labels, counts in cells."""
        n_strata = len(self.a)
        return self._replace(
            a=self.a + np.bincount(self.stratum, positive, n_strata),
            b=self.b + np.bincount(self.stratum, negative, n_strata),
        )

    def log_beta(self) -> float:
        """Return the log of the product of the beta functions of all strata."""
        return float(special.betaln(self.a, self.b).sum())

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw log-odds of the rates, (n, n_strata)."""
        # By gamma variables, as rates of a rare class may be smaller than the smallest number.
        shape = n, len(self.a)
        log_odds = _log_gamma(self.a, shape, rng) - _log_gamma(self.b, shape, rng)
        log_odds = np.clip(log_odds, -MAX_LOG_ODDS, MAX_LOG_ODDS)

        # Where no label is evidence against the order, rates keep it.
        keep_order = np.maximum if self.is_from_top else np.minimum
        for stratum in np.flatnonzero(~self.has_label[:-1])[::-1]:
            log_odds[:, stratum] = keep_order(log_odds[:, stratum], log_odds[:, stratum + 1])
        return log_odds


class _DrawnRates(NamedTuple):
    """Drawn rates of the strata of each division."""

    divisions: list[_Division]
    log_odds: list[np.ndarray]  # (n_drawn, n_strata) of each division

    @classmethod
    def drawn(
        cls, divisions: list[_Division], weights: np.ndarray, n: int, rng: np.random.Generator
    ) -> _DrawnRates:
        """Draw n times rates of one of the divisions, which have weights."""
        index = systematic_resample(weights, rng, n)
        n_draws = np.bincount(index, minlength=len(divisions)).tolist()
        log_odds = [
            division.draw(size, rng) for division, size in zip(divisions, n_draws, strict=True)
        ]
        return cls(divisions, log_odds)

    def prevalence(self, cells: ScoreCells) -> np.ndarray:
        """Return the share of positives among the items, (n,)."""
        prevalences = []
        for division, log_odds in zip(self.divisions, self.log_odds, strict=True):
            shares = np.bincount(division.stratum, cells.shares, log_odds.shape[1])
            prevalences.append(np.einsum("ij,j->i", special.expit(log_odds), shares))
        return np.concatenate(prevalences)

    def curves(self, numbers: np.ndarray) -> np.ndarray:
        """Return log-odds on the cells of proposals, given their increasing numbers."""
        ends = np.cumsum([len(log_odds) for log_odds in self.log_odds])
        of_divisions = np.split(numbers, np.searchsorted(numbers, ends[:-1]))
        starts = ends - [len(log_odds) for log_odds in self.log_odds]
        curves = [
            log_odds[of_division - start][:, division.stratum]
            for division, log_odds, of_division, start in zip(
                self.divisions, self.log_odds, of_divisions, starts, strict=True
            )
        ]
        return np.concatenate(curves)


def _divisions(cells: ScoreCells, has_label: np.ndarray) -> list[_Division]:
    """Return the divisions of the cells: half by the rank from the top, and their mirror images.

    `has_label` marks the cells with labels, (n_cells,).
    """
    n_items = float(cells.counts.sum())
    low, high = cells.rank_ends
    middle = (low + high) / 2.0

    divisions = []
    for is_from_top, ratio, offset in product((True, False), RATIOS, OFFSETS):
        # Strata of ranks that grow by the ratio. Rounding must not put a rank and its mirror image
        # in different strata.
        rank = np.maximum((1.0 - middle if is_from_top else middle) * n_items, 0.5)
        number = np.log(rank / FIRST_RANK) / np.log(ratio) + offset
        number = np.maximum(np.floor(number + 1e-9), -1.0)
        _, stratum = np.unique(number, return_inverse=True)

        n_strata = int(stratum.max()) + 1
        frequent = np.full(n_strata, JEFFREYS)
        rare = frequent / n_strata
        a, b = (rare, frequent) if is_from_top else (frequent, rare)
        is_labeled = np.bincount(stratum, has_label, n_strata) > 0.0
        divisions.append(_Division(stratum, a, b, is_labeled, is_from_top))
    return divisions


def _log_mean_exp(logs: np.ndarray) -> float:
    return float(special.logsumexp(logs) - np.log(len(logs)))


def _log_gamma(shape: np.ndarray, size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Draw the logs of gamma variables, finite however small the shape is."""
    # A gamma variable is one of shape + 1 times a power of a uniform one.
    log = np.log(rng.standard_gamma(shape + 1.0, size))
    return log - rng.standard_exponential(size) / shape
