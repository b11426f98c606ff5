"""Commands and their options; nothing here needs numpy, so that help comes at once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from .._version import __version__
from ._option_table import (
    OF_ANSWER,
    OF_CLASS_SCORES,
    OF_COMPARISON,
    OF_GOAL,
    OF_GUARANTEE,
    OF_JUDGES,
    OF_LABELS,
    OF_MEAN,
    OF_MEAN_ANSWER,
    OF_MEAN_COLUMNS,
    OF_MODEL,
    OF_PAGE,
    OF_QUESTION,
    OF_READERS,
    OF_READING_COLUMNS,
    OF_SCORE,
    OF_SCORES,
    OF_SESSION,
    OF_STOPPING,
    OF_STRUCTURE,
    OF_THRESHOLD,
    SHARE,
    Option,
    bound,
    count,
    page_path,
    path_to_write,
    picture_path,
    separator,
)

# Default number of rows to label.
N_LABELS = 10
EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels hold little information), 4 if it is misfit (the data contradict "
    "something that was assumed), 5 if it is unreliable (the computation failed). While suggest or "
    "find ask for labels it is 0 whatever the verdict."
)
# Formats of the input file.
TABLE = "a table with a header: text, JSON lines, Parquet, Feather or Excel; -: standard input"


# --- groups of options -----------------------------------------------------------------


def _add_table(
    parser: argparse.ArgumentParser,
    *options: Option,
    structure: bool = False,
    judges: bool = False,
    answer: Sequence[Option] = OF_ANSWER,
) -> None:
    """Add the table and its columns, `options` among them, and its format."""
    of_copies = "; or copies of one table, each labeled by somebody else"
    parser.add_argument("file", nargs="+", metavar="FILE", help=TABLE + of_copies)
    columns = parser.add_argument_group(
        "columns; a table that goes on remembers them" if answer is OF_SESSION else "columns"
    )
    instead = "; not needed with --judge" if judges else ""
    needed: dict[str, Any] = {"required": False} if answer is OF_SESSION else {}
    for option in options:
        if option is OF_SCORE:
            given = {"help": option.help + instead, "required": not judges, **needed}
            option.add_to(columns, **given)
        elif option is OF_CLASS_SCORES:
            option.add_to(columns)
        else:
            option.add_to(columns, required=OF_SCORE not in options)
    label, *others = OF_LABELS
    label.add_to(columns, **needed)
    of_classes = "; with --scores the class of each column, in their order"
    for option in (*others, *(OF_STRUCTURE if structure else ())):
        more = OF_CLASS_SCORES in options and option.name == "classes"
        option.add_to(columns, **({"help": option.help + of_classes} if more else {}))
    if judges:
        OF_JUDGES.add_to(columns)
    columns.add_argument(
        "--drop-missing", action="store_true", help="leave out rows without a score"
    )
    _add_reading(parser, answer)


def _add_reading(parser: argparse.ArgumentParser, answer: Sequence[Option]) -> None:
    """Add the options of the input and output format."""
    text = parser.add_argument_group("how the file is written, if that is not what is found")
    add = text.add_argument
    add("--sep", type=separator, help="what separates cells: a character, or tab")
    add("--decimal", choices=(".", ","), metavar="MARK", help="the decimal mark: . or ,")
    add("--encoding", help="of text, such as utf-8 or cp1252")
    add("--sheet", metavar="NAME", help="of an Excel file; default: the first with these columns")
    add("--max-bytes", type=count(1), default=2**30, help="to which it may unpack; default: 2**30")
    group = parser.add_argument_group("the answer")
    group.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    for option in answer:
        option.add_to(group, **({"default": None} if answer is OF_SESSION else {}))


def _add_order(add: Any) -> None:
    """Add the option of ordered categories."""
    in_order = (
        "the categories are in an order, and neighbors more alike: numbers, dates that begin "
        "with the year, else as they first come in the file"
    )
    add("--ordered", action="store_true", help=in_order)
    _add_reference(add)


def _add_reference(add: Any) -> None:
    """Add the option of the reference category."""
    less = "also by how much each category differs from this one, and with what probability"
    add("--reference", metavar="CATEGORY", help=less)


def _add_fit(parser: argparse.ArgumentParser) -> None:
    """Add the options of the fit."""
    group = parser.add_argument_group("the model")
    for option in OF_MODEL:
        option.add_to(group)
    group.add_argument("--verbose", action="store_true", help="also print what the model is")


def _add_rows(parser: argparse.ArgumentParser) -> Any:
    """Add the options of the rows to label next, and return their group."""
    group = parser.add_argument_group("the rows")
    group.add_argument(
        "-n", "--n-labels", type=count(1), help=f"how many rows; default: {N_LABELS}"
    )
    group.add_argument(
        "--out",
        type=path_to_write,
        metavar="OUT.csv",
        help="the table to write; default: FILE_next.csv, then that itself; of copies by several "
        "people one for each of them, or this one for all",
    )
    return group


# --- commands --------------------------------------------------------------------------


def _add_estimate(commands: Any) -> None:
    parser = commands.add_parser(
        "estimate",
        help="precision-recall curve, average precision and more, with bands",
        description="Estimate a classifier's performance from scores of which some are labeled.",
        epilog=EPILOG,
    )
    _add_table(parser, OF_SCORE, OF_CLASS_SCORES, structure=True, judges=True)
    group = parser.add_argument_group("what is asked")
    OF_THRESHOLD.add_to(group)
    group.add_argument(
        "--goal",
        type=bound,
        action="append",
        metavar="METRIC=VALUE",
        help="find a threshold that meets this, such as precision=0.9; may be given repeatedly",
    )
    # Whether it is given tells whether a goal is missing.
    OF_GOAL.add_to(group, default=None)
    _add_order(group.add_argument)
    group.add_argument(
        "--plot", type=picture_path, metavar="OUT.png", help="draw the curve into this file"
    )
    _add_fit(parser)


def _add_compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="which of several systems is better, and how sure that is",
        description="Compare systems that score the same items, of which some are labeled.",
        epilog=EPILOG,
    )
    _add_table(parser, OF_SCORES, structure=True, judges=True)
    group = parser.add_argument_group("what is asked")
    for option in OF_COMPARISON:
        option.add_to(group)
    group.add_argument(
        "--baseline", metavar="COLUMN", help="with which the others are compared; default: the best"
    )
    _add_order(group.add_argument)
    group.add_argument(
        "--plot", type=picture_path, metavar="OUT.png", help="draw curves and differences"
    )
    _add_fit(parser)


def _add_report(commands: Any) -> None:
    parser = commands.add_parser(
        "report",
        help="all of it as one HTML page, to be read and sent",
        description="Write what is known of a classifier's performance as one HTML page.",
        epilog=EPILOG,
    )
    _add_table(parser, OF_SCORE, OF_SCORES, structure=True, judges=True)
    group = parser.add_argument_group("the page")
    beside = "default: beside FILE, its name with _report.html"
    group.add_argument("-o", "--out", type=page_path, metavar="PAGE.html", help=beside)
    for option in OF_PAGE:
        option.add_to(group)
    _add_order(group.add_argument)
    _add_fit(parser)


def _add_suggest(commands: Any) -> None:
    parser = commands.add_parser(
        "suggest",
        help="which rows to label next, and what is known so far",
        description="Write a table whose first rows are those to label next. Fill in their labels "
        "and run this again on that table: it goes on from there.",
        epilog=EPILOG,
    )
    _add_table(parser, OF_SCORE, judges=True, answer=OF_SESSION)
    group = _add_rows(parser)
    for option in OF_STOPPING:
        option.add_to(group)
    group = parser.add_argument_group("what is asked; a table that goes on remembers it")
    for option in OF_QUESTION:
        option.add_to(group, default=None)


SHARES = ("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate")
# Options that are numbers of rows.
COUNTS = {
    "true_positives": "at least so many of the returned rows are positive",
    "predicted_positives": "at least so many rows are returned: precision at the top",
    "false_negatives": "at most so many positives are missed",
}


def _add_find(commands: Any) -> None:
    parser = commands.add_parser(
        "find",
        help="the positives, with a promise such as a precision of 0.9, for a budget of labels",
        description="Write a table whose first rows are those to label next. Fill in their labels "
        "and run this again on that table, until the budget is spent: then the answer is written, "
        "which rows are returned as positive.",
        epilog=EPILOG,
    )
    _add_table(parser, OF_SCORE, answer=OF_SESSION)
    group = parser.add_argument_group("the promise; a table that goes on remembers it")
    add = group.add_argument
    for name in SHARES:
        side = "at most" if name == "false_positive_rate" else "at least"
        add(f"--{name.replace('_', '-')}", type=SHARE, help=f"{side} this")
    for name, guarantee in COUNTS.items():
        add(f"--{name.replace('_', '-')}", type=count(1), metavar="N", help=guarantee)
    OF_GUARANTEE.add_to(group, default=None)
    add = _add_rows(parser).add_argument
    of_budget = "so many rows are labeled, and no more; a table that goes on remembers it"
    add("--budget", type=count(0), metavar="N", help=of_budget)
    add(
        "--least",
        type=SHARE,
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


def _add_mean(commands: Any) -> None:
    parser = commands.add_parser(
        "mean",
        help="the mean of labels that are numbers, such as grades",
        description="Estimate the mean of grades, of which some are known, with the help of what "
        "is known of all rows.",
    )
    # Ordered categories would not be smoothed.
    parser.set_defaults(ordered=None)
    parser.add_argument("file", metavar="FILE", help=TABLE)
    columns = parser.add_argument_group("columns")
    for option in OF_MEAN_COLUMNS:
        option.add_to(columns)
    group = parser.add_argument_group("what is asked")
    for option in OF_MEAN:
        option.add_to(group)
    _add_reference(group.add_argument)
    _add_reading(parser, OF_MEAN_ANSWER)


def _add_readings(commands: Any) -> None:
    parser = commands.add_parser(
        "readings",
        help="readers of cases: their mean, and the difference of two modalities",
        description="Evaluate the readers of a study from a table with one row per reading of a "
        "case by a reader. The truth of some cases may be missing.",
        epilog=EPILOG,
    )
    parser.set_defaults(judge=[], scores=None, drop_missing=False, ordered=None, reference=None)
    parser.add_argument("file", nargs=1, metavar="FILE", help=TABLE)
    columns = parser.add_argument_group("columns")
    for option in (*OF_READING_COLUMNS, *OF_LABELS, *OF_STRUCTURE):
        option.add_to(columns)
    _add_reading(parser, OF_ANSWER)
    group = parser.add_argument_group("what is asked")
    for option in OF_READERS:
        option.add_to(group, **({"default": "roc_auc"} if option.flag == "--metric" else {}))
    group.add_argument(
        *("--baseline",),
        metavar="NAME",
        help="the modality that is subtracted from the others; default: the first by name",
    )
    _add_fit(parser)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def parser_of_commands() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="sklearn-spe",
        description="A classifier's performance on new data, from its scores and a few labels.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    _add_estimate(commands)
    _add_compare(commands)
    _add_report(commands)
    _add_suggest(commands)
    _add_find(commands)
    _add_readings(commands)
    _add_mean(commands)
    return parser
