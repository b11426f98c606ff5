"""Labels saved and read: records, tables that are exchanged, replays."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np

from ..design._random_order import OrderedCertificate
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
    as_strategy,
    columns_of_judges,
    columns_of_systems,
    how_drawn,
    judges_in,
    numbered_columns,
    score_columns,
    scores_in,
)
from ._start import start_session
from .sessions._query_log import NEVER, check_indices
from .sessions._session import Session

# Parameters that may differ when resuming: results do not depend on them.
FREE = ("batch_size", "n_jobs")
# Stored about the items: their number, the names of systems and judges, and ordered categories.
OF_ITEMS = ("n_items", "systems", "judges", "categories")
# Notes stored by the program that writes tables.
NOTE = "note"
# The version of the stored text and of the columns in `RECORD`; it changes if an older package
# would misread them. Tables without one are of version 1.
SCHEMA, SCHEMA_VERSION, OLDEST_READABLE = "schema_version", 1, 1


def memory_of(session: Session, *, has_scores: bool) -> str:
    """Return the parameters of the fit and the item metadata as JSON, for every row."""
    model, category = session.model, session.category
    memory: dict = {SCHEMA: SCHEMA_VERSION, "n_items": model.rows.n_rows}
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
    return json.dumps(memory, separators=(",", ":"))


def with_note(memory: str, note: dict) -> str:
    """Return the stored text with a program's own note."""
    return json.dumps({**json.loads(memory), NOTE: note}, separators=(",", ":"))


def note_in(texts, name: str) -> dict:
    """Return the note of a program; empty if another one wrote the table."""
    return recalled(texts, name).get(NOTE, {})


def recalled(texts, name: str) -> dict:
    """Return the stored parameters."""
    # Not as an array of text, which would take the full length for every row.
    nothing = is_missing(texts)
    nothing[~nothing] = [str(text) == "" for text in texts[~nothing]]
    there = {str(text) for text in texts[~nothing]}
    if len(there) > 1:
        raise ValueError(
            f"The column {name!r} holds {len(there)} different texts: rows of several tables are "
            "mixed, or a session was started twice. Continue from one of them."
        )
    if nothing.any():
        raise ValueError(
            f"{nothing.sum()} of {len(texts)} rows are empty in the column {name!r}: they were "
            "added later. Remove them; to label more items, start a new table with all of them."
        )
    try:
        memory = json.loads(*there)
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


def parameters_of(memory: dict, given: dict, known) -> dict:
    """Return the parameters with which to resume."""
    begun = {name: value for name, value in memory.items() if name not in (*OF_ITEMS, NOTE, SCHEMA)}
    if strange := set(begun) - set(known):
        raise ValueError(
            f"The session was started by another version of this package, with "
            f"{', '.join(sorted(strange))}: continue with that version."
        )
    if not isinstance(given.get("random_state"), Integral):
        given = {name: value for name, value in given.items() if name != "random_state"}
    others = [name for name in given if name in known and name not in FREE]
    others = [name for name in others if _as_json(given[name]) != begun.get(name)]
    if others:
        was = ", ".join(f"{name}={_shown(begun.get(name))}" for name in others)
        now = ", ".join(f"{name}={_shown(_as_json(given[name]))}" for name in others)
        raise ParameterError(
            f"The session was started with {was}, got {now}.",
            "Leave it out to continue as before; to change it, start a new table with the same "
            "scores and labels.",
            others[0],
        )
    for name, value in begun.items():
        if isinstance(value, dict) and "is" in value and name not in given:
            raise ParameterError(
                f"The session was started with {name}={_shown(value)}, which cannot be stored in a "
                f"table: pass {name} again.",
                parameter=name,
            )
    return {name: _recalled(value) for name, value in begun.items()} | given


def _as_json(value):
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


def _recalled(value):
    """Return a parameter read from JSON."""
    return Goal.of(value["goal"]) if isinstance(value, dict) and "goal" in value else value


