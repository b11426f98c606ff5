"""A pool that is being labelled: what is known of it, and what both arms say."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from .._labels import UNLABELED, BinaryLabels
from .._random import spawn
from .._sample import ScoreSample
from ..curves import PRECISION_RECALL
from ..performance import PerformanceCurveEstimator
from ..verdict import Verdict
from ._arms import combined, estimate_of_design, estimate_of_labeled
from ._drawing import Batch, draw_batch
from ._history import HistoryRow, summary
from ._ledger import Ledger
from ._outlook import Outlook, cells_of, expected_values, probability_draws
from ._question import Question
from ._selection_verdict import reasons_of_selection
from ._surprise import Surprise
from .strategies import Pool, ranks_from_top

__all__ = ["Session"]

# The place of queries in the tree of seeds.
QUERIES = 8


class Session:
    """What `ActiveTestSelector` holds between two calls.

    Attributes
    ----------
    question : Question
    performance : PerformanceCurveEstimator
        The model, fitted to all labels that are known.
    ledger : Ledger
    surprise : Surprise
    scores : ndarray of shape (n_items,)
        Larger for positives.
    history : tuple of HistoryRow
    model, design, estimate : ScalarEstimate or CurveBand
        Both arms, and what is said in the end; `design` may be None.
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
        # Labels that wait for the rest of their batch, and the model before the first of them.
        self._unbet, self._foresight = np.empty(0, dtype=np.intp), performance
        self._probability = None
        self.first_probability = self.probability
        self.history = ()
        self._conclude(None)

    def with_draws(self, n_draws: int) -> Session:
        """Return a session of its own, whose model makes fewer draws from now on."""
        other = copy(self)
        other.performance = copy(self.performance)
        other.performance.mixture_ = copy(self.performance.mixture_)
        other.performance.mixture_.n_draws = min(n_draws, self.performance.mixture_.n_draws)
        other.ledger = self.ledger.copy()
        return other

    # --- what a strategy sees -----------------------------------------------------------

    @property
    def probability(self) -> np.ndarray:
        """The posterior mean of P(y = 1 | score), between cells of scores linear."""
        if self._probability is None:
            posterior = self.performance.posterior_
            weights = posterior.weights
            means = [
                np.einsum(
                    "i,ij->j",
                    weights[block.rows],
                    posterior.positive_probability(self.cells.scores, block),
                )
                for block in posterior.blocks()
            ]
            left, share = self.cells.place(self.scores)
            mean = np.sum(means, axis=0)
            following = np.minimum(left + 1, self.cells.n_cells - 1)
            between = mean[left] * (1.0 - share) + mean[following] * share
            self._probability = np.clip(between, 0.0, 1.0)
        return self._probability

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
        )

    def utilities(self, strategy, pool=None) -> np.ndarray:
        """Return how useful the label of each item is, NaN where it cannot be asked for."""
        pool = self.pool(strategy) if pool is None else pool
        if lacking := strategy.lacks(pool):
            raise ValueError(lacking)
        return np.where(pool.free, strategy.utilities(pool), np.nan)

    def ask(self, strategy, n: int, *, items=None, path=(), **how) -> tuple[Batch, Pool]:
        """Draw items to be labelled.

        Parameters
        ----------
        strategy : Strategy
        n : int
        items : ndarray of shape (n,), default=None
            What was drawn, if it was drawn before.
        path : tuple of int, default=()
            Where the random numbers come from, if this is no real query.
        **how
            As `draw_batch` takes it.
        """
        pool = self.pool(strategy)
        if lacking := strategy.lacks(pool):
            raise ValueError(lacking)
        rng = spawn(self.performance.seed_, QUERIES, *path, len(self.ledger.order))
        batch = draw_batch(strategy, pool, n, rng=rng, items=items, **how)
        if len(batch.items):
            self.ledger.ask(batch)
        return batch, pool

    # --- what labels say ----------------------------------------------------------------

    def after(self, items, codes, labels: BinaryLabels) -> Session:
        """Return the session that has learned from labels.

        Parameters
        ----------
        items : ndarray of shape (n,)
        codes : ndarray of shape (n,)
            1 or 0, or -1 where the annotator could not say.
        labels : BinaryLabels
            How they are written.
        """
        new, drawn = copy(self), (codes >= 0) & (self.ledger.asked[items] >= 0)
        new.ledger = self.ledger.copy()
        new.ledger.answer(items, codes)
        new.performance, new._probability = self._learned(new.ledger.codes, labels), None
        unbet = np.r_[self._unbet, items[drawn]]
        unbet = unbet[np.argsort(new.ledger.place[unbet])]
        # Which answers of a batch come first may depend on what they are: bets are on all of it.
        if new.ledger.in_part:
            new._unbet = unbet
        else:
            new.surprise = self._surprised(unbet, new.ledger.codes[unbet])
            new._unbet, new._foresight = unbet[:0], new.performance
        new._conclude(self._with_labels_only(new.performance))
        return new

    @property
    def verdict(self) -> Verdict:
        """The model's verdict, and what was noticed while labelling."""
        ledger = self.ledger
        noticed = reasons_of_selection(
            self.surprise,
            n_outside=len(ledger.outside),
            n_skipped=int(np.count_nonzero(ledger.skipped)),
            n_waiting=ledger.n_waiting,
        )
        return Verdict([*self.performance.verdict_.reasons, *noticed])

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
        mixture._learn(mixture.prior_, labels, mixture.orientation_, sample, seed)
        return performance._learn(mixture, performance.seed_)

    def _surprised(self, items, codes) -> Surprise:
        if not len(items):
            return self.surprise
        posterior = self._foresight.posterior_
        draws = [
            posterior.positive_probability(self.scores[items], block)
            for block in posterior.blocks()
        ]
        return self.surprise.after(
            np.concatenate(draws), posterior.weights, codes, self.scores[items], self.ranks[items]
        )

    def _with_labels_only(self, performance) -> float:
        """Return the model's value with the new labels known, and the curves of before."""
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
        return float(np.clip(summary(self.model)[0] + shift, 0.0, 1.0))

    def _conclude(self, before) -> None:
        question, level = self.question, self.performance.confidence_level
        self.model = question.answer(self.performance)
        recalls = self.model.x if question.is_curve else PRECISION_RECALL.grid(200)
        self.design = estimate_of_design(
            question,
            self.ledger.design,
            self.scores,
            self.terms,
            recalls,
            self.performance.seed_,
            level,
        )
        self.naive = estimate_of_labeled(
            question, self.scores, self.ledger.codes, self.above, self.terms
        )
        weight = self.surprise.model_weight
        self.estimate = self._said(weight)
        model = summary(self.model)
        estimate, design = summary(self.estimate), summary(self.design)
        row = HistoryRow(
            n_labels=self.ledger.n_labels,
            estimate=estimate[0],
            low=estimate[1],
            high=estimate[2],
            model=model[0],
            model_low=model[1],
            model_high=model[2],
            labels_only=model[0] if before is None else before,
            design=design[0],
            design_low=design[1],
            design_high=design[2],
            naive=self.naive,
            model_weight=weight,
        )
        self.history = (*self.history, row)

    def _said(self, weight):
        """Return the estimate with the interval that is wanted."""
        if self.interval == "design":
            return self.design
        if not (self.ledger.codes < 0).any():
            # All is known: there is nothing to be weighed.
            weight = 1.0
        both = combined(self.model, self.design, weight)
        return both if self.interval == "posterior" else self._anytime(both.value)

    def _anytime(self, guess):
        """Return the confidence set, with the best guess that lies in it."""
        level = self.performance.confidence_level
        capital, design, name = self.ledger.capital, self.ledger.design, self.question.name
        low, high = capital.estimate(design, guess, name, level).interval()
        return capital.estimate(design, float(np.clip(guess, low, high)), name, level)
