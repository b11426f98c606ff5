"""Commands and their options. This file does not import numpy, so help is printed fast."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from ..._version import versions_in_full
from ...exceptions import shortened
from . import _option_values as values
from ._option_texts import (
    COUNTS,
    EPILOG,
    FILE,
    GOAL_PROBABILITY,
    HELP,
    SHARES,
)
from ._option_values import SHARE, count
from ._terminal import say

# --- options ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Option:
    """An option of one or several commands; `HELP` has its text."""

    # The parameter of the package that it is; None if it is of the command line alone.
    parameter: str | None
    settings: Mapping[str, Any] = field(default_factory=dict)  # further arguments of argparse
    default: Any = None


COLUMN = {"metavar": "COLUMN"}
REQUIRED = {"metavar": "COLUMN", "required": True}
COLUMNS = {"metavar": "COLUMN", "nargs": "+"}
CLASS = {"metavar": "CLASS"}
FLAG = {"action": "store_true"}
ROWS = {"metavar": "N", "type": count(1)}
PERCENT = {"type": values.share_or_percent}
OPTIONS = {
    # The columns of the table.
    "score": Option("X", COLUMN),
    "scores": Option("X", COLUMNS),
    "label": Option("y", REQUIRED),
    "smaller_is_positive": Option("greater_is_positive", FLAG, False),
    "pos_label": Option("pos_label", CLASS),
    "classes": Option("classes", {**CLASS, "nargs": "+"}),
    "category": Option("category", COLUMN),
    "groups": Option("groups", COLUMN),
    "judge": Option("judges", COLUMNS, []),
    "feature": Option("features", COLUMNS, []),
    "inclusion_proba": Option("inclusion_proba", COLUMN),
    "labels_by_class": Option("inclusion_proba", FLAG, False),
    "amount": Option("sample_columns", COLUMN),
    "case": Option("case", REQUIRED),
    "reader": Option("reader", REQUIRED),
    "modality": Option("modality", COLUMN),
    "item": Option("items", COLUMN),
    "id": Option(None, COLUMN),
    "unlabeled": Option(None, {"metavar": "LABEL"}),
    "drop_missing": Option(None, FLAG, False),
    # How it is written.
    "sep": Option(None, {"type": values.separator}),
    "decimal": Option(None, {"choices": (".", ","), "metavar": "MARK"}),
    "encoding": Option(None),
    "sheet": Option(None, {"metavar": "NAME"}),
    "max_bytes": Option(None, {"type": count(1)}, 2**30),
    # The model and its answer.
    "json": Option(None, FLAG, False),
    "confidence_level": Option("confidence_level", {"metavar": "LEVEL", "type": SHARE}, 0.9),
    "random_state": Option("random_state", {"metavar": "SEED", "type": count(0)}, 0),
    "target": Option("target", {"choices": ("sample", "population")}, "sample"),
    "score_kind": Option("score_kind", {"choices": ("auto", *values.KINDS)}, "auto"),
    "experts": Option("experts", {"type": values.EXPERT, "metavar": "EXPERT"}, "auto"),
    "known_positives": Option(
        "known_positives", {"metavar": "N or LOW-HIGH", "type": values.known_number}
    ),
    "n_draws": Option("n_draws", ROWS, 1000),
    "verbose": Option(None, FLAG, False),
    "label_range": Option("label_range", {"nargs": 2, "type": float, "metavar": ("LOW", "HIGH")}),
    # What is asked.
    "metric": Option("metric", {"type": values.METRIC, "metavar": "METRIC"}),
    "compare": Option("compare", {"nargs": 2, "metavar": ("A", "B")}),
    "threshold": Option("threshold", {"metavar": "SCORE", "type": values.threshold}),
    "goal": Option(None, {"type": values.bound, "action": "append", "metavar": "METRIC=VALUE"}),
    "cost": Option(None, {"nargs": 2, "type": values.cost, "metavar": ("FALSE_ALARM", "MISS")}),
    # A goal is missing if it is not given.
    "goal_probability": Option("confidence_level", {"metavar": "PROBABILITY", "type": SHARE}),
    "readers": Option("readers", {"choices": ("fixed", "random")}, "fixed"),
    "baseline": Option(None, COLUMN),
    "ordered": Option(None, FLAG, False),
    "reference": Option(None, {"metavar": "CATEGORY"}),
    "plot": Option(None, {"metavar": "OUT.png", "type": values.picture_path}),
    "title": Option("title", {"metavar": "TITLE"}),
    "compared_with": Option("compared_with", {"metavar": "OLD.json", "type": Path}),
    # The rows to label.
    "strategy": Option("strategy", {"type": values.STRATEGY, "metavar": "STRATEGY"}),
    "interval": Option("interval", {"choices": values.INTERVALS}),
    "n_labels": Option(None, {"type": count(1)}),
    "out": Option(None, {"metavar": "OUT.csv", "type": values.path_to_write}),
    "half_width": Option("half_width", {"metavar": "WIDTH", "type": values.number_in(0.0, 0.5)}),
    **{name: Option(None, {"type": SHARE}) for name in SHARES},
    **{name: Option(None, ROWS) for name in COUNTS},
    "max_returned": Option(None, ROWS),
    "plan": Option(None, FLAG, False),
    "guarantee": Option("interval", {"choices": values.GUARANTEES}),
    "budget": Option(None, {"metavar": "N", "type": count(0)}),
    "least": Option(None, {"metavar": "VALUE", "type": SHARE}),
    "evidence": Option(None, {"metavar": "EVIDENCE.json", "type": values.path_to_write}),
    "salt": Option("salt", {"metavar": "TEXT", "type": values.salt}),
    "commitment": Option(None, {"metavar": "HASH"}),
    # A plan before the first label.
    "items": Option("n_items", {**ROWS, "required": True}),
    "prevalence": Option("prevalence", {"metavar": "SHARE", **PERCENT, "required": True}),
    "auc": Option("roc_auc", {"metavar": "AREA", "type": values.area, "required": True}),
    "predicted_positive": Option("n_predicted_positive", ROWS),
    # Answers of systems, and their judges.
    "system": Option(None, COLUMN),
    "prompt": Option(None, COLUMN),
    "labels": Option(None, {"metavar": "FILE", "action": "append"}),
    "gate": Option(None, {"metavar": "'A > B'", "action": "append"}),
    "probability": Option(None, {"metavar": "PROBABILITY", "type": SHARE}, GOAL_PROBABILITY),
    "unknown": Option(None, {"metavar": "STATUS", "type": count(0)}, 3),
    "memory": Option(None, {"metavar": "FILE.json"}),
    "accept": Option(None, FLAG, False),
    "junit": Option(None, {"metavar": "FILE.xml"}),
    "github": Option(None, FLAG, False),
    "next": Option(None, {"metavar": "N", "type": count(0)}, 20),
    "html": Option(None, {"metavar": "PAGE.html", "type": values.page_path}),
}
# Parameters that differ by command.
OTHER_PARAMETERS = {"mean judge": "X"}
# Commands that read no table, or their files in their own way.
WITHOUT_TABLE = ("verify", "plan", "judge")
# Columns of dependence between rows.
STRUCTURE = ("category", "groups")
# Commands that write a table with the rows to label next, and go on from it.
LABELING = ("suggest", "find", "review")
SHORT = {"n_labels": ("-n",), "out": ("-o",)}

# --- commands --------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """A command and the names of its options, in groups by title."""

    help: str
    description: str
    groups: Mapping[str, tuple[str, ...]]
    # Arguments of argparse that differ, by option.
    changes: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    n_files: str | int | None = "+"
    epilog: str | None = EPILOG
    file: str = FILE

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return [name for group in self.groups.values() for name in group]


LABELS = ("label", "smaller_is_positive", "pos_label", "classes")
ROWS_OF_TABLE = ("id", "unlabeled")
JUDGED = (*LABELS, *STRUCTURE, "judge", "feature", "drop_missing", *ROWS_OF_TABLE)
FORMAT = {
    "format of the file, if wrongly inferred": ("sep", "decimal", "encoding", "sheet", "max_bytes"),
    "the answer": ("json", "confidence_level", "random_state"),
}
MODEL = {"the model": ("target", "score_kind", "experts", "known_positives", "n_draws", "verbose")}
REMEMBERED = "; later runs on the table remember"
# Later runs on a table remember these.
SESSION: dict[str, dict[str, Any]] = {
    "label": {"required": False},
    "confidence_level": {"default": None},
    "random_state": {"default": None},
}
COMMANDS = {
    "estimate": Command(
        "precision-recall curve, average precision and more, with bands",
        "Estimate a classifier's performance from scores of which some are labeled.",
        {
            "columns": ("score", "scores", *JUDGED, "labels_by_class", "amount"),
            **FORMAT,
            "questions": (
                *("threshold", "cost", "goal", "goal_probability", "ordered", "reference", "plot"),
            ),
            **MODEL,
        },
    ),
    "compare": Command(
        "which of several systems is better, and how certain that is",
        "Compare systems that score the same items, of which some are labeled.",
        {
            "columns": ("scores", *JUDGED),
            **FORMAT,
            "questions": ("metric", "threshold", "baseline", "ordered", "reference", "plot"),
            **MODEL,
        },
        {"scores": {"required": True}, "metric": {"default": "average_precision"}},
    ),
    "report": Command(
        "all results on one HTML page",
        "Write an HTML page about a classifier's performance.",
        {
            "columns": ("score", "scores", *JUDGED),
            **FORMAT,
            "the page": (
                *("out", "title", "item", "threshold", "cost", "goal", "goal_probability"),
                *("metric", "compared_with", "ordered", "reference"),
            ),
            **MODEL,
        },
        {"out": {"metavar": "PAGE.html", "type": values.page_path}},
    ),
    "suggest": Command(
        "which rows to label next, and the estimate so far",
        "Write the table with a column that numbers the rows to label next. Fill in their labels "
        "and run the command again on that table to continue.",
        {
            f"columns{REMEMBERED} them": (
                *("score", *LABELS, *STRUCTURE, "judge", "drop_missing", *ROWS_OF_TABLE),
            ),
            **FORMAT,
            "the rows": ("n_labels", "out", "budget", "half_width"),
            f"questions{REMEMBERED} them": (
                *("metric", "threshold", "compare", "strategy", "interval"),
            ),
        },
        {**SESSION, "metric": {"type": values.METRIC_OR_CURVE}},
    ),
    "find": Command(
        "find the positives with a guarantee, such as a precision of 0.9, and a budget of labels",
        "Write the table with a column that numbers the rows to label next. Fill in their labels "
        "and run the command again on that table, until the budget is spent. The last run writes "
        "which rows are returned as positive.",
        {
            f"columns{REMEMBERED} them": ("score", *LABELS, "drop_missing", *ROWS_OF_TABLE),
            **FORMAT,
            f"the guarantee{REMEMBERED} it": (
                *(*SHARES, *COUNTS, "max_returned", "guarantee", "target"),
            ),
            "the rows": ("n_labels", "out", "budget", "least", "evidence", "salt", "plan"),
        },
        {**SESSION, "target": {"default": None}},
    ),
    "review": Command(
        "read from the top, then draw at random, until a recall is proved",
        "Write the table with a column that numbers the rows to read next. Fill in their labels "
        "and run the command again on that table, until the recall is proved.",
        {
            f"columns{REMEMBERED} them": ("score", *LABELS, "drop_missing", *ROWS_OF_TABLE),
            **FORMAT,
            f"the guarantee{REMEMBERED} it": ("recall",),
            "the rows": ("n_labels", "out", "evidence", "salt"),
        },
        SESSION,
    ),
    "verify": Command(
        "whether the labels of an evidence file prove its guarantee, without the model",
        "Draw the order again, and compute the proof from the file that --evidence wrote. If the "
        "table precedes the file, also compare rows, scores and labels.",
        {"the answer": ("json", "confidence_level", "commitment", "salt")},
        {"confidence_level": {"default": GOAL_PROBABILITY}},
        file="the table with the labels, if any, then the file that --evidence wrote; -: standard "
        "input",
    ),
    "readings": Command(
        "the mean over readers of cases, and the difference between two modalities",
        "Evaluate the readers of a study from a table with one row per reading of a case by a "
        "reader. The truth of some cases may be missing.",
        {
            "columns": ("case", "reader", "modality", "score", *LABELS, *STRUCTURE),
            **FORMAT,
            "questions": ("metric", "threshold", "readers", "baseline"),
            **MODEL,
        },
        {
            "score": {"required": True},
            "metric": {"default": "roc_auc"},
            "target": {"default": "population"},
            "readers": {"default": "random"},
            "baseline": {"metavar": "NAME"},
        },
        n_files=1,
    ),
    "plan": Command(
        "how many labels are needed, before the first label",
        "Simulate data sets of this size, label some of their items, and print the widths of the "
        "intervals.",
        {
            "expected data": ("items", "prevalence", "auc", "predicted_positive"),
            "questions": ("half_width",),
            "the answer": ("json", "confidence_level", "random_state"),
        },
        {"half_width": {"default": 0.1}},
        n_files=0,
        epilog=None,
    ),
    "mean": Command(
        "the mean of labels that are numbers, such as grades",
        "Estimate the mean of grades from the grades of some rows, and from columns of numbers "
        "that all rows have.",
        {
            "columns": (
                *("label", "judge", *STRUCTURE, "inclusion_proba", "labels_by_class"),
                *ROWS_OF_TABLE,
            ),
            "questions": ("target", "metric", "label_range", "n_draws", "reference"),
            "the page": ("out", "title"),
            **FORMAT,
        },
        {
            "out": {"metavar": "PAGE.html", "type": values.page_path},
            "metric": {"type": values.metric_of_runs},
        },
        n_files=None,
        epilog=None,
    ),
    "judge": Command(
        "which system is best, from answers rated by judges and partly labeled by people",
        "Print which system is best, how good the judges are, how many human labels they replace, "
        "and which answers to label next. Columns are guessed; the first line names them.",
        {
            "columns, if the guess is wrong": ("system", "prompt", "label", "judge", "pos_label"),
            "questions": ("labels", "labels_by_class", "metric", "probability", "next", "out"),
            "gates": ("gate", "unknown", "memory", "accept", "junit", "github"),
            "answer": ("target", "html", "json", "confidence_level", "random_state", "max_bytes"),
        },
        {"label": {"required": False}, "metric": {"type": values.metric_of_runs}},
        epilog="Exit status: as of the other commands; also 6 if a gate is not met, 3 if the data "
        "do not decide it, and 7 if a memory raises an alarm.",
        file="answers as JSON, JSON lines or a table, or a file of Inspect, promptfoo, DeepEval or "
        "lm-evaluation-harness; -: standard input",
    ),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with a suggested correction."""

    def error(self, message: str) -> NoReturn:
        """Exit; the signature is that of `argparse`."""
        text = shortened(f"{message}{_hint(message)}")
        self.exit(2, f"{self.prog}: error: {text}; see {self.prog} --help\n")


