"""Shared parts of labeling commands: the table, the parameters, the rows to label next."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..active._memory import note_in, with_note
from ..active._record import RECORD
from ..active._selector import ActiveTestSelector
from ..inputs._listed import listed
from ..tables._labeled_copies import write_together
from ..tables._labeling_table import LabelingTable
from ..tables._table import Table
from ._annotators import read_merged
from ._answer import Answer
from ._classes import as_in_column, check_two_classes
from ._options import check_cases, check_together, count, path_to_write, record_of_reading
from ._sign_of_life import working
from ._terminal import tell

__all__ = ["Opened", "add_rows", "ask_next", "given_parameters", "opened"]

# Default number of rows to label.
N_LABELS = 10
# Options stored with the table that may be changed, and columns that may not. All others are
# parameters of the selector, which stores them, or apply to one call.
GOES_ON = ("n_labels", "budget", "least", "half_width", "max_labels", "answer")
STAYS = ("score", "label", "judge")


@dataclass(frozen=True, eq=False)
class Opened:
    """The state of labeling."""

    table: LabelingTable  # with the labels that are not disputed
    # The tables to write and their paths: one, or one per annotator.
    sheets: list[tuple[LabelingTable, Path]]
    disputed: np.ndarray  # items with different labels by annotators


def add_rows(parser: argparse.ArgumentParser) -> Any:
    """Add the options of the rows to label next, and return a function that adds more."""
    add = parser.add_argument_group("the rows").add_argument
    add("-n", "--n-labels", type=count(1), help=f"how many rows; default: {N_LABELS}")
    add(
        "--out",
        type=path_to_write,
        metavar="OUT.csv",
        help="the table to write; default: FILE_next.csv, then that itself; of copies by several "
        "people one for each of them, or this one for all",
    )
    return add


def opened(options: argparse.Namespace, answer: Answer) -> Opened:
    """Return the table, new or resumed, and the output paths."""
    check_together(options)
    merged, copies = read_merged(options, answer)

    def begun(table: Table) -> LabelingTable:
        judges = getattr(options, "judge", ())
        named = options.score, options.label, RECORD
        return LabelingTable.of(table, *named, classes=options.classes, judges=judges)

    table = begun(merged)
    own = [table] if copies is None or options.out else list(map(begun, copies.copies))
    sheets = [(sheet, options.out or sheet.default_path) for sheet in own]
    # Checked again when it is written; here, before anything is computed.
    for sheet, path in sheets:
        sheet.check(path)
    if copies is not None and options.out:
        copies.check_new(options.out)
    if len({path.resolve() for _, path in sheets}) < len(sheets):
        raise ValueError(
            f"{listed(path for _, path in sheets)} would be the same file: give the copies "
            "different names, or pass one table for all as --out."
        )
    _recall(options, table)
    for note in table.notes:
        tell("note", answer.words(note))
    labels = table.columns[options.label]
    answer.record["read"] = record_of_reading(options, table.table, labels, table.notes)
    check_two_classes(labels, options.label)
    check_cases(options, table.table, labels)
    disputed = np.array([], dtype=int) if copies is None else copies.annotations.disputed
    return Opened(table, sheets, disputed)


def _recall(options: argparse.Namespace, table: LabelingTable) -> None:
    """Set options stored in the table that are not given again."""
    name = table.names["session"]
    kept = note_in(table.columns[name], name) if table.resumes else {}
    for name in STAYS:
        given = getattr(options, name, [])
        if name in kept and kept[name] != given:
            was, now = (_typed(name, value) for value in (kept[name], given))
            raise ValueError(
                f"The table was started with {was}, got {now}. Use the same option; or start a new "
                "table with the same labels."
            )
    again = {
        name: kept[name]
        for name in GOES_ON
        if name in kept and hasattr(options, name) and getattr(options, name) is None
    }
    vars(options).update(again)
    if again:
        said = ", ".join(_typed(name, value) for name, value in again.items())
        tell("note", f"As before: {said}.")


def _typed(name: str, value) -> str:
    """Return an option as written on the command line."""
    words = value if isinstance(value, list) else [] if value is None else [value]
    option = f"--{name.replace('_', '-')}"
    return " ".join([option, *map(str, words)]) if words else f"no {option}"


def given_parameters(
    options: argparse.Namespace, table: LabelingTable, asked: dict[str, Any]
) -> dict[str, Any]:
    """Return the given parameters of the selector; the table stores the others.

    `asked` are those specific to one command.
    """
    labels = table.columns[options.label]
    positive = as_in_column(None if options.pos_label is None else [options.pos_label], labels)
    given = {
        **asked,
        "confidence_level": options.confidence_level,
        "random_state": options.random_state,
        "classes": as_in_column(options.classes, labels),
        "pos_label": None if positive is None else positive[0],
        "greater_is_positive": False if options.smaller_is_positive else None,
    }
    if not table.resumes:
        given["random_state"] = 0 if options.random_state is None else options.random_state
    return {name: value for name, value in given.items() if value is not None}


def ask_next(
    options: argparse.Namespace,
    answer: Answer,
    found: Opened,
    selector: ActiveTestSelector,
    most: float = np.inf,
) -> None:
    """Write the table with the rows to label next on top, disagreements first."""
    n_more = min(options.n_labels or N_LABELS, most) - len(selector.pending_)
    with working("choosing rows"):
        selector.query(max(0, int(min(n_more, selector.n_left_))))
    columns = selector.to_columns()
    kept = {name: columns[name] for name in RECORD}
    given = {name: getattr(options, name, None) for name in GOES_ON}
    note = {name: getattr(options, name, []) for name in STAYS} | {
        # The text of a path.
        name: value if isinstance(value, int | float) else str(value)
        for name, value in given.items()
        if value is not None
    }
    memory = with_note(kept["session"][0], note)
    kept["session"] = np.full(len(kept["session"]), memory, dtype=object)
    disputed = found.disputed.tolist()
    first = [*disputed, *(item for item in selector.pending_.tolist() if item not in disputed)]
    write_together(found.sheets, kept, first)
    paths = [path for _, path in found.sheets]
    out = " and ".join(map(str, paths))
    one = paths[0] if len(paths) == 1 else None
    answer.record |= {"table": one, "tables": paths, "n_asked": len(first)}
    settle = f", {len(disputed)} of them disagreements to be settled" if disputed else ""
    answer.lines.append(
        f"The first {len(first)} rows of {out} are to be labeled{settle}. Fill in their "
        f"{options.label!r} and run this again with {out} in the place of "
        f"{found.table.table.name}."
    )
