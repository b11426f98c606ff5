"""Labels saved and read: records, tables that are exchanged, replays."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..exceptions import OutsideDesignWarning, ParameterError
from ..goals._goal import Goal
from ..inputs._frames import read_frame
from ..inputs._groups import Partition, ordered_categories
from ..inputs._labels import BinaryLabels
from ..inputs._validation import (
    MAX_NAMED,
    check_schema_version,
    is_missing,
    listed,
    unmasked,
)
from ._parameters import (
    LabelFormat,
    columns_of_judges,
    columns_of_systems,
    how_drawn,
    judges_in,
    numbered_columns,
    score_columns,
    scores_in,
)
from ._start import start_session
from .sessions._one_pool_model import DrawnItems
from .sessions._query_log import NEVER, RECORD, check_indices
from .sessions._session import Session, check_commitment
from .strategies._registry import as_strategy

# Parameters that may differ when resuming: results do not depend on them.
FREE = ("batch_size", "n_jobs")
# The hash that the random order of a proof was drawn from, if there is one.
COMMITMENT = "commitment"
# Stored about the items: their number, the names of systems and judges, and ordered categories.
OF_ITEMS = ("n_items", "systems", "judges", "categories", COMMITMENT)
# The version of the stored text and of the record of items; it changes if an older package
# would misread them. Tables without one are of version 1.
SCHEMA = "schema_version"
SCHEMA_VERSION = 1
OLDEST_READABLE = 1
# The columns that a table needs to resume, besides scores and labels; those of whole numbers.
NEEDED = ("item", *RECORD, "session")
# Where a row is no item.
FILL: dict[str, Any] = {"label": None, "probability": np.nan, **RECORD}
COUNTS = tuple(name for name, nothing in RECORD.items() if nothing == NEVER)
# The predicted class, with more than two.
PREDICTED = "predicted"
# Larger whole numbers are not exact as floats, and overflow int64 at last.
MAX_WHOLE = 2**53
# How a file may write that an item was skipped.
TRUE_TEXTS = ("True", "true", "TRUE", "1", "1.0")
# Recomputed inclusion probabilities agree up to rounding.
SAME_CHANCE = 1e-6
# A bound with which no bet can be made.
UNBOUNDED = 1e100
OTHER_CHANCES = (
    "The inclusion probabilities in the table differ from the recomputed ones: a score was changed "
    "since, or an argument that was passed again differs. The recorded probabilities are used; an "
    "anytime-valid interval does not use these items."
)

AFTER_DRAWS = (
    "Later items were drawn given the old ones: their recorded inclusion probabilities are used, "
    "and an anytime-valid interval does not use them."
)
ALONG_ORDER = (
    "They count as what they are now along the random order of the proof, which holds if labels "
    "were corrected whatever they prove: by a second reader of a whole stretch, for example, and "
    "not only where a proof failed."
)


def memory_of(session: Session, *, has_scores: bool) -> str:
    """Return the parameters of the fit and the item metadata as JSON, for every row."""
    model = session.model
    category = session.category
    memory: dict[str, Any] = {SCHEMA: SCHEMA_VERSION, "n_items": model.rows.n_rows}

    # Numbered systems need no names.
    systems = model.systems if has_scores else ()
    if not systems or systems != tuple(range(len(systems))):
        memory["systems"] = _as_json(systems)
    if model.judges:
        # As text, like in column names: a file stores dates, for example, as text.
        memory["judges"] = [n if isinstance(n, str | int) else str(n) for n in model.judges]
    if category is not None and category.is_ordered:
        memory["categories"] = [str(name) for name in category.names.tolist()]

    # What a proof rests on is fixed before its first label.
    for name, value in session.parameters.items():
        if name not in FREE and value is not None:
            memory[name] = _as_json(value)
    # A generator cannot be stored; the seed drawn from it can.
    memory["random_state"] = int(model.seed)
    if session.order is not None:
        memory[COMMITMENT] = session.order.commitment
    return json.dumps(memory, separators=(",", ":"))


def recalled(texts: np.ndarray, name: str) -> dict[str, Any]:
    """Return the stored parameters."""
    # Not as an array of text, which would take the full length for every row.
    is_empty = is_missing(texts)
    is_empty[~is_empty] = [str(text) == "" for text in texts[~is_empty]]
    distinct = {str(text) for text in texts[~is_empty]}
    if len(distinct) > 1:
        raise ValueError(
            f"The column {name!r} holds {len(distinct)} different texts: rows of several tables "
            "are mixed, or a session was started twice. Continue from one of them."
        )
    if is_empty.any():
        raise ValueError(
            f"{is_empty.sum()} of {len(texts)} rows are empty in the column {name!r}: they were "
            "added later. Remove them; or start a new table with all items: a proof then has a new "
            "order and a separate error probability."
        )

    try:
        memory = json.loads(*distinct)
    except (TypeError, ValueError, RecursionError):
        memory = None
    if isinstance(memory, dict):
        check_schema_version(
            memory.get(SCHEMA),
            f"The table with the column {name!r}",
            OLDEST_READABLE,
            SCHEMA_VERSION,
            "continue with the version of the package that wrote it, or start a new table with "
            "the same scores and labels",
        )
        if isinstance(memory.get("n_items"), int):
            return memory
    raise ValueError(f"The column {name!r} was changed; continue from an older copy.")


def parameters_of(
    memory: dict[str, Any], passed: dict[str, Any], known: Iterable[str]
) -> dict[str, Any]:
    """Return the parameters for resuming: the stored ones, replaced by those passed again."""
    stored = {name: value for name, value in memory.items() if name not in (*OF_ITEMS, SCHEMA)}
    if unknown := set(stored) - set(known):
        raise ValueError(
            f"The session was started by another version of this package, with "
            f"{', '.join(sorted(unknown))}: continue with that version."
        )

    # A generator cannot be compared with the stored seed, which takes its place.
    if not isinstance(passed.get("random_state"), Integral):
        passed = {name: value for name, value in passed.items() if name != "random_state"}

    changed = [
        name
        for name in passed
        if name in known and name not in FREE and _as_json(passed[name]) != stored.get(name)
    ]
    if changed:
        before = ", ".join(f"{name}={_written_value(stored.get(name))}" for name in changed)
        now = ", ".join(f"{name}={_written_value(_as_json(passed[name]))}" for name in changed)
        raise ParameterError(
            f"The session was started with {before}, got {now}.",
            "Leave it out to continue as before; to change it, start a new table with the same "
            "scores and labels.",
            changed[0],
        )

    for name, value in stored.items():
        if isinstance(value, dict) and "is" in value and name not in passed:
            raise ParameterError(
                f"The session was started with {name}={_written_value(value)}, which cannot be "
                f"stored in a table: pass {name} again.",
                parameter=name,
            )
    return {name: _recalled(value) for name, value in stored.items()} | passed


def _as_json(value: Any) -> Any:
    """Return a parameter as JSON stores it; others by their name."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Goal) and all(bound.has_name for bound in value.bounds):
        return {"goal": {bound.metric.name: list(bound.wanted) for bound in value.bounds}}
    if isinstance(value, list | tuple | np.ndarray):
        return [_as_json(part) for part in value]
    name = getattr(value, "__qualname__", None) or re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return {"is": " ".join(name.split())}


