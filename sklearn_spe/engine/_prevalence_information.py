"""Information on the number of positives, as a weight of curves and as an observation of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..data._inclusion import Inclusion
from ..data._sample import ScoreSample
from ..families._family import BetaPrior
from ..inputs._arrays import FrozenArrays
from ..posterior._completions import log_probability_of_total, moments_of_total
from ..posterior._known_positives import KnownPositives
from ._components import Positions, ScoreAxis
from ._curvature import Curvature

# Prevalences are kept this far from 0 and 1, and totals by so many items.
MIN_SHARE, MIN_ITEMS = 1e-12, 0.5
# A step to a known total moves the log-odds of the expected one by no more than this.
LARGEST_STEP = 3.0
# Change of a probability that gives its derivative among the items without a label.
CHANGE = 1e-6


@dataclass(frozen=True)
class LabeledTailPrior:
    r"""Prior of the prevalence if the labeled items are those of one tail of the scores.

    .. math:: p(\pi) \propto \pi^{a - 1} (1 + \pi / q)^{-r}

    Nearly uniform in the log of the prevalence up to the share :math:`q` of the tail, and a power
    beyond: whoever labels the largest scores alone expects few positives elsewhere, but does not
    know it. Labels of the smallest scores give the mirror image.
    """

    share: float  # q, of the items in the tail
    exponent: float  # a, one for labels that are spread over all scores
    rarity: float  # r, zero for these
    smallest: float  # the share of one item
    of_negatives: bool = False

    @property
    def is_flat(self) -> bool:
        """Whether the prior is uniform."""
        return self.rarity == 0.0

    def logpdf(self, prevalence: np.ndarray) -> np.ndarray:
        """Return the log density of prevalences in (0, 1), up to a constant."""
        rare = 1.0 - prevalence if self.of_negatives else prevalence
        # Less than one item is none, however much less.
        rare = np.maximum(rare, self.smallest)
        return (self.exponent - 1.0) * np.log(rare) - self.rarity * np.log1p(rare / self.share)


@dataclass(frozen=True, eq=False)
class PrevalenceInformation(FrozenArrays):
    """Information on the number of positives: a prior of the prevalence, and a known total."""

    prior: BetaPrior | LabeledTailPrior
    total: tuple[float, float] | None = None  # smallest and largest number without a label
    inclusion: Inclusion = Inclusion()
    # items without a label of each cell, for each score axis
    unlabeled: tuple[np.ndarray, ...] = ()

    @classmethod
    def of_scores(
        cls,
        prior: BetaPrior | LabeledTailPrior,
        known: KnownPositives,
        cells: ScoreCells,
        sample: ScoreSample,
    ) -> PrevalenceInformation:
        """Return the information on a sample of one column of scores."""
        total = known.of_unlabeled(sample.positive.sum(), sample.unlabeled.sum())
        if total is None or not sample.unlabeled.any():
            return cls(prior)
        places = Positions.of(cells, sample.scores)
        unlabeled = _on_cells(places, sample.unlabeled, cells.n_cells)
        return cls(prior, total, sample.inclusion, (unlabeled,))

    @classmethod
    def of_items(
        cls,
        prior: BetaPrior | LabeledTailPrior,
        known: KnownPositives,
        axes: tuple[ScoreAxis, ...],
        codes: np.ndarray,
        counts: np.ndarray,
        inclusion: Inclusion = Inclusion(),
    ) -> PrevalenceInformation:
        """Return the information on items, given codes and counts of shape (n_items,)."""
        free = np.flatnonzero(codes < 0)
        total = known.of_unlabeled(counts[codes == 1].sum(), counts[free].sum())
        if total is None or not len(free):
            return cls(prior)
        unlabeled = tuple(
            _on_cells(axis.items.take(free), counts[free], axis.ensemble.cells.n_cells)
            for axis in axes
        )
        return cls(prior, total, inclusion, unlabeled)

    @property
    def is_empty(self) -> bool:
        """Whether all curves have the same weight."""
        return self.prior.is_flat and self.total is None

    def log_weight(self, probability: np.ndarray, shares: np.ndarray, axis: int) -> np.ndarray:
        """Return the log weight of curves on the cells of an axis, (n, n_cells): (n,)."""
        log_weight = self.log_prior(np.einsum("ij,j->i", probability, shares))
        if self.total is None:
            return log_weight
        unlabeled = self.unlabeled[axis]
        moments = moments_of_total(unlabeled, self.inclusion.among_unlabeled(probability))
        return log_weight + log_probability_of_total(*self.total, *moments, unlabeled.sum())

    def log_prior(self, prevalence: np.ndarray) -> np.ndarray:
        """Return the log prior of prevalences, up to a constant."""
        return self.prior.logpdf(np.clip(prevalence, MIN_SHARE, 1.0 - MIN_SHARE))

    def observation(
        self, log_odds: np.ndarray, bottom: np.ndarray, top: np.ndarray, axis: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the known total as an observation of the expected one, both as log-odds.

        Parameters
        ----------
        log_odds : ndarray of shape (n, n_cells)
            Curves on the cells of an axis, without lapses.
        bottom, top : ndarray of shape (n,)
            Lapse rates.
        axis : int

        Returns
        -------
        by_log_odds : ndarray of shape (n, n_cells)
            Derivative of the log-odds of the expected share of positives.
        gap : ndarray of shape (n,)
            How far the known share lies from the expected one.
        variance : ndarray of shape (n,)
            That of the known one around it.
        """
        assert self.total is not None
        unlabeled = self.unlabeled[axis]

        # The derivative of P(y = 1 | no label) at each cell by the log-odds.
        room = (1.0 - bottom - top)[:, np.newaxis]
        curve = special.expit(log_odds)
        by_cell = room * curve * (1.0 - curve)
        probability = bottom[:, np.newaxis] + room * curve
        above = self.inclusion.among_unlabeled(np.clip(probability + CHANGE, 0.0, 1.0))
        below = self.inclusion.among_unlabeled(np.clip(probability - CHANGE, 0.0, 1.0))
        by_cell *= (above - below) / (2.0 * CHANGE)

        # The expected share of positives, and the log-odds of the known one.
        size = float(unlabeled.sum())
        margin = min(MIN_ITEMS, size / 4.0)
        probability = self.inclusion.among_unlabeled(probability)
        mean, variance = moments_of_total(unlabeled, probability)
        expected = np.clip(mean, margin, size - margin) / size
        lowest, highest = special.logit(np.clip(self.total, margin, size - margin) / size)
        known_log_odds = (lowest + highest) / 2.0
        known = special.expit(known_log_odds)

        # The variance where the total is, if it is to the expected one as those of binomials are,
        # and that of a uniform distribution between the ends of what is known.
        scale = size * expected * (1.0 - expected)
        gap = known_log_odds - special.logit(expected)
        relative_variance = np.maximum(variance, margin) / (scale * size * known * (1.0 - known))
        return (
            by_cell * unlabeled / scale[:, np.newaxis],
            np.clip(gap, -LARGEST_STEP, LARGEST_STEP),
            relative_variance + (highest - lowest) ** 2 / 12.0,
        )


