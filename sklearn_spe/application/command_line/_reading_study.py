"""The command ``readings``: a table with one row per reading of a case, by readers."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import numpy as np

from ...estimators._performance import PerformanceCurveEstimator
from ...estimators._side_by_side import (
    difference_of,
    estimate_of,
)
from ...inputs._readings import Readings
from ...inputs._validation import NamedScores, listed
from ...models._ranking_value import MetricArguments
from ...models._ranking_view import RankingKey
from ...results._estimates import ScalarEstimate
from ...results._showing import meaning_of_intervals
from ...results._tables import EstimateTable
from ...results._terms import name_in_words
from ._answer import Answer, add_suspect_labels, record_of
from ._option_table import STRUCTURE
from ._options import read_merged, record_input
from ._options_of_fit import fitted, numbers_of, record_of_fit
from ._terminal import working

NAMES = ("case", "reader", "modality")


def readings(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    table, _ = read_merged(options, answer)
    scores = table.optional_numbers(options.score)
    labels = table.labels(options.label, classes=options.classes)
    columns = {name: getattr(options, name) for name in (*NAMES, *STRUCTURE)}
    columns = {name: column for name, column in columns.items() if column is not None}
    of_rows = {name: table.parts(column) for name, column in columns.items()}

    # One row for each case, with a column of scores for each reader and modality.
    study = Readings.read(
        scores.values,
        labels.values,
        case=of_rows["case"],
        reader=of_rows["reader"],
        modality=of_rows.get("modality"),
        of_case={name: of_rows[name] for name in STRUCTURE if name in of_rows},
    )
    cases = table.taken(study.rows)
    truth = labels.values[study.rows]
    record_input(options, answer, cases, truth, (table, scores, labels))
    answer.record["read"] |= {
        **columns,
        "n_readings": int((~np.isnan(study.scores)).sum()),
    }

    modalities = _modalities(options, study.systems)
    if len(_readers_in(study.systems)) == 1:
        # One reader is no sample of readers.
        options.readers = "fixed"
    with working("estimating"):
        system_scores = NamedScores.of(study.scores, study.systems)
        performance = fitted(options, cases, system_scores, truth)
    numbers, verdict = numbers_of(performance)
    answer.add_caveats(verdict)
    answer.lines.append(_described(options, study, modalities))
    _answer_all(options, answer, performance, modalities)
    answer.quote_remarks(numbers, verdict)
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


def _readers_in(systems: list) -> set:
    """Return the readers of systems, which are named by reader, or by modality and reader."""
    return {name[-1] if isinstance(name, tuple) else name for name in systems}


def _described(options: argparse.Namespace, study: Readings, modalities: list) -> str:
    """Return the numbers of readers and of cases, as a sentence."""
    n_readers = len(_readers_in(study.systems))
    readers = "1 reader" if n_readers == 1 else f"{n_readers} readers"
    counts = [f"{len(study.cases):,} cases", readers]
    counts += [f"{len(modalities)} modalities"] * bool(modalities)

    missing = int(np.isnan(study.scores).sum())
    skipped = f" {missing:,} of {study.scores.size:,} readings are missing." if missing else ""

    items = "these cases" if options.target == "sample" else "cases like these"
    who = "these readers" if options.readers == "fixed" else "readers like these"
    others = " --target sample --readers fixed: these very ones."
    is_general = options.target == "population" and options.readers == "random"
    return f"{', '.join(counts)}.{skipped} Means are of {items}, over {who}.{others * is_general}"


def _answer_all(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    modalities: list,
) -> None:
    """Add the means, differences and readers, of all cases and by category."""
    answer.lines.append(meaning_of_intervals(performance.confidence_level))
    _add(options, answer, answer.record, performance, modalities, None, "")

    if performance.categories_ is None:
        return
    answer.record["categories"] = []
    for name in performance.categories_.tolist():
        record: dict[str, Any] = {"category": str(name)}
        part = f" where {options.category} is {name}"
        _add(options, answer, record, performance, modalities, name, part)
        answer.record["categories"].append(record)


def _add(
    options: argparse.Namespace,
    answer: Answer,
    record: dict[str, Any],
    performance: PerformanceCurveEstimator,
    modalities: list,
    category: Any,
    part: str,
) -> None:
    """Add means, differences and readers of the cases of a category, `part` in words, or of all."""
    metric_name = name_in_words(options.metric)
    cases = RankingKey(category=category)
    of_reader = MetricArguments(options.metric, options.threshold)
    over_readers = replace(of_reader, readers=options.readers)

    # The mean of each modality, or of all readers.
    names = modalities or ["all readers"]
    systems: list = modalities or [list(performance.systems_)]
    means = [
        estimate_of(performance, replace(cases, system=system), over_readers) for system in systems
    ]
    _table(answer, record, "means", f"Mean {metric_name} of the readers{part}:", names, means)

    # The difference of each modality from the first.
    first, *others = modalities or [None]
    if others:
        names = [f"{other} minus {first}" for other in others]
        gains = [difference_of(performance, cases, over_readers, other, first) for other in others]
        _table(answer, record, "differences", f"Difference within readers{part}:", names, gains)
        probabilities = [gain.probability_above(0.0) for gain in gains]
        record["probabilities"] = probabilities
        for other, probability in zip(others, probabilities, strict=True):
            answer.lines[-1] += f"\nProbability that {other} is larger: {probability:.3f}"

    # Each reader.
    estimates = [
        estimate_of(performance, replace(cases, system=system), of_reader)
        for system in performance.systems_
    ]
    names = [
        ", ".join(map(str, system)) if isinstance(system, tuple) else system
        for system in performance.systems_
    ]
    title = f"{metric_name[:1].upper()}{metric_name[1:]} of each reader{part}:"
    _table(answer, record, "each", title, names, estimates)


def _table(
    answer: Answer,
    record: dict[str, Any],
    key: str,
    title: str,
    names: list,
    estimates: list[ScalarEstimate],
) -> None:
    """Add estimates as a table."""
    table = EstimateTable(tuple(map(str, names)), tuple(estimates))
    answer.lines.append(f"{title}\n{table}")
    record[key] = record_of(table)
