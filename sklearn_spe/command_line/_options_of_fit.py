"""Options of a fit, and its arguments from the input."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..experts._registry import EXPERTS
from ..inputs._score_direction import ScoreDirection
from ..inputs._scores import NEARLY_ONE
from ..performance._performance import PerformanceCurveEstimator
from ..sample._sample import ScoreSample
from ..sample._score_kind import KINDS, default_threshold
from ..score_mixture._score_mixture import SemisupervisedScoreMixture
from ..tables._columns import words_in
from ..tables._table import Table
from ._categories import categories_of
from ._classes import as_in_column
from ._options import count

__all__ = [
    "STRUCTURE",
    "add_fit",
    "check_experts",
    "check_several",
    "check_threshold",
    "decided_at",
    "fitted",
    "structure_of",
]

# Columns of dependence between rows, and their types.
STRUCTURE = ("category", "groups")


def add_fit(parser: argparse.ArgumentParser) -> None:
    """Add the options of the fit."""
    add = parser.add_argument_group("the model").add_argument
    target = "these items (default), or the distribution that they are from"
    add("--target", choices=("sample", "population"), default="sample", help=target)
    add("--score-kind", choices=("auto", *KINDS), default="auto", help="what the scores are")
    add(
        "--experts",
        choices=("auto", *EXPERTS, "none"),
        default="auto",
        help="what turns scores into probabilities; none: the bare mixture of the papers",
    )
    add("--n-draws", type=count(1), default=1000, help="default: 1000")


def check_experts(options: argparse.Namespace, for_what: str) -> None:
    """Raise if the experts do not support the structure of the items."""
    if options.experts in ("none", "sharp_mixture"):
        raise ValueError(
            f"--experts {options.experts} supports one column of scores only; leave it out with "
            f"{for_what}."
        )


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


def check_several(options: argparse.Namespace, scores: np.ndarray) -> None:
    """Raise if two columns, (n_items, n_columns), are the probabilities of one system."""
    scores = scores[~np.isnan(scores).any(axis=1)]
    of_one = len(scores) and scores.shape[1] == 2 and scores.min() >= 0.0
    if of_one and np.abs(scores.sum(axis=1) - 1.0).max() <= NEARLY_ONE:
        first, second = options.scores
        raise ValueError(
            f"Columns {first!r} and {second!r} sum to one in every row: they are the probabilities "
            "of two classes by one system. Use the command estimate with one of them."
        )


def check_threshold(options: argparse.Namespace) -> None:
    """Raise if there is a threshold but no scores."""
    scores = getattr(options, "score", None) or getattr(options, "scores", None)
    if options.threshold is not None and not scores:
        raise ValueError("--threshold needs --score.")


def decided_at(options: argparse.Namespace, scores: np.ndarray) -> float | None:
    """Return the decision threshold implied by these scores, or None."""
    scores = scores[~np.isnan(scores)]
    unlabeled, weights = np.full(len(scores), -1), np.ones(len(scores))
    sample = ScoreSample.from_items(
        ScoreDirection.of(scores, not options.smaller_is_positive).flip(scores), unlabeled, weights
    )
    return default_threshold(sample, options.score_kind)


def fitted(options: argparse.Namespace, scores, labels, structure) -> PerformanceCurveEstimator:
    """Return the fitted estimator of one or several systems."""
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
    ).fit(scores, labels, **structure)
