"""Options of a fit: categories, classes, parameters of a mixture."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data._cells import default_threshold
from ..data._sample import ScoreSample
from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._score_mixture import SemisupervisedScoreMixture
from ..inputs._groups import Partition
from ..inputs._scores import NEARLY_ONE, ScoreDirection
from ..inputs._validation import NamedScores, listed
from ..report._metric_comparison import MetricComparison
from ..results._tables import remarks_on_edges
from ..tables._dates import UNITS, are_days, are_in_no_order, ordered_names
from ..tables._table import Column, Table, labels_in, words_in
from ._answer import Answer, add_rows
from ._option_table import STRUCTURE
from ._terminal import tell

# Maximum number of days that are treated as categories, and of categories without a remark.
MAX_DAYS, MAX_CATEGORIES = 12, 30


def categories_of(options: argparse.Namespace, parts: np.ndarray) -> Partition:
    """Return the categories of the rows, in their order."""
    _check_dates(options, parts)
    _check_number(options, parts)
    found = Partition.read(parts, "category", len(parts))
    if options.ordered:
        found = found.in_order(ordered_names(parts.tolist()))
    elif options.ordered is not None and options.category.rpartition(":")[2] in UNITS:
        tell(
            "note",
            f"{options.category} is treated as unordered; --ordered makes neighbors more alike.",
        )
    reference_in(options, found.names.tolist())
    return found


def _check_dates(options: argparse.Namespace, parts: np.ndarray) -> None:
    """Raise if categories are dates that are too many, or not sorted as text."""
    names = list(dict.fromkeys(map(str, parts.tolist())))
    if not names:
        return
    of, _, unit = options.category.rpartition(":")
    of = of if of and unit in UNITS else options.category
    if options.ordered and are_in_no_order(names):
        raise ValueError(
            f"--ordered: column {options.category!r} holds dates such as {names[0]!r}, which do "
            f"not sort by time as text. Pass --category {of}:month, or {of}:day."
        )
    if not options.ordered and len(names) > MAX_DAYS and are_days(names):
        # Means and readings do not use the order.
        ordered = "" if options.ordered is None else f", or --category {of}:day --ordered"
        raise ValueError(
            f"Column {options.category!r} holds {len(names)} dates, such as {names[0]!r}, and each "
            f"would be an unordered category. Pass --category {of}:month (or {of}:week, "
            f"{of}:quarter){ordered}."
        )


def _check_number(options: argparse.Namespace, parts: np.ndarray) -> None:
    """Raise if nearly every row has a distinct category; note if there are many categories."""
    n_rows, n = len(parts), len(set(map(str, parts.tolist())))
    if n <= MAX_CATEGORIES:
        return
    if n_rows < 2 * n:
        raise ValueError(
            f"Column {options.category!r} names {n:,} categories in {n_rows:,} rows: nearly every "
            "row would be one of its own. Pass a column with fewer, such as the month of a date "
            "(--category date:month); if rows with the same name belong together, use --groups."
        )
    if not options.ordered:
        tell(
            "note",
            f"Column {options.category!r} has {n:,} categories, of {n_rows / n:.0f} rows each on "
            "average: what is said of a small one is mostly what holds of all. A column with fewer "
            "says more.",
        )


def add_categories(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    asked: dict[str, dict],
) -> None:
    """Add metrics of each category, and their differences from the reference."""
    tables = {}
    for metric, where in asked.items():
        table = performance.by_category(metric, **where)
        at = f" at score {where['threshold']:g}" if "threshold" in where else ""
        said = f"{metric.replace('_', ' ')}{at}"
        title = f"{said} by {options.category}:"
        answer.lines.append("\n".join([title, str(table), *remarks_on_edges(table)]))
        tables[said] = table
    add_rows(answer, "categories", "category", tables)
    add_changes(answer, performance, options, asked)


def add_changes(
    answer: Answer,
    performance,
    options: argparse.Namespace,
    asked: dict[str, dict],
    systems: tuple = (None,),
) -> None:
    """Add the differences of metrics from those of the reference category."""
    categories = categories_in(performance)
    if (reference := reference_in(options, categories)) is None:
        return
    answer.record |= {"reference": options.reference, "changes": []}
    for system in systems:
        of = {} if system is None else {"system": system}
        for metric, where in asked.items():
            by = " ".join([*(f"of {name}" for name in of.values()), f"by {options.category}"])
            found = MetricComparison.of_categories(
                performance, metric, where | of, categories, reference, by
            )
            answer.lines.append(f"{found.title}, " + "\n".join(found.lines_of_differences()))
            answer.record["changes"] += [
                {**of, "category": row.pop("name"), "metric": metric, **row}
                for row in found.to_dict()["differences"]
            ]


def categories_in(performance: PerformanceCurveEstimator) -> list:
    """Return the categories of a fit, if it has any."""
    return [] if performance.categories_ is None else performance.categories_.tolist()


def reference_in(options: argparse.Namespace, names: Sequence):
    """Return the category given as the reference, if one is."""
    if options.reference is None:
        return None
    for name in names:
        if str(name) == options.reference:
            return name
    raise ValueError(
        f"--reference {options.reference!r} is not a category in column "
        f"{options.category!r}: {listed(names)}."
    )


def as_in_column(names: Sequence[str] | None, labels: np.ndarray) -> list | None:
    """Return class names as the values of the labels of a file: numbers, booleans or text."""
    if names is None:
        return None
    if any(isinstance(label, str) for label in labels):
        return [name.strip() for name in names]
    return labels_in(list(names), "classes", None, None).values.tolist()


def positive_in(options: argparse.Namespace, labels: np.ndarray) -> Any:
    """Return the positive class as the values of the labels, if it is given."""
    found = as_in_column(None if options.pos_label is None else [options.pos_label], labels)
    return None if found is None else found[0]


def structure_of(options: argparse.Namespace, table: Table, labels) -> dict[str, Any]:
    """Return the columns of categories, groups and judges."""
    given = {name: getattr(options, name) for name in STRUCTURE}
    found: dict[str, Any] = {
        name: table.parts(column) for name, column in given.items() if column is not None
    }
    if "category" in found:
        found["category"] = categories_of(options, found["category"])
    if options.judge:
        # Verdicts are spelled as labels are.
        classes = options.classes or words_in(labels)
        found["judges"] = {
            name: table.labels(name, classes=classes).values for name in options.judge
        }
    return found


def scores_of(options: argparse.Namespace, columns: Sequence[Column]) -> Any:
    """Return the scores of the only system, or of several with their names; None without any."""
    if len(columns) < 2:
        return columns[0].values if columns else None
    scores = np.column_stack([column.values for column in columns])
    _check_several(options, scores)
    return NamedScores.of(scores, options.scores)


def _check_several(options: argparse.Namespace, scores: np.ndarray) -> None:
    """Raise if two columns, (n_items, n_columns), are the probabilities of one system."""
    scores = scores[~np.isnan(scores).any(axis=1)]
    of_one = len(scores) and scores.shape[1] == 2 and scores.min() >= 0.0
    if of_one and np.abs(scores.sum(axis=1) - 1.0).max() <= NEARLY_ONE:
        first, second = options.scores
        raise ValueError(
            f"Columns {first!r} and {second!r} sum to one in every row: they are the probabilities "
            "of two classes by one system. Use the command estimate with one of them."
        )


def decided_at(options: argparse.Namespace, scores: np.ndarray) -> float | None:
    """Return the decision threshold implied by these scores, or None."""
    scores = scores[~np.isnan(scores)]
    unlabeled, weights = np.full(len(scores), -1), np.ones(len(scores))
    sample = ScoreSample.from_items(
        ScoreDirection.of(scores, not options.smaller_is_positive).flip(scores), unlabeled, weights
    )
    return default_threshold(sample, options.score_kind or "auto")


def without_threshold(options: argparse.Namespace, scores: np.ndarray, of: str = "") -> ValueError:
    """Return the error for scores that imply no decision threshold; `of` says whose they are."""
    return ValueError(
        f"--metric {options.metric} needs a decision threshold, which the scores{of}, from "
        f"{np.nanmin(scores):.6g} to {np.nanmax(scores):.6g}, do not imply: pass --threshold as "
        "well, such as 0 for margins and log-odds or 0.5 for probabilities."
    )


def record_of_fit(
    options: argparse.Namespace, performance: PerformanceCurveEstimator
) -> dict[str, Any]:
    """Return the parameters of a fit, and its classes, as a JSON record."""
    return {
        "random_state": options.random_state,
        "target": options.target,
        "confidence_level": performance.confidence_level,
        "classes": performance.classes_,
        "pos_label": performance.pos_label_,
    }


def fitted(options: argparse.Namespace, table: Table, scores, labels) -> PerformanceCurveEstimator:
    """Return the fitted estimator of one or several systems; the structure is in the table."""
    mixture = SemisupervisedScoreMixture(
        classes=as_in_column(options.classes, labels),
        pos_label=positive_in(options, labels),
        experts=None if options.experts == "none" else options.experts,
        score_kind=options.score_kind,
        greater_is_positive=not options.smaller_is_positive,
        n_draws=options.n_draws,
        random_state=options.random_state,
    )
    return PerformanceCurveEstimator(
        mixture,
        target=options.target,
        confidence_level=options.confidence_level,
        random_state=options.random_state,
    ).fit(
        scores,
        labels,
        known_positives=options.known_positives,
        **structure_of(options, table, labels),
    )
