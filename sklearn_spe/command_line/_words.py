"""Translation of library messages to the options of the command line."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping

__all__ = ["Words"]

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
