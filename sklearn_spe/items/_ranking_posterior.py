"""Posterior of one system's ranking of the items."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._posterior import Block
from ..engine._cell_posterior import CellPosterior
from ..engine._label_update import UpdatedItems
from ..inputs._random_state import spawn
from ..sample._cells import ScoreCells
from ..sample._sample import ScoreSample
from ..sample._score_kind import ScoreKind
from ._clusters import Clusters
from ._item_posterior import ItemPosterior

__all__ = ["RankingPosterior"]

# Spawn key of the bootstrap's random stream.
BOOTSTRAP = 3


@dataclass(frozen=True, eq=False, repr=False)
class RankingPosterior(CellPosterior):
    """One system's ranking of all items, or of one category.

    All estimates use the label draws of `ItemPosterior`, which every ranking shares.
    """

    sample: ScoreSample  # scores and known labels, larger for positives
    items: ItemPosterior
    rows: np.ndarray  # (n_ranked,), the ranked items by increasing score
    scores: np.ndarray  # (n_ranked,), increasing
    cells: ScoreCells  # a few hundred cells of the scores
    everywhere: np.ndarray  # (2,), range of the scores of all items, ranked or not
    clusters: Clusters | None = None  # groups of dependent items; None if independent

    @classmethod
    def of(
        cls,
        items: ItemPosterior,
        scores,
        kind: ScoreKind,
        rows=None,
        clusters=None,
        everywhere=None,
    ) -> RankingPosterior:
        """Return the ranking of some items by scores, (n_items,).

        Items that are not ranked may lack a score. `everywhere` is the possible range of the
        scores; None uses the range of all items.
        """
        rows = np.arange(items.n_items) if rows is None else rows
        rows = rows[np.argsort(scores[rows], kind="stable")]
        own = scores[rows]
        if everywhere is None:
            everywhere = np.array([np.nanmin(scores), np.nanmax(scores)])
        counts = np.ones(len(rows)) if items.counts is None else items.counts[rows]
        sample = ScoreSample.from_items(own, items.codes[rows], counts)
        cells = ScoreCells.of(sample.without_labels(), kind)
        return cls(sample, items, rows, own, cells, everywhere, clusters)

    @property
    def ends(self) -> np.ndarray:
        """Score range of all items: a common threshold may lie outside a category's range."""
        return self.everywhere

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.items.n_draws

    @property
    def ess(self) -> float:
        """Effective sample size."""
        return self.items.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.items.pareto_k

    @property
    def digest(self) -> str:
        """Hash that identifies the draws, shared by all rankings of the items."""
        return self.items.digest

    @property
    def updated(self) -> UpdatedItems:
        """The updated expert weights."""
        return self.items.updated

    @cached_property
    def cell_log_odds(self) -> np.ndarray:
        """Log-odds of the mean probability of each cell's items, (n_draws, n_cells).

        Items with equal scores may differ in probability because of other systems or their
        category.
        """
        cells = self.cells
        firsts = np.searchsorted(self.scores, cells.lower)
        counts = 1.0 if self.items.counts is None else self.items.counts[self.rows]
        means = [
            np.add.reduceat(counts * self.items.probability(block, self.rows), firsts, axis=1)
            for block in self.blocks()
        ]
        return special.logit(np.clip(np.concatenate(means) / cells.counts, 1e-300, 1.0 - 1e-16))

    def labeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return the mean probability of the labeled items of each score."""
        labeled = self.items.codes[self.rows] >= 0
        known, rows = self.scores[labeled], self.rows[labeled]
        distinct, firsts, counts = np.unique(known, return_index=True, return_counts=True)
        at_items = self.items.probability(block, rows)
        mean = np.add.reduceat(at_items, firsts, axis=1) / counts
        # Pooled labels are placed at the mean of their scores: use the nearest score.
        middle = (distinct[1:] + distinct[:-1]) / 2.0
        return mean[:, np.searchsorted(middle, scores)]

    def drawn_positives(self, cells: ScoreSample, block: Block, rng) -> np.ndarray:
        """Return the drawn positives of each cell, the same for every estimate."""
        drawn = self.items.drawn_positives(block)[:, self.rows]
        firsts = np.searchsorted(self.scores, cells.lower)
        return np.add.reduceat(drawn, firsts, axis=1, dtype=float)

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        positive, negative = self.population(block)
        if thresholds is None:
            firsts, steps = self._decreasing
        else:
            firsts = np.searchsorted(self.scores, np.asarray(thresholds, dtype=float))
            steps = np.zeros(len(firsts), dtype=bool)
        prevalence = positive.sum(axis=1, keepdims=True)
        rates = []
        for part in (positive, negative):
            above = np.cumsum(part[:, ::-1], axis=1)[:, ::-1]
            above = np.hstack([above, np.zeros((len(above), 1))])
            rates.append(above[:, firsts] / above[:, :1])
        return prevalence, *rates, steps

    @cached_property
    def _decreasing(self) -> tuple[np.ndarray, np.ndarray]:
        """First item of each cell from the highest score down, and whether it is a tie."""
        firsts = np.searchsorted(self.scores, self.cells.lower)[::-1]
        tied = self.cells.single & (self.cells.counts > 1.0)
        return np.r_[len(self.scores), firsts], np.r_[False, tied[::-1]]

    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of positives and negatives of each item, (n_rows, n_ranked) each."""
        rng = spawn(self.items.entropy, BOOTSTRAP, block.index)
        n = block.rows.stop - block.rows.start
        if self.clusters is None:
            p = self.items.probability(block, self.rows)
            concentration = 1.0 if self.items.counts is None else self.items.counts
            shares = rng.standard_gamma(concentration, (n, self.items.n_items))[:, self.rows]
        else:
            p = self.items.probability_anywhere(block, self.clusters.name)[:, self.rows]
            shares = self.clusters.bootstrap(rng, n, self.rows)
        shares = shares / shares.sum(axis=1, keepdims=True)
        return shares * p, shares * (1.0 - p)

    def log_predictive(self, scores):
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def log_score_density(self, scores, block: Block):
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def rvs(self, rng: np.random.Generator, size: int):
        """Raise: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def __repr__(self) -> str:
        return f"RankingPosterior(n_items={len(self.rows)}, n_draws={self.n_draws})"


NO_DENSITY = (
    "A fit with several systems, categories or groups has no score density: fit a single column "
    "of scores, SemisupervisedScoreMixture().fit(scores, y)."
)