@dataclass(frozen=True, eq=False)
class TotalObservation(FrozenArrays):
    """A known total as a normal observation of a linear function of coefficients."""

    slope: np.ndarray  # (m, n_dense), of the function
    gap: np.ndarray  # (m,), by which it is smaller than what is observed
    variance: np.ndarray  # (m,), of what is observed

    def gradient(self, n: int) -> np.ndarray:
        """Return the gradient of the log density, (m, n), by all coefficients."""
        gradient = np.zeros((len(self.gap), n))
        gradient[:, : self.slope.shape[1]] = self.slope * (self.gap / self.variance)[:, np.newaxis]
        return gradient

    def added_to(self, curvature: Curvature) -> Curvature:
        """Return curvatures with that of the observation."""
        squares = self.slope[:, :, np.newaxis] * self.slope[:, np.newaxis]
        dense = curvature.dense + squares / self.variance[:, np.newaxis, np.newaxis]
        return replace(curvature, dense=dense)

    def log_evidence(self, curvature: Curvature) -> np.ndarray:
        """Return the log density of the observations, given normal coefficients, (m,)."""
        n_groups = curvature.diagonal.shape[1]
        slope = np.hstack([self.slope, np.zeros((len(self.gap), n_groups))])
        variance_of_curves = np.einsum("ij,ij->i", slope, curvature.solve(slope))
        variance = self.variance + variance_of_curves
        return -0.5 * (self.gap**2 / variance + np.log(2.0 * np.pi * variance))


def _on_cells(places: Positions, counts: np.ndarray, n_cells: int) -> np.ndarray:
    """Return counts of items between cells, divided over both, (n_cells,)."""
    right = np.minimum(places.left + 1, n_cells - 1)
    on_left = np.bincount(places.left, counts * (1.0 - places.share), n_cells)
    return on_left + np.bincount(right, counts * places.share, n_cells)
