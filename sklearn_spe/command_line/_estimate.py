"""The commands ``estimate`` and ``compare``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ..display._numbers import DifferenceDisplay, EstimateDisplay
from ..display._performance_curve import PerformanceCurveDisplay
from ..display._score_mixture_display import ScoreMixtureDisplay
from ..estimators._performance import PerformanceCurveEstimator
from ..exceptions import UnreachableGoalError
from ..goals._goal import Goal
from ..goals._question import Question
from ..inputs._validation import NamedScores
from ..models._structured_model import StructuredModel
from ..report._label_advice import LabelValue
from ..report._metric_comparison import MetricComparison
from ..report._performance_report import comparisons_of, systems_compared, views_of
from ..report._plain_answers import LabelCounts, PlainAnswers
from ..report._sentences import ChosenThreshold
from ..report._thresholds import DecisionNumbers
from ..results._tables import EstimateTable, remarks_on_edges
from ..tables._writing import write_file
from ._answer import Answer, add_suspect_labels, record_of
from ._estimate_classes import estimate_classes, panels_of_classes
from ._option_checks import are_classes
from ._option_table import GOAL_PROBABILITY
from ._options import read_items, read_merged
from ._options_of_fit import (
    add_changes,
    check_several,
    comparison_records,
    decided_at,
    fitted,
    record_of_fit,
    reference_in,
    structure_of,
    without_threshold,
)
from ._terminal import OF_VERDICT, working


def estimate(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    goal = dict(options.goal or [])
    if goal:
        Goal.of(**goal)
    table, _ = read_merged(options, answer)
    if are_classes(options):
        performance = estimate_classes(options, answer, table)
        if options.plot:
            _draw(panels_of_classes(performance), options.plot)
            _add_picture(answer, options, "The recall of each class and accuracy by coverage are")
        return
    labels, columns, _ = read_items(options, answer, table)
    scores = columns[0].values if columns else None
    structure = structure_of(options, table, labels)
    with working("estimating"):
        performance = fitted(options, scores, labels, structure)
    summary = performance.summary(threshold=options.threshold)
    answer.quote_table(summary, performance.verdict_, _answers(options, performance, summary))
    answer.record |= {
        **record_of_fit(options, performance),
        "estimates": record_of(summary),
    }
    if options.category:
        _add_categories(options, answer, performance)
    add_suspect_labels(answer, performance.suspect_labels_, table)
    answer.status = OF_VERDICT[str(performance.verdict_)]
    if options.plot:
        _draw(_panels_of(performance), options.plot)
        _add_picture(answer, options, "The precision-recall curve is")
    if goal:
        _add_threshold(answer, performance, goal, options.goal_probability or GOAL_PROBABILITY)


def _add_picture(answer: Answer, options: argparse.Namespace, said: str) -> None:
    answer.lines.append(f"{said} in {options.plot}.")
    answer.record["plot"] = options.plot


def _answers(
    options: argparse.Namespace, performance: PerformanceCurveEstimator, summary: EstimateTable
) -> PlainAnswers:
    """Return the answers in words for the only system, or the judges."""
    (view,) = views_of(performance).values()
    plan = LabelValue.of(view, None, "average_precision", {})
    counts = LabelCounts.of(view)
    decisions = {None: DecisionNumbers.of(view, options.threshold)}
    comparisons: tuple[MetricComparison, ...] = ()
    if options.category:
        names = () if performance.categories_ is None else performance.categories_.tolist()
        reference = options.reference and reference_in(options, names)
        comparisons, _ = comparisons_of(
            performance, "average_precision", False, reference, {None: {}}, None
        )
    return PlainAnswers.of(
        summary,
        counts,
        performance.verdict_,
        decisions=decisions,
        comparisons=comparisons,
        plan=plan,
    )


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
        answer.lines.append("\n".join([title, str(table), *remarks_on_edges(table)]))
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


def compare(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    question = Question.of(options.metric, threshold=options.threshold)
    table, _ = read_merged(options, answer)
    labels, columns, _ = read_items(options, answer, table)
    scores = np.column_stack([column.values for column in columns])
    _check_scores(options, question, scores)
    structure = structure_of(options, table, labels)
    with working("comparing"):
        named = NamedScores.of(scores, options.scores)
        performance = fitted(options, named, labels, structure)
    where = {} if options.threshold is None else {"threshold": options.threshold}
    comparison = systems_compared(performance, options.metric, where, options.baseline)
    counts = LabelCounts.of(performance.of(system=performance.systems_[0]))
    to_decide = comparison.labels_to_decide(counts.n_labeled, counts.n_items)
    answer.add_sentences([f"{comparison.sentence()} {to_decide}".rstrip()])
    answer.lines.append(comparison.describe())
    answer.quote_remarks(performance.summary(), performance.verdict_)
    answer.record |= {
        **record_of_fit(options, performance),
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
        panels = _panels_of_systems(performance, options.metric, comparison.baseline, where)
        _draw(panels, options.plot)
        _add_picture(answer, options, "The curves and the differences are")


def _check_scores(options: argparse.Namespace, question: Question, scores: np.ndarray) -> None:
    """Raise if the scores are of one system, or do not imply a decision threshold."""
    if not len(scores):
        return
    check_several(options, scores)
    for name, column in zip(options.scores, scores.T, strict=True):
        if question.is_open and decided_at(options, column) is None:
            raise without_threshold(options, column, f" in {name!r}")


def _compare_categories(options, answer: Answer, performance, where) -> None:
    """Add the same for each category."""
    answer.record["categories"] = []
    for category in performance.categories_:
        own = {**where, "category": category}
        comparison = systems_compared(performance, options.metric, own, options.baseline)
        answer.lines.append(f"Where {options.category} is {category}:\n{comparison.describe()}")
        answer.record["categories"].append({"category": str(category), **_record(comparison)})


def _record(comparison: MetricComparison) -> dict[str, Any]:
    return {
        "sentence": comparison.sentence(),
        "systems": record_of(comparison.estimates),
        "baseline": comparison.baseline,
        "differences": comparison_records(comparison),
        "ranking_proba": comparison.comparison.ranking_proba,
        "order_proba": comparison.comparison.order_proba,
    }


def _panels_of(performance: PerformanceCurveEstimator) -> list[Callable[..., object]]:
    """Return the panels with the scores of both classes or the categories, and the curve."""
    curve = partial(PerformanceCurveDisplay.from_estimator, performance)
    if not isinstance(performance.model_, StructuredModel):
        return [partial(ScoreMixtureDisplay.from_estimator, performance), curve]
    if performance.categories_ is None:
        return [curve]
    categories = performance.categories_
    return [partial(EstimateDisplay.from_estimator, performance, category=categories), curve]


def _panels_of_systems(
    performance: PerformanceCurveEstimator, metric: str, baseline: str, where: dict
) -> list[Callable[..., object]]:
    """Return the panels with the curves of all systems, and their differences from one."""
    curves = partial(PerformanceCurveDisplay.from_estimator, performance)
    differences = partial(
        DifferenceDisplay.from_estimator, performance, metric, baseline=baseline, **where
    )
    return [curves, differences]


def _draw(panels: Sequence[Callable[..., object]], path: Path) -> None:
    """Draw panels side by side into a file; each is a function of ``ax=``."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    size = (5.5 * len(panels), 4.5)
    figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", squeeze=False)
    for panel, ax in zip(panels, axes[0], strict=True):
        panel(ax=ax)
    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=path.suffix[1:].lower())
    plt.close(figure)
    write_file(path, picture.getvalue())
