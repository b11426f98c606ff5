"""A pool of scores that is being labelled, with curves of P(y = 1 | score) as its model."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from ...curves._precision_recall import PRECISION_RECALL
from ...curves._question import Question
from ...inputs._labels import BinaryLabels
from ...performance._performance import PerformanceCurveEstimator
from ...sample._labeled_scores import LabeledScores
from ...score_mixture._score_mixture import SemisupervisedScoreMixture
from ...score_mixture._score_model import ScoreModel
from .._expected_information import (
    ExpectedInformation,
    cells_of,
    expected_slopes,
    expected_values,
    probability_draws,
)
from ..design._combined import estimate_of_design, estimate_of_labeled
from ..design._model_check import ModelCheck
from ..strategies._pool import Pool, ranks_from_top
from ._history import summary
from ._query_log import QueryLog
from ._session import Session

__all__ = ["CurveSession"]


class CurveSession(Session):
    """A session whose model is curves, judged by labels.

    Attributes
    ----------
    mixture : SemisupervisedScoreMixture
        Not fitted: the parameters with which the model is shown.
    start : LabeledScores
        With the labels that were known at the start.
    score_model : ScoreModel
        Of all labels that are known.
    performance : PerformanceCurveEstimator
        The same model, to be asked; it is never handed out.
    """

    def __init__(
        self,
        question: Question,
        mixture: SemisupervisedScoreMixture,
        score_model: ScoreModel,
        start: LabeledScores,
        *,
        category=None,
        interval="posterior",
        confidence_level=0.9,
        n_jobs=None,
    ):
        self.question, self.interval, self.category = question, interval, category
        self.mixture, self.start, self.scores = mixture, start, start.scores
        self.confidence_level, self.n_jobs = confidence_level, n_jobs
        self._hold(score_model)
        self.ranks = ranks_from_top(self.scores)
        self.cells = cells_of(self.score_model.posterior)
        self.item_cells = np.searchsorted(self.cells.lower, self.scores, side="right") - 1
        self.above = question.above(self.scores, self.score_model.orientation)
        self.terms = question.terms(self.above)
        self.query_log = QueryLog(start.codes, self.above, self.terms)
        self.model_check = ModelCheck.of(self.scores)
        self.first_probability = self.probability
        self._begin()

    def _hold(self, model: ScoreModel) -> None:
        """Believe a model from now on."""
        self.score_model, self.performance = model, self.asked(model)
        self._probability: np.ndarray | None = None

    def asked(self, model: ScoreModel) -> PerformanceCurveEstimator:
        """Return an estimator of its own that answers questions about a model."""
        mixture = copy(self.mixture)
        mixture.model_ = model
        return PerformanceCurveEstimator.from_mixture(
            mixture, confidence_level=self.confidence_level, n_jobs=self.n_jobs
        )

    @property
    def seed(self) -> int:  # type: ignore[override]
        return self.score_model.seed

    @property
    def labels(self) -> BinaryLabels:  # type: ignore[override]
        return self.score_model.labels

    @property
    def given(self) -> dict:  # type: ignore[override]
        """The columns of a table from which it can be started again."""
        columns = {"score": self.score_model.orientation.turn(self.scores)}
        return columns if self.category is None else {**columns, "category": self.category}

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        return len(self.scores)

    @property
    def foresight(self):
        return self.score_model.posterior

    def with_draws(self, n_draws: int) -> Session:
        """Return a session of its own, whose model makes fewer draws from now on."""
        other = self.copy()
        other.score_model = self.score_model.with_draws(n_draws)
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
        posterior = self.score_model.posterior
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
        information = None
        if "information" in strategy.needs:
            information = ExpectedInformation.of(self.question, self.performance, self.cells)
            for item in self.query_log.pending:
                information = information.after(int(self.item_cells[item]))
        return Pool(
            self.scores,
            self.query_log.codes,
            self.query_log.free,
            self.ranks,
            probability=self.probability,
            before=self.first_probability,
            category=self.category,
            above=self.above,
            terms=self.terms,
            information=information,
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
        posterior = self.score_model.posterior
        draw = rng.choice(posterior.n_draws, p=posterior.weights)
        for block in posterior.blocks():
            if block.rows.start <= draw < block.rows.stop:
                p = posterior.positive_probability(self.cells.scores, block)
                p = p[draw - block.rows.start][self.item_cells]
        drawn = (rng.random(len(p)) < p).astype(int)
        return np.where(self.query_log.codes < 0, drawn, self.query_log.codes)

    def _foreseen(self, foresight, items):
        draws = [
            foresight.positive_probability(self.scores[items], block)
            for block in foresight.blocks()
        ]
        return np.concatenate(draws), foresight.weights

    def _model_reasons(self):
        return list(self.score_model.verdict.reasons)

    def _arms(self):
        question, scores, terms = self.question, self.scores, self.terms
        model = question.answer(self.performance)
        recalls = model.x if question.is_curve else PRECISION_RECALL.grid(200)
        level = self.confidence_level
        design = estimate_of_design(
            question, self.query_log.design, scores, terms, recalls, self.seed, level
        )
        return (
            model,
            design,
            estimate_of_labeled(question, scores, self.query_log.codes, self.above, terms),
        )

    def _learn(self, labels):
        self._hold(self.score_model.with_labels(self.start.relabeled(self.query_log.codes, labels)))

    def _with_labels_only(self, new):
        if not self.question.has_expectation:
            posterior = replace(self.score_model.posterior, sample=new.score_model.posterior.sample)
            old = self.asked(replace(self.score_model, posterior=posterior))
            return summary(self.question.answer(old))[0]
        # Labels move the expectation; its median need not be drawn again.
        _, p = probability_draws(self.score_model.posterior, self.cells)
        before, after = (
            expected_values(self.question, of, self.cells, p)
            for of in (self.performance, new.performance)
        )
        moved = (after - before)[np.isfinite(after - before)]
        shift = moved.mean() if len(moved) else 0.0
        return float(np.clip(summary(self.model)[0] + shift, *self.question.metric.limits))
