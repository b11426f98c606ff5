"""The command ``find``: a selection of positives with a guarantee, for a budget of labels."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..active._selector import ActiveTestSelector
from ..active._stopping import GoalReached
from ..curves._goals import Goal
from ..performance._proved_threshold import GUARANTEES
from ..report._progress import describe_progress
from ..tables._labeling_table import LabelingTable
from ._answer import Answer
from ._labeling import add_rows, ask_next, given_parameters, opened
from ._listed_suspects import add_suspect_labels
from ._options import add_table, count, number_in, path_to_write
from ._sign_of_life import working
from ._status import EPILOG, OF_VERDICT

__all__ = ["add_find"]

SHARES = ("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate")
# Options that are numbers of rows.
COUNTS = {
    "true_positives": "at least so many of the returned rows are positive",
    "predicted_positives": "at least so many rows are returned: precision at the top",
    "false_negatives": "at most so many positives are missed",
}
# The column of the selection, beside those of the user.
RETURNED = "returned"


def add_find(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "find",
        help="the positives, with a promise such as a precision of 0.9, for a budget of labels",
        description="Write a table whose first rows are those to label next. Fill in their labels "
        "and run this again on that table, until the budget is spent: then the answer is written, "
        "which rows are returned as positive.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=find)
    add_table(parser)
    add = parser.add_argument_group("the promise; a table that goes on remembers it").add_argument
    for name in SHARES:
        side = "at most" if name == "false_positive_rate" else "at least"
        add(f"--{name.replace('_', '-')}", type=number_in("(0, 1)"), help=f"{side} this")
    for name, guarantee in COUNTS.items():
        add(f"--{name.replace('_', '-')}", type=count(1), metavar="N", help=guarantee)
    add(
        "--guarantee",
        choices=GUARANTEES,
        help="who says that the promise is kept: the model (posterior), or the labels alone, "
        "whatever the scores and whenever you stop (anytime), which takes more of them",
    )
    add = add_rows(parser)
    of_budget = "so many rows are labeled, and no more; a table that goes on remembers it"
    add("--budget", type=count(0), metavar="N", help=of_budget)
    add(
        "--least",
        type=number_in("(0, 1)"),
        metavar="VALUE",
        help="stop before the budget is spent, once what the promise leaves open (recall, where "
        "precision is promised) is at least this",
    )
    add(
        "--answer",
        type=path_to_write,
        metavar="ANSWER.csv",
        help="the table of the answer; default: FILE_answer.csv",
    )


def find(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    wanted = {name: getattr(options, name) for name in (*SHARES, *COUNTS)}
    goal = Goal.of(**wanted) if any(value is not None for value in wanted.values()) else None
    found = opened(options, answer)
    table = found.table
    if goal is None and not table.resumes:
        raise ValueError(
            "A guarantee is needed: pass --precision 0.9, for example, or another bound."
        )
    with working("learning from the labels"):
        asked = {"metric": goal, "interval": options.guarantee}
        parameters = given_parameters(options, table, asked)
        selector = ActiveTestSelector.from_frame(table.columns, names=table.names, **parameters)
    if not isinstance(selector.metric, Goal):
        raise ValueError(
            f"{table.table.name} was started by suggest, for {selector.metric}: continue with "
            "suggest, or start with another table."
        )
    answer.quote(describe_progress(selector), selector.verdict_)
    n_spent = _n_spent(selector)
    answer.record |= _record(selector, n_spent, options.budget)
    add_suspect_labels(answer, selector.suspect_labels_, table.table)
    reason = _reason_to_stop(options, selector, n_spent)
    answer.record["stop_reason"] = reason
    if reason is None:
        left = np.inf if options.budget is None else options.budget - n_spent
        ask_next(options, answer, found, selector, left)
        return
    answer.lines.append(f"Stop: {reason}.")
    if not np.isfinite(selector.threshold_):
        how, at = "keeps", "with probability"
        if selector.interval == "anytime":
            how, at = "is proved to keep", "at the level"
        raise ValueError(
            f"No answer {how} {selector.metric} {at} {selector.confidence_level:g}: the best one "
            f"has {selector.goal_probability_:.3g}. Use a larger --budget, or a lower bound."
        )
    _write_answer(options, answer, table, selector)
    answer.status = OF_VERDICT[str(selector.verdict_)]


def _n_spent(selector: ActiveTestSelector) -> int:
    """Return the number of rows that were labeled or skipped since the start."""
    n_skipped = int(np.count_nonzero(selector.to_columns()["skipped"]))
    return selector.n_labels_ - selector.history_[0].n_labels + n_skipped


def _reason_to_stop(
    options: argparse.Namespace, selector: ActiveTestSelector, n_spent: int
) -> str | None:
    if options.budget is not None and n_spent >= options.budget:
        return f"the budget of {options.budget} labels is spent"
    impossible = [r.text for r in selector.verdict_.reasons if r.name == "goal_impossible"]
    if impossible or (not selector.n_left_ and not len(selector.pending_)):
        return "no label can help" if impossible else "no item is left to label"
    if options.budget is not None and options.least is None:
        # The rest of the budget is spent to improve the selection.
        return None
    return selector.stop_reason_ if selector.should_stop(GoalReached(options.least)) else None


def _record(selector: ActiveTestSelector, n_spent: int, budget: int | None) -> dict[str, Any]:
    low, high = selector.estimate_.interval()
    return {
        "random_state": selector.random_state,
        "confidence_level": selector.confidence_level,
        "classes": selector.classes_,
        "pos_label": selector.pos_label_,
        "goal": str(selector.metric),
        "goal_probability": selector.goal_probability_,
        "threshold": selector.threshold_,
        "n_labels": selector.n_labels_,
        "n_spent": n_spent,
        "budget": budget,
        "n_returned": int(selector.selected_.sum()),
        "estimates": [
            {
                "name": selector.estimate_.name,
                "value": selector.estimate_.value,
                "lower": low,
                "upper": high,
            }
        ],
    }


def _write_answer(
    options: argparse.Namespace, answer: Answer, table: LabelingTable, selector: ActiveTestSelector
) -> None:
    """Write the user's columns with the selection as a further one, selected rows on top."""
    path = Path(options.answer) if options.answer else _path_of_answer(table)
    if path.exists():
        raise ValueError(f"{path} exists: remove it, or pass another file as --answer.")
    column = RETURNED if RETURNED not in table.table.names else f"spe_{RETURNED}"
    named = replace(table, names={**table.names, RETURNED: column})
    named.write(path, {RETURNED: selector.selected_}, np.flatnonzero(selector.selected_))
    answer.record["answer"] = path
    answer.lines.append(
        f"The first {int(selector.selected_.sum())} rows of {path} are the answer: 1 in column "
        f"{column!r}."
    )


def _path_of_answer(table: LabelingTable) -> Path:
    path = table.table.path
    if path is None:
        raise ValueError("With standard input an output file is needed: option answer.")
    return path.with_name(f"{path.name.split('.')[0].removesuffix('_next')}_answer.csv")