def _recalled(value: Any) -> Any:
    """Return a parameter read from JSON."""
    return Goal.of(value["goal"]) if isinstance(value, dict) and "goal" in value else value


def _written_value(value: object) -> str:
    """Return a stored parameter as text, for messages."""
    return value["is"] if isinstance(value, dict) and "is" in value else repr(_recalled(value))


def _whole(columns: dict[str, Any], names: dict[str, Any], name: str, least: int) -> np.ndarray:
    """Return a column of whole numbers."""
    try:
        values = columns[name].astype(float)
        is_in_range = (values >= least) & (values < MAX_WHOLE)
        is_valid = bool(((values == np.floor(values)) & is_in_range).all())
    except (TypeError, ValueError):
        is_valid = False
    if not is_valid:
        raise ValueError(
            f"The column {names[name]!r} must hold whole numbers of at least {least} in every row; "
            "do not change it, and add no rows."
        )
    return values.astype(np.int64)


def _check_items(item: np.ndarray, n_items: int, name: str) -> None:
    """Raise unless the table has each item once."""
    items, n_rows = np.unique(item, return_counts=True)
    if (items >= n_items).any():
        raise ValueError(
            f"The session was started with {n_items} rows, and its column {name!r} has the items "
            f"{listed(items[items >= n_items])}: rows were added, or numbers changed."
        )
    if (n_rows > 1).any():
        raise ValueError(
            f"Duplicate rows: items {listed(items[n_rows > 1])} in the column {name!r}. Return "
            "each row once."
        )
    if len(items) < n_items:
        lost = np.setdiff1d(np.arange(n_items), items)
        raise ValueError(
            f"The table has {len(items)} of the {n_items} rows with which the session was started; "
            f"rows are missing: items {listed(lost)} in the column {name!r}. To resume, all of "
            "them are needed: copy the new labels to the same items of the complete table, and "
            "continue from that; or, in Python, pass these items and labels to update()."
        )


