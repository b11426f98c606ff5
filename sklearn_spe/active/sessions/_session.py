"""What is known of a pool that is being labelled, and how labels change it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from ...curves._question import Question
from ...inputs._labels import BinaryLabels
from ...inputs._random_state import spawn
from ...results._verdict import Reason, Verdict
from .._drawing import Batch, draw_batch
from ..design._combined import combined
from ..design._model_check import ModelCheck
from ..strategies._pool import Pool
from ..strategies._random import Random
from ._answers import check_answers
from ._history import HistoryRow, mean_of, summary
from ._query_log import QueryLog
from ._selection_verdict import reasons_of_selection

__all__ = ["Session"]

# The place of queries in the tree of seeds.
QUERIES = 8


class Session(ABC):
    """What `ActiveTestSelector` holds between two calls.

    There are three kinds: :class:`CurveSession` for one pool of scores, whose model is curves of
    P(y = 1 | score); :class:`BoardSession` for noisy labels, categories and several systems; and
    :class:`MatchSession` for objects and the detections that claim them.

    Attributes
    ----------
    question : Question
    query_log : QueryLog
        Of the items that may be asked for.
    model_check : ModelCheck
    scores : ndarray of shape (n_items,)
        Larger for positives.
    ranks : ndarray of shape (n_items,)
    category : ndarray of shape (n_items,) or None
    terms : tuple of ndarray of shape (2, 2), or None
    interval : str
    seed : int
    confidence_level : float
    labels : BinaryLabels
        How labels are written.
    n_rows : int
        How many rows X has.
    history : tuple of HistoryRow
    model, design, estimate : ScalarEstimate or CurveBand
        Both arms, and what is said in the end; `design` may be None.
    naive : float or ndarray of shape (n_systems,)
    """

    question: Question
    query_log: QueryLog
    model_check: ModelCheck
    scores: np.ndarray
    ranks: np.ndarray
    seed: int
    n_rows: int
    given: dict | None
    confidence_level: float
    interval: str
    labels: BinaryLabels
    terms: tuple[np.ndarray, np.ndarray] | None
    history: tuple[HistoryRow, ...]

    # --- what a kind of session does in its own way -------------------------------------------

    @property
    @abstractmethod
    def probability(self) -> np.ndarray:
        """The probability of each item to be positive, of shape (n_items,)."""

    @property
    @abstractmethod
    def foresight(self):
        """What `_foreseen` needs of the model to tell what it foresaw."""

    @abstractmethod
    def pool(self, strategy) -> Pool:
        """Return the pool as a strategy sees it, with all that was asked for."""

    @abstractmethod
    def with_draws(self, n_draws: int) -> Session:
        """Return a session of its own, whose model makes fewer draws from now on."""

    @abstractmethod
    def simulated_labels(self, rng) -> np.ndarray:
        """Return labels of all items, drawn from the model; known ones are as they are."""

    @abstractmethod
    def _learn(self, labels: BinaryLabels) -> None:
        """Fit the model to the labels of the query log."""

    @abstractmethod
    def _foreseen(self, foresight, items) -> tuple[np.ndarray, np.ndarray]:
        """Return what the model foresaw of items: draws (n_draws, n), and their weights."""

    @abstractmethod
    def _model_reasons(self) -> list[Reason]:
        """Return what speaks against the model by itself."""

    @abstractmethod
    def _arms(self) -> tuple:
        """Return the model's estimate, that of the design or None, and the naive one."""

    @abstractmethod
    def _with_labels_only(self, new: Session) -> float:
        """Return the model's value with the labels of a later session, and the model of now."""

    @property
    def label_proba(self) -> np.ndarray:
        """The probability of each item, known ones are 0 or 1, of shape (n_items,)."""
        return np.where(self.query_log.codes < 0, self.probability, self.query_log.codes)

    @property
    def is_identified(self) -> bool:
        """Whether labels, and not the form of the model alone, say anything."""
        return True

    def order_probability(self) -> float | None:
        """Return how probable the order of several systems is; None if there is one."""
        return None

    # Whether any item was chosen by something else than chance alone.
    chosen = False

    # --- rows of X: all items, unless only some of them matter ---------------------------------

    places = None

    def rows_of(self, items) -> np.ndarray:
        """Return the rows of X of items."""
        return np.array(items) if self.places is None else self.places[items]

    def items_of(self, rows) -> np.ndarray:
        """Return the items of rows of X, -1 for those of which no label is wanted."""
        if self.places is None:
            return rows
        at = np.minimum(np.searchsorted(self.places, rows), len(self.places) - 1)
        return np.where(self.places[at] == rows, at, -1)

    def over_rows(self, values, fill) -> np.ndarray:
        """Return values of items as those of rows of X, (n_rows,)."""
        if self.places is None:
            return np.array(values)
        spread = np.full(self.n_rows, fill, dtype=np.result_type(values, type(fill)))
        spread[self.places] = values
        return spread

    # --- what all of them do -------------------------------------------------------------------

    def copy(self) -> Self:
        """Return a session of its own, so that what fails changes nothing."""
        # Not as by a pickle, which leaves out what can be computed again.
        other = object.__new__(type(self))
        vars(other).update(vars(self), query_log=self.query_log.copy())
        return other

    def _begin(self) -> None:
        """Start the history; the model is fitted to what is known."""
        # Labels that wait for the rest of their batch, and the model before the first of them.
        self._unbet, self._foresight = np.empty(0, dtype=np.intp), self.foresight
        self.history = ()
        self._conclude(None)

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
        self.chosen = self.chosen or not isinstance(strategy, Random)
        rng = spawn(self.seed, QUERIES, *path, len(self.query_log.order))
        batch = draw_batch(strategy, pool, n, rng=rng, items=items, **how)
        if len(batch.items):
            self.query_log.ask(batch)
        return batch, pool

    def read(self, indices, labels, names: BinaryLabels):
        """Return the answers of annotators, checked: items, their codes, and what else they tell.

        Parameters
        ----------
        indices : array-like of int of shape (n,)
            Rows of X.
        labels : array-like of shape (n,)
        names : BinaryLabels
            How labels are written.
        """
        return *check_answers(indices, names.codes(labels), self, names), None

    def after(self, items, codes, labels: BinaryLabels, told=None) -> Session:
        """Return the session that has learned from labels.

        Parameters
        ----------
        items : ndarray of shape (n,)
        codes : ndarray of shape (n,)
            1 or 0, or -1 where the annotator could not say.
        labels : BinaryLabels
            How they are written.
        told : object, default=None
            What else `read` returned.
        """
        new, drawn = self.copy(), (codes >= 0) & (self.query_log.asked[items] >= 0)
        new.query_log.answer(items, codes)
        new._take(items, codes, told)
        new._learn(labels)
        unbet = np.r_[self._unbet, items[drawn]]
        unbet = unbet[np.argsort(new.query_log.place[unbet])]
        # Which answers of a batch come first may depend on what they are: bets are on all of it.
        if new.query_log.in_part:
            new._unbet = unbet
        else:
            new.model_check = self._checked(unbet, new.query_log.codes[unbet])
            new._unbet, new._foresight = unbet[:0], new.foresight
        new._conclude(self._with_labels_only(new))
        return new

    @property
    def verdict(self) -> Verdict:
        """The model's verdict, and what was noticed while labelling."""
        query_log = self.query_log
        noticed = reasons_of_selection(
            self.model_check,
            n_outside=len(query_log.outside),
            n_skipped=int(np.count_nonzero(query_log.skipped)),
            n_waiting=query_log.n_waiting,
        )
        return Verdict([*self._model_reasons(), *noticed])

    def _take(self, items, codes, told) -> None:  # noqa: B027
        """Note what answers tell beside labels; a kind of session may."""

    def _checked(self, items, codes) -> ModelCheck:
        if not len(items):
            return self.model_check
        # A pickle holds no foresight that can be computed again.
        foresight = self.foresight if self._foresight is None else self._foresight
        draws, weights = self._foreseen(foresight, items)
        return self.model_check.after(draws, weights, codes, self.scores[items], self.ranks[items])

    def _conclude(self, before) -> None:
        self.model, self.design, self.naive = self._arms()
        weight = self.model_check.model_weight
        self.estimate = self._said(weight)
        model = summary(self.model)
        estimate, design = summary(self.estimate), summary(self.design)
        row = HistoryRow(
            n_labels=self.query_log.n_labels,
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
            naive=mean_of(self.naive),
            model_weight=weight,
        )
        self.history = (*self.history, row)

    def _said(self, weight):
        """Return the estimate with the interval that is wanted."""
        if self.interval == "design":
            return self.design
        if not (self.query_log.codes < 0).any() or not len(self.query_log.design.drawn):
            # All is known, or nothing was drawn by chance: there is nothing to be weighed.
            weight = 1.0
        both = combined(self.model, self.design, weight)
        return both if self.interval == "posterior" else self._anytime(both.value)

    def _anytime(self, guess):
        """Return the confidence set, with the best guess that lies in it."""
        level = self.confidence_level
        capital, design, name = self.query_log.capital, self.query_log.design, self.question.name
        low, high = capital.estimate(design, guess, name, level).interval()
        return capital.estimate(design, float(np.clip(guess, low, high)), name, level)
