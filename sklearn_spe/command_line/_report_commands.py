"""The commands ``report`` and ``mean``."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..inputs._validation import NamedScores
from ..means._mean_estimator import MeanEstimator
from ..report._page import page_of_report, write_page
from ..report._performance_report import PerformanceReport, RowNames
from ..report._ranking_report import MetricComparison
from ..results._tables import EstimateTable, SideBySide
from ..results._verdict import Verdict
from ..tables._labeling_table import LabeledCopies
from ..tables._table import Column, Table
from ._answer import EPILOG, OF_VERDICT, Answer, add_suspect_labels, record_of, tell, working
from ._options import (
    TABLE,
    add_reading,
    add_structure,
    add_table,
    check_cases,
    check_columns,
    check_together,
    columns_of_scores,
    count,
    number_in,
    path_to_write,
    read,
    read_merged,
    record_of_reading,
    score_columns,
)
from ._options_of_fit import (
    STRUCTURE,
    add_fit,
    add_order,
    add_reference,
    categories_of,
    check_experts,
    check_order,
    check_several,
    check_threshold,
    check_two_classes,
    comparison_records,
    fitted,
    reference_in,
    structure_of,
)

ENDINGS = (".html", ".htm")


def add_report(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="all of it as one HTML page, to be read and sent",
        description="Write what is known of a classifier's performance as one HTML page.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=report)
    add_table(parser, systems=True, structure=True, judges=True)
    add = parser.add_argument_group("the page").add_argument
    beside = "default: beside FILE, its name with _report.html"
    add("-o", "--out", type=_page_path, metavar="PAGE.html", help=beside)
    add("--title", help="of the page")
    called = "column that says what each row is, such as a name or a text, beside its line"
    add("--item", metavar="COLUMN", help=called)
    add(
        "--threshold",
        type=number_in("(-inf, inf)"),
        metavar="SCORE",
        help="where precision, recall, F1 and accuracy are taken; default: 0.5 for probabilities",
    )
    add_order(add)
    add_fit(parser)


def report(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    _check(options)
    table, copies = read_merged(options, answer)
    labels = table.labels(options.label, classes=options.classes)
    columns = score_columns(options, table)
    notes = (*table.notes, *(note for column in (*columns, labels) for note in column.notes))
    for note in notes:
        tell("note", answer.words(note))
    answer.record["read"] = record_of_reading(options, table, labels.values, notes)
    check_two_classes(labels.values, options.label)
    check_cases(options, table, labels.values)
    names = RowNames(table.unit, table.places)
    if options.item is not None:
        called = zip(table.texts(options.item), table.places, strict=True)
        # Names may be repeated, but line numbers identify the rows to label.
        names = RowNames(options.item, [f"{name} ({table.unit} {at})" for name, at in called])
    scores = _scores(options, [column.values for column in columns])
    structure = structure_of(options, table, labels.values)
    with working("computing the report"):
        performance = fitted(options, scores, labels.values, structure)
        categories = () if performance.categories_ is None else performance.categories_.tolist()
        reference = options.reference and reference_in(options, categories)
        found = PerformanceReport.of(
            performance,
            threshold=options.threshold,
            items=names,
            title=options.title,
            reference=reference,
        )
    answer.quote_table(found.numbers, performance.verdict_)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    answer.record |= {
        "random_state": options.random_state or 0,
        "target": options.target,
        "confidence_level": performance.confidence_level,
        "classes": performance.classes_,
        "pos_label": performance.pos_label_,
        "threshold": found.threshold,
        "estimates": record_of(found.numbers),
    }
    scored = len(columns) == 1
    add_suspect_labels(answer, performance.suspect_labels_, table, scored=scored)
    out = options.out or _default_path(table)
    read_facts = _read(options, table, copies, notes)
    found = replace(_in_words(found, answer), facts=(*read_facts, *found.facts))
    write_page(out, page_of_report(found))
    answer.lines.append(f"The report is in {out}.")
    answer.record["report"] = out


def _check(options: argparse.Namespace) -> None:
    """Raise if options contradict each other."""
    check_together(options)
    check_order(options)
    for name in STRUCTURE:
        if getattr(options, name) is not None:
            check_experts(options, f"--{name}")
    if options.judge:
        check_experts(options, "--judge")
    if len(options.scores or ()) > 1:
        check_experts(options, "several --scores")


def _scores(options: argparse.Namespace, columns: list[np.ndarray]):
    """Return the scores of the only system, or of several with their names; None without any."""
    check_threshold(options)
    if len(columns) > 1:
        scores = np.column_stack(columns)
        check_several(options, scores)
        return NamedScores.of(scores, options.scores)
    if not columns:
        return None
    return columns[0]


def _read(
    options: argparse.Namespace, table: Table, copies: LabeledCopies | None, notes
) -> list[tuple[str, str]]:
    """Return facts on the input, by name."""
    columns = [f"{column} (score)" for column in columns_of_scores(options)]
    columns += [f"{column} (judge)" for column in options.judge]
    columns += [f"{options.label} (label)"]
    structure = ((name, getattr(options, name)) for name in STRUCTURE)
    columns += [f"{column} ({name})" for name, column in structure if column is not None]
    file = "standard input" if table.path is None else table.path.name
    facts = [("File", file), ("Columns", ", ".join(columns))]
    if copies is not None:
        facts[0] = ("Files", ", ".join(copies.annotations.names))
        facts.append(("Labeled by several", copies.describe().replace("\n", " ")))
    return [*facts, ("As it was read", " ".join(notes))] if notes else facts


def _in_words(found: PerformanceReport, answer: Answer) -> PerformanceReport:
    """Return a report with its verdict in the words of the command line."""
    reasons = found.verdict.reasons
    return replace(found, verdict=Verdict(replace(r, text=answer.words(r.text)) for r in reasons))


def _page_path(text: str) -> Path:
    """Parse the name of an output page."""
    path = path_to_write(text)
    if path.suffix.lower() not in ENDINGS:
        endings = " or ".join(ENDINGS)
        raise argparse.ArgumentTypeError(f"the name of a page ends in {endings}; got {text!r}")
    return path


def _default_path(table: Table) -> Path:
    if table.path is None:
        return Path("report.html")
    return table.path.with_name(f"{table.path.name.split('.')[0]}_report.html")


def add_mean(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "mean",
        help="the mean of labels that are numbers, such as grades",
        description="Estimate the mean of grades, of which some are known, with the help of what "
        "is known of all rows.",
    )
    # Ordered categories would not be smoothed.
    parser.set_defaults(run=mean, ordered=None)
    parser.add_argument("file", metavar="FILE", help=TABLE)
    add = parser.add_argument_group("columns").add_argument
    label = "column of labels, which are numbers; empty: not labeled"
    add("--label", required=True, metavar="COLUMN", help=label)
    proxy = "columns of numbers that may tell of the label, such as grades by a judge"
    add("--proxy", nargs="+", metavar="COLUMN", default=[], help=proxy)
    add_structure(add)
    chances = "column of the chance that each row had to be labeled; default: all had the same"
    add("--inclusion-proba", metavar="COLUMN", help=chances)
    add = parser.add_argument_group("what is asked").add_argument
    ends = "the least and the greatest label that there can be, such as 1 5"
    add("--label-range", nargs=2, type=float, metavar=("LOW", "HIGH"), help=ends)
    add_reference(add)
    add("--n-draws", type=count(1), default=1000, help="default: 1000")
    add_reading(parser)


def mean(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    check_order(options)
    check_columns(options, ("label", "proxy", "category", "groups", "inclusion_proba"))
    table = read(options, options.file)
    label = table.optional_numbers(options.label)
    proxies = [table.optional_numbers(name) for name in options.proxy]
    notes = (*table.notes, *(note for column in (label, *proxies) for note in column.notes))
    for note in notes:
        tell("note", answer.words(note))
    known = ~np.isnan(label.values)
    labels = label.values.astype(object)
    labels[~known] = None
    answer.record["read"] = record_of_reading(options, table, labels, notes)
    check_cases(options, table, labels)
    with working("estimating"):
        means = _fitted(options, table, label.values, proxies)
    found = EstimateTable(("mean label",), (means.estimate(),))
    answer.lines += [f"{known.sum():,} of {len(known):,} rows are labeled.", str(found)]
    answer.record |= {
        "random_state": means.seed_,
        "confidence_level": means.confidence_level,
        "estimates": record_of(found),
    }
    if options.category:
        _add_categories(options, answer, means)


def _fitted(
    options: argparse.Namespace, table: Table, labels: np.ndarray, proxies: list[Column]
) -> MeanEstimator:
    X = None
    if proxies:
        X = NamedScores.of(np.column_stack([proxy.values for proxy in proxies]), options.proxy)
    given: dict[str, Any] = {}
    if options.category:
        given["category"] = categories_of(options, table.parts(options.category))
    if options.groups:
        given["groups"] = table.parts(options.groups)
    if options.inclusion_proba:
        given["inclusion_proba"] = table.numbers(options.inclusion_proba).values
    return MeanEstimator(
        label_range=options.label_range and tuple(options.label_range),
        confidence_level=options.confidence_level or 0.9,
        n_draws=options.n_draws,
        random_state=options.random_state or 0,
    ).fit(X, labels, **given)


def _add_categories(options: argparse.Namespace, answer: Answer, means: MeanEstimator) -> None:
    """Add the mean of each category, and the differences from the reference."""
    table = means.by_category()
    answer.lines.append(f"mean label by {options.category}:\n{table}")
    answer.record["categories"] = [
        {"category": row["name"], "estimates": [row | {"name": "mean label"}]}
        for row in record_of(table)
    ]
    if options.reference is None:
        return
    sides = SideBySide(tuple(means.categories_.tolist()), table.estimates)
    place = table.names.index(options.reference)
    compared = MetricComparison("mean label", table, sides, place, "higher")
    answer.lines.append("\n".join(compared.lines_of_differences()))
    answer.record["reference"] = options.reference
    answer.record["changes"] = [
        {"category": row.pop("name"), **row} for row in comparison_records(compared)
    ]