def _not_as_written(
    order: np.ndarray, query: np.ndarray, asked: np.ndarray, answered: np.ndarray
) -> list[str]:
    """Return the columns with an impossible history; the rest is replayed."""
    was_asked = asked != NEVER
    was_answered = answered != NEVER
    has_place = was_asked | was_answered

    # Queried and labeled items, and only these, have consecutive places.
    is_order_wrong = (has_place != (order != NEVER)).any() or not np.array_equal(
        np.sort(order[has_place]), np.arange(has_place.sum())
    )
    is_query_wrong = (was_asked != (query != NEVER)).any() or _has_gaps(query[was_asked], 0)
    # An item is queried before it is answered, and after the last update at the latest.
    is_asked_wrong = (
        asked.max(initial=NEVER) > answered.max(initial=0)
        or (was_asked & was_answered & (asked >= answered)).any()
    )
    is_answered_wrong = _has_gaps(answered[answered > 0], 1)

    is_wrong = {
        "order": is_order_wrong,
        "query": is_query_wrong,
        "asked": is_asked_wrong,
        "answered": is_answered_wrong,
    }
    return [name for name in is_wrong if is_wrong[name]]


def _has_gaps(numbers: np.ndarray, first: int) -> bool:
    """Return whether the distinct numbers are not consecutive from the first one."""
    distinct = np.unique(numbers)
    return not np.array_equal(distinct, np.arange(len(distinct)) + first)


def table_of(session: Session, indices: ArrayLike | None = None) -> dict[str, Any]:
    """Return the columns of a table from which labeling can be resumed."""
    rows = session.model.rows
    if not rows.is_listed:
        # Only the items of a histogram are not listed.
        assert isinstance(rows, DrawnItems)
        return _table_of_drawn(session, rows, indices)

    columns = {"item": np.arange(rows.n_rows)} | session.model.columns()
    for name, values in _of_items(session).items():
        columns[name] = rows.spread(values, FILL[name])
    if session.category is not None:
        columns["category"] = session.category.names[columns["category"]]

    memory = memory_of(session, has_scores=bool(score_columns(columns)))
    columns["session"] = np.full(rows.n_rows, memory, dtype=object)

    selection = slice(None) if indices is None else check_indices(indices, rows.n_rows)
    return {name: np.array(column[selection]) for name, column in columns.items()}


def _of_items(session: Session) -> dict[str, np.ndarray]:
    """Return labels, predictions and the record of all items, column by column."""
    record = session.query_log.record(session.labels)
    return {"label": record.pop("label"), "probability": session.model.label_proba, **record}


