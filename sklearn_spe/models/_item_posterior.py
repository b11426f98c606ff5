"""The posterior of items, and of the ranking by one system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import special

from ..data._cells import ScoreCells, ScoreKind
from ..data._sample import ScoreSample
from ..engine._components import Positions, RandomEffects
from ..engine._label_update import UpdatedItems
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._groups import GROUPS, Partition
from ..inputs._validation import spawn
from ..metrics._expectation import ratio
from ..posterior._completions import draw_positives, smallest_type
from ..posterior._known_positives import NOTHING_KNOWN, KnownPositives
from ..posterior._posterior import Block, CellPosterior, UpdatedDraws, digest_of
from ..posterior._row_estimates import SampleRows

# Nodes of the Gauss-Hermite rule that averages over new clusters.
N_NODES = 9
# Cache at most this many probabilities (32 MiB); above that, recompute them on demand.
MAX_HELD = 2**22
# Spawn key of the random stream of the label draws.
LABELS = 1


@dataclass(frozen=True, eq=False)
class PrevalenceShift(FrozenArrays):
    """Shifts of the log-odds of the items of categories with few labels or none."""

    column: np.ndarray  # (n_items,), of int, of `log_odds`; -1 in other categories
    log_odds: np.ndarray  # (n_draws, n_categories_with_few_labels)

    def applied(self, probability, rows: slice, items) -> np.ndarray:
        """Return probabilities of items, (n_rows, n_items), shifted in the draws of some rows."""
        column = self.column[items]
        moved = np.flatnonzero(column >= 0)
        if not len(moved):
            return probability

        p = probability[:, moved]
        odds = np.exp(self.log_odds[rows][:, column[moved]])
        shifted = np.array(probability)
        shifted[:, moved] = p * odds / (1.0 - p + p * odds)
        return shifted


@dataclass(frozen=True, eq=False, repr=False)
class ItemPosterior(UpdatedDraws):
    """Equally weighted draws of P(y = 1 | item), for the items of a sample.

    Missing labels are drawn once for each draw and shared by all estimates, of any system or
    category, so that differences keep the correlation of their two terms.
    """

    places: tuple[Positions, ...]  # positions of all items on each score axis
    effects: RandomEffects
    updated: UpdatedItems
    codes: np.ndarray  # (n_items,): 1, 0, or -1 if unlabeled
    counts: np.ndarray  # (n_items,), for how many each item counts
    entropy: int  # seed of the label draws
    known_positives: KnownPositives = NOTHING_KNOWN  # beside labels
    shift: PrevalenceShift | None = None  # of categories with few labels or none

    @property
    def n_items(self) -> int:
        return len(self.codes)

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled."""
        return not len(self.unlabeled)

    @property
    def n_weighted_items(self) -> float:
        """Number of items, by their weights."""
        return float(self.counts.sum())

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, stable under copying and pickling."""
        some = np.unique([0, self.n_items // 2, self.n_items - 1])
        return digest_of(self.codes, self.probability(self.blocks()[0], some))

    def probability(self, block: Block, items=slice(None)) -> np.ndarray:
        """Return P(y = 1 | item) for each draw of a block, of shape (n_rows, n_items)."""
        if self._held is not None:
            return self._held[block.rows][:, items]
        return self._probability(block, items)

    @cached_property
    def _held(self) -> np.ndarray | None:
        """Cached probabilities, (n_draws, n_items); None if they take too much memory."""
        if self.n_draws * self.n_items > MAX_HELD:
            return None
        return np.concatenate([self._probability(block) for block in self.blocks()])

    def probability_anywhere(self, block: Block, without: str) -> np.ndarray:
        """Return P(y = 1 | item) in a new group of the random effect named `without`."""
        effects, kept, of_groups = self.effects.without(without)
        size = self.updated.effects[of_groups].take(block.rows).size
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        total = np.zeros((block.rows.stop - block.rows.start, self.n_items))
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            total += weight * self._probability(block, slice(None), effects, kept, size * node)
        return total

    def _probability(self, block, items=slice(None), effects=None, kept=None, moved=0.0):
        """Return the probabilities with random effects, which are those at places `kept`."""
        effects = self.effects if effects is None else effects
        drawn = self.updated.effects if kept is None else [self.updated.effects[k] for k in kept]
        of_items = [own.take(block.rows) for own in drawn]
        updated, rows = self.updated, block.rows
        found = np.empty((rows.stop - rows.start, len(self.codes[items])))
        moved = np.broadcast_to(moved, len(found))
        for places, on_axis in zip(self.places, updated.curves, strict=True):
            first, last = max(on_axis.first, rows.start), min(on_axis.last, rows.stop)
            if first >= last:
                continue
            own, here = slice(first, last), slice(first - rows.start, last - rows.start)
            curves = on_axis.of(own)
            drawn, spread = tuple(part.take(here) for part in of_items), updated.spread[own]
            bottom, top = updated.bottom[own], updated.top[own]
            for tile in row_tiles(found.shape[1], last - first):
                some = tile if isinstance(items, slice) else items[tile]
                at = places.take(some)
                shift, stretch = effects.at(drawn, spread, some)
                log_odds = at.at(curves.curves)
                log_odds *= curves.slope + stretch
                log_odds += at.at(curves.added)
                log_odds += shift + moved[here]
                p = special.expit(log_odds, out=log_odds)
                p *= 1.0 - bottom - top
                p += bottom
                found[here, tile] = p.T
        return found if self.shift is None else self.shift.applied(found, rows, items)

    @cached_property
    def unlabeled(self) -> np.ndarray:
        """The items without a label."""
        return np.flatnonzero(self.codes < 0)

    @cached_property
    def completions(self) -> np.ndarray:
        """The drawn positives of each unlabeled item, (n_draws, n_unlabeled), of an integer type.

        Drawn once: all questions share them.
        """
        counts, parts = self.counts[self.unlabeled], []
        known = self.counts[self.codes == 1].sum(), counts.sum()
        total = self.known_positives.of_unlabeled(*known)
        for block in self.blocks():
            rng = spawn(self.entropy, LABELS, block.index)
            drawn = draw_positives(rng, counts, self.probability(block, self.unlabeled), total)
            parts.append(drawn.astype(smallest_type(counts)))
        return np.concatenate(parts)

    def positives(self, block: Block) -> np.ndarray:
        """Return the positives of each item, known or drawn, (n_rows, n_items)."""
        completed = np.where(self.codes == 1, self.counts, 0.0)
        completed = np.repeat(completed[np.newaxis], block.rows.stop - block.rows.start, axis=0)
        completed[:, self.unlabeled] = self.completions[block.rows]
        return completed

    @cached_property
    def mean(self) -> np.ndarray:
        """The posterior mean of P(y = 1 | item), of shape (n_items,)."""
        return sum(self.probability(block).sum(axis=0) for block in self.blocks()) / self.n_draws

    def __repr__(self) -> str:
        return f"ItemPosterior(n_items={self.n_items}, n_draws={self.n_draws}, ess={self.ess:.0f})"


NO_DENSITY = (
    "A fit with several systems, categories or groups has no score density: fit a single column "
    "of scores, SemisupervisedScoreMixture().fit(scores, y)."
)
# Items that the model adds to the bootstrap of a population, as a uniform prior of a share does.
N_MODELED = 2.0
# Spawn keys of the random streams of the bootstrap and of these items.
MODELED = 9
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
    clusters: Partition | None = None  # groups of dependent items; None if independent

    @classmethod
    def of(
        cls, items: ItemPosterior, scores, kind: ScoreKind, rows, everywhere, clusters=None
    ) -> RankingPosterior:
        """Return the ranking of some items by scores, (n_items,).

        Items that are not ranked may lack a score. `everywhere` is the possible range of scores.
        """
        rows = rows[np.argsort(scores[rows], kind="stable")]
        own = scores[rows]
        sample = ScoreSample.from_items(own, items.codes[rows], items.counts[rows])
        cells = ScoreCells.of(sample.without_labels(), kind)
        return cls(sample, items, rows, own, cells, everywhere, clusters)

    @property
    def ends(self) -> np.ndarray:
        """Score range of all items: a common threshold may lie outside a category's range."""
        return self.everywhere

    @property  # type: ignore[override]
    def updated(self) -> UpdatedItems:
        """The draws, which all rankings of the items share."""
        return self.items.updated

    @cached_property
    def known_positives(self) -> KnownPositives:  # type: ignore[override]
        """What is known of the number of positives in this ranking, beside labels."""
        items = self.items
        is_outside = np.ones(items.n_items, dtype=bool)
        is_outside[self.rows] = False
        if not is_outside.any():
            return items.known_positives
        counts, codes = items.counts[is_outside], items.codes[is_outside]
        return items.known_positives.of_part(counts[codes == 1].sum(), counts[codes < 0].sum())

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, the same for all rankings of the items."""
        return self.items.digest

    @property
    def has_labels_of_both_classes(self) -> bool:
        """Whether items of both classes are labeled, in any category."""
        return bool((self.items.codes == 0).any() and (self.items.codes == 1).any())

    @cached_property
    def cell_log_odds(self) -> np.ndarray:
        """Log-odds of the mean probability of each cell's items, (n_draws, n_cells).

        Items with equal scores may differ in probability because of other systems or their
        category.
        """
        cells = self.cells
        firsts = np.searchsorted(self.scores, cells.lower)
        counts = self.items.counts[self.rows]
        means = [
            np.add.reduceat(counts * self.items.probability(block, self.rows), firsts, axis=1)
            for block in self.blocks()
        ]
        return special.logit(np.clip(np.concatenate(means) / cells.counts, 1e-300, 1.0 - 1e-16))

    def labeled_probability(self, scores, block: Block) -> np.ndarray:
        """Return the mean probability of the labeled items of each score."""
        labeled = self.items.codes[self.rows] >= 0
        known, rows = self.scores[labeled], self.rows[labeled]
        distinct, firsts = np.unique(known, return_index=True)
        counts = self.items.counts[rows]
        at_items = counts * self.items.probability(block, rows)
        mean = np.add.reduceat(at_items, firsts, axis=1) / np.add.reduceat(counts, firsts)
        # Pooled labels are placed at the mean of their scores: use the nearest score.
        middle = (distinct[1:] + distinct[:-1]) / 2.0
        return mean[:, np.searchsorted(middle, scores)]

    def drawn_positives(self, cells: ScoreSample, block: Block, rng) -> np.ndarray:
        """Return the drawn positives of each cell, the same for every estimate."""
        columns, scores = self._unlabeled
        drawn = self.items.completions[block.rows][:, columns]
        cell = np.searchsorted(cells.lower, scores, side="right") - 1
        at, firsts = np.unique(cell, return_index=True)
        positives = np.zeros((len(drawn), cells.n_cells))
        if len(at):
            positives[:, at] = np.add.reduceat(drawn, firsts, axis=1, dtype=float)
        return positives

    @cached_property
    def _unlabeled(self) -> tuple[np.ndarray, np.ndarray]:
        """The unlabeled items: their places among all unlabeled ones, and their scores."""
        is_own = self.items.codes[self.rows] < 0
        return np.searchsorted(self.items.unlabeled, self.rows[is_own]), self.scores[is_own]

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
            # A population may have no positive: then its rate is not defined.
            rates.append(ratio(above[:, firsts], above[:, :1]))
        return prevalence, *rates, steps

    @cached_property
    def _decreasing(self) -> tuple[np.ndarray, np.ndarray]:
        """First item of each cell from the highest score down, and whether it is a tie."""
        firsts = np.searchsorted(self.scores, self.cells.lower)[::-1]
        tied = self.cells.single & (self.cells.counts > 1.0)
        return np.r_[len(self.scores), firsts], np.r_[False, tied[::-1]]

    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of positives and negatives of each item, (n_rows, n_ranked) each.

        A Bayesian bootstrap of the items with their labels, known or drawn: what is known of an
        item is not modeled. Of new groups labels are drawn, unless all are known. The model adds
        `N_MODELED` items, with its probabilities at the same scores: labels that are all equal, or
        in perfect order, do not rule out others.
        """
        items, clusters = self.items, self.clusters
        rng = spawn(items.entropy, BOOTSTRAP, block.index)
        n = block.rows.stop - block.rows.start
        if clusters is None:
            drawn = items.positives(block)
            # All items, so that rankings of some of them share their weights.
            positive = rng.standard_gamma(drawn)[:, self.rows]
            negative = rng.standard_gamma(items.counts - drawn)[:, self.rows]
        else:
            if len(items.unlabeled):
                p = items.probability_anywhere(block, GROUPS)[:, self.rows]
            else:
                p = np.broadcast_to(items.codes == 1, (n, items.n_items))[:, self.rows]
            weights = items.counts[self.rows] * clusters.bootstrap(rng, n, self.rows)
            positive, negative = weights * p, weights * (1.0 - p)
        positive, negative = self._with_modeled(block, positive, negative)
        total = (positive + negative).sum(axis=1, keepdims=True)
        return positive / total, negative / total

    def _with_modeled(self, block: Block, positive, negative) -> tuple[np.ndarray, np.ndarray]:
        """Add the items of the model to weights of items, (n_rows, n_ranked) each."""
        counts = self.items.counts[self.rows]
        # Weights of groups have a sum of their own; the items of a draw are as many as its weights.
        scale = (positive + negative).sum(axis=1, keepdims=True) / counts.sum()
        rng = spawn(self.items.entropy, MODELED, block.index)
        n_modeled = rng.gamma(N_MODELED, size=scale.shape)
        weights = scale * n_modeled * counts / counts.sum()
        p = self.items.probability(block)[:, self.rows]
        return positive + weights * p, negative + weights * (1.0 - p)

    def log_predictive(self, scores):
        """Raise ValueError: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def log_score_density(self, scores, block: Block):
        """Raise ValueError: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def rvs(self, rng: np.random.Generator, size: int):
        """Raise ValueError: the scores have no density."""
        raise ValueError(NO_DENSITY)

    def __repr__(self) -> str:
        return f"RankingPosterior(n_items={len(self.rows)}, n_draws={self.n_draws})"


