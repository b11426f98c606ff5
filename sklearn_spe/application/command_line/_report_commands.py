"""The commands ``report`` and ``mean``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...data._kinds import BY_CLASS
from ...estimators._performance import PerformanceCurveEstimator
from ...inputs._validation import NamedScores
from ...means._mean_estimator import MeanEstimator
from ...results._tables import EstimateTable
from ...results._verdict import Verdict, reason_of_complete_labels
from ..report._main_estimates import MEAN_LABEL, further_means
from ..report._mean_page import MeanReport
from ..report._metric_comparison import MetricComparison
from ..report._performance_report import PerformanceReport
from ..report._sentences import ChosenThreshold
from ..tables._labeled_copies import LabeledCopies
from ..tables._table import Column, Table
from ._answer import Answer, add_rows, add_suspect_labels, record_of
from ._estimate import add_goal, chosen_for_goal, point_of
from ._estimate_classes import are_several_classes, fit_classes
from ._option_checks import check_several_classes, columns_of_scores
from ._option_table import STRUCTURE
from ._options import read_merged, record_input
from ._options_of_fit import (
    categories_in,
    fit_scores,
    record_of_fit,
    reference_in,
    structure_of,
)
from ._predicted_columns import fit_predictions, predicted_columns
from ._terminal import tell, working


def report(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    table, copies = read_merged(options, answer)
    performance, is_one = _fit_of(options, answer, table)
    with working("computing the report"):
        chosen, unreachable = chosen_for_goal(options, performance)
        page = _page_of(options, table, performance, chosen)

    plan = page.worth[0] if is_one and page.worth else None
    answer.quote_table(page.numbers, page.verdict, page.answers, plan, choices=page.choices)
    answer.record |= {
        **record_of_fit(options, performance),
        "metric": page.metric,
        "threshold": page.threshold,
        "estimates": record_of(page.numbers),
        "comparisons": [each.to_dict() for each in page.comparisons],
        "compared_with": page.earlier and page.earlier.to_dict(),
    }
    add_suspect_labels(answer, performance.suspect_labels_, table, scored=is_one)

    if options.item is not None and not (page.next_rows or page.suspect_rows):
        tell("note", f"No row is listed on the page, whose name column {options.item!r} would be.")

    # Facts on the input come first.
    out = options.out or _default_path(table)
    read_facts = _read(options, table, copies, answer.record["read"]["notes"])
    page = replace(
        page,
        answers=page.answers.after(str(unreachable or "")),
        facts=(*read_facts, *page.facts),
        systems=page.systems or tuple(columns_of_scores(options)),
        file=None if table.path is None else table.path.name,
        checksum=None if table.path is None else _checksum(table.path),
    )
    page.to_html(out)
    answer.lines.append(f"The report is in {out}.")
    answer.record["report"] = out
    add_goal(options, answer, table, chosen, unreachable)


def _fit_of(
    options: argparse.Namespace, answer: Answer, table: Table
) -> tuple[PerformanceCurveEstimator, bool]:
    """Return the fit of a table, and whether it is of one column of scores of two classes."""
    predicted = predicted_columns(options, table)
    if predicted:
        return fit_predictions(options, answer, table, predicted), False
    if are_several_classes(options, table):
        check_several_classes(options)
        return fit_classes(options, answer, table), False
    performance, columns = fit_scores(options, answer, table)
    return performance, len(columns) == 1


def _page_of(
    options: argparse.Namespace,
    table: Table,
    performance: PerformanceCurveEstimator,
    chosen: ChosenThreshold | None,
) -> PerformanceReport:
    """Return the page, with the names of rows in the words of the table."""
    names, unit = table.named_rows()
    if options.item is not None:
        # Names may be repeated, but line numbers identify the rows to label.
        rows = zip(table.texts(options.item), table.places, strict=True)
        names = [f"{name} ({table.unit} {number})" for name, number in rows]
        unit = options.item

    page = PerformanceReport.from_estimator(
        performance,
        threshold=point_of(options, chosen),
        cost=options.cost,
        items=names,
        unit=unit,
        metric=options.metric,
        title=options.title or _title_of(table),
        compared_with=options.compared_with and earlier_report(options.compared_with),
        reference=reference_in(options, categories_in(performance)),
    )
    if chosen is None:
        return page
    first_line = chosen.first_line(names, unit)
    answers = page.answers.after(first_line, says_next=chosen.to_prove is not None)
    return replace(page, answers=answers)


def earlier_report(path: Path) -> dict[str, Any]:
    """Return the JSON record of an earlier report; raise ValueError for any other file."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"--compared-with {path} is not JSON: write the output of an earlier report or "
            f"estimate with --json to a file, and pass that. ({error})"
        ) from None
    if not (isinstance(record, dict) and isinstance(record.get("estimates"), list)):
        raise ValueError(
            f"--compared-with {path} has no estimates: pass the output of report --json or "
            "estimate --json."
        )
    return record