def _table_of_drawn(
    session: Session, rows: DrawnItems, indices: ArrayLike | None
) -> dict[str, Any]:
    """Return the columns of the queried items of a histogram, in their order."""
    if indices is None:
        order = np.array(session.query_log.order, dtype=np.intp)
        items = order[rows.is_drawn[order]]
    else:
        items = rows.checked(check_indices(indices, rows.n_rows))
    columns = {"item": rows.of_items(items), "score": session.model.columns()["score"][items]}
    return columns | {name: column[items] for name, column in _of_items(session).items()}


@dataclass(frozen=True, eq=False)
class SessionTable:
    """The columns of a table passed by the user."""

    columns: dict[str, Any]  # by the names of `ActiveTestSelector.to_frame`
    names: dict[str, Any]  # column names in the table, for messages
    systems: Sequence[Hashable] | None = None  # names of the systems, if stored in the table
    judges: Sequence[Hashable] | None = None  # names of the judges, likewise
    order: Sequence[Any] | None = None  # ordered categories, if any
    commitment: str | None = None  # to the random order of a proof, if any

    @classmethod
    def read(cls, frame: Any, names: Mapping[str, str]) -> SessionTable:
        """Read a frame or a dictionary."""
        frame = read_frame(frame, "frame")

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
        user_names = list(getattr(frame, "columns", frame))
        if len(set(user_names)) < len(user_names):
            raise ValueError(
                f"The table names a column twice; it has {', '.join(map(repr, user_names))}."
            )

        # Columns named explicitly take precedence over columns with default names.
        name_of = {user_name: name for name, user_name in names.items()}
        columns = {
            name_of.get(user_name, user_name): np.asarray(unmasked(frame[user_name]))
            for user_name in user_names
            if user_name in name_of or user_name not in names
        }
        names = {name: names.get(name, name) for name in (*NEEDED, "score", "label", *columns)}

        # The order of the categories, if they are an ordered categorical.
        category = names.get("category", "category")
        order = ordered_categories(frame[category]) if category in user_names else None
        table = cls(columns, names, order=order)
        table._check_there(["label"])
        return table

    def _check_there(self, needed: Iterable[str]) -> None:
        """Raise if a column is missing."""
        if missing := [self.names.get(name, name) for name in needed if name not in self.columns]:
            present = [self.names.get(name, name) for name in self.columns]
            raise ValueError(
                f"The table has no column {', '.join(map(repr, missing))}; it has "
                f"{', '.join(map(repr, present))}."
            )

    @property
    def is_begun(self) -> bool:
        """Whether it is the record of a session, not only scores and labels."""
        n_present = sum(name in self.columns for name in NEEDED)
        is_stored = any('"n_items":' in str(text) for text in self.columns.get("session", ()))
        # A user's own table may have a column of one of these names.
        if 2 * n_present <= len(NEEDED) and not is_stored:
            return False
        if lost := [self.names[name] for name in NEEDED if name not in self.columns]:
            raise ValueError(
                f"The table has columns of an earlier labeling session, but not "
                f"{', '.join(map(repr, lost))}: continue from a copy that has all of them; or "
                "remove all of them to start a new session with its labels."
            )
        return True

    def remembered(self) -> tuple[dict[str, Any], SessionTable]:
        """Return the stored parameters of the selector, and the table in the order of the items."""
        columns = self.columns
        names = self.names
        memory = recalled(columns["session"], names["session"])
        item = _whole(columns, names, "item", 0)
        _check_items(item, memory["n_items"], names["item"])
        if PREDICTED in columns and not memory.get("systems") and not memory.get("judges"):
            raise ValueError(
                "The labeling is of more than two classes, whose probabilities no table stores: "
                "continue from the selector itself, kept by pickle or joblib; or call fit with "
                "these labels."
            )
        counts = {name: _whole(columns, names, name, NEVER) for name in COUNTS}

        inclusion_proba = columns["chance"].astype(float)
        is_proba = (inclusion_proba > 0.0) & (inclusion_proba <= 1.0)
        is_wrong = ~(np.isnan(inclusion_proba) | is_proba)
        if is_wrong.any():
            raise ValueError(
                f"The column {names['chance']!r} must lie in (0, 1], got "
                f"{inclusion_proba[is_wrong][0]}: numbers must not be rounded when the table is "
                "written."
            )

        # A history that no session can have.
        impossible = _not_as_written(
            order=counts["order"],
            query=counts["query"],
            asked=counts["asked"],
            answered=counts["answered"],
        )
        for name in impossible:
            raise ValueError(
                f"The column {names[name]!r} was changed: its numbers are not consecutive, or "
                "contradict the other columns. Continue from a copy in which only labels were "
                "filled in."
            )

        rows = np.argsort(item, kind="stable")
        columns = columns | counts | {"chance": inclusion_proba}
        table = replace(
            self,
            columns={name: column[rows] for name, column in columns.items()},
            systems=memory.get("systems"),
            # A table with stored parameters but no judges has none.
            judges=memory.get("judges", ()),
            order=memory.get("categories"),
            commitment=memory.get(COMMITMENT),
        )
        return memory, table

    def given(self) -> dict[str, Any]:
        """Return the arguments of `fit` besides labels, as far as the table has them."""
        self._check_there(columns_of_judges(self.judges or ()))
        judges = judges_in(self.columns, self.judges)
        scores = scores_in(self.columns, self.systems)
        # The record says whether there were scores.
        are_needed = judges is None if self.judges is None else self.systems != []
        if are_needed and scores is None:
            self._check_there(columns_of_systems(self.systems or (0,)))

        features = [
            self.columns[name].astype(float) for name in numbered_columns(self.columns, "feature")
        ]
        return {
            "X": scores,
            "noisy_labels": self.columns.get("noisy_label"),
            "category": self._category(),
            "groups": self.columns.get("groups"),
            "features": np.stack(features, axis=1) if features else None,
            "judges": judges,
        }

    def _category(self) -> np.ndarray | Partition | None:
        category = self.columns.get("category")
        if category is None or self.order is None:
            return category

        partition = Partition.read(category, "category", len(category))
        # Compared as text: a file stores dates, for example, as text.
        place = {str(name): k for k, name in enumerate(self.order)}
        names = partition.names.tolist()
        if unknown := [name for name in names if str(name) not in place]:
            raise ValueError(
                f"The session was started with the categories {listed(map(repr, place))}, and its "
                f"column {self.names['category']!r} has {unknown[0]!r}: do not change this column."
            )
        return partition.in_order(sorted(names, key=lambda name: place[str(name)]))


