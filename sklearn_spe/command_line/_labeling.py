"""What commands that ask for labels share: the table, the parameters, the rows to label next."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..active._record import RECORD
from ..active._selector import ActiveTestSelector
from ..tables._labeling_table import LabelingTable
from ._answer import Answer
from ._classes import as_in_column
from ._options import check_together, count, path_to_write, read, record_of_reading
from ._sign_of_life import working
from ._terminal import tell

__all__ = ["add_rows", "ask_next", "given_parameters", "opened"]


def add_rows(parser: argparse.ArgumentParser) -> Any:
    """Add the options of the rows to label next, and return what adds more of them."""
    add = parser.add_argument_group("the rows").add_argument
    add("-n", "--n-labels", type=count(1), default=10, help="how many rows; default: 10")
    add(
        "--out",
        type=path_to_write,
        metavar="OUT.csv",
        help="the table to write; default: FILE_next.csv, then that itself",
    )
    return add


def opened(options: argparse.Namespace, answer: Answer) -> tuple[LabelingTable, Path]:
    """Return the table, begun here or not, and where the next one is written."""
    check_together(options)
    judges = getattr(options, "judge", ())
    named = options.score, options.label, RECORD
    table = LabelingTable.of(read(options), *named, classes=options.classes, judges=judges)
    out = options.out or table.default_path
    # Once more when it is written; here, before anything is computed.
    table.check(out)
    for note in table.notes:
        tell("note", answer.words(note))
    labels = table.columns[options.label]
    answer.record["read"] = record_of_reading(options, table.table, labels, table.notes)
    return table, out


def given_parameters(
    options: argparse.Namespace, table: LabelingTable, asked: dict[str, Any]
) -> dict[str, Any]:
    """Return the parameters of the selector that are given; a table remembers the others.

    `asked` are those that one command has alone.
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
    table: LabelingTable,
    out: Path,
    selector: ActiveTestSelector,
    n_labels: int,
) -> None:
    """Write the table whose first rows are those to label next."""
    n_more = n_labels - len(selector.pending_)
    with working("choosing rows"):
        selector.query(max(0, min(n_more, selector.n_left_)))
    columns = selector.to_columns()
    table.write(out, {name: columns[name] for name in RECORD}, selector.pending_)
    n_asked = len(selector.pending_)
    answer.record |= {"table": out, "n_asked": n_asked}
    answer.lines.append(
        f"The first {n_asked} rows of {out} are to be labelled. Fill in their "
        f"{options.label!r} and run this again with {out} in the place of {table.table.name}."
    )
