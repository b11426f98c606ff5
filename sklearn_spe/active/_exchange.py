"""Tables of a labelling: what is asked for and labelled, out to a spreadsheet and back."""

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

__all__ = ["LabellingTable", "table_of"]


def table_of(selector, session: Session, indices=None) -> dict:
    """Return the columns of a table from which labelling can be resumed."""
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
    """Return the record of all items, column by column, and what stands where there is none."""
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
    """Return the columns of the items of a histogram that were asked for, in their order."""
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
class LabellingTable:
    """The columns of a table that somebody passes.

    Attributes
    ----------
    columns : dict of str to ndarray
        By the names of `ActiveTestSelector.to_frame`.
    names : dict of str to str
        How the table names them, for messages.
    systems : sequence, default=None
        The names of the systems, if the table remembers.
    judges : sequence, default=None
        Those of the judges, likewise.
    order : sequence, default=None
        Categories in their order, if they have one.
    """

    columns: dict
    names: dict
    systems: Sequence | None = None
    judges: Sequence | None = None
    order: Sequence | None = None

    @classmethod
    def read(cls, frame, names) -> LabellingTable:
        """Read a frame or a dictionary."""
        # A series has keys too: those of its one column.
        has_columns = hasattr(frame, "columns") or hasattr(frame, "keys")
        has_columns = has_columns and getattr(frame, "ndim", 2) == 2
        if isinstance(frame, type) or not has_columns:
            raise TypeError(
                f"from_frame takes a table with columns such as 'score' and 'label', a DataFrame "
                f"or a dictionary; got {frame!r}."
            )
        if not isinstance(names, Mapping):
            raise TypeError(f"names must be a dictionary from our names to yours, got {names!r}.")
        # A frame of polars runs over columns, not over their names.
        theirs = list(getattr(frame, "columns", frame))
        if len(set(theirs)) < len(theirs):
            raise ValueError(
                f"The table names a column twice; it has {', '.join(map(repr, theirs))}."
            )
        ours = {their: name for name, their in names.items()}
        # What is named goes before what happens to have one of our names.
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
        """Whether it holds the record of a labelling, and not only scores and labels."""
        found = [name for name in RECORD if name in self.columns]
        # A table of somebody else may have a column of one of these names.
        if 2 * len(found) <= len(RECORD) and not is_memory(self.columns.get("session", ())):
            return False
        if lost := [self.names[name] for name in RECORD if name not in self.columns]:
            raise ValueError(
                f"The table has columns of a labelling that was begun, but not "
                f"{', '.join(map(repr, lost))}: go on from a copy that has all of them; or leave "
                f"all of them out, and its labels are those of a new start."
            )
        return True

    def remembered(self) -> tuple[dict, LabellingTable]:
        """Return what it remembers of the selector, and the table in the order of the items."""
        memory, rows = checked_rows(self.columns, self.names)
        columns = {name: column[rows] for name, column in self.columns.items()}
        systems, order = memory.get("systems"), memory.get("categories")
        # A table with a memory and no judges has none.
        judges = memory.get("judges", ())
        return memory, replace(self, columns=columns, systems=systems, judges=judges, order=order)

    def given(self) -> dict:
        """Return what `fit` takes beside labels, as far as a table holds it."""
        self._check_there(columns_of_judges(self.judges or ()))
        judges = judges_in(self.columns, self.judges)
        has_scores = bool(score_columns(self.columns, self.systems))
        # A table that was begun says whether there were scores.
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
        # As text: a file holds no more of a date, say.
        place = {str(name): k for k, name in enumerate(self.order)}
        names = found.names.tolist()
        if strange := [name for name in names if str(name) not in place]:
            raise ValueError(
                f"The table was begun with the categories {listed(map(repr, place))}, and its "
                f"column {self.names['category']!r} holds {strange[0]!r}: leave it as it was."
            )
        return found.in_order(sorted(names, key=lambda name: place[str(name)]))

    def _features(self) -> np.ndarray | None:
        found = numbered_columns(self.columns, "feature")
        if not found:
            return None
        return np.stack([self.columns[name].astype(float) for name in found], axis=1)


def _order_of(frame, names) -> list | None:
    """Return the order of the categories in a frame, if it is that of an ordered categorical."""
    theirs = names.get("category", "category")
    return ordered_categories(frame[theirs]) if theirs in frame else None