def replayed(selector, table: SessionTable) -> tuple[Session, np.ndarray, np.ndarray]:
    """Replay a table with the parameters of a selector.

    Return the session, the rows of X that were filled in since, and their labels as written, None
    where skipped.
    """
    columns = table.columns
    asked = columns["asked"]
    answered = columns["answered"]
    label_format = LabelFormat.of(selector)
    labels = _labels_of(columns["label"], label_format)
    answers = _labels_of(columns["answer"], label_format)

    # Labels of update 0 were known at the start.
    first_labels = labels.copy()
    first_labels[answered != 0] = None
    session = start_session(selector, y=first_labels, **table.given())
    if session.order is not None:
        check_commitment(table.commitment, session.order)

    # The answers recorded, and the labels that the table has now.
    is_labeled = np.array([label is not None for label in labels])
    all_labels = np.r_[labels[is_labeled], [answer for answer in answers if answer is not None]]
    names = label_format.names_after(all_labels, session.labels, session.query_log.n_labels)
    codes = names.codes(labels, len(labels))
    recorded_codes = names.codes(answers, len(answers))
    corrected = np.flatnonzero((answered != NEVER) & (codes != recorded_codes))
    session.query_log.first_answers = dict(
        zip(corrected.tolist(), recorded_codes[corrected].tolist(), strict=True)
    )

    session, are_same = _done_again(selector, session, columns, codes, names)
    if len(corrected):
        # Different inclusion probabilities are then due to the corrections.
        text = _of_corrections(corrected, recorded_codes, codes, names)
        certificate = session.query_log.certificate
        is_along_order = certificate is not None and certificate.walk is not None
        text += ALONG_ORDER if is_along_order else AFTER_DRAWS
        warnings.warn(text, OutsideDesignWarning, stacklevel=3)
    elif not are_same:
        warnings.warn(OTHER_CHANCES, OutsideDesignWarning, stacklevel=3)

    is_skipped = np.isin(columns["skipped"].astype(str), TRUE_TEXTS) & (asked != NEVER)
    new = np.flatnonzero((answered == NEVER) & (is_labeled | is_skipped))
    return session, new, labels[new]


