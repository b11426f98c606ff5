"""Posteriors of P(y = 1 | score): by draws, in cells, and of the other class."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..data._cells import ScoreCells
from ..data._sample import MAX_SCORES as MAX_SCORES
from ..data._sample import ScoreSample
from ..inference._draws import picked
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import spawn
from ..results._distributions import CenteredDraws, WeightedDraws, probability_of
from ..results._estimates import ScalarEstimate
from ._completed_labels import BLOCK, Block, Completions, blocks_of
from ._completions import draw_positives, smallest_type
from ._known_positives import KnownPositives

# Probabilities of scores between two cells are interpolated between this many points.
N_BETWEEN = 16


def digest_of(*arrays: np.ndarray) -> str:
    """Return a hash of arrays, stable under copying and pickling."""
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


class UpdatedDraws(FrozenArrays):
    """Mixin of equally weighted draws from the label update."""

    updated: Any  # `UpdatedCurves` or `UpdatedItems`: the draws, and what labels say of experts
    # intervals reach an edge of the range that no label excludes
    reaches_open_edges: ClassVar[bool] = True

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.updated.expert)

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws: equal ones."""
        return np.full(self.n_draws, 1.0 / self.n_draws)

    @property
    def ess(self) -> float:
        """Effective sample size."""
        return self.updated.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.updated.pareto_k

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return blocks_of(self.n_draws)


