"""Categories of a column: their order, and the differences from one of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inputs._listed import listed
from ..inputs._partition import Partition
from ..performance._several import side_by_side
from ..report._metric_comparison import MetricComparison
from ..tables._ordered_names import are_days, are_in_no_order, ordered_names
from ._answer import Answer, record_of

__all__ = [
    "add_changes",
    "add_order",
    "add_reference",
    "categories_of",
    "check_order",
    "comparison_records",
    "reference_in",
]


# Maximum number of days that are treated as categories.
MAX_DAYS = 12


def add_order(add: Any) -> None:
    """Add the option of ordered categories."""
    in_order = (
        "the categories are in an order, and neighbours more alike: numbers, dates that begin "
        "with the year, else as they first come in the file"
    )
    add("--ordered", action="store_true", help=in_order)
    add_reference(add)


def add_reference(add: Any) -> None:
    """Add the option of the reference category."""
    less = "also by how much each category differs from this one, and with what probability"
    add("--reference", metavar="CATEGORY", help=less)


def check_order(options: argparse.Namespace) -> None:
    """Raise if an option of categories is given without --category."""
    for name in ("ordered", "reference"):
        if getattr(options, name) and options.category is None:
            raise ValueError(f"--{name} needs --category.")


def categories_of(options: argparse.Namespace, parts: np.ndarray) -> Partition:
    """Return the categories of the rows, in their order."""
    _check_dates(options, parts)
    found = Partition.read(parts, "category", len(parts))
    if options.ordered:
        found = found.in_order(ordered_names(parts.tolist()))
    if options.reference is not None:
        reference_in(options, found.names.tolist())
    return found


def _check_dates(options: argparse.Namespace, parts: np.ndarray) -> None:
    """Raise if categories are dates that are too many, or not sorted as text."""
    names = list(dict.fromkeys(map(str, parts.tolist())))
    if not names:
        return
    if options.ordered and are_in_no_order(names):
        raise ValueError(
            f"--ordered: column {options.category!r} holds dates such as {names[0]!r}, which sort "
            "correctly as text only if the year comes first and all have the same length. Write "
            "2026-02-03, or a column of months, 2026-02."
        )
    if not options.ordered and len(names) > MAX_DAYS and are_days(names):
        # Means do not use the order.
        ordered = (
            ""
            if options.ordered is None
            else (
                ", with --ordered; or write days with the year first, 2026-02-03, and say --ordered"
            )
        )
        raise ValueError(
            f"Column {options.category!r} holds {len(names)} dates, such as {names[0]!r}, and each "
            "would be an unordered category. Write a column of months, 2026-02, or weeks, "
            f"2026-W06, and pass it as --category{ordered}."
        )


def add_changes(
    answer: Answer,
    performance,
    options: argparse.Namespace,
    asked: dict[str, dict],
    systems: tuple = (None,),
) -> None:
    """Add the differences of metrics from those of the reference category."""
    if options.reference is None:
        return
    reference = reference_in(options, performance.categories_.tolist())
    answer.record |= {"reference": options.reference, "changes": []}
    for system in systems:
        of = {} if system is None else {"system": system}
        for metric, where in asked.items():
            table = performance.by_category(metric, **where, **of)
            comparison = side_by_side(performance, metric, where | of, greater_is_better=True)
            title = " ".join([*(f"of {name}" for name in of.values()), f"by {options.category}"])
            found = MetricComparison.of_categories(metric, table, comparison, title, reference)
            answer.lines.append(f"{found.title}, " + "\n".join(found.lines_of_differences()))
            answer.record["changes"] += [
                {**of, "category": row.pop("name"), "metric": metric, **row}
                for row in comparison_records(found)
            ]


def comparison_records(found: MetricComparison) -> list[dict[str, Any]]:
    """Return differences and their probabilities as records."""
    rows = zip(record_of(found.differences), found.probabilities, strict=True)
    return [{**row, "probability": probability} for row, probability in rows]


def reference_in(options: argparse.Namespace, names: Sequence):
    """Return the category given as the reference."""
    for name in names:
        if str(name) == options.reference:
            return name
    raise ValueError(
        f"--reference {options.reference!r} is not a category in column "
        f"{options.category!r}: {listed(names)}."
    )
