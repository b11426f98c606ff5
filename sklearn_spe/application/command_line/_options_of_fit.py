"""Options of a fit: categories, classes, parameters of a mixture."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data._cells import default_threshold
from ...data._kinds import BY_CLASS
from ...data._sample import ScoreSample
from ...estimators._performance import PerformanceCurveEstimator
from ...estimators._score_mixture import SemisupervisedScoreMixture
from ...estimators._side_by_side import table_by_category, verdict_with
from ...inputs._groups import Partition
from ...inputs._scores import NEARLY_ONE, ScoreDirection
from ...inputs._validation import NamedScores, listed
from ...models._ranking_value import MetricArguments
from ...models._ranking_view import RankingKey
from ...results._tables import EstimateTable, remarks_on_edges
from ...results._verdict import Verdict
from ..report._main_estimates import main_numbers, with_verdict
from ..report._metric_comparison import MetricComparison
from ..tables._dates import UNITS, are_days, are_in_no_order, ordered_names
from ..tables._table import Column, Table, labels_in, words_in
from ._answer import Answer, add_rows
from ._options import read_items
from ._terminal import tell, working

# Maximum number of days that are treated as categories, and of categories without a remark.
MAX_DAYS = 12
MAX_CATEGORIES = 30


class Structure(NamedTuple):
    """The structure of the rows: their categories, their groups, and the verdicts of judges."""

    category: Partition | None
    groups: np.ndarray | None
    judges: dict[str, np.ndarray] | None


def categories_of(options: argparse.Namespace, parts: np.ndarray) -> Partition:
    """Return the categories of the rows, in their order."""
    _check_dates(options, parts)
    _check_number(options, parts)
    partition = Partition.read(parts, "category", len(parts))
    if options.ordered:
        partition = partition.in_order(ordered_names(parts.tolist()))
    elif options.ordered is not None and options.category.rpartition(":")[2] in UNITS:
        tell(
            "note",
            f"{options.category} is treated as unordered; --ordered makes neighbors more alike.",
        )

    reference_in(options, partition.names.tolist())
    return partition


def _check_dates(options: argparse.Namespace, parts: np.ndarray) -> None:
    """Raise if categories are dates that are too many, or not sorted as text."""
    names = list(dict.fromkeys(map(str, parts.tolist())))
    if not names:
        return
    column, _, unit = options.category.rpartition(":")
    column = column if column and unit in UNITS else options.category

    if options.ordered and are_in_no_order(names):
        raise ValueError(
            f"--ordered: column {options.category!r} holds dates such as {names[0]!r}, which do "
            f"not sort by time as text. Pass --category {column}:month, or {column}:day."
        )

    if not options.ordered and len(names) > MAX_DAYS and are_days(names):
        # Means and readings do not use the order.
        ordered = "" if options.ordered is None else f", or --category {column}:day --ordered"
        raise ValueError(
            f"Column {options.category!r} holds {len(names)} dates, such as {names[0]!r}, and each "
            f"would be an unordered category. Pass --category {column}:month (or {column}:week, "
            f"{column}:quarter){ordered}."
        )


def _check_number(options: argparse.Namespace, parts: np.ndarray) -> None:
    """Raise if nearly every row has a distinct category; note if there are many categories."""
    n_rows = len(parts)
    n = len(set(map(str, parts.tolist())))
    if n <= MAX_CATEGORIES:
        return
    if n_rows < 2 * n:
        raise ValueError(
            f"Column {options.category!r} names {n:,} categories in {n_rows:,} rows: nearly every "
            "row has its own category. Pass a column with fewer, such as the month of a date "
            "(--category date:month); if rows with the same name belong together, use --groups."
        )
    if not options.ordered:
        tell(
            "note",
            f"Column {options.category!r} has {n:,} categories, of {n_rows / n:.0f} rows each on "
            "average: the estimates of a small category depend mostly on the other rows. A column "
            "with fewer categories gives more precise estimates.",
        )


def add_categories(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    questions: Sequence[MetricArguments],
) -> None:
    """Add metrics of each category, and their differences from the reference."""
    tables = {}
    for arguments in questions:
        table = table_by_category(performance, RankingKey(), arguments)
        at = "" if arguments.threshold is None else f" at score {arguments.threshold:g}"
        name = f"{str(arguments.metric).replace('_', ' ')}{at}"
        title = f"{name} by {options.category}:"
        answer.lines.append("\n".join([title, str(table), *remarks_on_edges(table)]))
        tables[name] = table

    add_rows(answer, "categories", "category", tables)
    add_changes(answer, performance, options, questions)


def add_changes(
    answer: Answer,
    performance: PerformanceCurveEstimator,
    options: argparse.Namespace,
    questions: Sequence[MetricArguments],
    systems: tuple = (None,),
) -> None:
    """Add the differences of metrics from those of the reference category."""
    categories = categories_in(performance)
    reference = reference_in(options, categories)
    if reference is None:
        return

    changes: list[dict[str, Any]] = []
    for system in systems:
        of_system = {} if system is None else {"system": system}
        by = f"by {options.category}" if system is None else f"of {system} by {options.category}"
        for arguments in questions:
            comparison = MetricComparison.of_categories(
                performance, arguments, categories, reference, by, system
            )
            lines = "\n".join(comparison.lines_of_differences())
            answer.lines.append(f"{comparison.title}, {lines}")
            for row in comparison.to_dict()["differences"]:
                category = row.pop("name")
                changes.append(
                    {**of_system, "category": category, "metric": arguments.metric, **row}
                )
    answer.record |= {"reference": options.reference, "changes": changes}


def numbers_of(
    performance: PerformanceCurveEstimator,
    *,
    threshold: float | None = None,
    tables: Iterable[EstimateTable] = (),
) -> tuple[EstimateTable, Verdict]:
    """Return the main numbers with the verdict on all that is printed, and this verdict."""
    verdict = verdict_with(performance, categories_in(performance), tables)
    return with_verdict(main_numbers(performance, threshold=threshold), verdict), verdict


def categories_in(performance: PerformanceCurveEstimator) -> list:
    """Return the categories of a fit, if it has any."""
    return [] if performance.categories_ is None else performance.categories_.tolist()


def reference_in(options: argparse.Namespace, names: Sequence) -> Any:
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
    if options.pos_label is None:
        return None
    classes = as_in_column([options.pos_label], labels)
    return None if classes is None else classes[0]


def structure_of(options: argparse.Namespace, table: Table, labels: np.ndarray) -> Structure:
    """Return the columns of categories, groups and judges."""
    category = None
    if options.category is not None:
        category = categories_of(options, table.parts(options.category))
    groups = None if options.groups is None else table.parts(options.groups)

    judges = None
    # A mean takes their numbers.
    if options.judge and options.command != "mean":
        # Verdicts are spelled as labels are.
        classes = options.classes or words_in(labels)
        judges = {name: table.labels(name, classes=classes).values for name in options.judge}
    return Structure(category, groups, judges)


def features_of(options: argparse.Namespace, table: Table) -> dict[str, np.ndarray] | None:
    """Return the columns of features by name; None without any."""
    if not options.feature:
        return None
    return {name: table.optional_numbers(name).values for name in options.feature}


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
    """Return the usual decision threshold of the scores of the only system, or None."""
    scores = scores[~np.isnan(scores)]
    unlabeled = np.full(len(scores), -1)
    weights = np.ones(len(scores))
    direction = ScoreDirection.of(scores, not options.smaller_is_positive)
    sample = ScoreSample.from_items(direction.flip(scores), unlabeled, weights)
    return default_threshold(sample, options.score_kind or "auto")


def without_threshold(options: argparse.Namespace, scores: np.ndarray, of: str = "") -> ValueError:
    """Return the error for scores without a usual threshold; `of` says whose they are."""
    return ValueError(
        f"--metric {options.metric} needs a decision threshold, and none is usual for scores{of} "
        f"from {np.nanmin(scores):.6g} to {np.nanmax(scores):.6g}: pass --threshold as well."
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


def fit_scores(
    options: argparse.Namespace, answer: Answer, table: Table, on: str = "estimating"
) -> tuple[PerformanceCurveEstimator, list[Column]]:
    """Return the fit to the columns of scores of two classes, and these columns."""
    labels, columns = read_items(options, answer, table)
    with working(on):
        return fitted(options, table, scores_of(options, columns), labels), columns


def fitted(
    options: argparse.Namespace,
    table: Table,
    scores: Any,
    labels: np.ndarray,
    *,
    classes: Sequence[Any] | None = None,
    predicts: bool = False,
) -> PerformanceCurveEstimator:
    """Return the fitted estimator of one or several systems; the structure is in the table.

    `classes` are those of the columns of scores, None for those of the options. If it `predicts`,
    scores are predicted classes, which may be those of judges.
    """
    mixture = SemisupervisedScoreMixture(
        classes=as_in_column(options.classes, labels) if classes is None else classes,
        pos_label=positive_in(options, labels),
        experts=None if options.experts == "none" else options.experts,
        score_kind=options.score_kind,
        greater_is_positive=not options.smaller_is_positive,
        n_draws=options.n_draws,
        random_state=options.random_state,
    )
    structure = structure_of(options, table, labels)
    category: Any = structure.category  # its order is known already
    return PerformanceCurveEstimator(
        mixture,
        target=options.target,
        confidence_level=options.confidence_level,
        random_state=options.random_state,
    ).fit(
        scores,
        labels,
        category=category,
        groups=structure.groups,
        judges=None if predicts else structure.judges,
        features=features_of(options, table),
        inclusion_proba=BY_CLASS if options.labels_by_class else None,
        known_positives=options.known_positives,
    )