def _done_again(
    selector, session: Session, columns: dict[str, Any], codes: np.ndarray, names: BinaryLabels
) -> tuple[Session, bool]:
    """Return the session after the replay, and whether the probabilities are as recorded."""
    order = columns["order"]
    asked = columns["asked"]
    answered = columns["answered"]
    in_order = np.argsort(order, kind="stable")
    in_order = in_order[order[in_order] != NEVER]

    are_same = True
    n_updates = max(asked.max(), answered.max() - 1) + 1
    for update in range(n_updates):
        # The queries made after so many updates.
        queried = in_order[asked[in_order] == update]
        query = columns["query"][queried]
        for number in np.unique(query):
            rows = queried[query == number]
            are_same &= _asked_again(selector, session, rows, columns["chance"][rows])

        # The answers of the next update.
        rows = in_order[answered[in_order] == update + 1]
        if len(rows):
            session = session.with_items(rows)
            session = session.after(session.model.rows.items_at(rows), codes[rows], names)
    return session, are_same


def _asked_again(selector, session: Session, rows: np.ndarray, recorded: np.ndarray) -> bool:
    """Repeat a query, and return whether the inclusion probabilities are as recorded."""
    strategy = as_strategy(selector.strategy)
    draw, exploration = how_drawn(selector, session.interval)
    batch, _ = session.ask(strategy, len(rows), draw=draw, exploration=exploration, rows=rows)
    if np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
        return True

    # The probabilities of the other items are unknown: no further bets can be made.
    corrected = replace(
        batch,
        chances=recorded,
        reach=np.full_like(batch.reach, UNBOUNDED),
        threshold_counts=(),
    )
    session.query_log.correct(corrected)
    return False


def _of_corrections(
    rows: np.ndarray, recorded_codes: np.ndarray, codes: np.ndarray, names: BinaryLabels
) -> str:
    """Return the warning of labels that differ from the recorded answers."""
    changes = [
        f"item {row} from {_written(recorded_codes[row], names)} to {_written(codes[row], names)}"
        for row in rows[:MAX_NAMED]
    ]
    return (
        f"{len(rows)} labels differ from the recorded answers: {listed(changes, len(rows))}. The "
        "present labels are used. "
    )


def _written(code: int, names: BinaryLabels) -> str:
    """Return a label as text, for messages."""
    return "nothing" if code < 0 else repr(names.decode(np.array([code])).tolist()[0])


def _labels_of(column: np.ndarray, label_format: LabelFormat) -> np.ndarray:
    """Return labels as written before the table converted them to numbers, or None."""
    labels = column.astype(object)
    is_unlabeled = label_format.is_unlabeled(column.astype(object))
    known = labels[~is_unlabeled]
    if all(isinstance(label, float) and label.is_integer() for label in known):
        # Tables with missing labels store 1 as 1.0.
        labels[~is_unlabeled] = known.astype(int)
    labels[is_unlabeled] = None
    return labels
