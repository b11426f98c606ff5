"""A pool of scores that is being labelled, with curves of P(y = 1 | score) as its model."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from ...curves._precision_recall import PRECISION_RECALL
from ...curves._question import Question
from ...inputs._labels import UNLABELED, BinaryLabels
from ...performance._performance import PerformanceCurveEstimator
from ...sample._sample import ScoreSample
from .._expected_information import (
    Outlook,
    cells_of,
    expected_slopes,
    expected_values,
    probability_draws,
)
from ..design._combined import estimate_of_design, estimate_of_labeled
from ..design._model_check import Surprise
from ..strategies._pool import Pool, ranks_from_top
from ._history import summary
from ._query_log import Ledger
from ._session import Session

__all__ = ["CurveSession"]


class CurveSession(Session):
    """A session whose model is curves, judged by labels.

    Attributes
    ----------
    performance : PerformanceCurveEstimator
        The model, fitted to all labels that are known.
    """

    def __init__(
        self,
        question: Question,
        performance: PerformanceCurveEstimator,
        scores,
        codes,
        *,
        category=None,
        interval="posterior",
    ):
        self.question, self.performance, self.interval = question, performance, interval
        self.scores, self.category = scores, category
        self.ranks = ranks_from_top(scores)
        self.distinct, self.place = np.unique(scores, return_inverse=True)
        self.cells = cells_of(performance.posterior_)
        self.item_cells = np.searchsorted(self.cells.lower, scores, side="right") - 1
        self.above = question.above(scores, performance.orientation_)
        self.terms = question.terms(self.above)
        self.ledger = Ledger(codes, self.above, self.terms)
        self.surprise = Surprise.of(scores)
        self._probability: np.ndarray | None = None
        self.first_probability = self.probability
        self._begin()

    @property
    def seed(self) -> int:  # type: ignore[override]
        return self.performance.seed_

    @property
    def confidence_level(self) -> float:  # type: ignore[override]
        return self.performance.confidence_level

    @property
    def labels(self) -> BinaryLabels:  # type: ignore[override]
        return self.performance.mixture_.labels_

    @property
    def given(self) -> dict:  # type: ignore[override]
        """The columns of a table from which it can be started again."""
        columns = {"score": self.performance.orientation_.turn(self.scores)}
        return columns if self.category is None else {**columns, "category": self.category}

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        return len(self.scores)

    @property
    def foresight(self):
        return self.performance

    def with_draws(self, n_draws: int) -> Session:
        """Return a session of its own, whose model makes fewer draws from now on."""
        other = self.copy()
        other.performance = copy(self.performance)
        other.performance.mixture_ = copy(self.performance.mixture_)
        other.performance.mixture_.n_draws = min(n_draws, self.performance.mixture_.n_draws)
        return other

    @property
    def probability(self) -> np.ndarray:
        """The posterior mean of P(y = 1 | score), between cells of scores linear."""
        if self._probability is None:
            left, share = self.cells.place(self.scores)
            mean = self._cell_probability()
            following = np.minimum(left + 1, self.cells.n_cells - 1)
            between = mean[left] * (1.0 - share) + mean[following] * share
            self._probability = np.clip(between, 0.0, 1.0)
        return self._probability

    def _cell_probability(self) -> np.ndarray:
        """Return the posterior mean of P(y = 1 | score) of each cell, (n_cells,)."""
        posterior = self.performance.posterior_
        means = [
            np.einsum(
                "i,ij->j",
                posterior.weights[block.rows],
                posterior.positive_probability(self.cells.scores, block),
            )
            for block in posterior.blocks()
        ]
        return np.sum(means, axis=0)

    def pool(self, strategy) -> Pool:
        """Return the pool as a strategy sees it, with all that was asked for."""
        outlook = None
        if "outlook" in strategy.needs:
            outlook = Outlook.of(self.question, self.performance, self.cells)
            for item in self.ledger.pending:
                outlook = outlook.after(int(self.item_cells[item]))
        return Pool(
            self.scores,
            self.ledger.codes,
            self.ledger.free,
            self.ranks,
            probability=self.probability,
            before=self.first_probability,
            category=self.category,
            above=self.above,
            terms=self.terms,
            outlook=outlook,
            cells=self.item_cells,
            change=self._change() if "change" in strategy.needs else None,
        )

    def _change(self) -> np.ndarray | None:
        """Return how far each label is expected to move the metric; None without a formula."""
        if not self.question.has_expectation:
            return None
        p = np.clip(self._cell_probability(), 0.0, 1.0)[np.newaxis]
        slopes = expected_slopes(self.question, self.performance, self.cells, p)[0]
        return (2.0 * p[0] * (1.0 - p[0]) * np.abs(slopes))[self.item_cells]

    def simulated_labels(self, rng):
        posterior = self.performance.posterior_
        draw = rng.choice(posterior.n_draws, p=posterior.weights)
        for block in posterior.blocks():
            if block.rows.start <= draw < block.rows.stop:
                p = posterior.positive_probability(self.cells.scores, block)
                p = p[draw - block.rows.start][self.item_cells]
        drawn = (rng.random(len(p)) < p).astype(int)
        return np.where(self.ledger.codes < 0, drawn, self.ledger.codes)

    def _foreseen(self, foresight, items):
        posterior = foresight.posterior_
        draws = [
            posterior.positive_probability(self.scores[items], block)
            for block in posterior.blocks()
        ]
        return np.concatenate(draws), posterior.weights

    def _model_reasons(self):
        return list(self.performance.verdict_.reasons)

    def _arms(self):
        question, scores, terms = self.question, self.scores, self.terms
        model = question.answer(self.performance)
        recalls = model.x if question.is_curve else PRECISION_RECALL.grid(200)
        level = self.confidence_level
        design = estimate_of_design(
            question, self.ledger.design, scores, terms, recalls, self.seed, level
        )
        return (
            model,
            design,
            estimate_of_labeled(question, scores, self.ledger.codes, self.above, terms),
        )

    def _learn(self, labels):
        self.performance, self._probability = self._learned(self.ledger.codes, labels), None

    def _learned(self, codes, labels) -> PerformanceCurveEstimator:
        """Return the model after these labels."""
        performance, mixture = copy(self.performance), copy(self.performance.mixture_)
        if not hasattr(mixture, "prior_"):
            # A pickle does not hold what was made of the scores.
            y = np.full(len(codes), None, dtype=object)
            y[codes >= 0] = labels.decode(codes[codes >= 0])
            turned = mixture.orientation_.turn(self.scores)
            return performance._learn(mixture._update_silently(turned, y, None), performance.seed_)
        counts = [
            np.bincount(self.place, codes == code, len(self.distinct)) for code in (UNLABELED, 0, 1)
        ]
        sample = ScoreSample(self.distinct, self.distinct, *counts)
        seed = mixture.seed_
        rows = self.scores, codes
        mixture._learn(mixture.prior_, labels, mixture.orientation_, rows, sample, seed)
        return performance._learn(mixture, performance.seed_)

    def _with_labels_only(self, new):
        performance = new.performance
        if not self.question.has_expectation:
            old = copy(self.performance)
            old.posterior_ = replace(old.posterior_, sample=performance.posterior_.sample)
            return summary(self.question.answer(old))[0]
        # Labels move the expectation; its median need not be drawn again.
        _, p = probability_draws(self.performance.posterior_, self.cells)
        before, after = (
            expected_values(self.question, of, self.cells, p)
            for of in (self.performance, performance)
        )
        moved = (after - before)[np.isfinite(after - before)]
        shift = moved.mean() if len(moved) else 0.0
        return float(np.clip(summary(self.model)[0] + shift, *self.question.metric.limits))
