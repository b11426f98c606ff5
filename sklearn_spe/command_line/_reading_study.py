"""The command ``readings``: a table with one row per reading of a case, by readers."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._side_by_side import (
    difference_of,
    estimate_of,
    verdict_with,
    with_verdict,
)
from ..inputs._readings import Readings
from ..inputs._validation import NamedScores, listed
from ..results._estimates import ScalarEstimate
from ..results._showing import meaning_of_intervals
from ..results._tables import EstimateTable
from ..results._terms import name_in_words
from ._answer import Answer, add_suspect_labels, record_of
from ._option_table import STRUCTURE
from ._options import read_merged, record_input
from ._options_of_fit import categories_in, fitted, record_of_fit
from ._terminal import working

NAMES = ("case", "reader", "modality")


def readings(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    table, _ = read_merged(options, answer)
    scores = table.optional_numbers(options.score)
    labels = table.labels(options.label, classes=options.classes)
    columns = {name: getattr(options, name) for name in (*NAMES, *STRUCTURE)}
    of_rows = {name: table.parts(column) for name, column in columns.items() if column is not None}
    of_case = {name: of_rows.pop(name) for name in STRUCTURE if name in of_rows}
    found = Readings.read(scores.values, labels.values, **of_rows, of_case=of_case)
    cases, truth = table.taken(found.rows), labels.values[found.rows]
    record_input(options, answer, cases, truth, (table, scores, labels))
    answer.record["read"] |= {
        **{name: column for name, column in columns.items() if column is not None},
        "n_readings": int((~np.isnan(found.scores)).sum()),
    }
    modalities = _modalities(options, found.systems)
    with working("estimating"):
        named = NamedScores.of(found.scores, found.systems)
        performance = fitted(options, cases, named, truth)
    answer.lines.append(_described(options, found, modalities))
    _answer_all(options, answer, performance, modalities)
    verdict = verdict_with(performance, categories_in(performance))
    answer.quote_remarks(with_verdict(performance.summary(), verdict), verdict)
    answer.record |= {
        **record_of_fit(options, performance),
        "readers": options.readers,
        "metric": options.metric,
        "threshold": options.threshold,
    }
    add_suspect_labels(answer, performance.suspect_labels_, cases, scored=False)


def _modalities(options: argparse.Namespace, systems: list) -> list:
    """Return the modalities, the baseline first; none without --modality."""
    if options.modality is None:
        return []
    names = list(dict.fromkeys(name[0] for name in systems))
    if options.baseline is None:
        return names
    first = [name for name in names if str(name) == options.baseline]
    if not first:
        raise ValueError(
            f"--baseline {options.baseline!r} is not in column {options.modality!r}: "
            f"{listed(names)}."
        )
    return first + [name for name in names if name != first[0]]


def _described(options: argparse.Namespace, found: Readings, modalities: list) -> str:
    """Return how many readers read how many cases."""
    readers = {name[-1] if isinstance(name, tuple) else name for name in found.systems}
    counts = [f"{len(found.cases):,} cases", f"{len(readers)} readers"]
    counts += [f"{len(modalities)} modalities"] * bool(modalities)
    missing = int(np.isnan(found.scores).sum())
    skipped = f" {missing:,} of {found.scores.size:,} readings are missing." if missing else ""
    items = "these cases" if options.target == "sample" else "cases like these"
    who = "these readers" if options.readers == "fixed" else "readers like these"
    return f"{', '.join(counts)}.{skipped} Means are of {items}, over {who}."


def _answer_all(options, answer: Answer, performance, modalities: list) -> None:
    """Add the means, differences and readers, of all cases and by category."""
    where: dict[str, Any] = {}
    if options.threshold is not None:
        where["threshold"] = options.threshold
    answer.lines.append(meaning_of_intervals(performance.confidence_level))
    _add(options, answer, answer.record, performance, modalities, where, "")
    if performance.categories_ is None:
        return
    answer.record["categories"] = []
    for name in performance.categories_.tolist():
        record: dict[str, Any] = {"category": str(name)}
        place = f" where {options.category} is {name}"
        _add(options, answer, record, performance, modalities, {**where, "category": name}, place)
        answer.record["categories"].append(record)


def _add(options, answer, record, performance: PerformanceCurveEstimator, modalities, where, place):
    metric, said = options.metric, name_in_words(options.metric)
    over = {**where, "readers": options.readers}
    everyone = modalities or ["all readers"]
    systems: list = modalities or [list(performance.systems_)]
    means = [estimate_of(performance, metric, {**over, "system": system}) for system in systems]
    _table(answer, record, "means", f"Mean {said} of the readers{place}:", everyone, means)
    first, *others = modalities or [None]
    if others:
        names = [f"{other} minus {first}" for other in others]
        gains = [difference_of(performance, metric, other, first, over) for other in others]
        _table(answer, record, "differences", f"Difference within readers{place}:", names, gains)
        chances = [gain.probability_above(0.0) for gain in gains]
        record["probabilities"] = chances
        answer.lines[-1] += "".join(
            f"\nProbability that {other} is larger: {chance:.3f}"
            for other, chance in zip(others, chances, strict=True)
        )
    each = [estimate_of(performance, metric, where | {"system": s}) for s in performance.systems_]
    names = [", ".join(map(str, s)) if isinstance(s, tuple) else s for s in performance.systems_]
    title = f"{said[:1].upper()}{said[1:]} of each reader{place}:"
    _table(answer, record, "each", title, names, each)


def _table(answer, record, key: str, title: str, names: list, found: list[ScalarEstimate]) -> None:
    table = EstimateTable(tuple(map(str, names)), tuple(found))
    answer.lines.append(f"{title}\n{table}")
    record[key] = record_of(table)