def _hint(message: str) -> str:
    """Return a hint on the likely cause of an `argparse` error, with its separator, or ""."""
    if match := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message):
        names = [name.strip("'") for name in match[2].split(", ")]
        return _did_you_mean(match[1], names)

    if match := re.search(r"argument --cost: expected 2 arguments", message):
        return ", what a false alarm and what a miss costs, such as --cost 1 5"

    if match := re.search(r"unrecognized arguments: (--[\w-]+)", message):
        name = match[1].removeprefix("--").replace("-", "_")
        having = [command for command, each in COMMANDS.items() if name in each.options]
        if having:
            way = "; find takes bounds, such as --precision 0.8" if name == "goal" else ""
            return f"; {match[1]} is an option of {', '.join(having)}{way}"
        return _did_you_mean(match[1], [f"--{each.replace('_', '-')}" for each in OPTIONS])
    return ""


def _did_you_mean(text: str, names: Sequence[str]) -> str:
    """Return the nearest names as a question."""
    near = get_close_matches(text, names, n=2, cutoff=0.6)
    near += [name for name in names if name.startswith(text) and name not in near]
    return f". Did you mean {' or '.join(map(repr, near))}?" if near and text else ""


class VersionAction(argparse.Action):
    """Print the versions in full, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print; the signature is that of `argparse`."""
        say(versions_in_full())
        parser.exit()


