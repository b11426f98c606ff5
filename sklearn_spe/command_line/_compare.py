"""The command ``compare``: differences between several systems."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..curves._question import Question
from ..inputs._named_scores import NamedScores
from ..metrics._registry import METRICS
from ..performance._performance import PerformanceCurveEstimator
from ..performance._several import estimate_of, side_by_side
from ..report._metric_comparison import MetricComparison
from ..results._estimate_table import EstimateTable
from ._annotators import read_merged
from ._answer import Answer, record_of
from ._categories import add_changes, add_order, check_order, comparison_records
from ._classes import check_two_classes
from ._listed_suspects import add_suspect_labels
from ._options import (
    add_table,
    check_cases,
    check_together,
    number_in,
    record_of_reading,
    score_columns,
)
from ._options_of_fit import (
    add_fit,
    check_experts,
    check_several,
    decided_at,
    fitted,
    structure_of,
)
from ._picture import draw, panels_of_systems, picture_path
from ._sign_of_life import working
from ._status import EPILOG, OF_VERDICT
from ._terminal import tell

__all__ = ["add_compare"]


def add_compare(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "compare",
        help="which of several systems is better, and how sure that is",
        description="Compare systems that score the same items, of which some are labeled.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=compare)
    add_table(parser, score=False, systems=True, structure=True, judges=True)
    add = parser.add_argument_group("what is asked").add_argument
    add(
        "--metric",
        choices=tuple(METRICS),
        default="average_precision",
        metavar="METRIC",
        help="by what systems are compared; default: average_precision",
    )
    add(
        "--threshold",
        type=number_in("(-inf, inf)"),
        metavar="SCORE",
        help="where precision, recall, f1, ... are taken; default: 0.5 for probabilities",
    )
    add(
        "--baseline", metavar="COLUMN", help="with which the others are compared; default: the best"
    )
    add_order(add)
    add("--plot", type=picture_path, metavar="OUT.png", help="draw curves and differences")
    add_fit(parser)


def compare(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    question = _check(options)
    table, _ = read_merged(options, answer)
    columns = score_columns(options, table)
    labels = table.labels(options.label, classes=options.classes)
    notes = (*table.notes, *(note for column in (*columns, labels) for note in column.notes))
    for note in notes:
        tell("note", answer.words(note))
    answer.record["read"] = record_of_reading(options, table, labels.values, notes)
    check_two_classes(labels.values, options.label)
    check_cases(options, table, labels.values)
    scores = np.column_stack([column.values for column in columns])
    _check_scores(options, question, scores)
    structure = structure_of(options, table, labels.values)
    with working("comparing"):
        named = NamedScores.of(scores, options.scores)
        performance = fitted(options, named, labels.values, structure)
    where = {} if options.threshold is None else {"threshold": options.threshold}
    comparison = _compared(options, performance, where)
    answer.lines.append(comparison.describe())
    summary = performance.summary()
    answer.model = summary.model
    answer.quote("\n".join(summary.remarks), performance.verdict_)
    answer.record |= {
        "random_state": options.random_state or 0,
        "target": options.target,
        "confidence_level": performance.confidence_level,
        "classes": performance.classes_,
        "pos_label": performance.pos_label_,
        "metric": options.metric,
        "threshold": options.threshold,
        **_record(comparison),
    }
    if options.category:
        _add_categories(options, answer, performance, where)
        add_changes(answer, performance, options, {options.metric: where}, performance.systems_)
    add_suspect_labels(answer, performance.suspect_labels_, table, scored=False)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if options.plot:
        panels = panels_of_systems(performance, options.metric, comparison.baseline, where)
        draw(panels, options.plot)
        answer.lines.append(f"The curves and the differences are in {options.plot}.")
        answer.record["plot"] = options.plot


def _check(options: argparse.Namespace) -> Question:
    """Return the question; raise if options contradict each other."""
    check_together(options)
    check_order(options)
    if len(options.scores) < 2:
        raise ValueError(
            f"--scores has one column, {options.scores[0]!r}; pass the columns of all systems, or "
            "use the command estimate for one."
        )
    check_experts(options, "several --scores")
    if options.baseline is not None and options.baseline not in options.scores:
        raise ValueError(
            f"--baseline {options.baseline!r} is not among --scores {' '.join(options.scores)}."
        )
    return Question.of(options.metric, threshold=options.threshold)


def _check_scores(options: argparse.Namespace, question: Question, scores: np.ndarray) -> None:
    """Raise if the scores are of one system, or do not imply a decision threshold."""
    if not len(scores):
        return
    check_several(options, scores)
    for name, column in zip(options.scores, scores.T, strict=True):
        if question.is_open and decided_at(options, column) is None:
            raise ValueError(
                f"--metric {options.metric} needs a decision threshold, which the scores in "
                f"{name!r}, from {np.nanmin(column):.6g} to {np.nanmax(column):.6g}, do not imply: "
                "pass --threshold as well, such as 0 for margins and log-odds or 0.5 for "
                f"probabilities."
            )


def _compared(options, performance: PerformanceCurveEstimator, where) -> MetricComparison:
    names = performance.systems_
    found = [estimate_of(performance, options.metric, where | {"system": name}) for name in names]
    comparison = side_by_side(performance, options.metric, where)
    table = EstimateTable(names, tuple(found))
    return MetricComparison.of_systems(options.metric, table, comparison, options.baseline)


def _add_categories(options, answer: Answer, performance, where) -> None:
    """Add the same for each category."""
    answer.record["categories"] = []
    for category in performance.categories_:
        comparison = _compared(options, performance, {**where, "category": category})
        answer.lines.append(f"Where {options.category} is {category}:\n{comparison.describe()}")
        answer.record["categories"].append({"category": str(category), **_record(comparison)})


def _record(comparison: MetricComparison) -> dict[str, Any]:
    return {
        "systems": record_of(comparison.estimates),
        "baseline": comparison.baseline,
        "differences": comparison_records(comparison),
        "ranking_proba": comparison.comparison.ahead,
        "order_proba": comparison.comparison.order_proba,
    }
