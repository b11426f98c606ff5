"""The record of queries and answers, in the order of events."""

from __future__ import annotations

from copy import copy

import numpy as np

from ...betting._betting_e_process import BettingEProcess
from ...betting._goal_certificate import GoalCertificate
from ...betting._label_design import LabelDesign
from .._next_items import Batch
from .._review import Review

__all__ = ["NEVER", "QueryLog"]

# Marks events that have not happened.
NEVER = -1
# The recorded columns of each item.
OF_ITEMS = ("chances", "least", "asked", "query", "answered", "skipped")


class QueryLog:
    """Labels, pending queries, and the design of both.

    Labels enter the design batch by batch, in the order of the draws: a batch with a missing answer
    waits, and so do all later ones. The model is updated by every label at once.

    Attributes
    ----------
    codes : ndarray of shape (n_items,)
        1, 0, -1 without a label.
    chances : ndarray of shape (n_items,)
        Inclusion probability of each drawn item; NaN for others.
    least : ndarray of shape (n_items,)
        The smallest inclusion probability of a free item at that time.
    design : LabelDesign
    e_process : BettingEProcess or None
        For a metric that is a ratio of sums.
    certificate : GoalCertificate or None
        For a goal that is to be proved.
    counts : ndarray of shape (n_items,)
        Number of exchangeable items that each represents.
    n_updates : int
    """

    def __init__(
        self,
        codes,
        above,
        terms,
        confidence_level=0.9,
        *,
        certificate: GoalCertificate | None = None,
        counts=None,
    ):
        n = len(codes)
        self.codes, self.counts = codes, np.ones(n) if counts is None else counts
        self.side = np.zeros(n, dtype=bool) if above is None else above
        self.chances, self.least = np.full((2, n), np.nan)
        self.asked = np.full(n, NEVER)
        self.query = np.full(n, NEVER)
        self.answered = np.where(codes >= 0, 0, NEVER)
        self.skipped = np.zeros(n, dtype=bool)
        self.order = np.flatnonzero(codes >= 0).tolist()
        self.design = LabelDesign.empty(self.side, counts)
        self.e_process = None
        if terms is not None:
            self.e_process = BettingEProcess.start(*terms, confidence_level=confidence_level)
        self.certificate = certificate
        self.n_updates = self.n_queries = 0
        self._waiting: list[tuple[np.ndarray, Batch | None]] = []
        if self.order:
            self._enter(np.array(self.order), None)

    def copy(self) -> QueryLog:
        """Return an independent copy, so that failures change nothing."""
        other = copy(self)
        for name in ("codes", *OF_ITEMS):
            setattr(other, name, getattr(self, name).copy())
        other.order, other._waiting = list(self.order), list(self._waiting)
        return other

    @property
    def free(self) -> np.ndarray:
        """Which items may be queried."""
        return (self.codes < 0) & (self.asked == NEVER) & ~self.skipped

    @property
    def n_left(self) -> int:
        """Number of items that may be queried."""
        return int(self.counts[self.free].sum())

    @property
    def n_items(self) -> int:
        return int(self.counts.sum())

    @property
    def is_over(self) -> bool:
        """Whether no item is left to label."""
        return not self.free.any() and not len(self.pending)

    @property
    def pending(self) -> np.ndarray:
        """The queried items without an answer, in order."""
        order = np.array(self.order, dtype=np.intp)
        return order[self.answered[order] == NEVER]

    @property
    def n_labels(self) -> int:
        return int(np.count_nonzero(self.codes >= 0))

    @property
    def place(self) -> np.ndarray:
        """Position of each item among all queried or labeled ones; -1 for others."""
        place = np.full(len(self.codes), NEVER)
        place[self.order] = np.arange(len(self.order))
        return place

    @property
    def in_part(self) -> bool:
        """Whether a batch is partly answered."""
        return any(
            batch is not None and 0 < np.count_nonzero(self.answered[items] != NEVER) < len(items)
            for items, batch in self._waiting
        )

    @property
    def n_waiting(self) -> int:
        """Number of answers that wait for earlier ones to enter the design."""
        return sum(int((self.answered[items] != NEVER).sum()) for items, _ in self._waiting)

    @property
    def outside(self) -> np.ndarray:
        """The items that were labeled without a query, except at the start."""
        return np.flatnonzero((self.asked == NEVER) & (self.answered > 0))

    def review(self, ranks) -> Review:
        """Return labels and inclusion probabilities in the order of draws; `ranks` or None."""
        items, labels, chances = self.design.items, self.design.labels, self.design.chances
        own = None if ranks is None else ranks[items]
        return Review(self.n_items, own, labels, chances, self.least[items])

    def set_apart(self, origins, counts) -> None:
        """Make room for items that are separated from the rows `origins` (n_new,)."""
        for name in ("codes", "side", *OF_ITEMS):
            own = getattr(self, name)
            setattr(self, name, np.append(own, own[origins]))
        self.counts = counts

    def ask(self, batch: Batch) -> None:
        """Record a query."""
        self._note(batch)
        self.asked[batch.items] = self.n_updates
        self.query[batch.items] = self.n_queries
        self.n_queries += 1
        self.order += batch.items.tolist()
        self._waiting.append((batch.items, batch))

    def correct(self, batch: Batch) -> None:
        """Replace the last batch by another one of the same items."""
        self._note(batch)
        self._waiting[-1] = (batch.items, batch)

    def _note(self, batch: Batch) -> None:
        self.chances[batch.items], self.least[batch.items] = batch.chances, batch.least

    def selection(self, items, codes) -> None:
        """Record labels: 1, 0, and -1 for skipped items."""
        self.n_updates += 1
        unasked = items[self.asked[items] == NEVER]
        self.order += unasked.tolist()
        self.codes[items] = codes
        self.skipped[items] = codes < 0
        self.answered[items] = self.n_updates
        if len(unasked):
            self._waiting.append((unasked, None))
        while self._waiting and (self.answered[self._waiting[0][0]] != NEVER).all():
            self._enter(*self._waiting.pop(0))
        if self.e_process is not None:
            self.e_process = self.e_process.extended(self.design)

    def _enter(self, items, batch):
        labels = np.where(self.codes[items] < 0, np.nan, self.codes[items].astype(float))
        drawn = {}
        if batch is not None and not np.isnan(batch.chances).any():
            names = ("chances", "predictions", "rest", "reach", "squares")
            drawn = {name: getattr(batch, name) for name in names}
        self.design = self.design.extended(items, labels, self.side[items], **drawn)
        if self.certificate is not None:
            self.certificate = self._certified(self.certificate, items, batch)

    def _certified(self, certificate: GoalCertificate, items, batch) -> GoalCertificate:
        """Return the updated certificate; labels that were not drawn are known from now on."""
        codes = self.codes[items]
        if batch is None or not batch.threshold_counts:
            return certificate.known(items, codes)
        for draw in zip(items, codes, batch.chances, batch.threshold_counts, strict=True):
            certificate = certificate.drawn_among(*draw)
        return certificate
