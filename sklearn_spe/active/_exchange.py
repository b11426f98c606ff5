"""Export and import of a labeling session as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..inputs._array_like import unmasked
from ..inputs._listed import listed
from ..inputs._partition import Partition, ordered_categories
from ._memory import is_memory, memory_of
from ._record import RECORD, checked_rows
from ._system_columns import (
    columns_of_judges,
    columns_of_systems,
    judges_in,
    numbered_columns,
    score_columns,
    scores_in,
)
from .sessions._answers import check_indices
from .sessions._query_log import NEVER
from .sessions._session import Session

__all__ = ["SessionTable", "table_of"]


def table_of(selector, session: Session, indices=None) -> dict:
    """Return the columns of a table from which labeling can be resumed."""
    rows = session.model.rows
    if session.model.counts is not None:
        return _table_of_drawn(session, rows, indices)
    columns = {"item": np.arange(rows.n_rows), **session.model.columns()}
    columns |= {name: rows.spread(*column) for name, column in _of_items(session).items()}
    if session.category is not None:
        columns["category"] = session.category.names[columns["category"]]
    n = rows.n_rows
    systems = session.model.systems if score_columns(columns) else ()
    memory = memory_of(selector, n, systems, session.model.judges, session.category)
    columns["session"] = np.full(n, memory, dtype=object)
    kept = slice(None) if indices is None else check_indices(indices, n)
    return {name: np.array(column[kept]) for name, column in columns.items()}


def _of_items(session: Session) -> dict:
    """Return the record of all items, column by column, and the fill values."""
    query_log = session.query_log
    label = np.full(len(query_log.codes), None, dtype=object)
    known = query_log.codes >= 0
    label[known] = session.labels.decode(query_log.codes[known]).tolist()
    return {
        "label": (label, None),
        "probability": (session.model.label_proba, np.nan),
        "order": (query_log.place, NEVER),
        "chance": (query_log.chances, np.nan),
        "query": (query_log.query, NEVER),
        "asked": (query_log.asked, NEVER),
        "answered": (query_log.answered, NEVER),
        "skipped": (query_log.skipped, False),
        "answer": (label, None),
    }


def _table_of_drawn(session: Session, rows, indices) -> dict:
    """Return the columns of the queried items of a histogram, in their order."""
    if indices is None:
        order = session.query_log.order
        items = np.array([item for item in order if rows.is_drawn[item]], dtype=np.intp)
    else:
        named = check_indices(indices, rows.n_rows)
        items = rows.items_at(named)
        if (items < 0).any():
            raise ValueError(rows.refusal(named[items < 0][0]))
    columns = {"item": rows.of_items(items), "score": session.model.columns()["score"][items]}
    return columns | {name: column[items] for name, (column, _) in _of_items(session).items()}


@dataclass(frozen=True, eq=False)
class SessionTable:
    """The columns of a table passed by the user."""

    columns: dict  # by the names of `ActiveTestSelector.to_frame`
    names: dict  # column names in the table, for messages
    systems: Sequence | None = None  # names of the systems, if stored in the table
    judges: Sequence | None = None  # names of the judges, likewise
    order: Sequence | None = None  # ordered categories, if any

    @classmethod
    def read(cls, frame, names) -> SessionTable:
        """Read a frame or a dictionary."""
        # A Series has keys too: its index.
        has_columns = hasattr(frame, "columns") or hasattr(frame, "keys")
        has_columns = has_columns and getattr(frame, "ndim", 2) == 2
        if isinstance(frame, type) or not has_columns:
            raise TypeError(
                f"from_frame takes a table with columns such as 'score' and 'label', a DataFrame "
                f"or a dictionary; got {frame!r}."
            )
        if not isinstance(names, Mapping):
            raise TypeError(f"names must be a dictionary from our names to yours, got {names!r}.")
        # Iterating over a polars frame yields columns, not names.
        theirs = list(getattr(frame, "columns", frame))
        if len(set(theirs)) < len(theirs):
            raise ValueError(
                f"The table names a column twice; it has {', '.join(map(repr, theirs))}."
            )
        ours = {their: name for name, their in names.items()}
        # Columns named explicitly take precedence over columns with default names.
        taken = [their for their in theirs if their in ours or their not in names]
        columns = {ours.get(their, their): np.asarray(unmasked(frame[their])) for their in taken}
        names = {name: names.get(name, name) for name in (*RECORD, "score", "label", *columns)}
        table = cls(columns, names, order=_order_of(frame, names))
        table._check_there(["label"])
        return table

    def _check_there(self, needed) -> None:
        """Raise if a column is missing."""
        if missing := [self.names.get(name, name) for name in needed if name not in self.columns]:
            there = [self.names.get(name, name) for name in self.columns]
            raise ValueError(
                f"The table has no column {', '.join(map(repr, missing))}; it has "
                f"{', '.join(map(repr, there))}."
            )

    @property
    def is_begun(self) -> bool:
        """Whether it is the record of a session, not only scores and labels."""
        found = [name for name in RECORD if name in self.columns]
        # A user's own table may have a column of one of these names.
        if 2 * len(found) <= len(RECORD) and not is_memory(self.columns.get("session", ())):
            return False
        if lost := [self.names[name] for name in RECORD if name not in self.columns]:
            raise ValueError(
                f"The table has columns of an earlier labeling session, but not "
                f"{', '.join(map(repr, lost))}: continue from a copy that has all of them; or "
                "remove all of them to start a new session with its labels."
            )
        return True

    def remembered(self) -> tuple[dict, SessionTable]:
        """Return the stored parameters of the selector, and the table in the order of the items."""
        memory, rows = checked_rows(self.columns, self.names)
        columns = {name: column[rows] for name, column in self.columns.items()}
        systems, order = memory.get("systems"), memory.get("categories")
        # A table with stored parameters but no judges has none.
        judges = memory.get("judges", ())
        return memory, replace(self, columns=columns, systems=systems, judges=judges, order=order)

    def given(self) -> dict:
        """Return the arguments of `fit` besides labels, as far as the table has them."""
        self._check_there(columns_of_judges(self.judges or ()))
        judges = judges_in(self.columns, self.judges)
        has_scores = bool(score_columns(self.columns, self.systems))
        # The record says whether there were scores.
        are_needed = judges is None if self.judges is None else self.systems != []
        if are_needed and not has_scores:
            self._check_there(columns_of_systems(self.systems or (0,)))
        return {
            "X": scores_in(self.columns, self.systems) if has_scores else None,
            "noisy_labels": self.columns.get("noisy_label"),
            "category": self._category(),
            "groups": self.columns.get("groups"),
            "features": self._features(),
            "judges": judges,
        }

    def _category(self) -> np.ndarray | Partition | None:
        category = self.columns.get("category")
        if category is None or self.order is None:
            return category
        found = Partition.read(category, "category", len(category))
        # Compared as text: a file stores dates, for example, as text.
        place = {str(name): k for k, name in enumerate(self.order)}
        names = found.names.tolist()
        if strange := [name for name in names if str(name) not in place]:
            raise ValueError(
                f"The session was started with the categories {listed(map(repr, place))}, and its "
                f"column {self.names['category']!r} has {strange[0]!r}: do not change this column."
            )
        return found.in_order(sorted(names, key=lambda name: place[str(name)]))

    def _features(self) -> np.ndarray | None:
        found = numbered_columns(self.columns, "feature")
        if not found:
            return None
        return np.stack([self.columns[name].astype(float) for name in found], axis=1)


def _order_of(frame, names) -> list | None:
    """Return the order of the categories in a frame, if they are an ordered categorical."""
    theirs = names.get("category", "category")
    return ordered_categories(frame[theirs]) if theirs in frame else None
