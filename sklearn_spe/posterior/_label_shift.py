"""The posterior of new items under label shift, in bins of the score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np
from scipy import special

from ..data._sample import ScoreSample
from ._class_shares import ClassCounts, ClassShares
from ._posterior import Block, Posterior, blocks_of

# Number of bins of a score: with more the few labels of each class leave too little in a bin.
MAX_BINS = 5
NO_DENSITY = (
    "Labels that were chosen by class (inclusion_proba='by_class') tell the shares of bins of the "
    "score, and no density of it. Fit labels that were drawn at random, or by their scores."
)


@dataclass(frozen=True, eq=False)
class LabelShiftBins:
    """Bins of a score; a score at a cut is in the upper bin."""

    cuts: np.ndarray  # (n_bins - 1,), increasing

    @classmethod
    def of(
        cls, labeled: ScoreSample, sample: ScoreSample, threshold: float | None
    ) -> LabelShiftBins:
        """Return a bin for each of few values, else the fifths of the labeled scores.

        The nearest cut is moved to the decision `threshold`, if there is one, so decisions
        divide no bin.
        """
        values = np.union1d(labeled.scores, sample.scores)
        if len(values) <= MAX_BINS:
            return cls(values[1:])

        levels = np.arange(1, MAX_BINS) / MAX_BINS
        cuts = labeled.quantile(levels) if labeled.n_cells else sample.quantile(levels)
        if threshold is not None and values[0] < threshold <= values[-1]:
            cuts[np.argmin(np.abs(cuts - threshold))] = threshold
        cuts = np.unique(cuts)
        # Nothing lies below the smallest score.
        return cls(cuts[cuts > values[0]])

    @property
    def n_bins(self) -> int:
        return len(self.cuts) + 1

    def number_of(self, scores: np.ndarray) -> np.ndarray:
        """Return the bin of each score."""
        return np.searchsorted(self.cuts, scores, side="right")

    def counts_of(self, labeled: ScoreSample, sample: ScoreSample) -> ClassCounts:
        """Return the labeled items of each class and the new items in each bin."""
        of_labeled = self.number_of(labeled.scores)
        return ClassCounts(
            np.bincount(of_labeled, labeled.negative, self.n_bins),
            np.bincount(of_labeled, labeled.positive, self.n_bins),
            np.bincount(self.number_of(sample.scores), sample.unlabeled, self.n_bins),
        )


@dataclass(frozen=True, eq=False, repr=False)
class LabelShiftPosterior(Posterior):
    """Draws of P(y = 1 | score) of new items, the same for all scores of a bin.

    The labeled items are another sample, and no part of the one that is asked about.
    """

    sample: ScoreSample  # of the new items, none of which is labeled
    bins: LabelShiftBins
    shares: ClassShares

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.shares.prevalence)

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws: equal ones."""
        return np.full(self.n_draws, 1.0 / self.n_draws)

    @property
    def ess(self) -> float:
        """Effective number of the weighted draws that these start from."""
        return self.shares.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.shares.pareto_k

    @property
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population of the new items in each draw, (n_draws, 1)."""
        return self.shares.prevalence

    @property
    def has_labels_of_both_classes(self) -> bool:
        """Whether the labels are of both classes: their conditional distributions are known."""
        return True

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return blocks_of(self.n_draws)

    def positive_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        return self._probability[block.rows][:, self.bins.number_of(scores)]

    @cached_property
    def _probability(self) -> np.ndarray:
        """P(y = 1 | bin), (n_draws, n_bins)."""
        return special.expit(self.shares.log_odds)

    def population_rates(self, block: Block, thresholds: np.ndarray | None = None):
        """Return the rates of the population; within a bin both classes have the same scores."""
        sample = self.sample
        if thresholds is None:
            cells = sample.grouped_for_completions()
            thresholds = cells.lower[::-1]
            steps = (cells.single & (cells.counts > 1.0))[::-1]
        else:
            thresholds = np.asarray(thresholds, dtype=float)
            steps = np.zeros(len(thresholds), dtype=bool)

        above = self._share_above(thresholds)
        tpr, fpr = (
            np.minimum(np.einsum("ij,kj->ik", of_class[block.rows], above), 1.0)
            for of_class in (self.shares.positive, self.shares.negative)
        )
        return self.shares.prevalence[block.rows], tpr, fpr, steps

    def _share_above(self, thresholds: np.ndarray) -> np.ndarray:
        """Return which share of each bin is at or above thresholds, (n_thresholds, n_bins)."""
        scores = self.sample.scores
        counts = self.sample.unlabeled
        bin_of_score = self.bins.number_of(scores)
        first = np.searchsorted(scores, thresholds)

        above = np.zeros((len(thresholds), self.bins.n_bins))
        for k in range(self.bins.n_bins):
            in_bin = np.where(bin_of_score == k, counts, 0.0)
            from_top = np.r_[np.cumsum(in_bin[::-1])[::-1], 0.0]
            if from_top[0] > 0.0:
                above[:, k] = from_top[first] / from_top[0]
            else:
                # No new item is in the bin: it counts as one score, at its lower cut.
                above[:, k] = thresholds <= (self.bins.cuts[k - 1] if k else scores[0])
        return above

    def log_predictive(self, scores: np.ndarray) -> NoReturn:
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def log_score_density(self, scores: np.ndarray, block: Block) -> NoReturn:
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def rvs(self, rng: np.random.Generator, size: int) -> NoReturn:
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def __repr__(self) -> str:
        return f"LabelShiftPosterior({self.bins.n_bins} bins, n_draws={self.n_draws})"