def parameter_of(command: str, name: str) -> str | None:
    """Return the parameter of the package that an option of a command is, or None."""
    return OTHER_PARAMETERS.get(f"{command} {name}", OPTIONS[name].parameter)


def parser_of_commands() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="sklearn-spe",
        description="A classifier's performance on new data, from its scores and a few labels.",
        epilog=EPILOG,
    )

    text = "print the versions of the package, Python and the dependencies, and exit"
    parser.add_argument("--version", action=VersionAction, nargs=0, help=text)

    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        parser_of_command = commands.add_parser(
            name, help=command.help, description=command.description, epilog=command.epilog
        )
        copies = "; or copies of one table, labeled by several people"
        text = command.file + copies * (command.n_files == "+" and command.file == FILE)
        if command.n_files != 0:
            parser_of_command.add_argument("file", nargs=command.n_files, metavar="FILE", help=text)
        # Options of other commands are None.
        parser_of_command.set_defaults(**dict.fromkeys(OPTIONS))

        for title, options in command.groups.items():
            group = parser_of_command.add_argument_group(title)
            for option in options:
                _add(group, name, option, command.changes.get(option, {}))
    return parser


def _add(group: Any, command: str, name: str, changes: dict[str, Any]) -> None:
    """Add an option of a command to a group of its parser."""
    option = OPTIONS[name]
    of_command = f"{command} {name}"
    flags = (*SHORT.get(name, SHORT.get(of_command, ())), f"--{name.replace('_', '-')}")
    # A percent sign stands for itself.
    text = (HELP.get(of_command) or HELP[name]).replace("%", "%%")
    settings = {"default": option.default, **option.settings, **changes}
    group.add_argument(*flags, help=text, **settings)
