"""Output of a command: text, JSON, status, and messages with options for parameters."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

from ...checks._label_checks import SuspectLabels
from ...exceptions import Advice
from ...results._remedies import filled
from ...results._showing import as_json
from ...results._tables import EstimateTable
from ...results._verdict import Reason, Verdict, warning_of
from ..report._label_advice import METRIC, LabelValue
from ..report._main_estimates import with_verdict
from ..report._plain_answers import GOAL, PlainAnswers, caveats
from ..report._thresholds import ThresholdGuarantees
from ..tables._session_file import NEXT, SKIP
from ..tables._table import Table
from ._option_table import COMMANDS, parameter_of
from ._terminal import OF_VERDICT

# What to do on the command line about a parameter, in errors and warnings.
OF_PARAMETERS = {
    "classes": "Name both by --classes.",
    "experts": "Leave --experts out.",
    "labels": "Correct it in the table.",
    "pos_label": (
        "Pass one of them as --pos-label, or write labels as 0 (negative) and 1 (positive)."
    ),
    "unlabeled_label": "If it marks rows without a label, leave their cells empty.",
    "y": "Leave cells without a label empty, and name both classes by --classes.",
}

# Of sentences; tables are as wide as their names.
WIDTH = 100
# Number of suspect labels that are listed.
MAX_SHOWN = 10
# What may stand before the name of a parameter.
NO_WORD = r"(?<![\w.'\"-])"


class Words:
    """Messages of the package in the words of a command: options instead of parameters."""

    def __init__(self, options: argparse.Namespace):
        self._names = {"y": f"column {options.label!r}"}
        for name in COMMANDS[options.command].options:
            if (parameter := parameter_of(options.command, name)) is not None:
                self._names.setdefault(parameter, f"--{name.replace('_', '-')}")

        self._remedies = dict(OF_PARAMETERS)
        if "classes" not in self._names:
            # Labels that are numbers.
            self._remedies["y"] = "Leave cells without a label empty."
        self.remedies = self._of_remedies()

    def _of_remedies(self) -> dict[str, str]:
        """Return the text of each placeholder in remedies: options, and actions on a table."""
        names = self._names
        draws = f"use a larger {names['n_draws']}, or " if "n_draws" in names else ""
        direction = "--smaller-is-positive"
        estimates = "" if "target" in names else "estimate "
        return {
            "default_model": "leave --experts out",
            "more_draws": f"{draws}leave --experts out",
            "flip": f"pass {direction}",
            "unflip": f"leave {direction} out",
            "pos_label": names.get("pos_label", "which class is the positive one"),
            "or_state_prevalence": (
                ", or state a prior of the prevalence, in Python by prevalence_prior="
            ),
            "suspects": "",
            "population": f"{estimates}--target population",
            "score_kind": "pass --score-kind",
            "threshold": "pass --threshold",
            "pending": "the rows that are asked for",
            "give_up": f"write {SKIP} into their {NEXT}",
        }

    def of_message(self, message: BaseException | str) -> str:
        """Return an error or a warning of the package."""
        if not isinstance(message, Advice):
            return str(message)
        remedy = self._remedies.get(message.parameter or "")
        parts = self._parts(message.problem, message.remedy, message.parameter, remedy)
        return " ".join(filter(None, parts))

    def of_reason(self, reason: Reason) -> Reason:
        """Return a reason of a verdict."""
        in_words = reason.in_words(self.remedies)
        problem, remedy = self._parts(reason.problem, in_words.remedy, reason.parameter, None)
        return replace(in_words, problem=problem, remedy=remedy)

    def of_verdict(self, verdict: Verdict) -> Verdict:
        """Return a verdict with all of its reasons."""
        return Verdict(map(self.of_reason, verdict.reasons))

    def _parts(
        self, problem: str, remedy: str, parameter: str | None, of_command: str | None
    ) -> tuple[str, str]:
        """Return the problem and the remedy, which is that of the command if there is one."""
        # At the beginning of a sentence a parameter is its subject.
        for subject in (parameter, "y"):
            if subject in self._names and problem.startswith(f"{subject} "):
                problem = self._names[subject] + problem.removeprefix(subject)

        option = self._names.get(parameter or "")
        if parameter is not None and option is not None:
            problem = _with_option(problem, parameter, option)
            remedy = _with_option(remedy, parameter, option)

        # Others are named without a value.
        for name, flag in self._names.items():
            named = rf"{NO_WORD}{name}=(?=[\s,;:]|\.(?!\.)|$)"
            problem, remedy = (re.sub(named, flag, text) for text in (problem, remedy))

        if remedy and of_command:
            end = problem[-1] if problem.endswith(("?", ";")) else "."
            return f"{problem.rstrip(' .,:;?')}{end}", of_command
        return problem, remedy


def _with_option(text: str, parameter: str, flag: str) -> str:
    """Return a text with an option for a parameter, as it is written in Python."""
    text = re.sub(rf"{parameter}=(False|'by_class')", flag, text)
    text = re.sub(rf"{NO_WORD}{parameter}=(?=[\w'\"\[(-])", lambda _: f"{flag} ", text)
    # Without a value; a name of one part may be a word of the sentence.
    bare = rf"{parameter}(=|\b)" if "_" in parameter else f"{parameter}="
    return re.sub(NO_WORD + bare, lambda _: flag, text)


@dataclass(eq=False)
class Answer:
    """The output of a command, printed even if a later step fails."""

    words: Words  # translates messages of the library
    lines: list[str] = field(default_factory=list)  # text, a paragraph each
    model: tuple[str, ...] = ()  # how the numbers were computed, printed last if asked for
    is_verbose: bool = False
    record: dict[str, Any] = field(default_factory=dict)  # the output as JSON
    # Texts of warnings that a printed verdict contains; they are not repeated.
    warned: set[str] = field(default_factory=set)
    status: int = 0  # the exit status

    def quote_table(
        self,
        table: EstimateTable,
        verdict: Verdict,
        answers: PlainAnswers,
        plan: LabelValue | None = None,
        *,
        choices: Mapping[Any, ThresholdGuarantees] | None = None,
    ) -> None:
        """Add answers in words, numbers and their verdict.

        `plan` is that of the labels which the command ``suggest`` picks; `choices` are the
        thresholds to choose from by system, None for the only one, if none is given.
        """
        answers = answers.in_words(self.words.remedies)
        self.add_sentences(answers.lines("" if plan is None else _picked_by(plan)))
        for system, thresholds in (choices or {}).items():
            title = [] if system is None else [f"Thresholds of {system}:"]
            self.lines.append("\n".join([*title, *thresholds.lines_of_choices()]))
        self.record["answers"] = answers.to_dict()["answers"]
        self.quote_numbers(table, verdict)

    def add_caveats(self, verdict: Verdict) -> None:
        """Add the verdict in words before any number, unless it is "ok"."""
        if sentences := caveats(verdict):
            self.add_sentences(sentences)

    def quote_numbers(self, table: EstimateTable, verdict: Verdict) -> None:
        """Add main estimates and their verdict."""
        numbers = replace(table, model=())
        in_words = self.take(verdict, table.model)
        self.lines.append(str(self._with_remarks(numbers, in_words)))

    def quote_remarks(self, table: EstimateTable, verdict: Verdict) -> None:
        """Add the verdict and the number of labels, of a table that is not printed."""
        in_words = self.take(verdict, table.model)
        self.lines.append("\n".join(self._with_remarks(table, in_words).remarks))

    def _with_remarks(self, table: EstimateTable, verdict: Verdict) -> EstimateTable:
        """Return main estimates with the remarks, and a verdict, in the words of the command."""
        remarks = (filled(remark, self.words.remedies) for remark in table.remarks)
        return with_verdict(replace(table, remarks=tuple(remarks)), verdict)

    def add_sentences(self, texts: list[str]) -> None:
        """Add sentences, as lines of a paragraph."""
        self.lines.append(_paragraph(texts))

    def put_first(self, unmet: str) -> None:
        """Put before all else that a goal is not met, which is a result."""
        self.lines.insert(0, _paragraph([unmet]))
        if "answers" in self.record:
            self.record["answers"].insert(0, {"question": GOAL, "answer": unmet})

    def take(self, verdict: Verdict, model: tuple[str, ...] | None = None) -> Verdict:
        """Take the exit status from a verdict, record it, and return it in words of the command.

        `model` says how the numbers were computed.
        """
        if model is not None:
            self.model = model
            self.record["model"] = list(model)
        self.status = OF_VERDICT[str(verdict)]
        self.warned |= set(map(warning_of, verdict.reasons))
        in_words = self.words.of_verdict(verdict)
        self.record["verdict"] = as_json(in_words._record())
        return in_words

    @property
    def text(self) -> str:
        """All paragraphs, separated by empty lines."""
        model = ["\n".join(self.model)] if self.model and self.is_verbose else []
        return "\n\n".join([*self.lines, *model])

    @property
    def json(self) -> str:
        """The record as one JSON object; non-finite numbers are null."""
        return json.dumps(as_json(self.record), ensure_ascii=False, allow_nan=False, indent=2)


def _paragraph(texts: list[str]) -> str:
    """Return sentences as lines of a paragraph."""
    lines = []
    for line in "\n".join(texts).splitlines():
        lines += wrap(line, WIDTH)
    return "\n".join(lines)


def _picked_by(plan: LabelValue) -> str:
    """Return which command picks the labels of a plan, as a sentence after a space."""
    options = "" if plan.metric == METRIC else f" --metric {plan.metric}"
    if plan.threshold is not None:
        options += f" --threshold {plan.threshold:.6g}"
    return f" The command suggest{options} picks them."


def record_of(table: EstimateTable) -> list[dict[str, Any]]:
    """Return numbers, their intervals and their sentences as records."""
    return table.to_dict()["estimates"]


def add_rows(answer: Answer, key: str, of: str, tables: Mapping[str, EstimateTable]) -> None:
    """Record tables of the same categories or classes by metric: the estimates of each."""
    names = next(iter(tables.values())).names
    rows: list[dict[str, Any]] = [{of: name, "estimates": []} for name in names]
    for metric, table in tables.items():
        for row, estimate in zip(rows, record_of(table), strict=True):
            row["estimates"].append({**estimate, "name": metric})
    answer.record[key] = rows


def add_suspect_labels(
    answer: Answer, suspects: SuspectLabels, table: Table, *, scored: bool = True
) -> None:
    """Add suspect labels, said if they are many; `scored` is whether scores are in the table."""
    names, unit = table.named_rows()
    items = suspects.item.tolist()
    columns = {table.unit: [table.places[item] for item in items]}
    columns |= {} if unit == table.unit else {"id": [names[item] for item in items]}
    columns |= {"score": suspects.score.tolist()} if scored else {}
    columns |= {"label": suspects.label.tolist(), "probability": suspects.probability.tolist()}

    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    answer.record["suspect_labels"] = records
    if not suspects.are_many:
        return

    # In words the first ones.
    lines = [
        f"Suspect labels: {len(records):,}, where {suspects.expected:.1f} are expected (each with "
        "its probability given the others):"
    ]
    for item, record in zip(items[:MAX_SHOWN], records, strict=False):
        score = f" at score {record['score']:.6g}" if scored else ""
        row = f"{unit} {names[item]}: {record['label']!r}"
        lines.append(f"{row}{score}, {record['probability']:.3f}")
    if len(records) > MAX_SHOWN:
        lines.append(f"and {len(records) - MAX_SHOWN:,} more")
    answer.lines.append("\n".join(lines))
