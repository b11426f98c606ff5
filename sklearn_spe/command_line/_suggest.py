"""The command ``suggest``: which rows to label next, and the present estimates."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..active._selector import ActiveTestSelector
from ..active.strategies._registry import STRATEGIES
from ..curves._question import Question
from ..curves._registry import CURVES
from ..metrics._registry import METRICS
from ..report._progress import describe_progress
from ..sample._sample import ScoreSample
from ..sample._score_kind import default_threshold
from ..tables._labeling_table import LabelingTable
from ._answer import Answer
from ._labeling import add_rows, ask_next, given_parameters, opened
from ._listed_suspects import add_suspect_labels
from ._options import add_table, count, number_in
from ._sign_of_life import working
from ._status import EPILOG, OF_VERDICT
from ._terminal import tell

__all__ = ["add_suggest"]


def add_suggest(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "suggest",
        help="which rows to label next, and what is known so far",
        description="Write a table whose first rows are those to label next. Fill in their labels "
        "and run this again on that table: it goes on from there.",
        epilog=EPILOG,
    )
    parser.set_defaults(run=suggest)
    add_table(parser, judges=True)
    add = add_rows(parser)
    add("--half-width", type=number_in("(0, 0.5)"), help="stop once half the interval is so wide")
    add("--max-labels", type=count(1), help="stop once there are so many labels")
    add = parser.add_argument_group("what is asked; a table that goes on remembers it").add_argument
    add(
        "--metric",
        choices=(*METRICS, *CURVES),
        metavar="METRIC",
        help="what is wanted; default: average_precision",
    )
    add(
        "--threshold",
        type=number_in("(-inf, inf)"),
        metavar="SCORE",
        help="where precision, recall, f1, ... are wanted; default: 0.5 for probabilities",
    )
    add("--strategy", choices=tuple(STRATEGIES))
    add("--interval", choices=("posterior", "design", "anytime"))


def suggest(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    found = opened(options, answer)
    table = found.table
    with working("learning from the labels"):
        parameters = given_parameters(options, table, _asked(options, table))
        selector = ActiveTestSelector.from_frame(table.columns, names=table.names, **parameters)
    answer.quote(describe_progress(selector), selector.verdict_)
    answer.record |= _record(selector)
    if not options.judge:
        # Suspect labels exist for one column of scores only.
        add_suspect_labels(answer, selector.suspect_labels_, table.table)
    reason = _reason_to_stop(options, selector)
    answer.record["stop_reason"] = reason
    if reason is not None:
        answer.lines.append(f"Stop: {reason}.")
        answer.status = OF_VERDICT[str(selector.verdict_)]
        return
    ask_next(options, answer, found, selector)


def _asked(options: argparse.Namespace, table: LabelingTable) -> dict[str, Any]:
    """Return the question for the selector."""
    asked = {name: getattr(options, name) for name in ("metric", "strategy", "interval")}
    threshold = options.threshold if table.resumes else _threshold(options, table)
    return {**asked, "threshold": threshold}


def _threshold(options: argparse.Namespace, table: LabelingTable) -> float | None:
    """Return the threshold of the metric: given, or implied by the scores."""
    metric = options.metric
    is_open = metric is not None and Question.of(metric, threshold=options.threshold).is_open
    if is_open and options.score is None:
        raise ValueError(
            f"--metric {metric} needs scores: pass --score, or use the metric prevalence."
        )
    scores = np.asarray(table.columns.get(options.score, ()))
    if not is_open or not len(scores) or not np.isfinite(scores).all():
        return options.threshold
    unlabeled = np.full(len(scores), -1)
    sample = ScoreSample.from_items(scores, unlabeled, np.ones(len(scores)))
    threshold = default_threshold(sample, "auto")
    if threshold is None:
        raise ValueError(
            f"--metric {metric} needs a decision threshold, which the scores, from "
            f"{scores.min():.6g} to {scores.max():.6g}, do not imply: pass --threshold as well, "
            "such as "
            f"0 for margins and log-odds or 0.5 for probabilities."
        )
    tell("note", f"{metric} is taken at --threshold {threshold:g}: the scores are probabilities.")
    return threshold


def _reason_to_stop(options: argparse.Namespace, selector: ActiveTestSelector) -> str | None:
    rules = {"half_width": options.half_width, "max_labels": options.max_labels}
    if any(value is not None for value in rules.values()) and selector.should_stop(**rules):
        return selector.stop_reason_
    nothing_left = not selector.n_left_ and not len(selector.pending_)
    return "no item is left to label" if nothing_left else None


def _record(selector: ActiveTestSelector) -> dict[str, Any]:
    last = selector.history_[-1]
    estimators = {
        selector.metric: (last.estimate, last.low, last.high),
        "by the model": (last.model, last.model_low, last.model_high),
        "by the drawn labels": (last.design, last.design_low, last.design_high),
    }
    return {
        "random_state": selector.random_state,
        "confidence_level": selector.confidence_level,
        "classes": selector.classes_,
        "pos_label": selector.pos_label_,
        "metric": selector.metric,
        "threshold": selector.threshold,
        "strategy": selector.strategy,
        "interval": selector.interval,
        "n_labels": selector.n_labels_,
        "estimates": [
            {"name": name, "value": value, "lower": low, "upper": high}
            for name, (value, low, high) in estimators.items()
        ],
    }
