"""The state of a labeling session: queries, answers, and the model updated by them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...betting._goal_certificate import GoalCertificate
from ...curves._precision_recall import PRECISION_RECALL
from ...inputs._labels import BinaryLabels
from ...inputs._partition import Partition
from ...inputs._random_state import spawn
from ...results._bands import CurveBand, ScalarEstimate
from ...results._verdict import Verdict
from .._guarantee import Guarantee
from .._next_items import Batch, draw_batch
from .._review import Review
from .._seed_places import SeedPlace
from .._stopping import Progress, half_width
from ..design._combined import combined, estimate_of_design
from ..design._model_e_process import ModelEProcess
from ..strategies._pool import Pool
from ..strategies._random import Random
from ._history import HistoryRow, mean_of, summary
from ._item_model import ItemModel
from ._query_log import QueryLog
from ._selection_verdict import reasons_of_selection

__all__ = ["Session", "SessionStart"]


class SessionStart(NamedTuple):
    """The model at the start, the label format, and categories."""

    model: ItemModel
    labels: BinaryLabels
    category: Partition | None = None


class Session:
    """The state of `ActiveTestSelector` between two calls.

    It makes queries, records answers, bets against its model, and combines the model-based and the
    design-based estimate. Everything about items is part of its model.

    Attributes
    ----------
    model : ItemModel
        Updated by all known labels.
    labels : BinaryLabels
        The label format.
    category : Partition or None
        The categories of the rows of X, for their names.
    query_log : QueryLog
    model_check : ModelEProcess
    model_estimate, design_estimate, estimate : ScalarEstimate or CurveBand
        The model-based, design-based and combined estimate; the second may be None.
    naive_estimate : float or ndarray of shape (n_systems,)
    guarantee : Promise or None
        The best selection for the goal, if any.
    history : tuple of HistoryRow
    """

    model_estimate: ScalarEstimate | CurveBand
    design_estimate: ScalarEstimate | CurveBand | None
    estimate: ScalarEstimate | CurveBand
    guarantee: Guarantee | None

    def __init__(
        self,
        start: SessionStart,
        *,
        interval="posterior",
        confidence_level=0.9,
        at_random=False,
    ):
        self.model, self.labels, self.category = start
        self.interval, self.confidence_level = interval, confidence_level
        self.at_random = at_random
        model = start.model
        certificate = None
        if interval == "anytime" and model.question.is_goal:
            certificate = GoalCertificate.start(
                model.scores, model.question.metric, confidence_level=confidence_level
            )
        self.query_log = QueryLog(
            model.codes,
            model.above,
            model.terms,
            confidence_level,
            certificate=certificate,
            counts=model.counts,
        )
        self.model_check = ModelEProcess.of(model.scores, model.counts)
        self.first_probability = model.probability
        # Labels that wait for the rest of their batch, and the model before the first of them.
        self._unbet, self._foreseer = np.empty(0, dtype=np.intp), model
        self.history: tuple[HistoryRow, ...] = ()
        self._conclude(None)

    def copy(self) -> Session:
        """Return an independent copy, so that failures change nothing."""
        other = copy(self)
        other.query_log = self.query_log.copy()
        return other

    def with_draws(self, n_draws: int) -> Session:
        """Return an independent copy whose model makes fewer draws in updates."""
        other = self.copy()
        other.model = self.model.with_draws(n_draws)
        return other

    # --- queries --------------------------------------------------------------------------------

    def pool(self, strategy) -> Pool:
        """Return the pool as a strategy sees it, including pending items."""
        model, needs = self.model, strategy.needs
        return Pool(
            model.scores,
            self.query_log.codes,
            self.query_log.free,
            model.ranks,
            probability=model.probability,
            before=self.first_probability,
            category=model.category,
            groups=model.groups,
            above=model.above,
            terms=model.terms,
            information=self._information() if "information" in needs else None,
            cells=model.item_cells,
            change=model.change() if "change" in needs else None,
            counts=self.query_log.counts,
        )

    def _information(self):
        """Return the expected information of a label given the pending ones."""
        if self.query_log.certificate is not None:
            return self.model.proof_information()
        information = self.model.information()
        for item in self.query_log.pending:
            information = information.after(int(self.model.item_cells[item]))
        return information

    def utilities(self, strategy, pool=None) -> np.ndarray:
        """Return the utility of the label of each item, NaN where it cannot be queried."""
        pool = self.pool(strategy) if pool is None else pool
        if lacking := strategy.lacks(pool):
            raise ValueError(lacking)
        return np.where(pool.free, strategy.utilities(pool), np.nan)

    def ask(self, strategy, n: int, *, items=None, path=(), **how) -> tuple[Batch, Pool]:
        """Draw items to be labeled."""
        pool = self.pool(strategy)
        if lacking := strategy.lacks(pool):
            raise ValueError(lacking)
        self.at_random = self.at_random and isinstance(strategy, Random)
        rng = spawn(self.model.seed, SeedPlace.QUERIES, *path, len(self.query_log.order))
        how["certificate"] = self.query_log.certificate
        batch = draw_batch(strategy, pool, n, rng=rng, items=items, **how)
        if self.model.counts is not None:
            batch = replace(batch, items=self._set_apart(batch.items))
        if len(batch.items):
            self.query_log.ask(batch)
        return batch, pool

    def _set_apart(self, places) -> np.ndarray:
        """Separate drawn items from their rows, and return them."""
        model, drawn = self.model.split_items(places)
        origins = places[drawn >= len(self.model.scores)]
        is_same = self._foreseer is self.model
        self._foreseer = model if is_same else self._foreseer.split_items(places)[0]
        self.query_log.set_apart(origins, model.counts)
        self.first_probability = np.append(self.first_probability, self.first_probability[origins])
        self.model = model
        return drawn

    # --- updates --------------------------------------------------------------------------------

    def after(self, items, codes, labels: BinaryLabels, details=None) -> Session:
        """Return the session updated by labels."""
        new, drawn = self.copy(), (codes >= 0) & (self.query_log.asked[items] >= 0)
        new.query_log.selection(items, codes)
        new.model, new.labels = self.model.updated(new.query_log.codes, labels, details), labels
        new._bet(np.r_[self._unbet, items[drawn]])
        new._conclude(self.model.labels_only(new.model, summary(self.model_estimate)[0]))
        return new

    def _bet(self, unbet) -> None:
        """Update the e-process by drawn labels, once their batch is complete."""
        unbet = unbet[np.argsort(self.query_log.place[unbet])]
        # The order of answers within a batch may depend on the labels: bets are on whole batches.
        if self.query_log.in_part:
            self._unbet = unbet
            return
        model = self._foreseer
        if model.has_classes and len(unbet):
            draws, weights = model.predictive(unbet)
            codes = self.query_log.codes[unbet]
            of_items = model.scores[unbet], model.ranks[unbet]
            self.model_check = self.model_check.after(draws, weights, codes, *of_items)
        self._unbet, self._foreseer = unbet[:0], self.model

    # --- estimates ------------------------------------------------------------------------------

    @property
    def is_complete(self) -> bool:
        """Whether all items are labeled."""
        return not (self.query_log.codes < 0).any()

    @property
    def is_for_one_look(self) -> bool:
        """Whether the interval is not valid for optional stopping, and may be incomplete."""
        return self.estimate.kind != "anytime" and not self.is_complete

    @property
    def verdict(self) -> Verdict:
        """The model's verdict, with the reasons found while labeling."""
        query_log = self.query_log
        noticed = reasons_of_selection(
            self.model_check,
            n_outside=len(query_log.outside),
            n_skipped=int(np.count_nonzero(query_log.skipped)),
            n_waiting=query_log.n_waiting,
        )
        of_goal = () if self.guarantee is None else self.guarantee.reasons()
        if self.is_complete:
            of_model = Verdict(self.model.reasons(self.at_random))
            known = of_model.of_complete_labels(query_log.n_items)
            return Verdict([*known.reasons, *of_goal])
        return Verdict([*self.model.reasons(self.at_random), *noticed, *of_goal])

    @property
    def progress(self) -> Progress:
        """The progress of the session."""
        width, lists = half_width(self.estimate), self.model.lists
        order = None
        if lists is not None and lists.ranked_lists.n_systems > 1:
            order = lists.order_probability()
        if np.max(self.estimate.undefined) > 0.5 and not self.is_complete:
            # The metric is undefined in most draws, as without positives: the others are no reason
            # to stop.
            width = np.inf
        if not self.model.is_identified:
            # An interval that depends on the form of a model is no reason to stop.
            width, order = np.inf, None if order is None else 0.0
        # Skipped items count: they must not make a rule impossible halfway.
        n_labels, n_items = self.query_log.n_labels, self.query_log.n_items
        return Progress(n_labels, n_items, width, order, self.guarantee, self._review())

    def _review(self) -> Review | None:
        """Return the read and drawn items, for a ranking fixed before."""
        model = self.model
        if not model.has_classes:
            return None
        ranks = None
        if model.lists is None and model.counts is None:
            ranks = np.empty(len(model.scores), dtype=int)
            ranks[np.argsort(-model.scores, kind="stable")] = np.arange(len(ranks))
        return self.query_log.review(ranks)

    def _conclude(self, labels_only) -> None:
        """Compute the estimates, and record them in the history."""
        self.model_estimate = self.model.estimate()
        self.guarantee = self.model.guarantee(self._model_weight, self.query_log.certificate)
        self.design_estimate = self._of_design()
        self.naive_estimate = self.model.naive_estimate()
        self.estimate = self._estimate()
        model, estimate, design = (
            summary(of) for of in (self.model_estimate, self.estimate, self.design_estimate)
        )
        row = HistoryRow(
            n_labels=self.query_log.n_labels,
            estimate=estimate[0],
            low=estimate[1],
            high=estimate[2],
            model=model[0],
            model_low=model[1],
            model_high=model[2],
            labels_only=model[0] if labels_only is None else labels_only,
            design=design[0],
            design_low=design[1],
            design_high=design[2],
            naive=mean_of(self.naive_estimate),
            model_weight=self.model_check.model_weight,
            goal_probability=np.nan if self.guarantee is None else self.guarantee.probability,
        )
        self.history = (*self.history, row)

    def _of_design(self):
        """Return the design-based estimate, or None."""
        model, estimate = self.model, self.model_estimate
        if not model.has_design:
            return None
        recalls = estimate.x if model.question.is_curve else PRECISION_RECALL.grid(200)
        return estimate_of_design(
            model.question,
            self.query_log.design,
            model.scores,
            model.terms,
            recalls,
            model.seed,
            self.confidence_level,
        )

    def _estimate(self):
        """Return the combined estimate with the requested interval."""
        if self.guarantee is not None:
            return self.guarantee.estimate
        if self.interval == "design":
            return self.design_estimate
        both = combined(self.model_estimate, self.design_estimate, self._model_weight)
        return both if self.interval == "posterior" else self._anytime(both.value)

    @property
    def _model_weight(self) -> float:
        """The weight of the model in the combined estimate."""
        if self.is_complete or not len(self.query_log.design.drawn):
            # All labels are known, or none was drawn at random: no weighting is needed.
            return 1.0
        return self.model_check.model_weight

    def _anytime(self, guess):
        """Return the confidence set, with a point estimate inside it."""
        level, name = self.confidence_level, self.model.question.name
        e_process, design = self.query_log.e_process, self.query_log.design
        low, high = e_process.estimate(design, guess, name, level).interval()
        return e_process.estimate(design, float(np.clip(guess, low, high)), name, level)