def _shown(value) -> str:
    return value["is"] if isinstance(value, dict) and "is" in value else repr(_recalled(value))


# The columns and their types that a table needs to resume, besides scores and labels.
RECORD = {
    "item": int,
    "order": int,
    "chance": float,
    "query": int,
    "asked": int,
    "answered": int,
    "skipped": bool,
    "answer": object,
    "session": str,
}
# The place of each row in the random order of a proof, if there is one.
RANDOM_ORDER = "random_order"
COUNTS = ("order", "query", "asked", "answered")


def _whole(columns, names, name, least) -> np.ndarray:
    """Return a column of whole numbers."""
    try:
        values = columns[name].astype(float)
        # Larger ones overflow int64; smaller ones may still be wrong.
        is_whole = ((values == np.floor(values)) & (values >= least) & (values < 2**53)).all()
    except (TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise ValueError(
            f"The column {names[name]!r} must hold whole numbers of at least {least} in every row; "
            "do not change it, and add no rows."
        )
    return values.astype(np.int64)


def _check_items(item, n_items, name) -> None:
    there, times = np.unique(item, return_counts=True)
    if (there >= n_items).any():
        raise ValueError(
            f"The session was started with {n_items} rows, and its column {name!r} has the items "
            f"{listed(there[there >= n_items])}: rows were added, or numbers changed."
        )
    if (times > 1).any():
        raise ValueError(
            f"Duplicate rows: items {listed(there[times > 1])} in the column {name!r}. Return each "
            "row once."
        )
    if len(there) < n_items:
        lost = np.setdiff1d(np.arange(n_items), there)
        raise ValueError(
            f"The table has {len(there)} of the {n_items} rows with which the session was started; "
            f"rows are missing: items {listed(lost)} in the column {name!r}. To resume, all of "
            "them are needed: copy the new labels to the same items of the complete table, and "
            "continue from that; or, in Python, pass these items and labels to update()."
        )


def _not_as_written(order, query, asked, answered) -> list[str]:
    """Return the columns with an impossible history; the rest is replayed."""
    was_asked, was_answered = asked != NEVER, answered != NEVER
    happened = was_asked | was_answered
    wrong = {
        "order": (happened != (order != NEVER)).any()
        or not np.array_equal(np.sort(order[happened]), np.arange(happened.sum())),
        "query": (was_asked != (query != NEVER)).any() or _has_gaps(query[was_asked], 0),
        "asked": asked.max(initial=NEVER) > answered.max(initial=0)
        or (was_asked & was_answered & (asked >= answered)).any(),
        "answered": _has_gaps(answered[answered > 0], 1),
    }
    return [name for name, is_wrong in wrong.items() if is_wrong]


def _has_gaps(numbers, first) -> bool:
    there = np.unique(numbers)
    return not np.array_equal(there, np.arange(len(there)) + first)


def table_of(session: Session, indices=None) -> dict:
    """Return the columns of a table from which labeling can be resumed."""
    rows = session.model.rows
    if not rows.is_listed:
        return _table_of_drawn(session, rows, indices)
    columns = {"item": np.arange(rows.n_rows), **session.model.columns()}
    columns |= {name: rows.spread(*column) for name, column in _of_items(session).items()}
    if session.category is not None:
        columns["category"] = session.category.names[columns["category"]]
    memory = memory_of(session, has_scores=bool(score_columns(columns)))
    certificate = session.query_log.certificate
    if isinstance(certificate, OrderedCertificate):
        columns[RANDOM_ORDER] = np.argsort(certificate.random_order)
    columns["session"] = np.full(rows.n_rows, memory, dtype=object)
    kept = slice(None) if indices is None else check_indices(indices, rows.n_rows)
    return {name: np.array(column[kept]) for name, column in columns.items()}


def _of_items(session: Session) -> dict:
    """Return the record of all items, column by column, and the fill values."""
    query_log = session.query_log
    label = np.full(len(query_log.codes), None, dtype=object)
    known = query_log.codes >= 0
    label[known] = session.labels.decode(query_log.codes[known]).tolist()
    # A label that was changed stays a changed one, however often the table is read.
    answer = label.copy()
    for item, code in query_log.first_answers.items():
        answer[item] = None if code < 0 else session.labels.decode(np.array([code])).tolist()[0]
    return {
        "label": (label, None),
        "probability": (session.model.label_proba, np.nan),
        "order": (query_log.place, NEVER),
        "chance": (query_log.chances, np.nan),
        "query": (query_log.query, NEVER),
        "asked": (query_log.asked, NEVER),
        "answered": (query_log.answered, NEVER),
        "skipped": (query_log.skipped, False),
        "answer": (answer, None),
    }


def _table_of_drawn(session: Session, rows, indices) -> dict:
    """Return the columns of the queried items of a histogram, in their order."""
    if indices is None:
        order = np.array(session.query_log.order, dtype=np.intp)
        items = order[rows.is_drawn[order]]
    else:
        items = rows.checked(check_indices(indices, rows.n_rows))
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
        # The order of the categories, if they are an ordered categorical.
        category = names.get("category", "category")
        order = ordered_categories(frame[category]) if category in theirs else None
        table = cls(columns, names, order=order)
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
        is_stored = any('"n_items":' in str(text) for text in self.columns.get("session", ()))
        # A user's own table may have a column of one of these names.
        if 2 * len(found) <= len(RECORD) and not is_stored:
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
        columns, names = self.columns, self.names
        memory = recalled(columns["session"], names["session"])
        item = _whole(columns, names, "item", 0)
        _check_items(item, memory["n_items"], names["item"])
        counts = {name: _whole(columns, names, name, NEVER) for name in COUNTS}
        chance = columns["chance"].astype(float)
        wrong = ~(np.isnan(chance) | ((chance > 0.0) & (chance <= 1.0)))
        if wrong.any():
            raise ValueError(
                f"The column {names['chance']!r} must lie in (0, 1], got {chance[wrong][0]}: "
                "numbers must not be rounded when the table is written."
            )
        for name in _not_as_written(**counts):
            raise ValueError(
                f"The column {names[name]!r} was changed: its numbers are not consecutive. "
                "Continue from a copy in which only labels were filled in."
            )
        rows, read = np.argsort(item, kind="stable"), {**columns, **counts, "chance": chance}
        columns = {name: column[rows] for name, column in read.items()}
        systems, order = memory.get("systems"), memory.get("categories")
        # A table with stored parameters but no judges has none.
        judges = memory.get("judges", ())
        return memory, replace(self, columns=columns, systems=systems, judges=judges, order=order)

    def given(self) -> dict:
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

    def random_order(self) -> np.ndarray | None:
        """Return the items in the random order of a proof, if the table has one."""
        if RANDOM_ORDER not in self.columns:
            return None
        places = _whole(self.columns, self.names, RANDOM_ORDER, 0)
        if not np.array_equal(np.sort(places), np.arange(len(places))):
            raise ValueError(
                f"The column {self.names[RANDOM_ORDER]!r} was changed: it holds the place of each "
                "row in the random order that the proof rests on. Continue from an older copy."
            )
        return np.argsort(places)

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


# Recomputed inclusion probabilities agree up to rounding.
SAME_CHANCE = 1e-6
# A bound with which no bet can be made.
UNBOUNDED = 1e100
OTHER_CHANCES = (
    "The inclusion probabilities in the table differ from the recomputed ones: a score was changed "
    "since, or an argument that was passed again differs. The recorded probabilities are used; an "
    "anytime-valid interval does not use these items."
)


def replayed(selector, table: SessionTable) -> tuple[Session, np.ndarray, np.ndarray]:
    """Replay a table with the parameters of a selector.

    Return the session, the rows of X that were filled in since, and their labels as written, None
    where skipped.
    """
    columns, label_format = table.columns, LabelFormat.of(selector)
    labels = _labels_of(columns["label"], label_format)
    answers = _labels_of(columns["answer"], label_format)
    asked, answered = columns["asked"], columns["answered"]
    at_first = labels.copy()
    at_first[answered != 0] = None
    session = start_session(
        selector, y=at_first, random_order=table.random_order(), **table.given()
    )
    labeled = np.array([label is not None for label in labels])
    written = np.r_[labels[labeled], [answer for answer in answers if answer is not None]]
    names = label_format.names_after(written, session.labels, session.query_log.n_labels)
    codes, before = names.codes(labels, len(labels)), names.codes(answers, len(answers))
    corrected = np.flatnonzero((answered != NEVER) & (codes != before))
    session.query_log.first_answers = dict(
        zip(corrected.tolist(), before[corrected].tolist(), strict=True)
    )
    session, are_same = _done_again(selector, session, columns, codes, names)
    if len(corrected) or not are_same:
        # Different inclusion probabilities are then due to the corrections.
        text = _of_corrections(corrected, before, codes, names)
        text = text if len(corrected) else OTHER_CHANCES
        warnings.warn(text, OutsideDesignWarning, stacklevel=3)
    skipped = np.isin(columns["skipped"].astype(str), ("True", "true", "TRUE", "1", "1.0"))
    new = np.flatnonzero((answered == NEVER) & (labeled | (skipped & (asked != NEVER))))
    return session, new, labels[new]


def _done_again(selector, session: Session, columns, codes, names: BinaryLabels):
    """Return the session after the replay, and whether the probabilities are as recorded."""
    order, asked, answered = (columns[name] for name in ("order", "asked", "answered"))
    are_same = True
    in_order = np.argsort(order, kind="stable")
    in_order = in_order[order[in_order] != NEVER]
    for k in range(max(asked.max(), answered.max() - 1) + 1):
        now = in_order[asked[in_order] == k]
        query = columns["query"][now]
        for number in np.unique(query):
            rows = now[query == number]
            are_same &= _asked_again(selector, session, rows, columns["chance"][rows])
        rows = in_order[answered[in_order] == k + 1]
        if len(rows):
            session = session.with_items(rows)
            session = session.after(session.model.rows.items_at(rows), codes[rows], names)
    return session, are_same


def _asked_again(selector, session: Session, rows, recorded) -> bool:
    """Repeat a query, and return whether the inclusion probabilities are as recorded."""
    strategy, how = as_strategy(selector.strategy), how_drawn(selector, session.interval)
    batch, _ = session.ask(strategy, len(rows), rows=rows, **how)
    if np.allclose(batch.chances, recorded, rtol=SAME_CHANCE, equal_nan=True):
        return True
    # The probabilities of the other items are unknown: no further bets can be made.
    unbounded = np.full_like(batch.reach, UNBOUNDED)
    nothing = np.zeros(len(rows))
    unknown = replace(batch, chances=recorded, least=nothing, reach=unbounded, threshold_counts=())
    session.query_log.correct(unknown)
    return False


def _of_corrections(rows, before, codes, names: BinaryLabels) -> str:
    shown = [
        f"item {row} from {_written(before[row], names)} to {_written(codes[row], names)}"
        for row in rows[:MAX_NAMED]
    ]
    return (
        f"{len(rows)} labels differ from the recorded answers: {listed(shown, len(rows))}. The "
        "present labels are used. Later items were drawn given the old ones: their recorded "
        "inclusion probabilities are used, and an anytime-valid interval does not use them."
    )


def _written(code, names: BinaryLabels) -> str:
    return "nothing" if code < 0 else repr(names.decode(np.array([code])).tolist()[0])


def _labels_of(column, label_format: LabelFormat) -> np.ndarray:
    """Return labels as written before the table converted them to numbers, or None."""
    labels, missing = column.astype(object), label_format.is_unlabeled(column.astype(object))
    if all(isinstance(label, float) and label.is_integer() for label in labels[~missing]):
        # Tables with missing labels store 1 as 1.0.
        labels[~missing] = labels[~missing].astype(int)
    labels[missing] = None
    return labels