def _read(
    options: argparse.Namespace,
    table: Table,
    copies: LabeledCopies | None,
    notes: Sequence[str],
) -> list[tuple[str, str]]:
    """Return facts on the input, by name."""
    columns = [f"{column} (score)" for column in columns_of_scores(options)]
    columns += [f"{column} (judge)" for column in options.judge or ()]
    columns += [f"{options.label} (label)"]
    structure = ((name, getattr(options, name)) for name in STRUCTURE)
    columns += [f"{column} ({name})" for name, column in structure if column is not None]

    file = "standard input" if table.path is None else table.path.name
    facts = [("File", file), ("Columns", ", ".join(columns))]
    if table.path is not None:
        facts.append(("SHA-256 of the file", _checksum(table.path)))
    if copies is not None:
        facts[0] = ("Files", ", ".join(copies.annotations.names))
        facts.append(("Labeled by several", copies.describe().replace("\n", " ")))
    return [*facts, ("As it was read", " ".join(notes))] if notes else facts


def _checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


def _title_of(table: Table) -> str:
    return f"Performance on {'standard input' if table.path is None else table.path.name}"


def _default_path(table: Table) -> Path:
    if table.path is None:
        return Path("report.html")
    return table.path.with_name(f"{table.path.name.split('.')[0]}_report.html")


def mean(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    (table,) = options.tables
    label = table.optional_numbers(options.label)
    proxies = [table.optional_numbers(name) for name in options.judge]
    # Grades, and None where one is missing.
    is_known = ~np.isnan(label.values)
    labels = label.values.astype(object)
    labels[~is_known] = None
    record_input(options, answer, table, labels, (table, label, *proxies), of_two=False)

    with working("estimating"):
        means = _fitted(options, table, label.values, proxies)
    estimates = EstimateTable((MEAN_LABEL,), (means.estimate(),))
    of_population, further = further_means(means, answer.words.of_message)
    text = "\n".join([str(estimates), *further])
    answer.lines += [_labels_in_words(options, answer, is_known), text]
    answer.record |= {
        "random_state": means.seed_,
        "target": options.target,
        "confidence_level": means.confidence_level,
        "estimates": record_of(estimates),
        "of_population": of_population and record_of(of_population),
    }
    if options.metric is not None:
        _add_runs(options, answer, means)
    compared = _add_categories(options, answer, means) if options.category else None
    if options.out is not None:
        page = MeanReport.from_estimator(
            means,
            title=options.title or f"Mean of {options.label} in {table.name}",
            facts=_read(options, table, None, answer.record["read"]["notes"]),
            compared=compared,
        )
        page.to_html(options.out)
        answer.lines.append(f"The page is in {options.out}.")
        answer.record["report"] = options.out


def _add_runs(options: argparse.Namespace, answer: Answer, means: MeanEstimator) -> None:
    """Add pass^k or pass@k of all tasks, and of each category."""
    if options.groups is None:
        raise ValueError(f"--metric {options.metric} needs the task of each run: pass --groups.")
    categories = [] if means.categories_ is None else means.categories_.tolist()
    estimates = {"all": means.estimate(options.metric)}
    estimates |= {str(name): means.estimate(options.metric, category=name) for name in categories}
    table = EstimateTable(tuple(estimates), tuple(estimates.values()))
    answer.lines.append(f"{table.estimates[0].name}, of further tasks:\n{table}")
    answer.record["runs"] = record_of(table)


def _labels_in_words(options: argparse.Namespace, answer: Answer, known: np.ndarray) -> str:
    """Return the number of labeled rows, and that numbers are exact if all are, as a sentence."""
    n_rows = len(known)
    if options.target == "sample" and known.all():
        return answer.words.of_reason(reason_of_complete_labels(float(n_rows))).text
    text = f"{known.sum():,} of {n_rows:,} rows are labeled."
    if options.target == "population":
        text += " The numbers are of the distribution behind the rows: of further ones."
    return text


def _fitted(
    options: argparse.Namespace, table: Table, labels: np.ndarray, proxies: list[Column]
) -> MeanEstimator:
    X = None
    if proxies:
        X = NamedScores.of(np.column_stack([proxy.values for proxy in proxies]), options.judge)
    inclusion_proba: ArrayLike | str | None = BY_CLASS if options.labels_by_class else None
    if options.inclusion_proba:
        inclusion_proba = table.numbers(options.inclusion_proba).values
    structure = structure_of(options, table, labels)

    return MeanEstimator(
        target=options.target,
        label_range=options.label_range and tuple(options.label_range),
        confidence_level=options.confidence_level,
        n_draws=options.n_draws,
        random_state=options.random_state,
    ).fit(
        X,
        labels,
        category=structure.category,
        groups=structure.groups,
        inclusion_proba=inclusion_proba,
    )


def _add_categories(
    options: argparse.Namespace, answer: Answer, means: MeanEstimator
) -> MetricComparison | None:
    """Add the mean of each category, and the differences from the reference, if there is one."""
    table = means.by_category()
    answer.lines.append(f"{MEAN_LABEL} by {options.category}:\n{table}")
    verdicts = [estimate.verdict for estimate in table.estimates]
    verdict = Verdict(reason for each in verdicts if each for reason in each.reasons)
    if verdict.reasons:
        answer.lines.append(f"Verdict: {answer.take(verdict).describe()}")

    add_rows(answer, "categories", "category", {MEAN_LABEL: table})
    if options.reference is None:
        return None

    compared = MetricComparison(MEAN_LABEL, table, table, options.reference, "higher")
    answer.lines.append("\n".join(compared.lines_of_differences()))
    answer.record["reference"] = options.reference
    answer.record["changes"] = [
        {"category": row.pop("name"), **row} for row in compared.to_dict()["differences"]
    ]
    return compared
