"""Rankings: views of the posterior of rows by the scores of one system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import special

from ..data._cells import ScoreCells, ScoreKind
from ..data._sample import ScoreSample
from ..engine._updated_rows import UpdatedRows
from ..inputs._arrays import row_tiles
from ..inputs._groups import GROUPS
from ..inputs._validation import spawn
from ..metrics._expectation import ratio
from ..mixtures._mixture_posterior import MixturePosterior
from ..posterior._known_positives import KnownPositives
from ..posterior._posterior import Block, CellPosterior, digest_of
from ..posterior._row_estimates import SampleRows
from ._further_items import BOOTSTRAP, FurtherItems
from ._row_posterior import RowPosterior
from ._score_density import ScoreDensity

NO_DENSITY = (
    "A fit with several systems, categories or groups has no score density: fit a single column "
    "of scores, SemisupervisedScoreMixture().fit(scores, y)."
)
# Spawn key of the random stream of labels of new groups.
NEW_GROUPS = 10
# Experts that a repr names, the heaviest first.
MAX_NAMES = 6


@dataclass(frozen=True, eq=False, repr=False)
class RankingPosterior(CellPosterior):
    """One system's ranking of all items, or of one category.

    All estimates use the label draws of `RowPosterior`, which every ranking shares.
    """

    sample: ScoreSample  # scores and known labels, larger for positives
    items: RowPosterior
    rows: np.ndarray  # (n_ranked,), the ranked rows by increasing score
    scores: np.ndarray  # (n_ranked,), increasing
    cells: ScoreCells  # a few hundred cells of the scores
    everywhere: np.ndarray  # (2,), range of the scores of all items, ranked or not
    further: FurtherItems  # of the population that the items are drawn from
    density: ScoreDensity | None = None  # of the scores, if they are one column
    on_curve: bool = False  # whether the curve on these cells is all that is known of an item
    part: int | None = None  # the index of the category; None for all items
    column: int = 0  # the index of the column of scores
    is_compared: bool = False  # whether rates of the population are those of differences
    # scores and labels of the rows, where they represent other scores; None for the sample
    of_rows: ScoreSample | None = None

    @classmethod
    def of(
        cls,
        items: RowPosterior,
        scores: np.ndarray,
        kind: ScoreKind,
        rows: np.ndarray,
        everywhere: np.ndarray,
        further: FurtherItems,
        *,
        sample: ScoreSample | None = None,
        cells: ScoreCells | None = None,
        density: ScoreDensity | None = None,
        on_curve: bool = False,
        part: int | None = None,
        column: int = 0,
    ) -> RankingPosterior:
        """Return the ranking of some rows by scores, (n_rows,).

        Rows that are not ranked may lack a score. `everywhere` is the possible range of scores,
        `sample` has the exact scores of the items that these rows represent, where they are known,
        and `cells` are those of the sample.
        """
        by_score = np.argsort(scores[rows], kind="stable")
        rows = rows[by_score]
        ranked = scores[rows]

        of_rows = sample
        if of_rows is None or not on_curve:
            of_rows = ScoreSample.from_items(
                ranked, items.codes[rows], items.counts[rows], items.inclusion
            )
        if sample is None:
            sample = of_rows
        if cells is None:
            cells = ScoreCells.of(of_rows.without_labels(), kind)
        return cls(
            sample,
            items,
            rows,
            ranked,
            cells,
            everywhere,
            further,
            density,
            on_curve,
            part,
            column,
            of_rows=None if of_rows is sample else of_rows,
        )

    @property
    def drawn_sample(self) -> ScoreSample:  # type: ignore[override]
        """The sample, on the scores of the rows."""
        return self.sample if self.of_rows is None else self.of_rows

    @property
    def ends(self) -> np.ndarray:
        """Score range of all items: a common threshold may lie outside a category's range."""
        return self.everywhere

    @property  # type: ignore[override]
    def updated(self) -> UpdatedRows:
        """The draws, which all rankings of the rows share."""
        return self.items.updated

    @cached_property
    def known_positives(self) -> KnownPositives:  # type: ignore[override]
        """Information on the number of positives in this ranking, beside labels."""
        items = self.items
        is_outside = np.ones(items.n_items, dtype=bool)
        is_outside[self.rows] = False
        if not is_outside.any():
            return items.known_positives
        counts = items.counts[is_outside]
        codes = items.codes[is_outside]
        return items.known_positives.of_part(counts[codes == 1].sum(), counts[codes < 0].sum())

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, the same for all rankings of the rows."""
        if not self.on_curve:
            return self.items.digest
        # Draws of one curve do not depend on the unit of the scores.
        return f"{self.items.digest}-{digest_of(self.sample.scores)}"

    @property
    def has_labels_of_both_classes(self) -> bool:
        """Whether items of both classes are labeled, in any category."""
        return bool((self.items.codes == 0).any() and (self.items.codes == 1).any())

    @cached_property
    def cell_log_odds(self) -> np.ndarray:
        """Log-odds of the mean probability of each cell's items, (n_draws, n_cells).

        Items with equal scores may differ in probability because of other systems or their
        category; else the curve at the cell's mean score represents them.
        """
        if self.on_curve:
            return self.updated.log_odds

        cells = self.cells
        firsts = np.searchsorted(self.scores, cells.lower)
        counts = self.items.counts[self.rows]
        expected = [
            np.add.reduceat(counts * self.items.probability(part, self.rows), firsts, axis=1)
            for block in self.blocks()
            for part in block.parts(len(counts))
        ]
        mean = np.concatenate(expected) / cells.counts
        return special.logit(np.clip(mean, 1e-300, 1.0 - 1e-16))

    @property
    def _expected_in_cells(self) -> np.ndarray:
        if self.on_curve:
            return super()._expected_in_cells
        # The means of rows, which all rankings share, are at hand sooner than the cells' log-odds.
        counts = self.items.counts[self.rows]
        firsts = np.searchsorted(self.scores, self.cells.lower)
        return np.add.reduceat(counts * self.items.mean[self.rows], firsts) / self.cells.counts

    def labeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return the mean probability of the labeled items of each score."""
        if self.on_curve:
            return super().labeled_probability(scores, block)

        labeled = self.items.codes[self.rows] >= 0
        labeled_scores = self.scores[labeled]
        rows = self.rows[labeled]
        distinct, firsts = np.unique(labeled_scores, return_index=True)
        counts = self.items.counts[rows]
        probability = self.items.among_labeled(self.items.probability(block, rows), block.rows)
        expected = np.add.reduceat(counts * probability, firsts, axis=1)
        mean = expected / np.add.reduceat(counts, firsts)
        # Pooled labels are placed at the mean of their scores: use the nearest score.
        midpoints = (distinct[1:] + distinct[:-1]) / 2.0
        return mean[:, np.searchsorted(midpoints, scores)]

    def unlabeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return `positive_probability` of the unlabeled items of this sample."""
        return self.items.among_unlabeled(self.positive_probability(scores, block), block)

    def drawn_positives(
        self, cells: ScoreSample, block: Block, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the drawn positives of each cell, the same for every estimate."""
        columns, scores = self._unlabeled
        of_rows = self.items.drawn_positives(block)
        if self.on_curve and cells.n_cells > len(self._starts):
            return self._spread(of_rows[:, columns], cells, rng)

        cell = np.searchsorted(cells.lower, scores, side="right") - 1
        occupied, firsts = np.unique(cell, return_index=True)
        positives = np.zeros((len(of_rows), cells.n_cells))
        # Sums are taken of numbers, which take eight times as much memory as labels.
        for tile in row_tiles(len(of_rows), len(cell)):
            in_order = np.take(of_rows[tile], columns, axis=1)
            if len(firsts) < len(columns):
                in_order = np.add.reduceat(in_order, firsts, axis=1, dtype=float)
            positives[tile, occupied] = in_order
        return positives

    def _spread(
        self, positives_of_rows: np.ndarray, cells: ScoreSample, rng: np.random.Generator
    ) -> np.ndarray:
        """Spread the positives of each row at random over the items that it represents."""
        counts = cells.unlabeled.astype(np.intp)
        cell = np.repeat(np.arange(cells.n_cells), counts)
        row = np.searchsorted(self._starts, cells.lower[cell], side="right") - 1
        first = np.searchsorted(row, row)
        number = np.arange(len(row)) - first

        positives = np.zeros((len(positives_of_rows), cells.n_cells))
        for of_draw, of_rows in zip(positives, positives_of_rows, strict=True):
            order = np.lexsort((rng.random(len(row)), row))
            is_positive = number < of_rows[row]
            of_draw += np.bincount(cell[order], is_positive, minlength=cells.n_cells)
        return positives

    @cached_property
    def _starts(self) -> np.ndarray:
        """The smallest score that each unlabeled row may represent, (n_unlabeled,)."""
        return self.sample.grouped_for_labels().lower

    @cached_property
    def _unlabeled(self) -> tuple[np.ndarray, np.ndarray]:
        """The unlabeled rows: their places among all unlabeled ones, and their scores."""
        is_unlabeled = self.items.codes[self.rows] < 0
        places = np.searchsorted(self.items.unlabeled, self.rows[is_unlabeled])
        return places, self.scores[is_unlabeled]

    def population_rates(self, block: Block, thresholds: np.ndarray | None = None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        if self.on_curve:
            return self._rates_of_cells(block, thresholds)

        if thresholds is None:
            firsts, steps = self._decreasing
        else:
            firsts = np.searchsorted(self.scores, np.asarray(thresholds, dtype=float))
            steps = np.zeros(len(firsts), dtype=bool)
        positive, negative = self.further.weights(block, self.rows)
        prevalence = self._share_of_positives(block, positive, negative)
        if thresholds is None:
            positive, negative = self._with_prior(block, positive, negative)
        of_positives, of_negatives = (
            self._rates(block, weights, firsts, None if thresholds is None else 1 + code)
            for code, weights in ((1, positive), (0, negative))
        )
        return prevalence, of_positives, of_negatives, steps

    def _share_of_positives(
        self, block: Block, positive: np.ndarray, negative: np.ndarray
    ) -> np.ndarray:
        """Return the prevalence, given weights of items, (n_draws, 1)."""
        prior = self.further.prior_labels(block, self.part)[:, 0]
        n_positive = positive.sum(axis=1, keepdims=True)
        total = n_positive + negative.sum(axis=1, keepdims=True)
        signed = self.is_compared and self.further.pairs_parts
        return self.further.rate(block, n_positive, total, prior, signed)

    def _with_prior(
        self, block: Block, positive: np.ndarray, negative: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Add the prior's labels to weights of items: of a whole curve they have any score."""
        prior = self.further.prior_labels(block, self.part)[:, 0]
        share = self.items.counts[self.rows] / self.items.counts[self.rows].sum()
        return positive + prior[:, 1:] * share, negative + prior[:, :1] * share

    def _rates(
        self, block: Block, weights: np.ndarray, firsts: np.ndarray, number: int | None
    ) -> np.ndarray:
        """Return the share of a class in the items from each of `firsts` on.

        `number` is that of the class for the prior's labels, None without any.
        """
        above = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
        above = np.hstack([above, np.zeros((len(above), 1))])
        if number is None:
            # A population may have no positive: then its rate is not defined.
            return ratio(above[:, firsts], above[:, :1])
        prior = self.further.prior_labels(block, self.part)[:, number + 2 * self.column]
        rates = self.further.rate(block, above[:, firsts], above[:, :1], prior, self.is_compared)
        # Of all scores, and of none, nothing is to be learned.
        rates = np.clip(rates, 0.0, 1.0)
        return np.where(firsts == 0, 1.0, np.where(firsts == weights.shape[1], 0.0, rates))

    @cached_property
    def _decreasing(self) -> tuple[np.ndarray, np.ndarray]:
        """First item of each cell from the highest score down, and whether it is a tie."""
        firsts = np.searchsorted(self.scores, self.cells.lower)[::-1]
        tied = self.cells.single & (self.cells.counts > 1.0)
        return np.r_[len(self.scores), firsts], np.r_[False, tied[::-1]]

    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of positives and negatives of each item, (n_draws, n) each.

        Where one curve describes all items it states the share of positives in each cell, and items
        have the weights of a Bayesian bootstrap; else they are those of `FurtherItems`.
        """
        if not self.on_curve:
            of_items = self.further.weights(block, self.rows)
            positive, negative = self._with_prior(block, *of_items)
        else:
            probability = special.expit(self.cell_log_odds[block.rows])
            counts = self.cells.counts
            rng = spawn(self.items.entropy, BOOTSTRAP, block.index)
            weights = rng.standard_gamma(np.broadcast_to(counts, probability.shape))
            # Of items that weigh next to nothing all gamma numbers may underflow.
            weights = np.where(weights.any(axis=1, keepdims=True), weights, counts)
            positive = weights * probability
            negative = weights * (1.0 - probability)
        total = (positive + negative).sum(axis=1, keepdims=True)
        return positive / total, negative / total

    @cached_property
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population in each draw, (n_draws, 1)."""
        if self.on_curve:
            return super().prevalence_draws
        return np.concatenate(
            [
                self._share_of_positives(block, *self.further.weights(block, self.rows))
                for block in self.blocks()
            ]
        )

    @property
    def compared(self) -> RankingPosterior | None:  # type: ignore[override]
        """The same rates as they enter differences of parts, or columns, with the same cases."""
        has_partners = self.further.pairs_parts or self.further.n_columns > 1
        return replace(self, is_compared=True) if has_partners and not self.on_curve else None

    def _rates_of_cells(self, block: Block, thresholds: np.ndarray | None):
        """Return the rates of the population, whose items are spread evenly over each cell."""
        above, steps = self._above if thresholds is None else (self._share_above(thresholds), None)
        positive, negative = self.population(block)
        prevalence = positive.sum(axis=1)
        others = negative.sum(axis=1)
        tpr = np.einsum("ij,kj->ik", positive, above) / prevalence[:, np.newaxis]
        fpr = np.einsum("ij,kj->ik", negative, above) / others[:, np.newaxis]

        # Sums in another order differ by rounding, and of everything none is left.
        is_all = (above == 1.0).all(axis=1)
        tpr = np.where(is_all, 1.0, tpr)
        fpr = np.where(is_all, 1.0, fpr)
        if steps is None:
            steps = np.zeros(len(above), dtype=bool)
        return prevalence[:, np.newaxis], tpr, fpr, steps

    @cached_property
    def _above(self) -> tuple[np.ndarray, np.ndarray]:
        """Which cells lie at or above thresholds that decrease cell by cell, and which are ties."""
        above = np.tri(self.cells.n_cells + 1, self.cells.n_cells, -1)[:, ::-1]
        tied = self.cells.single & (self.cells.counts > 1.0)
        return above, np.r_[False, tied[::-1]]

    def _share_above(self, thresholds: np.ndarray) -> np.ndarray:
        """Return which share of the items of each cell lies at or above thresholds."""
        cells = self.cells
        sample = self.sample
        passing = sample.reaching(thresholds, sample.counts)
        higher = np.cumsum(cells.counts[::-1])[::-1] - cells.counts
        return np.clip((passing[:, np.newaxis] - higher) / cells.counts, 0.0, 1.0)

    @property
    def score_distribution(self) -> MixturePosterior:
        """The distribution of the scores alone; raise ValueError without a model of it."""
        if self.density is None:
            raise ValueError(NO_DENSITY)
        return self.density.distribution(self.sample)

    def log_predictive(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of p(score, y = 0) and p(score, y = 1), always finite."""
        log_density = np.logaddexp(*self.score_distribution.log_predictive(scores))
        probability = self.expected_probability(scores)
        tiny = np.finfo(float).tiny
        return (
            log_density + np.log(np.maximum(1.0 - probability, tiny)),
            log_density + np.log(np.maximum(probability, tiny)),
        )

    def log_score_density(self, scores: np.ndarray, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return log p(score, y = 0) and log p(score, y = 1), of shape (n_draws, n_scores)."""
        log_density = np.logaddexp(*self.score_distribution.log_predictive(scores))
        log_odds = self.log_odds(scores, block)
        return (
            log_density + special.log_expit(-log_odds),
            log_density + special.log_expit(log_odds),
        )

    def rvs(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores on the user's scale, and labels 0 and 1."""
        scores, _ = self.score_distribution.rvs(rng, size)
        labels = np.empty(size, dtype=np.int8)
        draws = rng.integers(self.n_draws, size=size)
        for block in self.blocks():
            is_of_block = (draws >= block.rows.start) & (draws < block.rows.stop)
            items = np.flatnonzero(is_of_block)
            rows = draws[items] - block.rows.start
            of_all_draws = self.positive_probability(scores[items], block)
            probability = of_all_draws[rows, np.arange(len(items))]
            labels[items] = rng.random(len(items)) < probability
        return scores, labels

    def __repr__(self) -> str:
        weights = self.updated.weights
        heaviest = np.argsort(-weights.posterior, kind="stable")[:MAX_NAMES]
        names = ", ".join(f"{weights.names[k]} {weights.posterior[k]:.2f}" for k in heaviest)
        n_items = f"n_items={len(self.rows)}, n_draws={self.n_draws}, ess={self.ess:.0f}"
        return f"RankingPosterior({names}; {n_items})"


@dataclass(frozen=True, eq=False)
class RankedRows(SampleRows):
    """The rows of a ranking, with the labels of the items that represent them."""

    # (n_items,), of int, the item of the posterior that represents each
    represented_by: np.ndarray = None  # type: ignore[assignment]

    @classmethod
    def of(
        cls,
        posterior: RowPosterior,
        *,
        row: np.ndarray,
        scores: np.ndarray,
        codes: np.ndarray,
        represented_by: np.ndarray,
        n_rows: int,
        groups: np.ndarray | None,
    ) -> Self:
        """Return the rows; the rows of one unlabeled item of the posterior share its draws."""
        cell = np.searchsorted(posterior.unlabeled, represented_by)
        return cls(row, scores, codes, cell, n_rows, groups, represented_by)

    def drawn(self, posterior: Any, block: Block, entropy: int) -> Iterator[np.ndarray]:
        """Yield the drawn positives of each unlabeled item, draw by draw."""
        yield from posterior.items.drawn_positives(block)

    def population_labels(self, posterior: Any, block: Block, entropy: int) -> Iterator[np.ndarray]:
        """Yield labels of items of a population, draw by draw: in new groups all are drawn."""
        items: RowPosterior = posterior.items
        if self.groups is None or items.is_complete:
            yield from self.sample_labels(posterior, block, entropy)
            return
        rng = spawn(entropy, NEW_GROUPS, block.index)
        for probability in items.probability_anywhere(block, GROUPS):
            draws = rng.random(len(self.represented_by))
            yield (draws < probability[self.represented_by]).astype(self.codes.dtype)
