"""Commands and their options; nothing here needs numpy, so that help comes at once."""

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
from ._option_values import SHARE, count
from ._terminal import say

# Default number of rows to label.
N_LABELS = 10
# Default probability with which a goal must be met.
GOAL_PROBABILITY = 0.95

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
SHARES = ("precision", "recall", "f1", "accuracy", "specificity", "false_positive_rate")
# Promises that are numbers of rows.
COUNTS = ("true_positives", "predicted_positives", "false_negatives")
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
    "confidence": Option(None, {"metavar": "PROBABILITY", "type": SHARE}, GOAL_PROBABILITY),
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

# --- texts -----------------------------------------------------------------------------

FILE = "a table with a header: text, JSON lines, Parquet, Feather or Excel; -: standard input"
EPILOG = (
    "Exit status: 0 if the verdict is ok, 2 if the command failed, 3 if the verdict is "
    "unidentified (the labels hold little information), 4 if it is misfit (the data contradict "
    "something that was assumed), 5 if it is unreliable (the computation failed), 6 if a goal is "
    "not met or a proof is not verified. While suggest, find or review ask for labels it is 0 "
    "whatever the verdict."
)
# Without a threshold.
USUAL_THRESHOLD = "0.5 for probabilities and votes, 0 for margins and log-odds"
# The level of suggest and find.
LEVEL_OF_GOALS = "probability of intervals (default: 0.9), and of keeping a bound (default: 0.95)"
# Of options by name, of some for one command.
HELP = {
    "score": "column of scores; not needed with --judge",
    "estimate score": "column of scores, or of predicted classes if there are more than two; "
    "without it, and without --judge, only the share of positives is estimated",
    "find score": "column of scores",
    "readings score": "column of scores, the ratings by the reader",
    "scores": "columns of scores, one for each system, or a pattern such as 'score_*'",
    "estimate scores": "of more than two classes: a column of scores for each, or a pattern such "
    "as 'p_*'",
    "label": "column of labels; empty: not labeled",
    "mean label": "column of labels, which are numbers; empty: not labeled",
    "smaller_is_positive": "smaller scores mean positive",
    "pos_label": "the positive class, if not 1 or true",
    "classes": "both classes, if the labels name only one",
    "estimate classes": "both classes, if the labels name only one; with --scores the class of "
    "each column, in their order; with predicted classes all of them",
    "category": "column that names the subgroup of each row, which are asked about one by one; "
    "'date:month' makes months of a column of dates, likewise year, quarter, week and day",
    "groups": "column that names which rows belong together, such as those of a patient",
    "judge": "columns of verdicts or scores of judges, such as language models",
    "feature": "columns of numbers by which scores and judges may err, such as the length of an "
    "answer",
    "mean judge": "columns of numbers that may predict the label, such as grades by a judge",
    "inclusion_proba": "column of inclusion probabilities of the labels; default: all equal",
    "labels_by_class": "the labeled rows were chosen by their class, such as 50 that pass and 50 "
    "that fail: estimate the rows without a label, by how the score is distributed in each class",
    "amount": "column of amounts, such as of money: also the share of the amount of the positives "
    "that is found at the threshold, and the share of the amount found that is of positives",
    "case": "column that names the case",
    "reader": "column that names the reader",
    "modality": "column that names how the case was read, such as CT and MR, or with an aid",
    "item": "column that says what each row is, such as a name or a text, beside its line",
    "id": "column that tells items apart: an item that comes twice is said, or refused if its "
    "labels differ; default: a column with such a name",
    "unlabeled": "what a row without a label has in the column of labels, if its cell is not empty",
    "drop_missing": "leave out rows without a score",
    "sep": "what separates cells: a character, or tab",
    "decimal": "the decimal mark: . or ,",
    "encoding": "of text, such as utf-8 or cp1252",
    "sheet": "of an Excel file; default: the first with these columns",
    "max_bytes": "to which it may unpack; default: 2**30",
    "json": "print one JSON object instead of text",
    "confidence_level": "probability of intervals; default: 0.9",
    **dict.fromkeys(("suggest confidence_level", "find confidence_level"), LEVEL_OF_GOALS),
    "verify confidence_level": "level at which the labels must prove it; default: 0.95",
    "random_state": "seed of random numbers; default: 0",
    "target": "what the numbers are of: these items, or the distribution that they are from "
    "(population); default: sample",
    "find target": "what the promise is for: the returned rows of this table, or a rule for later "
    "rows like these (population), with the posterior only; default: sample",
    "score_kind": "what the scores are; default: auto, by their range",
    "experts": "what turns scores into probabilities: one by its name, such as rank_binormal, "
    "instead of several, weighted by the labels; none: the bare mixture of the papers; default: "
    "auto",
    "known_positives": "how many of all rows are positive, labeled or not, if that is known: 120, "
    "or a range, 100-140",
    "n_draws": "number of draws; default: 1000",
    "verbose": "also print what the model is",
    "label_range": "the least and the greatest label that there can be, such as 1 5",
    "compare metric": "by what systems are compared; default: average_precision",
    "report metric": "by what systems and subgroups are compared, and further labels planned; "
    "default: average_precision",
    "suggest metric": "what is wanted; default: average_precision",
    "readings metric": "whose mean over readers is wanted: roc_auc, recall (sensitivity), "
    "specificity or another; default: roc_auc",
    "compare": "two categories, such as two systems: rows are chosen for the difference of their "
    "metric, those of one group in pairs, and none of other categories",
    "threshold": f"where precision, recall, f1, ... are taken; default: {USUAL_THRESHOLD}",
    "estimate threshold": "where precision, recall and F1 are taken, also as 50% or 0,5; default: "
    f"that of --goal, else {USUAL_THRESHOLD}",
    "report threshold": "where precision, recall, F1 and accuracy are taken, also as 50% or 0,5; "
    f"default: that of --goal, else {USUAL_THRESHOLD}",
    "suggest threshold": f"where precision, recall, f1, ... are wanted; default: {USUAL_THRESHOLD}",
    "cost": "decide at the threshold of least expected cost, where a false alarm and a miss cost "
    "so much, such as 1 5",
    "goal": "find a threshold that meets this, such as precision=0.9; may be given repeatedly",
    "goal_probability": f"with what probability; default: {GOAL_PROBABILITY}",
    "readings target": "what the numbers are of: these cases (sample), or cases like these; "
    "default: population",
    "readers": "whether the mean is over these readers (fixed), or over all of whom they are a "
    "random sample; default: random, and fixed of a single reader",
    "baseline": "with which the others are compared; default: the best",
    "readings baseline": "the modality that is subtracted from the others; default: the first by "
    "name",
    "ordered": "the categories are in an order, and neighbors more alike: numbers, dates that "
    "begin with the year, else as they first come in the file",
    "reference": "also by how much each category differs from this one, and with what probability",
    "plot": "draw the curve into this file",
    "compare plot": "draw curves and differences",
    "mean out": "also write it as an HTML page",
    "report out": "default: beside FILE, its name with _report.html",
    "title": "of the page; default: the name of the file",
    "compared_with": "what --json printed for an earlier report or estimate: what moved since, "
    "and whether that is more than uncertainty",
    "strategy": "how rows are chosen; default: expected_change",
    "interval": "what the interval is from; default: posterior",
    "n_labels": f"how many rows; default: {N_LABELS}",
    "out": "the table to write; default: FILE_next.csv (of JSON lines .jsonl), then that itself; "
    "of copies by several people one for each of them, or this one for all",
    "find out": "the table to write: with the rows to label, by default FILE_next.csv, then that "
    "itself, or in the end with the answer, by default FILE_answer.csv",
    "half_width": "stop once half the interval is so wide",
    **dict.fromkeys(SHARES, "at least this"),
    "false_positive_rate": "at most this",
    "true_positives": "at least so many of the returned rows are positive",
    "predicted_positives": "at least so many rows are returned: precision at the top",
    "max_returned": "at most so many rows are returned",
    "false_negatives": "at most so many positives are missed",
    "plan": "only print how many labels the promise will probably take, and write nothing",
    "guarantee": "who says that the promise is kept: the model (posterior), or the labels alone, "
    "whatever the scores and whenever you stop (anytime), which takes more of them; default: "
    "posterior",
    "budget": "so many rows are labeled, and no more; a table that goes on remembers it",
    "least": "stop before the budget is spent, once what the promise leaves open (recall, where "
    "precision is promised) is at least this; default without --budget: half of what the best "
    "threshold is expected to reach",
    "evidence": "also write what the proof rests on, for others to verify: sklearn-spe verify",
    "salt": "a text of who is to be convinced, from which the order of a proof is drawn",
    "commitment": "what was printed before the first label, and given to you",
    "items": "how many items there are",
    "prevalence": "which share of them is expected to be positive, such as 5%",
    "auc": "the expected area under the ROC curve, such as 0.9",
    "predicted_positive": "how many are called positive; default: as many as are positive",
    "plan half_width": "also how many labels make half the interval of precision, and of recall, "
    "so wide; default: 0.1",
    "review score": "column of scores, by which rows are read from the top",
    "review recall": "the share of all positives to be found; default: 0.8",
    "system": "column that names the system, or model, of each answer",
    "prompt": "column that names the prompt which is answered",
    "judge label": "column of human labels, such as pass and fail; empty: nobody looked",
    "judge judge": "columns of verdicts or grades of judges",
    "judge pos_label": "the verdict from which on an answer passes, pass or partial; default: if "
    "people gave partial passes, pass, partial and fail count as 1, 0.5 and 0",
    "labels": "a file of human labels, matched with the answers by id and system",
    "gate": "of further cases a system is not worse than another by more than a margin "
    "('new >= old - 0.02'), better ('new > old'), or passes more than a share ('new > 0.8'): exit "
    "with 0 if that holds with --confidence, 6 if the contrary does, 3 if neither is known; may be "
    "given repeatedly",
    **dict.fromkeys(
        ("judge metric", "mean metric"),
        "pass^k: all of k runs of a task pass; pass@k: any does, such as pass^3; more runs than "
        "were made are a matter of a model",
    ),
    "unknown": "exit status if a gate is not known; default: 3",
    "memory": "of all nights so far, read and written: exit with 7 if tonight's runs, of the first "
    "system of --gate or of the only one, show that it has become worse; without a change that "
    "happens once in 20 years",
    "accept": "start the memory anew with tonight's runs, after a change that is intended",
    "junit": "also write the answers to gates as a JUnit report",
    "github": "also print the answers to gates as annotations of GitHub, on standard error",
    "confidence": f"probability of a statement, and of a met gate; default: {GOAL_PROBABILITY}",
    "next": "how many answers to label next are written; default: 20",
    "html": "also write it as an HTML page",
    "judge out": "where they are written; default: beside FILE, next with its ending",
}


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
REMEMBERED = "; a table that goes on remembers"
# A table that goes on remembers these.
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
            "what is asked": (
                *("threshold", "cost", "goal", "goal_probability", "ordered", "reference", "plot"),
            ),
            **MODEL,
        },
    ),
    "compare": Command(
        "which of several systems is better, and how sure that is",
        "Compare systems that score the same items, of which some are labeled.",
        {
            "columns": ("scores", *JUDGED),
            **FORMAT,
            "what is asked": ("metric", "threshold", "baseline", "ordered", "reference", "plot"),
            **MODEL,
        },
        {"scores": {"required": True}, "metric": {"default": "average_precision"}},
    ),
    "report": Command(
        "all of it as one HTML page, to be read and sent",
        "Write what is known of a classifier's performance as one HTML page.",
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
        "which rows to label next, and what is known so far",
        "Write the table with the rows to label next numbered in a column. Fill in their labels "
        "and run this again on that table: it goes on from there.",
        {
            f"columns{REMEMBERED} them": (
                *("score", *LABELS, *STRUCTURE, "judge", "drop_missing", *ROWS_OF_TABLE),
            ),
            **FORMAT,
            "the rows": ("n_labels", "out", "budget", "half_width"),
            f"what is asked{REMEMBERED} it": (
                *("metric", "threshold", "compare", "strategy", "interval"),
            ),
        },
        {**SESSION, "metric": {"type": values.METRIC_OR_CURVE}},
    ),
    "find": Command(
        "the positives, with a promise such as a precision of 0.9, for a budget of labels",
        "Write the table with the rows to label next numbered in a column. Fill in their labels "
        "and run this again on that table, until the budget is spent: then the answer is written, "
        "which rows are returned as positive.",
        {
            f"columns{REMEMBERED} them": ("score", *LABELS, "drop_missing", *ROWS_OF_TABLE),
            **FORMAT,
            f"the promise{REMEMBERED} it": (
                *(*SHARES, *COUNTS, "max_returned", "guarantee", "target"),
            ),
            "the rows": ("n_labels", "out", "budget", "least", "evidence", "salt", "plan"),
        },
        {**SESSION, "target": {"default": None}},
    ),
    "review": Command(
        "read from the top, then draw, until a share of all positives is proved to be found",
        "Write the table with the rows to read next numbered in a column. Fill in their labels and "
        "run this again on that table, until it is proved that enough of all positives are found.",
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
        "Draw the order again, and compute the proof from the file that --evidence wrote; with the "
        "table before it, also compare rows, scores and labels.",
        {"the answer": ("json", "confidence_level", "commitment", "salt")},
        {"confidence_level": {"default": GOAL_PROBABILITY}},
        file="what --evidence wrote, after the table with the labels; -: standard input",
    ),
    "readings": Command(
        "readers of cases: their mean, and the difference of two modalities",
        "Evaluate the readers of a study from a table with one row per reading of a case by a "
        "reader. The truth of some cases may be missing.",
        {
            "columns": ("case", "reader", "modality", "score", *LABELS, *STRUCTURE),
            **FORMAT,
            "what is asked": ("metric", "threshold", "readers", "baseline"),
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
        "how many labels are needed, before the first one is paid for",
        "Simulate data sets of this size, label some of their items, and print how wide intervals "
        "will be.",
        {
            "what is expected": ("items", "prevalence", "auc", "predicted_positive"),
            "what is asked": ("half_width",),
            "the answer": ("json", "confidence_level", "random_state"),
        },
        {"half_width": {"default": 0.1}},
        n_files=0,
        epilog=None,
    ),
    "mean": Command(
        "the mean of labels that are numbers, such as grades",
        "Estimate the mean of grades, of which some are known, with the help of what is known of "
        "all rows.",
        {
            "columns": (
                *("label", "judge", *STRUCTURE, "inclusion_proba", "labels_by_class"),
                *ROWS_OF_TABLE,
            ),
            "what is asked": ("target", "metric", "label_range", "n_draws", "reference"),
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
        "answers of systems, rated by judges, some checked by people: which system is best",
        "Say which system is best, how good the judges are, what they are worth in human labels, "
        "and which answers to label next. Columns are guessed, and named in the first line.",
        {
            "columns, if the guess is wrong": ("system", "prompt", "label", "judge", "pos_label"),
            "what is asked": ("labels", "labels_by_class", "metric", "confidence", "next", "out"),
            "gates": ("gate", "unknown", "memory", "accept", "junit", "github"),
            "answer": ("target", "html", "json", "confidence_level", "random_state", "max_bytes"),
        },
        {"label": {"required": False}, "metric": {"type": values.metric_of_runs}},
        epilog="Exit status: as of the other commands; 6 also if a gate is not met, 3 if it is not "
        "known, 7 if a memory raises an alarm.",
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
        copies = "; or copies of one table, each labeled by somebody else"
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
