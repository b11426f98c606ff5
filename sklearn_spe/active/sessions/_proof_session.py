"""A session along the random order of a proof, whose model is fitted only when it is read."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...inputs._labels import BinaryLabels
from .._query import Batch, undrawn_batch
from .._stopping import Progress
from ..strategies._rules import ExpectedChange
from ..strategies._strategy import Pool, Strategy
from ._session import Session

# Attributes that no label changes.
FIXED = frozenset(
    {
        *("category", "parameters", "interval", "confidence_level", "fixed", "order"),
        *("item_model", "at_random"),
    }
)


class ProvedSelection(NamedTuple):
    """The best selection of a goal by its proof alone."""

    threshold: float  # on the user's scale; NaN if none is proved
    probability: float  # the level of the proof
    selection: np.ndarray  # (n_rows,); which rows are selected


class ProofSession(Session):
    """A session that knows its queries and labels, and passes them on when its model is read.

    The next items of an order, and what their labels prove, need no model. Queries and labels since
    the last time that the model was read are kept, and then go through the session in their order:
    its results are the same bits as if it had been read each time.
    """

    def __init__(self, session: Session) -> None:
        self._behind = session
        self._events: list[Callable[[Session], Session]] = []
        self.query_log = session.query_log.copy()
        self.labels = session.labels

    @classmethod
    def of(cls, session: Session) -> Session:
        """Return a session that fits its model later, if it is along an order."""
        certificate = session.query_log.certificate
        is_along_order = certificate is not None and certificate.walk is not None
        return cls(session) if is_along_order and not session.at_random else session

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_behind" not in vars(self):
            raise AttributeError(name)
        return getattr(self._behind if name in FIXED else self.current, name)

    @property
    def item_model(self) -> Any:
        return self._behind.item_model

    @property
    def current(self) -> Session:
        """The session with all queries and labels."""
        if self._events:
            session = self._behind.copy()
            for event in self._events:
                session = event(session)
            self._behind = session
            self._events = []
        return self._behind

    def copy(self) -> ProofSession:
        other = copy(self)
        other.query_log = self.query_log.copy()
        other._events = list(self._events)
        return other

    def with_items(self, rows: Any) -> ProofSession:
        # Each row is an item.
        return self

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
        """Return the next items of the order, without a pool, or those of the session."""
        items = None if rows is None else self.item_model.rows.places_at(rows)
        if items is None and isinstance(strategy, ExpectedChange):
            certificate: Any = self.query_log.certificate
            items = certificate.next_of_order(n, self.query_log.free)
            items = items if len(items) == min(n, self.query_log.n_left) else None
        if items is None:
            batch, pool = self.current.copy().ask(
                strategy, n, draw=draw, exploration=exploration, path=path
            )
        else:
            batch = undrawn_batch(items, np.full(len(self.query_log.codes), np.nan))
            pool = None

        if len(batch.items):
            self.query_log.ask(batch)
            self._events.append(partial(_asked, batch))
        return batch, pool

    def after(
        self, items: np.ndarray, codes: np.ndarray, labels: BinaryLabels, details=None
    ) -> ProofSession:
        new = self.copy()
        new.query_log.selection(items, codes)
        new.labels = labels
        new._events.append(partial(_labeled, items, codes, labels))
        return new

    def _progress(self) -> Progress:
        return self.current._progress()

    @property
    def proved(self) -> ProvedSelection:
        """The best selection by the proof alone."""
        model = self.item_model
        codes = self.query_log.codes
        certificate: Any = self.query_log.certificate
        best = certificate.best_by_size()
        is_selected = np.where(codes < 0, model.scores >= best.threshold, codes == 1)
        threshold = float(model.score_direction.flip_threshold(best.threshold))
        return ProvedSelection(
            threshold if best.is_kept else np.nan,
            best.probability,
            model.rows.spread(is_selected & best.is_kept, False),
        )


def _asked(batch: Batch, session: Session) -> Session:
    """Return a session after a query that it is given later."""
    session.query_log.ask(batch)
    return session


def _labeled(
    items: np.ndarray, codes: np.ndarray, labels: BinaryLabels, session: Session
) -> Session:
    """Return a session after labels that it is given later."""
    return session.after(items, codes, labels)
