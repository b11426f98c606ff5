"""The command ``estimate``: a classifier's performance, with bands."""

from __future__ import annotations

import argparse
from typing import Any

from ..curves._goals import Goal
from ..exceptions import UnreachableGoalError
from ..performance._performance import PerformanceCurveEstimator
from ..report._chosen_threshold import ChosenThreshold
from ._annotators import read_merged
from ._answer import Answer, record_of
from ._categories import add_changes, add_order, check_order
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
    STRUCTURE,
    add_fit,
    check_experts,
    check_threshold,
    fitted,
    structure_of,
)
from ._picture import draw, panels_of, picture_path
from ._sign_of_life import working
from ._status import EPILOG, OF_VERDICT
from ._terminal import tell

__all__ = ["add_estimate"]


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
    goal = _check(options)
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


def _check(options: argparse.Namespace) -> dict[str, float]:
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
