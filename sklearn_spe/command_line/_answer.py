"""What a command answers: text, JSON, status, messages in the words of options."""

from __future__ import annotations

import argparse
import json
import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..checks._label_checks import SuspectLabels
from ..results._tables import EstimateTable
from ..results._verdict import Verdict
from ..tables._table import Table

# Phrases with other words on the command line, or none.
PHRASES = {
    "For one class against the rest, pass y == that class (and keep missing labels missing)": (
        "For one class against the rest, write a column that says whether an item is of it (and "
        "keep missing labels empty)"
    ),
    "Scores go into X, labels into y": "Scores go into --score, labels into --label",
    "and mark missing labels by NaN": "and leave missing labels empty",
    "or mark all of them alike": "or leave all of them empty",
    "Answer pending_, or give them up: update(selector.pending_, [None] * "
    "len(selector.pending_))": (
        "Answer the rows that are asked for, or give them up: write 1 into their spe_skipped"
    ),
    " (suspect_labels_)": "",
    ", as a number or a pair (at least, at most) of which one may be None": "",
    ", or pass an instance such as sklearn_spe.metrics.FBeta(beta=2), or a callable "
    "metric(y_true, y_pred, sample_weight)": "",
    "greater_is_positive=False": "--smaller-is-positive",
    "experts=None": "--experts none",
    "prevalence_prior=": "prevalence_prior= in Python",
    "(to_frame) ": "",
    "(from_frame)": "",
    "mark missing labels by NaN, numpy.where(y == -1, numpy.nan, y)": (
        "leave cells empty where there is no label"
    ),
    "NaN marks items without a label": "Empty cells mark rows without one",
    " of X is ": " is ",
    " of X has no values": " has no values",
    "needs exactly one of threshold= (or recall= for precision, precision= for recall)": (
        "needs --threshold"
    ),
}
MARKER = re.compile(r"pass unlabeled_label=.+?, or mark them by None")
QUOTED = r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
# The name y where it means labels, as a separate word.
LABELS = r"\by(?= (?:holds|takes|has) )|(?<=recode )y\b"


class Words:
    """Translation of messages to the options of a command."""

    def __init__(self, options: argparse.Namespace):
        given: Mapping[str, object] = vars(options)
        self._label = f"column {given.get('label')!r}"
        names = "|".join(sorted(given, key=len, reverse=True))
        long = "|".join(sorted((name for name in given if "_" in name), key=len, reverse=True))
        self._pattern = re.compile(
            rf"\b(?P<several>{names})=\[(?P<items>[^\]]*)\]"
            rf"|\b(?P<one>{names})=(?P<value>{QUOTED})"
            rf"|{QUOTED}"
            rf"|\b(?P<equals>{names})=(?P<more>(?=[^\s,;.)]))?"
            rf"|(?P<option>\b[Oo]ption )(?P<word>{names})\b"
            rf"|\b(?P<bare>{long or '(?!)'})\b"
            rf"|(?P<labels>{LABELS})"
        )

    def __call__(self, text: object) -> str:
        """Return a message of the library with command line options."""
        said = MARKER.sub("leave their cells empty", str(text))
        for phrase, instead in PHRASES.items():
            said = said.replace(phrase, instead)
        return self._pattern.sub(self._translated, said)

    def _translated(self, found: re.Match[str]) -> str:
        if found["several"]:
            items = re.findall(rf"{QUOTED}|[^\s,]+", found["items"])
            return " ".join([_option(found["several"]), *map(_written, items)])
        if found["one"]:
            return f"{_option(found['one'])} {_written(found['value'])}"
        if found["equals"]:
            return _option(found["equals"]) + (" " if found["more"] is not None else "")
        if found["word"]:
            return f"{found['option']}{_option(found['word'])}"
        if found["bare"]:
            return _option(found["bare"])
        return self._label if found["labels"] else found[0]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _written(value: str) -> str:
    """Return a value as written after an option."""
    return shlex.quote(value[1:-1]) if value[0] in "'\"" else value


@dataclass(eq=False)
class Answer:
    """The output of a command, printed even if a later step fails."""

    words: Words  # translates messages of the library
    lines: list[str] = field(default_factory=list)  # text, a paragraph each
    model: tuple[str, ...] = ()  # how the numbers were computed, printed last
    record: dict[str, Any] = field(default_factory=dict)  # the output as JSON
    # Texts of verdict reasons; warnings among them are not repeated.
    reasons: set[str] = field(default_factory=set)
    status: int = 0  # the exit status

    def quote_table(self, table: EstimateTable, verdict: Verdict) -> None:
        """Add numbers and their verdict; how they were computed is printed at the end."""
        self.model = table.model
        self.quote(str(replace(table, model=())), verdict)

    def quote(self, text: str, verdict: Verdict) -> None:
        """Add a text that contains a verdict, and record the verdict.

        Only its reasons are translated, not names of classes.
        """
        for reason in verdict.reasons:
            text = text.replace(reason.text, self.words(reason.text))
        self.lines.append(text)
        self.reasons |= {reason.text for reason in verdict.reasons}
        self.record["verdict"] = {
            "verdict": str(verdict),
            "reasons": [
                {**vars(reason), "text": self.words(reason.text)} for reason in verdict.reasons
            ],
        }

    @property
    def text(self) -> str:
        """All paragraphs, separated by empty lines."""
        return "\n\n".join([*self.lines, *(["\n".join(self.model)] if self.model else [])])

    @property
    def json(self) -> str:
        """The record as one JSON object; non-finite numbers are null."""
        return json.dumps(_plain(self.record), ensure_ascii=False, allow_nan=False, indent=2)


def record_of(table: EstimateTable) -> list[dict[str, Any]]:
    """Return numbers and their intervals as records."""
    return [
        {"name": name, "value": estimate.value, "lower": lower, "upper": upper}
        for name, estimate, (lower, upper) in zip(
            table.names, table.estimates, table.intervals(), strict=True
        )
    ]


def _plain(value: Any) -> Any:
    """Return a JSON value."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


MAX_SHOWN = 10


def add_suspect_labels(
    answer: Answer, found: SuspectLabels, table: Table, *, scored: bool = True
) -> None:
    """Add suspect labels, if any; `scored` is whether scores are in the table."""
    records = _records(found, table)
    if not scored:
        records = [{k: v for k, v in record.items() if k != "score"} for record in records]
    answer.record["suspect_labels"] = records
    if not records:
        return
    lines = ["Labels that surprise most, with the probability that the others give them:"]
    lines += [
        f"{table.unit} {record[table.unit]}: {record['label']!r}"
        + (f" at score {record['score']:.6g}" if scored else "")
        + f", {record['probability']:.3f}"
        for record in records[:MAX_SHOWN]
    ]
    if len(records) > MAX_SHOWN:
        lines.append(f"and {len(records) - MAX_SHOWN:,} more")
    answer.lines.append("\n".join(lines))


def _records(found: SuspectLabels, table: Table) -> list[dict[str, Any]]:
    columns = found.item, found.score, found.label, found.probability
    return [
        {
            table.unit: table.places[item],
            "score": score,
            "label": label,
            "probability": probability,
        }
        for item, score, label, probability in zip(*(c.tolist() for c in columns), strict=True)
    ]
