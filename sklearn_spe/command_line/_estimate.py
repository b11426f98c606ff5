"""The commands ``estimate`` and ``compare``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..estimators._performance import PerformanceCurveEstimator
from ..estimators._side_by_side import estimate_of, side_by_side
from ..exceptions import UnreachableGoalError
from ..goals._goal import Goal
from ..goals._question import Question
from ..inputs._validation import NamedScores
from ..metrics._registry import METRICS
from ..report._ranking_report import MetricComparison
from ..report._sentences import ChosenThreshold
from ..results._tables import EstimateTable
from ._answer import EPILOG, OF_VERDICT, Answer, add_suspect_labels, record_of, tell, working
from ._options import (
    add_table,
    check_cases,
    check_together,
    number_in,
    read_merged,
    record_of_reading,
    score_columns,
)
from ._options_of_fit import (
    STRUCTURE,
    add_changes,
    add_fit,
    add_order,
    check_experts,
    check_order,
    check_several,
    check_threshold,
    check_two_classes,
    comparison_records,
    decided_at,
    fitted,
    structure_of,
)
from ._picture import draw, panels_of, panels_of_systems, picture_path


def add_estimate(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "estimate",
        help="precision-recall curve, average precision and more, with bands",
        description="Estimate a classifier's performance from scores of which some are labeled.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=estimate)
    add_table(parser, structure=True, judges=True)
    add = parser.add_argument_group("what is asked").add_argument
    add(
        "--threshold",
        type=number_in("(-inf, inf)"),
        metavar="SCORE",
        help="also precision, recall, F1 at this score",
    )
    add(
        "--goal",
        type=_bound,
        action="append",
        metavar="METRIC=VALUE",
        help="find a threshold that meets this, such as precision=0.9; may be given repeatedly",
    )
    add(
        "--goal-probability",
        type=number_in("(0, 1)"),
        metavar="PROBABILITY",
        help="with what probability; default: 0.95",
    )
    add_order(add)
    add("--plot", type=picture_path, metavar="OUT.png", help="draw the curve into this file")
    add_fit(parser)


def estimate(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    goal = _check_estimate(options)
    table, _ = read_merged(options, answer)
    columns = [table.labels(options.label, classes=options.classes)]
    columns += score_columns(options, table)
    notes = (*table.notes, *(note for column in reversed(columns) for note in column.notes))
    labels, scores = columns[0].values, columns[-1].values if len(columns) > 1 else None
    for note in notes:
        tell("note", answer.words(note))
    answer.record["read"] = record_of_reading(options, table, labels, notes)
    check_two_classes(labels, options.label)
    check_cases(options, table, labels)
    check_threshold(options)
    structure = structure_of(options, table, labels)
    with working("estimating"):
        performance = fitted(options, scores, labels, structure)
    summary = performance.summary(threshold=options.threshold)
    answer.quote_table(summary, performance.verdict_)
    answer.record |= {
        "random_state": options.random_state or 0,
        "target": options.target,
        "confidence_level": performance.confidence_level,
        "classes": performance.classes_,
        "pos_label": performance.pos_label_,
        "estimates": record_of(summary),
    }
    if options.category:
        _add_categories(options, answer, performance)
    add_suspect_labels(answer, performance.suspect_labels_, table)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if options.plot:
        draw(panels_of(performance), options.plot)
        answer.lines.append(f"The precision-recall curve is in {options.plot}.")
        answer.record["plot"] = options.plot
    if goal:
        _add_threshold(answer, performance, goal, options.goal_probability or 0.95)


def _check_estimate(options: argparse.Namespace) -> dict[str, float]:
    """Return the goal; raise if options contradict each other."""
    check_together(options)
    check_order(options)
    for name in STRUCTURE:
        if getattr(options, name) is not None:
            check_experts(options, f"--{name}")
    if options.judge:
        check_experts(options, "--judge")
    bounds = options.goal or []
    if options.goal_probability is not None and not bounds:
        raise ValueError("--goal-probability needs --goal.")
    names = [name for name, _ in bounds]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"--goal bounds {', '.join(sorted(twice))} twice; give each metric once.")
    if bounds:
        Goal.of(**dict(bounds))
    return dict(bounds)


def _add_categories(
    options: argparse.Namespace, answer: Answer, performance: PerformanceCurveEstimator
) -> None:
    """Add the main numbers of each category."""
    asked: dict[str, dict] = {"average_precision": {}, "prevalence": {}}
    if options.threshold is not None:
        asked |= {name: {"threshold": options.threshold} for name in ("precision", "recall")}
    names = () if performance.categories_ is None else performance.categories_.tolist()
    records: dict[str, list] = {str(name): [] for name in names}
    for metric, where in asked.items():
        table = performance.by_category(metric, **where)
        at = "".join(f" at score {score:g}" for score in where.values())
        title = f"{metric.replace('_', ' ')}{at} by {options.category}:"
        answer.lines.append(f"{title}\n{table}")
        for name, record in zip(table.names, record_of(table), strict=True):
            records[name].append({**record, "name": f"{metric.replace('_', ' ')}{at}"})
    answer.record["categories"] = [
        {"category": name, "estimates": found} for name, found in records.items()
    ]
    add_changes(answer, performance, options, asked)


def _add_threshold(
    answer: Answer, performance: PerformanceCurveEstimator, goal: dict, probability: float
) -> None:
    try:
        chosen = ChosenThreshold.of(performance, goal, probability)
    except UnreachableGoalError as error:
        answer.record["goal"] = {
            "goal": goal,
            "met": False,
            "best_threshold": error.best_threshold,
            "best_probability": error.best_probability,
        }
        raise
    answer.lines.append(chosen.describe())
    answer.record["goal"] = {
        "goal": goal,
        "met": True,
        "threshold": chosen.threshold,
        "probability": chosen.probability,
        "n_items": chosen.n_items,
        "n_known": chosen.n_known,
        "estimates": record_of(chosen.estimates),
    }


def _bound(text: str) -> tuple[str, float]:
    """Parse a bound such as precision=0.9."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None


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
    question = _check_compare(options)
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
        _compare_categories(options, answer, performance, where)
        add_changes(answer, performance, options, {options.metric: where}, performance.systems_)
    add_suspect_labels(answer, performance.suspect_labels_, table, scored=False)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if options.plot:
        panels = panels_of_systems(performance, options.metric, comparison.baseline, where)
        draw(panels, options.plot)
        answer.lines.append(f"The curves and the differences are in {options.plot}.")
        answer.record["plot"] = options.plot


def _check_compare(options: argparse.Namespace) -> Question:
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


def _compare_categories(options, answer: Answer, performance, where) -> None:
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
