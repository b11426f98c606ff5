"""What the posterior of items says of one system's ranking of them."""

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

# The place of the bootstrap in the tree of seeds.
BOOTSTRAP = 3


@dataclass(frozen=True, eq=False, repr=False)
class RankingPosterior(CellPosterior):
    """One system's ranking of all items, or of those of a category.

    Whatever is asked of a ranking is answered by the labels that `ItemPosterior` draws, the same
    ones for every ranking.

    Attributes
    ----------
    sample : ScoreSample
        The scores and known labels, larger for positives.
    items : ItemPosterior
    rows : ndarray of shape (n_ranked,), of int
        Which of the items are ranked, those with the lowest scores first.
    scores : ndarray of shape (n_ranked,)
        Rising.
    cells : ScoreCells
        A few hundred cells of the scores.
    everywhere : ndarray of shape (2,)
        The lowest and the highest score that an item, ranked here or not, has or may have.
    clusters : Clusters or None
        Of all items, which hang together; None if they are independent.
    """

    sample: ScoreSample
    items: ItemPosterior
    rows: np.ndarray
    scores: np.ndarray
    cells: ScoreCells
    everywhere: np.ndarray
    clusters: Clusters | None = None

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

        Of items that are not ranked a score may be missing. `everywhere` is how far the scores may
        reach; None takes those of all items.
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
        """Those of all items: one decision for all may call all of a category positive, or none."""
        return self.everywhere

    @property
    def n_draws(self) -> int:
        """How many draws there are."""
        return self.items.n_draws

    @property
    def ess(self) -> float:
        """How many independent draws these are worth."""
        return self.items.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.items.pareto_k

    @property
    def digest(self) -> str:
        """What tells these draws from others: the same for all rankings of the items."""
        return self.items.digest

    @property
    def updated(self) -> UpdatedItems:
        """What the labels say for each expert."""
        return self.items.updated

    @cached_property
    def cell_log_odds(self) -> np.ndarray:
        """The log-odds of the mean probability of the items of each cell, (n_draws, n_cells).

        Items of one score may differ in their probability, as other systems, or their category,
        tell more of them.
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
        """Return the mean probability of the labelled items of each score."""
        labeled = self.items.codes[self.rows] >= 0
        known, rows = self.scores[labeled], self.rows[labeled]
        distinct, firsts, counts = np.unique(known, return_index=True, return_counts=True)
        at_items = self.items.probability(block, rows)
        mean = np.add.reduceat(at_items, firsts, axis=1) / counts
        # Labels that were gathered stand at a mean of their scores: the nearest one has it.
        middle = (distinct[1:] + distinct[:-1]) / 2.0
        return mean[:, np.searchsorted(middle, scores)]

    def drawn_positives(self, cells: ScoreSample, block: Block, rng) -> np.ndarray:
        """Return how many positives are drawn in each cell, the same for every question."""
        drawn = self.items.drawn_positives(block)[:, self.rows]
        firsts = np.searchsorted(self.scores, cells.lower)
        return np.add.reduceat(drawn, firsts, axis=1, dtype=float)

    def population_rates(self, block: Block, thresholds=None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        positive, negative = self.population(block)
        if thresholds is None:
            firsts, steps = self._falling
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
    def _falling(self) -> tuple[np.ndarray, np.ndarray]:
        """Where cells begin, from above all scores to below them, and which are ties."""
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
        """There is no density of scores."""
        raise ValueError(NO_DENSITY)

    def log_score_density(self, scores, block: Block):
        """There is no density of scores."""
        raise ValueError(NO_DENSITY)

    def rvs(self, rng: np.random.Generator, size: int):
        """There is no density of scores."""
        raise ValueError(NO_DENSITY)

    def __repr__(self) -> str:
        return f"RankingPosterior(n_items={len(self.rows)}, n_draws={self.n_draws})"


NO_DENSITY = (
    "Several systems, categories or groups in one fit have no density of the scores: fit one "
    "column of scores by itself, SemisupervisedScoreMixture().fit(scores, y)."
)