# Spawn key of the random stream of labels of new groups.
NEW_GROUPS = 10


@dataclass(frozen=True, eq=False)
class RankedRows(SampleRows):
    """The rows of a ranking, whose labels are those of the items that represent them."""

    # (n_items,), of int, the item of the posterior that represents each
    represented_by: np.ndarray = None  # type: ignore[assignment]

    @classmethod
    def of(
        cls, posterior: ItemPosterior, *, row, scores, codes, represented_by, n_rows: int, groups
    ) -> Self:
        """Return the rows; those of an unlabeled item of the posterior share its draws."""
        cell = np.searchsorted(posterior.unlabeled, represented_by)
        return cls(row, scores, codes, cell, n_rows, groups, represented_by)

    def drawn(self, posterior, block: Block, entropy: int) -> Iterator[np.ndarray]:
        """Yield the drawn positives of each unlabeled item, draw by draw."""
        yield from posterior.items.completions[block.rows]

    def population_labels(self, posterior, block: Block, entropy: int) -> Iterator[np.ndarray]:
        """Yield labels of items of a population, draw by draw: in new groups all are drawn."""
        items: ItemPosterior = posterior.items
        if self.groups is None or items.is_complete:
            yield from self.sample_labels(posterior, block, entropy)
            return
        rng = spawn(entropy, NEW_GROUPS, block.index)
        for probability in items.probability_anywhere(block, GROUPS):
            draws = rng.random(len(self.represented_by))
            yield (draws < probability[self.represented_by]).astype(self.codes.dtype)