class Posterior(FrozenArrays, ABC):
    """Weighted draws of P(y = 1 | score).

    Interface used by curves, recalibration and thresholds. The draws are parameters of a mixture
    (`MixturePosterior`) or curves (`RankingPosterior`).

    Attributes
    ----------
    sample : ScoreSample
        The scores and known labels, on the user's scale.
    """

    sample: ScoreSample
    updated: Any  # the draws of the label update, if the curve is known on cells
    # whether a curve on cells of scores is known, so that its experts can be tested
    has_cells: ClassVar[bool] = False
    # whether intervals reach an edge of the range that no label excludes: those of the published
    # methods do not, they are the quantiles of the draws
    reaches_open_edges: ClassVar[bool] = False
    kind: ClassVar[str] = "posterior"  # source of the uncertainty, as in `ScalarEstimate`
    # information on the number of positives, beside labels
    known_positives: ClassVar[KnownPositives] = KnownPositives()
    # the point estimate around which the draws scatter; None for a posterior
    center: ClassVar[Posterior | None] = None
    # the posterior of numbers as they enter differences, if it is another one
    compared: ClassVar[Posterior | None] = None

    @property
    @abstractmethod
    def n_draws(self) -> int:
        """Number of draws."""

    @property
    @abstractmethod
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""

    @property
    @abstractmethod
    def ess(self) -> float:
        """Effective sample size."""

    @property
    @abstractmethod
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""

    @property
    @abstractmethod
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population in each draw, (n_draws, 1)."""

    @property
    def ends(self) -> np.ndarray:
        """The lowest and highest score; thresholds beyond them separate nothing."""
        return self.sample.scores[[0, -1]]

    @cached_property
    def digest(self) -> str:
        """Hash that identifies the draws, stable under copying and pickling."""
        sample = self.sample
        # Probabilities at three scores tell curves apart.
        ends_and_middle = sample.scores[[0, sample.n_cells // 2, -1]]
        cells = sample.scores, sample.unlabeled, sample.negative, sample.positive
        return digest_of(
            *cells, self.weights, self.positive_probability(ends_and_middle, self.blocks()[0])
        )

    @property
    def has_labels_of_both_classes(self) -> bool:
        """Whether the labels that update it are of both classes."""
        return not self.sample.is_of_one_class

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled, so all draws have the same labels."""
        return not self.sample.unlabeled.any()

    @property
    def n_weighted_items(self) -> float:
        """Number of items, by their weights."""
        return float(self.sample.counts.sum())

    @abstractmethod
    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""

    @abstractmethod
    def positive_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""

    def labeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return `positive_probability` of labeled items."""
        at_labels = partial(self.positive_probability, block=block)
        probability = self.positive_probability(scores, block)
        return self.sample.inclusion.among_labeled(probability, self.sample, at_labels)

    def weighted_draws(self, scores: np.ndarray) -> np.ndarray:
        """Return `positive_probability` in all draws, (n_draws, n_scores)."""
        parts = self.parts_of_draws(len(scores))
        return np.concatenate([self.positive_probability(scores, part) for part in parts])

    def weighted_draws_of_labeled(self, scores: np.ndarray) -> np.ndarray:
        """Return `labeled_probability` in all draws, (n_draws, n_scores)."""
        parts = self.parts_of_draws(len(scores))
        return np.concatenate([self.labeled_probability(scores, part) for part in parts])

    def parts_of_draws(self, n_columns: int) -> Iterable[Block]:
        """Return blocks of all draws for arrays of draws by columns that need no random stream."""
        return self.blocks()

    def unlabeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return `positive_probability` of the unlabeled items of this sample."""
        return self.sample.inclusion.among_unlabeled(self.positive_probability(scores, block))

    def drawn_positives(self, cells: ScoreSample, block: Block, rng: np.random.Generator):
        """Draw the weight of the positives among the unlabeled items, (n_rows, n_cells).

        `cells` is the sample, on cells that may be coarser.
        """
        probability = self.unlabeled_probability(cells.scores, block)
        sample = self.sample
        total = self.known_positives.of_unlabeled(sample.positive.sum(), sample.unlabeled.sum())
        return draw_positives(rng, cells.unlabeled, probability, total)

    @property
    def drawn_sample(self) -> ScoreSample:
        """The sample, on the scores at which labels are drawn: all, or those of some items."""
        return self.sample

    @cached_property
    def completed_cells(self) -> ScoreSample:
        """The sample, on the cells in which labels are completed."""
        return self.drawn_sample.grouped_for_completions()

    def completed_above(self, block: Block, entropy: int) -> np.ndarray:
        """Return the drawn positives at or above each cell, the highest first, (n_rows, n_cells).

        Labels are completed once: all questions with a seed share them.
        """
        if self.is_complete:
            return np.zeros((block.rows.stop - block.rows.start, self.completed_cells.n_cells))
        return self._completions.of_block(block, entropy).astype(float)

    @cached_property
    def _completions(self) -> Completions:
        """The positives drawn at or above each cell; in no pickle."""
        unlabeled = self.completed_cells.unlabeled
        smallest = smallest_type(unlabeled, unlabeled.sum())
        return Completions(self.blocks(), self._drawn_above, smallest)

    def _drawn_above(self, block: Block, entropy: int) -> np.ndarray:
        """Draw the positives at or above each cell, the highest first, (n_rows, n_cells)."""
        rng = spawn(entropy, 1, block.index)
        drawn = self.drawn_positives(self.completed_cells, block, rng)
        return np.cumsum(drawn[:, ::-1], axis=1, dtype=float)

    def taken_for_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return the probabilities of the positive class that the scores represent, if any."""
        return np.asarray(scores, dtype=float)

    @abstractmethod
    def population_rates(self, block: Block, thresholds: np.ndarray | None = None):
        """Return prevalence, TPR and FPR of the population for each draw of a block.

        `thresholds` are on the user's scale; None uses decreasing thresholds that trace a whole
        curve. Returns prevalence (n_rows, 1), tpr and fpr (n_rows, n_thresholds), and steps
        (n_thresholds,): whether the curve jumps to a threshold, at the low end of a tie.
        """

    @abstractmethod
    def log_predictive(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the posterior expectations of p(score, y = 0) and p(score, y = 1).

        They are finite for every finite score. Raise ValueError if the scores have no density.
        """

    @abstractmethod
    def log_score_density(self, scores: np.ndarray, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block.

        The densities are those of the score on the user's scale; raise ValueError without any.
        """

    @abstractmethod
    def rvs(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores on the user's scale, and labels 0 and 1, from the posterior predictive.

        Raise ValueError if the scores have no density.
        """

    def prevalence(self) -> ScalarEstimate:
        """Return the prevalence of the population."""
        return self.number("prevalence", attrgetter("prevalence_draws"))

    def distribution(
        self,
        draws: np.ndarray,
        undefined_as: float = np.nan,
        of_center: np.ndarray | None = None,
    ):
        """Return the distribution of functions of the draws, and the weight of undefined draws.

        `draws` is (n_draws, n_points), NaN where undefined; `undefined_as` replaces NaN. The value
        is that of `center` if its draws of the functions are given. The weight of undefined draws
        has shape (n_points,).
        """
        weights = self.weights
        is_undefined = np.isnan(draws)
        undefined = probability_of(is_undefined, weights)
        draws = np.where(is_undefined, undefined_as, draws)
        center = self.center
        if center is None or of_center is None:
            return WeightedDraws(draws, weights), undefined

        of_center = np.where(np.isnan(of_center), undefined_as, of_center)
        # Estimates of several models are averaged like their draws.
        return CenteredDraws(draws, weights, center.weights @ of_center), undefined

    def number(self, name: str, values: Callable[[Any], np.ndarray]) -> ScalarEstimate:
        """Return the estimate of a function of a posterior, one number for each draw, (n, 1)."""
        of_center = None if self.center is None else values(self.center)
        distribution, undefined = self.distribution(values(self), of_center=of_center)
        return ScalarEstimate(name, distribution, kind=self.kind, undefined=float(undefined[0]))

    def expected_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return the posterior expectation of P(y = 1 | score), of shape (n_scores,)."""
        distinct, inverse = np.unique(scores, return_inverse=True)
        weights = self.weights
        expected = np.zeros(len(distinct))
        for part in row_tiles(len(distinct), BLOCK):
            for block in self.blocks():
                probability = self.positive_probability(distinct[part], block)
                expected[part] += np.einsum("i,ij->j", weights[block.rows], probability)
        # The weights sum to one only up to rounding.
        return np.minimum(expected, 1.0)[inverse]

    @property
    def expected_prevalence(self) -> float:
        """The expected share of positives among the items."""
        counts = self.sample.counts
        return float(counts @ self.expected_between_cells(self.sample.scores) / counts.sum())

    def expected_between_cells(self, scores: np.ndarray) -> np.ndarray:
        """Return `expected_probability`, (n_scores,); linear between cells where there are some."""
        return self.expected_probability(scores)

    def predicted_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return `expected_probability` of new scores, (n_scores,); it may be interpolated.

        It does not depend on the other scores of the call.
        """
        return self.expected_probability(scores)

    def probability_quantiles(
        self, scores: np.ndarray, levels: Sequence[float] | np.ndarray
    ) -> np.ndarray:
        """Return quantiles of P(y = 1 | score) over the draws, (n_levels, n_scores)."""
        distinct, inverse = np.unique(scores, return_inverse=True)
        quantiles = np.empty((len(levels), len(distinct)))
        for part in row_tiles(len(distinct), self.n_draws):
            draws = self.probability_draws(distinct[part])
            # Each draw is at the midpoint of its weight, as elsewhere.
            quantiles[:, part] = np.quantile(draws, levels, axis=0, method="hazen")
        return quantiles[:, inverse]

    def probability_draws(self, scores: np.ndarray) -> np.ndarray:
        """Return equally weighted draws of P(y = 1 | score), of shape (n_draws, n_scores)."""
        return self.weighted_draws(scores)[picked(self.weights, self.n_draws)]


class CellPosterior(UpdatedDraws, Posterior):
    """Equally weighted draws of logit P(y = 1 | score), linear between cells of scores.

    Attributes
    ----------
    cells : ScoreCells
    """

    cells: ScoreCells
    has_cells: ClassVar[bool] = True

    @property
    @abstractmethod
    def cell_log_odds(self) -> np.ndarray:
        """The log-odds at each cell, (n_draws, n_cells)."""

    @abstractmethod
    def population(self, block: Block) -> tuple[np.ndarray, np.ndarray]:
        """Return shares of positives and negatives, drawn for a block, (n_rows, n) each."""

    def parts_of_draws(self, n_columns: int) -> Iterable[Block]:
        draws = slice(0, self.n_draws)
        return Block(0, 0, draws, draws).parts(n_columns)

    def positive_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        log_odds = self.log_odds(scores, block)
        return special.expit(log_odds, out=log_odds)

    def log_odds(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return the log-odds of scores, of shape (n_rows, n_scores)."""
        return self._linear(*self.cells.place(scores), block.rows)

    def predicted_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return `expected_probability` of new scores, interpolated between points of the cells."""
        return special.expit(self._between(scores, self._expected_log_odds))

    def probability_quantiles(
        self, scores: np.ndarray, levels: Sequence[float] | np.ndarray
    ) -> np.ndarray:
        """Return quantiles of P(y = 1 | score), interpolated likewise, (n_levels, n_scores)."""
        quantiles = np.empty((len(levels), len(self._points)))
        for part in row_tiles(len(self._points), self.n_draws):
            log_odds = self._log_odds_at(self._points[part], slice(None))
            quantiles[:, part] = np.quantile(log_odds, levels, axis=0, method="hazen")
        return special.expit([self._between(scores, row) for row in quantiles])

    @cached_property
    def _points(self) -> np.ndarray:
        """Positions among the cells: whole numbers are cells, (n_points,)."""
        return np.arange(N_BETWEEN * (self.cells.n_cells - 1) + 1) / N_BETWEEN

    @cached_property
    def _expected_log_odds(self) -> np.ndarray:
        """The log-odds of the expected probability at each point, (n_points,)."""
        # Each class by itself, so that neither end loses its digits.
        positive, negative = np.zeros((2, len(self._points)))
        for block in self.blocks():
            log_odds = self._log_odds_at(self._points, block.rows)
            positive += special.expit(log_odds).sum(axis=0)
            negative += special.expit(-log_odds).sum(axis=0)
        return np.log(positive) - np.log(negative)

    def _log_odds_at(self, points: np.ndarray, rows: slice) -> np.ndarray:
        left = np.minimum(points.astype(int), max(self.cells.n_cells - 2, 0))
        return self._linear(left, points - left, rows)

    def _linear(self, left: np.ndarray, share: np.ndarray, rows: slice) -> np.ndarray:
        """Return log-odds at a share of the way from one cell to the next, (n_rows, n)."""
        log_odds = self.cell_log_odds[rows]
        right = np.minimum(left + 1, log_odds.shape[1] - 1)
        of_left = np.take(log_odds, left, axis=1)
        interpolated = np.take(log_odds, right, axis=1)
        interpolated -= of_left
        interpolated *= share
        interpolated += of_left
        return interpolated

    def _between(self, scores: np.ndarray, at_points: np.ndarray) -> np.ndarray:
        left, share = self.cells.place(scores)
        return np.interp(left + share, self._points, at_points)

    @property
    def expected_prevalence(self) -> float:
        """The expected share of positives among the items."""
        return float(self.cells.counts @ self._expected_in_cells / self.cells.counts.sum())

    def expected_between_cells(self, scores: np.ndarray) -> np.ndarray:
        """Return the expected P(y = 1 | score), linear between the cells, (n_scores,)."""
        expected = self._expected_in_cells
        left, share = self.cells.place(scores)
        following = np.minimum(left + 1, len(expected) - 1)
        return expected[left] * (1.0 - share) + expected[following] * share

    @property
    def _expected_in_cells(self) -> np.ndarray:
        """The expected P(y = 1 | score) at each cell, (n_cells,)."""
        return special.expit(self.cell_log_odds).mean(axis=0)

    @cached_property
    def expected_average_precision(self) -> np.ndarray:
        """The average precision of expected counts in each draw, (n_draws,)."""
        return self.cells.average_precision(special.expit(self.cell_log_odds))

    @cached_property
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population in each draw, (n_draws, 1)."""
        parts = [self.population(block)[0].sum(axis=1) for block in self.blocks()]
        return np.concatenate(parts)[:, np.newaxis]


@dataclass(frozen=True, eq=False, repr=False)
class ComplementPosterior(Posterior):
    """The same draws, with the classes exchanged and the scores flipped."""

    sample: ScoreSample  # flipped scores, positives and negatives exchanged
    inner: Posterior
    total: float  # sum of a score and its flipped value

    @classmethod
    def of(cls, inner: Posterior, total: float = 0.0) -> ComplementPosterior:
        """Return a posterior with the classes exchanged."""
        return cls(_exchanged(inner.sample, total), inner, total)

    @property
    def has_cells(self) -> bool:  # type: ignore[override]
        """Whether a curve on cells of scores is known."""
        return self.inner.has_cells

    @property
    def updated(self) -> Any:
        """The draws of the label update."""
        return self.inner.updated

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return self.inner.n_draws

    @property
    def weights(self) -> np.ndarray:
        """The weights of all draws, of shape (n_draws,), summing to one."""
        return self.inner.weights

    @property
    def ess(self) -> float:
        """Effective sample size."""
        return self.inner.ess

    @property
    def pareto_k(self) -> float:
        """k-hat of the importance weights."""
        return self.inner.pareto_k

    @property
    def kind(self) -> str:  # type: ignore[override]
        """Source of the uncertainty, as in `ScalarEstimate`."""
        return self.inner.kind

    @property
    def reaches_open_edges(self) -> bool:  # type: ignore[override]
        """Whether intervals reach an edge of the range that no label excludes."""
        return self.inner.reaches_open_edges

    @property
    def known_positives(self) -> KnownPositives:  # type: ignore[override]
        """Information on the number of positives, beside labels."""
        return self.inner.known_positives.exchanged(self.n_weighted_items)

    @property
    def center(self) -> Posterior | None:  # type: ignore[override]
        """The point estimate around which the draws scatter, if any."""
        center = self.inner.center
        return None if center is None else replace(self, inner=center)

    @property
    def prevalence_draws(self) -> np.ndarray:
        """The prevalence of the population in each draw, (n_draws, 1)."""
        return 1.0 - self.inner.prevalence_draws

    def blocks(self) -> list[Block]:
        """Return the fixed blocks of draws."""
        return self.inner.blocks()

    def positive_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return P(y = 1 | score) for each draw of a block, of shape (n_rows, n_scores)."""
        return 1.0 - self.inner.positive_probability(self._flipped(scores), block)

    def labeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return `positive_probability` of labeled items."""
        return 1.0 - self.inner.labeled_probability(self._flipped(scores), block)

    def unlabeled_probability(self, scores: np.ndarray, block: Block) -> np.ndarray:
        """Return `positive_probability` of the unlabeled items of this sample."""
        return 1.0 - self.inner.unlabeled_probability(self._flipped(scores), block)

    @cached_property
    def drawn_sample(self) -> ScoreSample:  # type: ignore[override]
        """The scores at which labels are drawn, flipped."""
        drawn = self.inner.drawn_sample
        return self.sample if drawn is self.inner.sample else _exchanged(drawn, self.total)

    @cached_property
    def completed_cells(self) -> ScoreSample:
        """The cells of the same labels, flipped."""
        cells = self.inner.completed_cells
        if cells is self.inner.drawn_sample:
            return self.drawn_sample
        # The highest score of a cell is the lowest of its mirror image.
        scores = self.inner.drawn_sample.scores
        last = np.searchsorted(scores, np.r_[cells.lower[1:], np.inf]) - 1
        return replace(_exchanged(cells, self.total), lower=self._flipped(scores[last])[::-1])

    def completed_above(self, block: Block, entropy: int) -> np.ndarray:
        """Return the drawn positives at or above each cell: the drawn negatives of the others."""
        above = self.inner.completed_above(block, entropy)
        unlabeled = self.completed_cells.unlabeled[::-1]
        below = above[:, -1:] - np.hstack([np.zeros((len(above), 1)), above[:, :-1]])
        return np.cumsum(unlabeled) - below[:, ::-1]

    def taken_for_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return one minus the probabilities that the scores represent."""
        return 1.0 - self.inner.taken_for_probability(self._flipped(scores))

    def predicted_probability(self, scores: np.ndarray) -> np.ndarray:
        """Return `expected_probability` of new scores, (n_scores,)."""
        return 1.0 - self.inner.predicted_probability(self._flipped(scores))

    @property
    def expected_prevalence(self) -> float:
        """The expected share of positives among the items."""
        return 1.0 - self.inner.expected_prevalence

    def expected_between_cells(self, scores: np.ndarray) -> np.ndarray:
        """Return the expected P(y = 1 | score), linear between the cells, (n_scores,)."""
        return 1.0 - self.inner.expected_between_cells(self._flipped(scores))

    def probability_quantiles(
        self, scores: np.ndarray, levels: Sequence[float] | np.ndarray
    ) -> np.ndarray:
        """Return quantiles of P(y = 1 | score) over the draws, (n_levels, n_scores)."""
        mirrored = 1.0 - np.asarray(levels)
        return 1.0 - self.inner.probability_quantiles(self._flipped(scores), mirrored)

    def population_rates(self, block: Block, thresholds: np.ndarray | None = None):
        """Return the rates of the population, as `Posterior.population_rates`."""
        if thresholds is not None:
            # At or above a flipped threshold means at or below the original threshold.
            thresholds = np.nextafter(self._flipped(thresholds), np.inf)

        prevalence, tpr, fpr, steps = self.inner.population_rates(block, thresholds)
        if thresholds is None:
            # A curve starts with nothing predicted positive, which is implicit; its other end is
            # explicit. A step to a threshold becomes a step to the previous one.
            zeros = np.zeros((len(prevalence), 1))
            tpr = np.hstack([zeros, tpr])[:, ::-1]
            fpr = np.hstack([zeros, fpr])[:, ::-1]
            steps = np.r_[False, steps[::-1]]

        return 1.0 - prevalence, 1.0 - fpr, 1.0 - tpr, steps

    def log_predictive(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the logs of the expectations of p(score, y = 0) and p(score, y = 1)."""
        return self.inner.log_predictive(self._flipped(scores))[::-1]

    def log_score_density(self, scores: np.ndarray, block: Block):
        """Return log p(score, y = 0) and log p(score, y = 1) for each draw of a block."""
        return self.inner.log_score_density(self._flipped(scores), block)[::-1]

    def rvs(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores, and labels 0 and 1."""
        scores, labels = self.inner.rvs(rng, size)
        return self._flipped(scores), 1 - labels

    def _flipped(self, scores: np.ndarray) -> np.ndarray:
        return self.total - np.asarray(scores, dtype=float)

    def __repr__(self) -> str:
        return f"ComplementPosterior({self.inner!r})"


def _exchanged(sample: ScoreSample, total: float) -> ScoreSample:
    """Return a sample with the classes exchanged; a score and its flipped value sum to `total`."""
    scores = total - sample.scores[::-1]
    return ScoreSample(
        scores,
        scores,
        sample.unlabeled[::-1],
        sample.positive[::-1],
        sample.negative[::-1],
        inclusion=sample.inclusion.exchanged(),
    )
