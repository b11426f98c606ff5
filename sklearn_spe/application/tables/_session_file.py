"""The session file beside a labeling table: all that resuming needs besides its labels."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ...inputs._validation import check_schema_version, listed
from ...inputs._writing import digest_of
from ._compression import WRITERS
from ._source import quoted

# The version of the file; it changes if an older package would misread it.
SCHEMA, SCHEMA_VERSION = "schema_version", 1
# `labels_next.csv` has `labels_next.session.json`.
ENDING = ".session.json"
# The column with the order in which rows are to be labeled, and what people write into it.
NEXT, SKIP = "spe_next", "skip"
# The column that identifies rows, whose name identifies the session.
ITEM = "spe_item_"
ITEM_NAME = re.compile(r"spe_item_[0-9a-f]{8}")
# In the record: not yet.
NEVER = -1
# The record of items, and what it is of the others.
FILL: dict[str, Any] = {
    "chance": np.nan,
    "query": NEVER,
    "asked": NEVER,
    "answered": NEVER,
    "answer": None,
}
# Spreadsheets keep fifteen digits of a number; the sums of as many as there may be.
SAME_SUM = 1e-9
GOLDEN = 0.6180339887498949
# What a session file is for, and what is lost without it.
LOST = (
    "It holds with what chance each label was drawn, which --interval design and anytime and the "
    "proofs of find and review rest on, and what is asked"
)
ANEW = "to start anew with the labels of this table, remove its columns {columns}"


def item_column(names: Iterable[str]) -> str | None:
    """Return the column that identifies rows of a labeling table, if there is one."""
    columns = [name for name in names if ITEM_NAME.fullmatch(name)]
    if len(columns) > 1:
        raise ValueError(
            f"The table has {listed(map(quoted, columns))}, the columns of several labeling "
            "sessions: remove those of the other tables."
        )
    return columns[0] if columns else None


def session_path(path: Path) -> Path:
    """Return the session file of a labeling table."""
    name = path.name
    for end in WRITERS:
        name = name.removesuffix(end)
    return path.with_name(f"{Path(name).stem}{ENDING}")


@dataclass(frozen=True, eq=False)
class SessionFile:
    """The settings and the record of a session."""

    token: str  # which the name of a column of the table ends in
    settings: dict[str, Any]  # parameters of the selector
    options: dict[str, Any]  # of the command line, stored for resuming
    # Of each recorded item, in their order: its number, and the columns of `FILL`.
    record: dict[str, list[Any]]
    checksums: dict[str, tuple[float, float]]  # of the columns that choices rest on
    disputed: tuple[int, ...] = ()  # items to label because copies disagree on them
    path: Path | None = None
    fingerprint: str | None = None

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Any],
        options: Mapping[str, Any],
        inputs: Mapping[str, np.ndarray],
        *,
        disputed: Sequence[int] = (),
        start: SessionFile | None = None,
    ) -> SessionFile:
        """Return the session of all items, from the columns of the selector, (n_items,).

        `inputs` are the columns of the table that choices rest on, and `start` is the session that
        is gone on with.
        """
        settings = json.loads(columns["session"][0])
        checksums = {name: checksum(values) for name, values in inputs.items()}
        token = None
        if start is not None:
            token = start.token
            checksums = start.checksums
        order = np.asarray(columns["order"])
        items = np.argsort(order, kind="stable")
        items = items[order[items] != NEVER]
        record = {name: [_plain(v) for v in np.asarray(columns[name])[items]] for name in FILL}
        record["item"] = items.tolist()

        if token is None:
            content = json.dumps([settings, dict(options), checksums], sort_keys=True)
            token = hashlib.sha256(content.encode()).hexdigest()[:8]
        return cls(token, settings, dict(options), record, checksums, tuple(disputed))

    @classmethod
    def read(cls, path: Path) -> SessionFile:
        """Read the file; raise ValueError if it is none or was damaged."""
        content = path.read_bytes()
        try:
            stored = json.loads(content)
            version = stored.get(SCHEMA)
        except (ValueError, AttributeError, RecursionError):
            raise _damaged(path) from None

        remedy = "continue with the version of the package that wrote it"
        check_schema_version(version, str(path), SCHEMA_VERSION, SCHEMA_VERSION, remedy)
        try:
            record = _record_in(stored["items"])
            known = range(int(stored["settings"]["n_items"]))
            checksums = {
                str(name): (float(total), float(weighted))
                for name, (total, weighted) in stored["checksums"].items()
            }
            session = cls(
                str(stored["session"]),
                dict(stored["settings"]),
                dict(stored["options"]),
                record,
                checksums,
                tuple(map(int, stored.get("disputed", ()))),
                path,
                digest_of(content),
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise _damaged(path) from error

        items = record["item"]
        are_known = all(isinstance(item, int) and item in known for item in items)
        if not are_known or len(set(items)) < len(items):
            raise _damaged(path)
        return session

    def encode(self) -> bytes:
        """Return the content of the file."""
        columns = {name: _runs(values) for name, values in self.record.items() if name != "item"}
        stored: dict[str, Any] = {
            SCHEMA: SCHEMA_VERSION,
            "session": self.token,
            "settings": self.settings,
            "options": self.options,
            "checksums": self.checksums,
            "items": {"item": self.record["item"], **columns},
        }

        if self.disputed:
            stored["disputed"] = self.disputed

        lines = [
            f"{json.dumps(name)}:{json.dumps(value, separators=(',', ':'), ensure_ascii=False)}"
            for name, value in stored.items()
        ]
        return ("{" + ",\n".join(lines) + "}\n").encode()

    @property
    def item_column(self) -> str:
        """The column of the table that identifies its rows."""
        return f"{ITEM}{self.token}"

    @property
    def label(self) -> str:
        """How messages call the file."""
        return "the session" if self.path is None else self.path.name

    def columns(self, items: np.ndarray) -> dict[str, np.ndarray]:
        """Return the record of the items of some rows, whose numbers may be wrong."""
        place = {item: k for k, item in enumerate(self.record["item"])}
        places = np.array([place.get(item, NEVER) for item in items.tolist()], dtype=int)
        is_recorded = places != NEVER
        columns = {"order": places}
        for name, fill in FILL.items():
            recorded = [fill if value is None else value for value in self.record[name]]
            values = np.full(len(items), fill, dtype=object if fill is None else type(fill))
            values[is_recorded] = [recorded[k] for k in places[is_recorded]]
            columns[name] = values
        return columns

    def continues(self, earlier: SessionFile) -> bool:
        """Return whether it contains the history of another file of the same session."""
        if (self.token, self.settings) != (earlier.token, earlier.settings):
            return False
        # A corrected label changes the answer, and what was pending may be answered.
        return len(self.record["item"]) >= len(earlier.record["item"]) and all(
            before == after or name == "answer" or (name == "answered" and before == NEVER)
            for name, values in earlier.record.items()
            for before, after in zip(values, self.record[name], strict=False)
        )

    def notes_of_inputs(self, inputs: Mapping[str, np.ndarray]) -> tuple[str, ...]:
        """Return a note on changed columns that choices rest on; raise if they are out of order."""
        notes = []
        for name, values in inputs.items():
            if name not in self.checksums:
                continue

            total, weighted = self.checksums[name]
            now, weighted_now = checksum(values)
            scale = float(np.abs(_as_numbers(values)).sum()) * SAME_SUM
            if abs(total - now) > scale:
                notes.append(
                    f"Column {quoted(name)} has other values than when the session was started: "
                    "the recorded chances of labels are used."
                )
            elif abs(weighted - weighted_now) > scale:
                raise ValueError(
                    f"Column {quoted(name)} has the values with which the session was started, "
                    f"but in other rows, by column {quoted(self.item_column)}: was a column sorted "
                    "separately? Continue from a copy with whole rows."
                )
        return tuple(notes)


def session_beside(path: Path | None, name: str, column: str) -> SessionFile:
    """Return the session of a table whose rows a column identifies.

    The file beside it has its name; else it is the one in the folder of the same session, as of a
    table that was renamed or copied. Raise if there is no such file, and name the loss.
    """
    namesake = None if path is None else session_path(path)
    has_namesake = namesake is not None and namesake.is_file()
    if namesake is not None and has_namesake:
        session = SessionFile.read(namesake)
        if session.item_column == column:
            return session

    folder = Path() if path is None else path.parent
    others = [
        SessionFile.read(candidate)
        for candidate in sorted(folder.glob(f"*{ENDING}"))
        if candidate != namesake and candidate.is_file() and _is_of(candidate, column)
    ]
    if others:
        return latest_of(others)

    file = f"*{ENDING}" if namesake is None else namesake.name
    if has_namesake:
        problem = f"{file} belongs to another table than {name}: it is of another session."
    else:
        problem = f"{name} is a labeling table, and its session file {file} is missing."
    columns = f"{NEXT!r} and {column!r}"
    raise ValueError(
        f"{problem} {LOST}. Put the file that was written with the table beside it; or, "
        f"{ANEW.format(columns=columns)}: intervals of the posterior stay valid."
    )


def latest_of(sessions: Sequence[SessionFile]) -> SessionFile:
    """Return the session file that continues all others; raise if none does.

    Files are written one after the other: a run that was ended between leaves some as they were.
    """
    for session in sessions:
        if all(session.continues(earlier) for earlier in sessions):
            return session
    files = [session.label for session in sessions]
    raise ValueError(
        f"The session files {listed(files)} do not continue each other: tables of one session were "
        "continued separately, or with other settings. Continue from one of the tables, and copy "
        "the labels of the other into it."
    )


def checksum(values: np.ndarray) -> tuple[float, float]:
    """Return the sum of a column, and a weighted sum that depends on its order."""
    numbers = _as_numbers(values)
    weights = np.arange(1.0, len(numbers) + 1.0) * GOLDEN % 1.0
    return float(numbers.sum()), float((numbers * weights).sum())


def _as_numbers(values: np.ndarray) -> np.ndarray:
    """Return numbers, 0 where missing; of text a number for each."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        texts = np.array(["" if value is None else str(value) for value in values], dtype=object)
        numbers = np.array([float(crc32(text.encode())) for text in texts])
    return np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0)


def _damaged(path: Path) -> ValueError:
    return ValueError(
        f"{path} is not a session file, or was changed: continue from a copy as it was written. "
        f"{LOST}."
    )


def _is_of(path: Path, column: str) -> bool:
    """Return whether a session file is of a table whose rows this column identifies."""
    try:
        return SessionFile.read(path).item_column == column
    except (ValueError, OSError):
        return False


def _plain(value: Any) -> Any:
    """Return a value of a record as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if value is None or value != value else value


def _runs(values: Sequence[Any]) -> list[list[Any]]:
    """Return values with how often each comes in a row."""
    runs = groupby(values, key=lambda value: (type(value), value))
    return [[value, len(list(run))] for (_, value), run in runs]


def _record_in(stored: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the record that a file stores; raise if its columns differ in length."""
    record = {"item": list(stored["item"])}
    for name, fill in FILL.items():
        values = [value for value, n in stored[name] for _ in range(n)]
        if len(values) != len(record["item"]):
            raise ValueError(f"{name} has another length.")
        if fill is not None and not all(map(_is_number, values)):
            raise ValueError(f"{name} has values that are not numbers.")
        record[name] = values
    return record


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
