"""The command ``mean``: the mean of numeric labels."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..inputs._named_scores import NamedScores
from ..means._mean_estimator import MeanEstimator
from ..report._metric_comparison import MetricComparison
from ..results._estimate_table import EstimateTable
from ..results._side_by_side import SideBySide
from ..tables._columns import Column
from ..tables._table import Table
from ._answer import Answer, record_of
from ._categories import add_reference, categories_of, check_order, comparison_records
from ._options import (
    TABLE,
    add_reading,
    add_structure,
    check_cases,
    check_columns,
    count,
    read,
    record_of_reading,
)
from ._sign_of_life import working
from ._terminal import tell

__all__ = ["add_mean"]


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
    add("--n-draws", type=count(1), default=4000, help="default: 4000")
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
