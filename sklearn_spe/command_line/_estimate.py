"""The command ``estimate``: a classifier's performance, with bands."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..curves._goals import Goal
from ..curves._grid import rising_thresholds
from ..exceptions import UnreachableGoalError
from ..experts._registry import EXPERTS
from ..inputs._orientation import Orientation
from ..performance._performance import PerformanceCurveEstimator
from ..report._chosen_threshold import ChosenThreshold
from ..sample._score_kind import KINDS
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ._answer import Answer, record_of
from ._classes import as_in_column
from ._options import add_table, check_together, count, number_in, read, record_of_reading
from ._picture import draw, picture_path
from ._sign_of_life import working
from ._status import EPILOG, OF_VERDICT
from ._surprises import add_surprises
from ._terminal import tell

__all__ = ["add_estimate"]


def add_estimate(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "estimate",
        help="precision-recall curve, average precision and more, with bands",
        description="Estimate a classifier's performance from scores of which some are labelled.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=estimate)
    add_table(parser)
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
    target = "these items (default), or the distribution that they are from"
    add("--target", choices=("sample", "population"), default="sample", help=target)
    add("--plot", type=picture_path, metavar="OUT.png", help="draw the curve into this file")
    add = parser.add_argument_group("the model").add_argument
    add("--score-kind", choices=("auto", *KINDS), default="auto", help="what the scores are")
    add(
        "--experts",
        choices=("auto", *EXPERTS, "none"),
        default="auto",
        help="what turns scores into probabilities; none: the bare mixture of the papers",
    )
    add("--n-draws", type=count(1), default=1000, help="default: 1000")


def estimate(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    goal = _check(options)
    table = read(options)
    columns = table.numbers(options.score), table.labels(options.label, classes=options.classes)
    notes = (*table.notes, *columns[0].notes, *columns[1].notes)
    scores, labels = (column.values for column in columns)
    for note in notes:
        tell("note", answer.words(note))
    answer.record["read"] = record_of_reading(options, table, labels, notes)
    _check_threshold(options, scores)
    with working("estimating"):
        performance = _fit(options, scores, labels)
    summary = performance.summary(threshold=options.threshold)
    answer.quote(str(summary), performance.verdict_)
    answer.record |= {
        "random_state": options.random_state or 0,
        "target": options.target,
        "confidence_level": performance.confidence_level,
        "classes": performance.classes_,
        "pos_label": performance.pos_label_,
        "estimates": record_of(summary),
    }
    add_surprises(answer, performance.surprising_items_, table)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if options.plot:
        draw(performance, options.plot)
        answer.lines.append(f"The precision-recall curve is in {options.plot}.")
        answer.record["plot"] = options.plot
    if goal:
        _add_threshold(answer, performance, goal, options.goal_probability or 0.95)


def _check(options: argparse.Namespace) -> dict[str, float]:
    """Return the goal; raise if options contradict each other."""
    check_together(options)
    bounds = options.goal or []
    if options.goal_probability is not None and not bounds:
        raise ValueError("--goal-probability is that of a --goal, and none is given.")
    names = [name for name, _ in bounds]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"--goal bounds {', '.join(sorted(twice))} twice; give each metric once.")
    if bounds:
        Goal.of(**dict(bounds))
    return dict(bounds)


def _check_threshold(options: argparse.Namespace, scores: np.ndarray) -> None:
    if options.threshold is None or not len(scores):
        return
    orientation = Orientation.of(scores, not options.smaller_is_positive)
    turned = orientation.turn(scores)
    rising_thresholds((turned.min(), turned.max()), [options.threshold], orientation)


def _fit(
    options: argparse.Namespace, scores: np.ndarray, labels: np.ndarray
) -> PerformanceCurveEstimator:
    pos_label = None if options.pos_label is None else [options.pos_label]
    positive = as_in_column(pos_label, labels)
    mixture = SemisupervisedScoreMixture(
        classes=as_in_column(options.classes, labels),
        pos_label=None if positive is None else positive[0],
        experts=None if options.experts == "none" else options.experts,
        score_kind=options.score_kind,
        greater_is_positive=not options.smaller_is_positive,
        n_draws=options.n_draws,
        random_state=options.random_state or 0,
    )
    return PerformanceCurveEstimator(
        mixture,
        target=options.target,
        confidence_level=options.confidence_level or 0.9,
        random_state=options.random_state or 0,
    ).fit(scores, labels)


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
        "estimates": record_of(chosen.estimates),
    }


def _bound(text: str) -> tuple[str, float]:
    """Read a bound such as precision=0.9."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a goal is METRIC=VALUE, such as precision=0.9; got {text!r}"
        ) from None
