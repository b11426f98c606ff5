"""Gates: did a version get worse, is it better than another, does it pass often enough."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ...inputs._validation import listed
from ...inputs._writing import digest_of, write_file
from ...results._showing import probability_in_words
from ...versions._nightly_gate import Night, NightlyGate
from ...versions._version_comparison import (
    NOT_WORSE,
    UNKNOWN,
    WORSE,
    VersionComparison,
    compare_versions,
)
from ..command_line._answer import Answer
from ..command_line._terminal import ALARM, NOT_MET
from ._judge_answers import MAX_NAMED
from ._judge_data import Answers
from ._judge_fits import AnswersFit, CountedFit, fit_of

# A gate: A > B, A >= B - 0.02, A > 0.8; the other way round by <.
_SIGNS = (">=", "<=", ">", "<")
_MET, _NOT_MET = "met", "not met"
_STARTS = {_MET: "The gate is met", _NOT_MET: "The gate is not met", UNKNOWN: "Not known"}
# Of an answer in GitHub's words, and in those of JUnit.
_LEVELS = {_MET: "notice", UNKNOWN: "warning", _NOT_MET: "error"}
_ELEMENTS = {UNKNOWN: "skipped", _NOT_MET: "failure"}


@dataclass(frozen=True)
class Gate:
    """A condition: a system is better than another, not worse by a margin, or good enough."""

    text: str
    system: str
    other: str | None  # None: a share
    margin: float | None  # None: it must be better
    share: float = 0.0

    @classmethod
    def parse(cls, text: str, systems: list[str]) -> Gate:
        """Read a gate; systems are those of the files."""
        for sign in _SIGNS:
            left, separator, right = (part.strip() for part in text.partition(sign))
            if not separator:
                continue
            if "<" in sign:
                left, right = right, left
            margin = 0.0 if "=" in sign else None
            other, minus, points = right.rpartition("-")
            if minus and "=" in sign and right not in systems:
                right, margin = other.strip(), _share(points.strip())
            if left not in systems:
                break
            if right in systems and right != left and (margin is None or 0.0 <= margin < 1.0):
                return cls(text, left, right, margin)
            share = _share(right)
            if "<" not in sign and 0.0 <= share < 1.0:
                return cls(text, left, None, None, share)
            break
        raise ValueError(
            f"--gate {text!r} must be 'A > B', 'A >= B - 0.02' or 'A > 0.8', where A and B are "
            f"systems: {', '.join(systems)}."
        )


def _share(text: str) -> float:
    """Return a share, or a number of percent; NaN if it is none."""
    try:
        return float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        return np.nan


@dataclass(frozen=True)
class GateAnswer:
    """Whether a gate is met, not met, or not known."""

    status: str  # _MET, _NOT_MET or UNKNOWN
    sentence: str
    numbers: dict[str, Any]


def pass_gates(
    options: argparse.Namespace,
    answer: Answer,
    answers: Answers,
    fit: AnswersFit,
    gates: list[Gate],
) -> list[str]:
    """Set the exit status, write reports, and return a sentence on each gate."""
    further = _of_further_cases(answers, fit, options) if gates else fit
    found = [_answer_of(gate, answers, further, options) for gate in gates]
    records = [
        {"gate": gate.text, "status": each.status, "met": each.status == _MET, **each.numbers}
        for gate, each in zip(gates, found, strict=True)
    ]
    lines = [each.sentence for each in found]
    statuses = [each.status for each in found]
    if gates:
        answer.record["gates"] = records
        answer.status = _status_of(statuses, options.unknown)

    titles = [gate.text for gate in gates]
    if options.memory is not None:
        night = _night(options, answers, gates)
        lines.append(night.sentence())
        answer.record["night"] = vars(night)
        titles.append("night")
        statuses.append(_NOT_MET if night.is_alarm else _MET)
        answer.status = ALARM if night.is_alarm else answer.status if gates else 0
    _announce(options, titles, statuses, lines)
    return lines


def _of_further_cases(answers: Answers, fit: AnswersFit, options: argparse.Namespace) -> AnswersFit:
    """Return a fit whose numbers are of further cases."""
    if options.target == "population":
        return fit
    settings = argparse.Namespace(**{**vars(options), "target": "population"})
    if isinstance(fit, CountedFit):
        return CountedFit(answers, settings)
    category = answers.systems if len(answers.names) > 1 else None
    return fit_of(answers, settings, category=category, groups=answers.prompts)


def without_labels(options: argparse.Namespace, answer: Answer) -> None:
    """Say that gates are not known without a label."""
    if options.memory is not None:
        raise ValueError("--memory needs a verdict of each run, and no answer has one.")
    if options.gate:
        sentence = "Not known: no answer has a human label, so that no gate can be answered."
        answer.lines.append(sentence)
        answer.status = options.unknown
        _announce(
            options, options.gate, [UNKNOWN] * len(options.gate), [sentence] * len(options.gate)
        )


def _status_of(statuses: list[str], unknown: int) -> int:
    """Return the exit status of the gates: of the worst of them."""
    if _NOT_MET in statuses:
        return NOT_MET
    return unknown if UNKNOWN in statuses else 0


def _answer_of(
    gate: Gate, answers: Answers, fit: AnswersFit, options: argparse.Namespace
) -> GateAnswer:
    """Return the answer to a gate: from cases that both ran, else from the fit."""
    needed = options.probability
    if gate.other is None:
        rate = fit.rates[gate.system]
        above = min(float((rate.draws > gate.share) @ rate.weights), 1.0)
        statement = f"{gate.system} {fit.wording.above.format(100 * gate.share)}"
        return _by_probability(statement, above, needed)
    if _are_paired(answers, gate):
        return _of_cases(gate, answers, options)

    # The share of draws in which one is ahead by more than the margin.
    ahead = fit.rates[gate.system].comparable_draws - fit.rates[gate.other].comparable_draws
    weights = fit.rates[gate.system].weights
    better = min(float((ahead > 0.0) @ weights + (ahead == 0.0) @ weights / 2.0), 1.0)
    if gate.margin is None:
        return _by_probability(f"{gate.system} {fit.wording.better} {gate.other}", better, needed)
    not_worse = min(float((ahead >= -gate.margin) @ weights), 1.0)
    points = f"{100 * gate.margin:g} points"
    status = UNKNOWN
    if not_worse >= needed:
        status = _MET
    elif 1.0 - better >= needed:
        status = _NOT_MET
    start = _STARTS[status]
    judges = " and the judges" if answers.informative else ""
    sentence = (
        f"{start}: by the labels{judges} {gate.system} is worse than {gate.other} with "
        f"probability {probability_in_words(1.0 - better)}, not worse by more than {points} with "
        f"{probability_in_words(not_worse)}, needed is {needed:g}."
    )
    numbers = {"probability_worse": 1.0 - better, "probability_not_worse": not_worse}
    return GateAnswer(status, sentence, numbers)


def _by_probability(text: str, probability: float, needed: float) -> GateAnswer:
    """Return the answer to a gate that must hold with a probability."""
    status = UNKNOWN
    if probability >= needed:
        status = _MET
    elif 1.0 - probability >= needed:
        status = _NOT_MET
    sentence = (
        f"{_STARTS[status]}: of further cases {text} with probability "
        f"{probability_in_words(probability)}, needed is {needed:g}."
    )
    return GateAnswer(status, sentence, {"probability": probability})


def _are_paired(answers: Answers, gate: Gate) -> bool:
    """Return whether both systems ran common cases, and verdicts say all that is known of them."""
    if answers.prompts is None:
        return False
    names = [gate.system, str(gate.other)]
    is_labeled = np.isfinite(answers.labels)
    is_complete = bool(is_labeled[np.isin(answers.systems, names)].all())
    cases = [set(answers.prompts[is_labeled & (answers.systems == name)]) for name in names]
    return bool(cases[0] & cases[1]) and (is_complete or not answers.informative)


def _of_cases(gate: Gate, answers: Answers, options: argparse.Namespace) -> GateAnswer:
    """Return the answer from the cases that both systems ran."""
    assert answers.prompts is not None
    assert gate.other is not None
    _check_repeats(answers, (gate.system, gate.other))
    rows = [answers.systems == name for name in (gate.other, gate.system)]
    labels = [answers.labels[row] for row in rows]
    cases = tuple(answers.prompts[row] for row in rows)
    needed = options.probability
    compared = compare_versions(*labels, groups=cases, margin=gate.margin, confidence_level=needed)
    low, high = compared.difference.interval(options.confidence_level)
    n_unknown = int(sum(np.isnan(each).sum() for each in labels))
    numbers: dict[str, Any] = {
        "observed": compared.observed,
        "difference": compared.difference.value,
        "lower": low,
        "upper": high,
        "probability_worse": compared.probability_worse,
        "n_cases": compared.n_cases,
        "n_left_out": len(compared.only_old) + len(compared.only_new),
    }
    start = _found(compared, gate, (low, high), n_unknown)
    if gate.margin is None:
        text = f"{gate.system} passes more often than {gate.other}"
        by_proba = _by_probability(text, 1.0 - compared.probability_worse, needed)
        sentence = f"{start} {by_proba.sentence}"
        return GateAnswer(by_proba.status, sentence, {**by_proba.numbers, **numbers})
    numbers |= {
        "probability_not_worse": compared.probability_not_worse,
        "more_cases": compared.more_cases,
        "more_runs": compared.more_runs if np.isfinite(compared.more_runs or 0.0) else None,
    }
    status = {NOT_WORSE: _MET, WORSE: _NOT_MET}.get(compared.status_, UNKNOWN)
    prefix = "" if status == UNKNOWN else f"{_STARTS[status]}: "
    return GateAnswer(
        status, f"{start} {prefix}{compared.sentence(gate.other, gate.system)}", numbers
    )


def _found(
    compared: VersionComparison, gate: Gate, ends: tuple[float, float], n_unknown: int
) -> str:
    """Return the difference on these cases and on further ones, as a sentence."""
    low, high = (round(100.0 * end) for end in ends)
    points = round(100.0 * compared.observed)
    runs = ""
    if max(compared.n_runs) > 1.0:
        runs = f" ({compared.n_runs[0]:g} and {compared.n_runs[1]:g} runs of each)"
    left_out = ""
    one_sided = [*compared.only_old, *compared.only_new]
    if one_sided:
        left_out = f"; left out as only one ran it: {listed(one_sided, most=MAX_NAMED)}"
    if n_unknown:
        left_out += f"; {n_unknown:,} {'run has' if n_unknown == 1 else 'runs have'} no verdict"
    passes = f"passes {abs(points)} of 100 {'fewer' if points < 0 else 'more'} than"
    if not points:
        passes = "passes as many of 100 as"
    return (
        f"On {compared.n_cases:,} cases{runs} {gate.system} {passes} {gate.other}; on further "
        f"cases {low:+d} to {high:+d}{left_out}."
    )


def _check_repeats(answers: Answers, systems: tuple[str, ...]) -> None:
    """Raise if a run of a case comes twice."""
    assert answers.prompts is not None
    column = answers.repeat_column
    runs = [record.get(column) for record in answers.records]
    seen: set[tuple[str, str, str]] = set()
    for system, case, run in zip(
        answers.systems.tolist(), answers.prompts.tolist(), map(str, runs), strict=True
    ):
        if system in systems and (system, case, run) in seen:
            of_run = f" with the {column} {run}" if column else ""
            why = "" if column else ", and no column numbers its runs"
            raise ValueError(
                f"{system} has several rows of the case {case!r}{of_run}{why}. If they are runs, "
                "number them in a column such as `run`; if they were graded twice, keep one."
            )
        seen.add((system, case, run))


# --- nights, and what other programs read --------------------------------------------


def _night(options: argparse.Namespace, answers: Answers, gates: list[Gate]) -> Night:
    """Compare the runs of tonight with the memory, and write it."""
    names = answers.names
    tonight = gates[0].system if gates else names[0]
    if len(names) > 1 and not gates:
        raise ValueError(
            f"--memory keeps the nights of one system, got {listed(names)}: pass files of one, or "
            "--gate 'NEW >= OLD - 0.02', whose first system is tonight's."
        )
    if answers.prompts is None:
        raise ValueError("--memory needs a name of each case: pass its column as --prompt.")
    rows = answers.systems == tonight
    if not np.isfinite(answers.labels[rows]).all():
        n_unknown = int(np.isnan(answers.labels[rows]).sum())
        raise ValueError(
            f"--memory needs a verdict of each run: {n_unknown:,} answers of {tonight} have none."
        )
    _check_repeats(answers, (tonight,))
    gate = NightlyGate(random_state=options.random_state)
    if Path(options.memory).exists():
        gate = NightlyGate.load(options.memory)
    if options.accept:
        gate.accept()
    # A build that is run again reads the same files: it is the same night.
    files = [Path(file) for file in options.file]
    is_stream = not all(file.is_file() for file in files)
    name = None if is_stream else digest_of(b"".join(file.read_bytes() for file in files))
    night = gate.update(answers.labels[rows], groups=answers.prompts[rows].astype(str), name=name)
    gate.save(options.memory)
    return night


def _announce(
    options: argparse.Namespace, titles: list[str], statuses: list[str], lines: list[str]
) -> None:
    """Write the answers for a build: annotations of GitHub, and a file of JUnit."""
    if options.github:
        for title, status, line in zip(titles, statuses, lines, strict=True):
            text = line.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
            name = title.replace(",", ";").replace(":", ";")
            print(f"::{_LEVELS[status]} title={name}::{text}", file=sys.stderr)
    if options.junit is not None:
        cases = [
            f'  <testcase classname="sklearn-spe judge" name={quoteattr(title)}>'
            + (f"<{_ELEMENTS[status]} message={quoteattr(line)}/>" if status != _MET else "")
            + "</testcase>"
            for title, status, line in zip(titles, statuses, lines, strict=True)
        ]
        counts = (
            f'tests="{len(cases)}" failures="{statuses.count(_NOT_MET)}" '
            f'skipped="{statuses.count(UNKNOWN)}"'
        )
        suite = "\n".join(
            [f'<testsuite name="sklearn-spe judge" {counts}>', *cases, "</testsuite>"]
        )
        write_file(options.junit, f'<?xml version="1.0" encoding="utf-8"?>\n{suite}\n'.encode())
