"""A session of labeling: its queries, labels and verdict."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks._label_checks import ModelEProcess
from ...design._committed_order import CommittedOrder, fixed_before
from ...design._evidence import guarantee_of_goal
from ...design._goal_certificate import GoalCertificate
from ...design._precision_walk import FIRST_DEPTH, precision_bound
from ...design._recall_certificate import Review
from ...exceptions import OutsideDesignWarning
from ...inputs._groups import Partition
from ...inputs._labels import BinaryLabels
from ...inputs._validation import spawn
from ...results._remedies import Remedy
from ...results._verdict import Reason, Verdict
from .._goal_information import Guarantee
from .._query import Batch, SeedPlace, draw_batch
from .._stopping import LaterProgress, Progress, half_width
from ..strategies._rules import AdaptiveImportance, ExpectedChange, Random, Reading
from ..strategies._strategy import Pool, Strategy
from ._history import History, HistoryRow, StepEstimates, rows_of, with_past
from ._item_model import ItemModel
from ._query_log import QueryLog, check_indices

# A correct model is contradicted with probability at most one over this.
LARGEST_E_VALUE = 20.0
# The logarithm of the e-value from which on it is reported as this large: no overflow.
MAX_LOG_E_VALUE = 700.0
# Share of the items above the first threshold that is proved by labels of all ranks.
RANDOM_START = 0.05
NEW_ORDER = (
    "Scores, or labels known at the start, differ from those with which the random order of the "
    "proof was drawn: there is a new order, with a new risk and a new commitment."
)


def reasons_of_selection(
    model_check: ModelEProcess, *, n_outside: int, n_skipped: int, n_waiting: int
) -> Iterator[Reason]:
    """Yield the reasons found while labeling."""
    e_value = float(np.exp(min(model_check.largest, MAX_LOG_E_VALUE)))
    if e_value > LARGEST_E_VALUE:
        yield Reason(
            "improbable_labels",
            "misfit",
            "The labels contradict the predictions of the model: the e-value against it is "
            f"{e_value:.3g}. A correct model exceeds the limit of {LARGEST_E_VALUE:g} with a "
            "probability of at most one over this limit. The weight of the model is now "
            f"{model_check.model_weight:.0%}.",
            e_value,
            LARGEST_E_VALUE,
            remedy="Compare the model-based estimate with the "
            "design-based one, if there is one, and label some items at random.",
        )

    if n_outside:
        yield Reason(
            "outside_design",
            "ok",
            f"{n_outside} items were labeled without being queried. They count as known; if they "
            "were chosen by anything but their scores and earlier labels, the estimate may be "
            "biased.",
            float(n_outside),
            1.0,
        )

    if n_skipped:
        yield Reason(
            "skipped_labels",
            "ok",
            f"{n_skipped} items could not be labeled. The model treats them like other items of "
            "their score, and the design excludes them: if difficult items are skipped, both are "
            "biased.",
            float(n_skipped),
            1.0,
        )

    if n_waiting:
        yield Reason(
            "waiting_labels",
            "ok",
            f"{n_waiting} labels do not enter the design-based estimate yet, because items drawn "
            "with them or before are not labeled; the model uses them.",
            float(n_waiting),
            1.0,
            remedy=Remedy("Label {pending}, or skip them: {give_up}."),
        )


def _fixed_of(
    model: ItemModel, interval: str, strategy: Strategy, salt: str | None
) -> dict[str, Any] | None:
    """Return all that is fixed before the first label for a proof; without a salt it has no order.

    None if nothing is to be proved.
    """
    goal = model.question.metric
    has_order = True
    if model.question.is_goal and interval == "anytime":
        # Only these strategies can draw their items in a fixed random order.
        has_order = precision_bound(goal) is not None
        has_order &= isinstance(strategy, ExpectedChange | Random)
        first_depth = FIRST_DEPTH if has_order else None
        if has_order and isinstance(strategy, Random):
            # Labels of all ranks reach the top too rarely to prove a short selection.
            first_depth = max(FIRST_DEPTH, int(np.ceil(RANDOM_START * len(model.scores))))
        guarantee = guarantee_of_goal(goal, model.confidence_level, first_depth)
    elif isinstance(strategy, Reading) and model.has_classes and model.item_ranks is not None:
        guarantee = {
            "guarantee": "recall",
            "recall": strategy.recall,
            "confidence_level": strategy.confidence_level,
            "n_out": strategy.n_unscored,
        }
    else:
        return None

    salt = str(model.seed) if salt is None else salt
    return fixed_before(model.scores, model.codes, salt if has_order else None, guarantee)


def check_commitment(commitment: str | None, order: CommittedOrder) -> None:
    """Raise if a table has no commitment to an order; warn if that is to another one."""
    if commitment is None:
        raise ValueError(
            "The session proves a guarantee along an order, or by draws, of an earlier version of "
            "this package, which cannot be drawn again: continue with that version; or start a new "
            "table with the same scores and labels, with a new order and a new risk."
        )
    if commitment != order.commitment:
        warnings.warn(NEW_ORDER, OutsideDesignWarning, stacklevel=5)


class Session:
    """The state of `ActiveTestSelector` between two calls.

    It makes queries, records answers and bets against its model. What it knows about items is part
    of its model, which is fitted when needed: for a query, a bet or an estimate.

    Attributes
    ----------
    model : ItemModel
        Updated by all known labels.
    labels : BinaryLabels
        The label format.
    category : Partition or None
        The categories of the rows of X, for their names.
    parameters : dict
        Parameters of the selector when it was fitted. A table stores these, even if they were set
        since.
    fixed : dict or None
        All that is fixed before the first label for a proof.
    order : CommittedOrder or None
        In which items are labeled for it.
    query_log : QueryLog
    model_check : ModelEProcess
    estimates : StepEstimates
        By all known labels.
    """

    def __init__(
        self,
        model: ItemModel,
        labels: BinaryLabels,
        category: Partition | None,
        *,
        interval: str,
        confidence_level: float,
        strategy: Strategy,
        salt: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.labels = labels
        self.category = category
        self.parameters = {} if parameters is None else dict(parameters)
        self.interval = interval
        self.confidence_level = confidence_level
        self.at_random = isinstance(strategy, Random)

        self.fixed = _fixed_of(model, interval, strategy, salt)
        self.order: CommittedOrder | None = None
        if self.fixed is not None and self.fixed["salt"] is not None:
            self.order = CommittedOrder(self.fixed)
        certificate = None
        if self.fixed is not None and model.question.is_goal:
            certificate = GoalCertificate.start(
                model.scores,
                model.question.metric,
                first_depth=self.fixed["first_depth"],
                random_order=None if self.order is None else self.order.items,
                known=model.codes,
                confidence_level=confidence_level,
            )
        self.query_log = QueryLog(model, confidence_level, certificate)

        self.model_check = ModelEProcess.of(model.scores, model.counts)
        self.first_probability = model.probability
        # Labels that wait for the rest of their batch, and the model before the first of them.
        self._unbet = np.empty(0, dtype=np.intp)
        self._foreseer = model

        self._past: tuple[StepEstimates | HistoryRow, ...] = ()
        self.estimates = self._estimates_after(None)
        # A question without an answer fails before the first label.
        _ = self.estimates.estimate

    def copy(self) -> Session:
        """Return an independent copy, so that failures change nothing."""
        other = copy(self)
        other.query_log = self.query_log.copy()
        return other

    @property
    def current(self) -> Session:
        """The session with all queries and labels: itself."""
        return self

    @property
    def item_model(self) -> Any:
        """The model, for all that no label changes: its items, rows, systems and seed."""
        return self.model

    @property
    def proved(self) -> Any:
        """The best selection of a goal."""
        return self.guarantee

    # --- queries --------------------------------------------------------------------------------

    def pool(self, strategy: Strategy) -> Pool:
        """Return the pool as a strategy sees it, including pending items; raise if it lacks any."""
        model, strategy = self.model, self._drawing(strategy)
        # Computed only for strategies that need them: both take longer than all other columns.
        information = self._information() if "information" in strategy.needs else None
        change = model.change() if "change" in strategy.needs else None

        pool = Pool(
            model.scores,
            self.query_log.codes,
            self.query_log.free,
            model.ranks,
            probability=model.probability,
            before=self.first_probability,
            category=model.category,
            groups=model.groups,
            sides=model.sides,
            may_be_asked=model.may_be_asked,
            above=model.above,
            terms=model.terms,
            information=information,
            cells=model.item_cells,
            change=change,
            counts=self.query_log.counts,
        )

        if lacking := strategy.lacks(pool):
            raise ValueError(lacking)
        return pool

    def _drawing(self, strategy: Strategy) -> Strategy:
        """Return the strategy that draws: for an anytime interval, that of the least variance.

        Bets are bounded by the smallest inclusion probability of an item that counts.
        """
        is_default = strategy == ExpectedChange()
        if is_default and self.interval == "anytime" and self.model.terms is not None:
            return AdaptiveImportance()
        return strategy

    def _information(self):
        """Return the expected information of a label given the pending ones."""
        information = self.model.information(self.query_log.certificate is not None)
        for item in self.query_log.pending:
            information = information.after(int(self.model.item_cells[item]))
        return information

    def utilities(self, strategy: Strategy, pool: Pool | None = None) -> np.ndarray:
        """Return the utility of the label of each item, NaN where it cannot be queried."""
        strategy = self._drawing(strategy)
        pool = self.pool(strategy) if pool is None else pool
        return np.where(pool.candidates, strategy.utilities(pool), np.nan)

    def ask(
        self,
        strategy: Strategy,
        n: int,
        *,
        draw: str,
        exploration: float,
        rows: np.ndarray | None = None,
        path: tuple[int, ...] = (),
    ) -> tuple[Batch, Pool | None]:
        """Draw items to be labeled; `rows` are those of X that were drawn before, in a replay."""
        strategy = self._drawing(strategy)
        pool = self.pool(strategy)
        is_random = isinstance(strategy, Random)
        self.at_random = self.at_random and is_random
        rng = spawn(self.model.seed, SeedPlace.QUERIES, *path, len(self.query_log.order))

        # An order drawn before fixes the items: none is drawn now, and no probability is recorded.
        certificate = self.query_log.certificate
        items = None if rows is None else self.model.rows.places_at(rows)
        if certificate is not None and self.order is not None:
            if items is None and is_random:
                items = self.order.items[pool.free[self.order.items]][:n]
            elif items is None:
                items = certificate.next_items(n, pool.free, np.asarray(pool.probability))
            if not is_random:
                draw = "argmax"
            certificate = None

        batch = draw_batch(
            strategy,
            pool,
            n,
            draw=draw,
            exploration=exploration,
            rng=rng,
            items=items,
            order=None if self.order is None else self.order.items,
            certificate=certificate,
        )
        if self.model.counts is not None:
            batch = replace(batch, items=self._set_apart(batch.items, rows))
        if len(batch.items):
            self.query_log.ask(batch)
        return batch, pool

    def with_items(self, rows: ArrayLike) -> Session:
        """Return a session in which some rows of X are separate items, where that is possible."""
        if self.model.counts is None or not self.model.rows.is_listed:
            return self
        rows = np.unique(check_indices(rows, self.model.rows.n_rows))
        rows = rows[self.model.rows.items_at(rows) < 0]
        new = self.copy()
        new._set_apart(new.model.rows.places_at(rows), rows)
        return new

    def _set_apart(self, places: np.ndarray, numbers: np.ndarray | None) -> np.ndarray:
        """Separate items from their rows, and return them; `numbers` are theirs, if known."""
        model, items = self.model.split_items(places, numbers)
        # Items after the present ones are new; the last item of a row keeps its index.
        origins = places[items >= len(self.model.scores)]

        # The model that predicted the unbet labels needs the same items.
        if self._foreseer is self.model:
            self._foreseer = model
        else:
            numbers = model.rows.of_items(items)
            self._foreseer = self._foreseer.split_items(places, numbers)[0]

        self.query_log.set_apart(origins, model.counts)
        self.first_probability = np.append(self.first_probability, self.first_probability[origins])
        self.model = model
        return items

    # --- updates --------------------------------------------------------------------------------

    def after(
        self, items: np.ndarray, codes: np.ndarray, labels: BinaryLabels, details=None
    ) -> Session:
        """Return the session updated by labels."""
        is_drawn = (codes >= 0) & (self.query_log.asked[items] >= 0)
        new = self.copy()
        new.query_log.selection(items, codes)
        new.model = self.model.updated(new.query_log.codes, labels, details)
        if new.model.is_fitted_at_once:
            getattr(new.model, new.model.fit)
        new.labels = labels
        new._bet(np.r_[self._unbet, items[is_drawn]])
        new._past = with_past(self._past, self.estimates)
        new.estimates = new._estimates_after(self.estimates)
        return new

    def _estimates_after(self, before: StepEstimates | None) -> StepEstimates:
        """Return the estimates by the present labels, which are made when they are read."""
        return StepEstimates(
            self.model,
            self.query_log,
            self.model_check,
            interval=self.interval,
            confidence_level=self.confidence_level,
            before=before,
        )

    def _bet(self, unbet: np.ndarray) -> None:
        """Update the e-process by drawn labels, once their batch is complete."""
        unbet = unbet[np.argsort(self.query_log.place[unbet])]
        # The order of answers within a batch may depend on the labels: bets are on whole batches.
        if self.query_log.in_part:
            self._unbet = unbet
            return

        # The bets use the predictions from before the labels were known.
        model = self._foreseer
        if model.has_classes and len(unbet):
            draws, weights = model.predictive(unbet)
            codes = self.query_log.codes[unbet]
            self.model_check = self.model_check.after(
                draws, weights, codes, model.scores[unbet], model.ranks[unbet]
            )

        self._unbet = unbet[:0]
        self._foreseer = self.model

    # --- estimates ------------------------------------------------------------------------------

    @property
    def guarantee(self) -> Guarantee | None:
        """The best selection for the goal, if any."""
        return self.estimates.guarantee

    @property
    def history(self) -> History:
        """The estimates after each batch of labels."""
        return rows_of(self._past, self.estimates)

    def without_history(self) -> Session:
        """Return a copy without the estimates before the present ones."""
        new = self.copy()
        new._past = ()
        return new

    @property
    def is_for_one_look(self) -> bool:
        """Whether the interval is not valid for optional stopping, and may be incomplete."""
        return self.estimates.estimate.kind != "anytime" and not self.query_log.is_complete

    @property
    def verdict(self) -> Verdict:
        """The model's verdict, with the reasons found while labeling."""
        query_log = self.query_log
        model_reasons = self.model.reasons(self.at_random)
        goal_reasons = () if self.guarantee is None else self.guarantee.reasons()
        if query_log.is_complete:
            verdict = Verdict(model_reasons).of_complete_labels(query_log.n_items)
            return Verdict([*verdict.reasons, *goal_reasons])

        selection_reasons = reasons_of_selection(
            self.model_check,
            n_outside=len(query_log.outside),
            n_skipped=int(np.count_nonzero(query_log.skipped)),
            n_waiting=query_log.n_waiting,
        )
        return Verdict([*model_reasons, *selection_reasons, *goal_reasons])

    @property
    def progress(self) -> Progress:
        """The progress of the session, computed as far as a rule reads it."""
        log = self.query_log
        # Skipped items count: they must not make a rule impossible halfway.
        return LaterProgress(
            n_labels=log.n_labels,
            n_items=log.n_items,
            later={"review": self._review},
            rest=self._progress,
        )

    def _progress(self) -> Progress:
        """Return the progress with all that depends on the model."""
        estimate = self.estimates.estimate
        width = half_width(estimate)
        order_proba = self.model.order_proba
        if np.max(estimate.undefined) > 0.5 and not self.query_log.is_complete:
            # The metric is undefined in most draws, as without positives: the others are no reason
            # to stop.
            width = np.inf
        if not self.model.is_identified:
            # An interval that depends on the form of a model is no reason to stop.
            width = np.inf
            order_proba = None if order_proba is None else 0.0

        return Progress(
            self.query_log.n_labels,
            self.query_log.n_items,
            width,
            order_proba,
            self.guarantee,
            self._review(),
            self.model.goal_attainable if self.model.question.is_goal else None,
        )

    def _review(self) -> Review | None:
        """Return the read and drawn items, for a ranking fixed before."""
        model = self.model
        if not model.has_classes:
            return None
        return self.query_log.review(model.item_ranks, self.order)
