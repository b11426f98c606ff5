"""The commands ``estimate`` and ``compare``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import Any

from ...display._numbers import DifferenceDisplay, EstimateDisplay
from ...display._performance_curve import PerformanceCurveDisplay
from ...display._score_mixture_display import ScoreMixtureDisplay
from ...estimators._performance import PerformanceCurveEstimator
from ...estimators._side_by_side import estimate_of
from ...exceptions import UnreachableGoalError
from ...goals._goal import Goal
from ...goals._question import Question
from ...inputs._writing import write_file
from ...metrics._registry import METRICS_OF_ROWS
from ...models._ranking_value import MetricArguments
from ...models._ranking_view import RankingKey
from ...results._tables import EstimateTable, remarks_on_edges
from ..report._cost import LeastCost
from ..report._label_advice import LabelValue, question_of_plan
from ..report._main_estimates import further_numbers, main_numbers
from ..report._metric_comparison import MetricComparison
from ..report._operating_point import (
    OperatingPoint,
    is_consensus,
    operating_points,
    question_of_threshold,
)
from ..report._plain_answers import LabelCounts, PlainAnswers, caveats
from ..report._report_contents import comparisons_of
from ..report._sentences import ChosenThreshold
from ..report._thresholds import DecisionNumbers, ThresholdGuarantees
from ..tables._table import Table
from ._answer import Answer, add_suspect_labels, record_of
from ._estimate_classes import estimate_classes
from ._option_checks import are_classes
from ._option_texts import GOAL_PROBABILITY
from ._options import read_merged
from ._options_of_fit import (
    add_categories,
    add_changes,
    categories_in,
    fit_scores,
    numbers_of,
    record_of_fit,
    reference_in,
    without_threshold,
)
from ._predicted_columns import predicted_columns
from ._terminal import NOT_MET

ONLY_LABELS = (
    "Without --score or --judge only the share of positives is estimated. The command mean takes "
    "grades and other numbers, proxies and inclusion probabilities."
)


def estimate(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    goal = dict(options.goal or [])
    if goal:
        Goal.of(**goal)

    table, _ = read_merged(options, answer)
    if are_classes(options) or predicted_columns(options, table):
        performance = estimate_classes(options, answer, table)
        recall = partial(EstimateDisplay.from_estimator, performance, "recall", by_class=True)
        curve = partial(PerformanceCurveDisplay.from_estimator, performance, "accuracy_coverage")
        sentence = "The recall of each class and accuracy by coverage are"
        _draw(options, answer, [recall, curve], sentence)
        return

    performance, columns = fit_scores(options, answer, table)
    if not columns and not options.judge:
        _add_share(options, answer, performance)
        return

    # The decision, if there is one.
    chosen, unreachable = chosen_for_goal(options, performance)
    point = _point_of_decision(options, answer, performance, chosen)
    first_line = chosen.first_line(*table.named_rows()) if chosen else ""
    says_next = chosen is not None and chosen.to_prove is not None
    _add_answers(options, answer, performance, point, first_line, says_next=says_next)

    of_amounts = []
    if options.amount is not None:
        of_amounts = _questions_of_amounts(options, point, table)
        _add_amounts(options, answer, performance, of_amounts)
    if options.category:
        questions = [MetricArguments("average_precision"), MetricArguments("prevalence")]
        if point is not None:
            questions += [
                MetricArguments(name, point.threshold) for name in ("precision", "recall")
            ]
        add_categories(options, answer, performance, [*questions, *of_amounts])

    add_suspect_labels(answer, performance.suspect_labels_, table)
    _draw(options, answer, _panels_of(performance), "The precision-recall curve is")
    add_goal(options, answer, table, chosen, unreachable)


def _point_of_decision(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    chosen: ChosenThreshold | None,
) -> OperatingPoint | None:
    """Return the operating point: of the options, of least cost, or the usual one if any."""
    ranking = performance.of()
    point = point_of(options, chosen)
    if options.cost is not None:
        least = LeastCost.of(ranking, options.cost)
        point = least.operating_point
        answer.record["cost"] = least.to_dict()
    return operating_points({None: ranking}, point).get(None)


def _add_answers(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    point: OperatingPoint | None,
    first_line: str,
    *,
    says_next: bool,
) -> None:
    """Add answers in words and the numbers; without a decision the thresholds to choose from."""
    ranking = performance.of()
    threshold = None if point is None else point.threshold
    summary, verdict = numbers_of(performance, threshold=threshold)
    decision = None if point is None else DecisionNumbers.of(ranking, point)
    if decision is None or not decision.of_population:
        # Without a decision, the numbers that need none.
        summary = replace(summary, remarks=(*summary.remarks, *further_numbers(performance)))
    plan = LabelValue.of(ranking, None, *question_of_plan(decision))

    reference = reference_in(options, categories_in(performance))
    comparisons, _ = comparisons_of(performance, MetricArguments(), reference, threshold)
    answers = PlainAnswers.of(
        summary,
        LabelCounts.of(ranking),
        verdict,
        decisions={} if decision is None else {None: decision},
        comparisons=comparisons,
        question=question_of_threshold({None: ranking}) if decision is None else None,
        plan=plan,
    )
    asks = decision is None and not is_consensus(ranking)
    choices = {None: ThresholdGuarantees.of(ranking)} if asks else {}
    answers = answers.after(first_line, says_next=says_next)
    answer.quote_table(summary, verdict, answers, plan, choices=choices)
    answer.record |= {
        **record_of_fit(options, performance),
        "threshold": threshold,
        "threshold_source": point and point.source,
        "estimates": record_of(summary),
    }


def _add_share(
    options: argparse.Namespace, answer: Answer, performance: PerformanceCurveEstimator
) -> None:
    """Add the share of positives, which needs labels only."""
    summary = main_numbers(performance)
    verdict = performance.verdict_
    sentences = [*caveats(verdict), *summary.sentences(), *further_numbers(performance)]
    answer.add_sentences([*sentences, ONLY_LABELS])
    answer.quote_numbers(summary, verdict)
    answer.record |= {**record_of_fit(options, performance), "estimates": record_of(summary)}
    if options.category:
        add_categories(options, answer, performance, [MetricArguments("prevalence")])


def _questions_of_amounts(
    options: argparse.Namespace, point: OperatingPoint | None, table: Table
) -> list[MetricArguments]:
    """Return each metric of amounts, at the operating point."""
    if point is None:
        raise ValueError(
            "--amount needs a decision threshold, and none is usual for these scores: pass "
            "--threshold as well."
        )
    columns = {"value": table.numbers(options.amount).values}
    return [
        MetricArguments(name, point.threshold, sample_columns=columns) for name in METRICS_OF_ROWS
    ]


def _add_amounts(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    questions: Sequence[MetricArguments],
) -> None:
    """Add the metrics of amounts."""
    names = []
    estimates = []
    for arguments in questions:
        estimate = estimate_of(performance, RankingKey(), arguments)
        names.append(f"{estimate.name.replace('_', ' ')} at score {estimate.threshold:g}")
        estimates.append(estimate)

    table = EstimateTable(tuple(names), tuple(estimates))
    lines = [f"By {options.amount}:", str(table), *remarks_on_edges(table)]
    answer.lines.append("\n".join(lines))
    answer.record["estimates_of_amounts"] = record_of(table)


def chosen_for_goal(
    options: argparse.Namespace, performance: PerformanceCurveEstimator
) -> tuple[ChosenThreshold | None, UnreachableGoalError | None]:
    """Return the threshold that meets the goal of the options, or why none does, if there is one.

    It is checked before, as the numbers are printed first.
    """
    goal = dict(options.goal or [])
    if not goal:
        return None, None
    try:
        probability = options.goal_probability or GOAL_PROBABILITY
        return ChosenThreshold.of(performance, goal, probability), None
    except UnreachableGoalError as error:
        return None, error


def point_of(
    options: argparse.Namespace, chosen: ChosenThreshold | None
) -> float | OperatingPoint | None:
    """Return the threshold that was given, else that of the goal; None without either."""
    if options.threshold is not None or chosen is None:
        return options.threshold
    return chosen.operating_point


def add_goal(
    options: argparse.Namespace,
    answer: Answer,
    table: Table,
    chosen: ChosenThreshold | None,
    unreachable: UnreachableGoalError | None,
) -> None:
    """Add the threshold that meets the goal; raise if none does.

    One that rests on known positives alone is not proved: the status says so.
    """
    goal = dict(options.goal or [])
    if unreachable is not None:
        answer.record["goal"] = {
            "goal": goal,
            "met": False,
            "best_threshold": unreachable.best_threshold,
            "best_probability": unreachable.best_probability,
            "lacks_labels": unreachable.lacks_labels,
        }
        raise unreachable
    if chosen is None:
        return

    is_met = chosen.to_prove is None
    # An unmet goal comes before the numbers of another threshold.
    answer.lines.insert(len(answer.lines) if is_met else 0, chosen.describe())
    names, _ = table.named_rows()
    answer.record["goal"] = {"goal": goal, "met": is_met, **chosen.record(names)}
    if not is_met:
        answer.status = NOT_MET


def compare(options: argparse.Namespace, answer: Answer) -> None:
    """Run the command."""
    question = Question.of(options.metric, threshold=options.threshold)
    table, _ = read_merged(options, answer)
    performance, columns = fit_scores(options, answer, table, "comparing")
    if question.is_open:
        # Each system needs a threshold, given or the usual one.
        for name, column in zip(options.scores, columns, strict=True):
            if performance.of(system=name).default_threshold_ is None:
                raise without_threshold(options, column.values, f" in {name!r}")
    arguments = MetricArguments(options.metric, options.threshold)
    comparison = MetricComparison.of_systems(performance, arguments, baseline=options.baseline)

    # The answer in a sentence, then the numbers.
    counts = LabelCounts.of(performance.of(system=performance.systems_[0]))
    to_decide = comparison.labels_to_decide(counts.n_labeled, counts.n_items)
    numbers, verdict = numbers_of(performance)
    answer.add_sentences([*caveats(verdict), f"{comparison.sentence()} {to_decide}".rstrip()])
    answer.lines.append(comparison.describe())
    answer.quote_remarks(numbers, verdict)
    answer.record |= {
        **record_of_fit(options, performance),
        "metric": options.metric,
        "threshold": options.threshold,
        **_record(comparison),
    }
    if options.category:
        _compare_categories(options, answer, performance, arguments)
        add_changes(answer, performance, options, [arguments], performance.systems_)

    add_suspect_labels(answer, performance.suspect_labels_, table, scored=False)
    curves = partial(PerformanceCurveDisplay.from_estimator, performance)
    differences = partial(
        DifferenceDisplay.from_estimator,
        performance,
        options.metric,
        threshold=options.threshold,
        baseline=comparison.baseline,
    )
    _draw(options, answer, [curves, differences], "The curves and the differences are")


def _compare_categories(
    options: argparse.Namespace,
    answer: Answer,
    performance: PerformanceCurveEstimator,
    arguments: MetricArguments,
) -> None:
    """Add the comparison of systems within each category."""
    answer.record["categories"] = []
    for category in categories_in(performance):
        comparison = MetricComparison.of_systems(performance, arguments, category, options.baseline)
        answer.lines.append(f"Where {options.category} is {category}:\n{comparison.describe()}")
        answer.record["categories"].append({"category": str(category), **_record(comparison)})


def _record(comparison: MetricComparison) -> dict[str, Any]:
    record = comparison.to_dict()
    return {
        "sentence": record["sentence"],
        "systems": record["estimates"],
        "baseline": record["baseline"],
        "differences": record["differences"],
        "of_population": record["of_population"],
        "ranking_proba": comparison.comparison.ranking_proba,
        "order_proba": comparison.comparison.order_proba,
    }


def _panels_of(performance: PerformanceCurveEstimator) -> list[Callable[..., object]]:
    """Return the panels with the scores of both classes or the categories, and the curve."""
    curve = partial(PerformanceCurveDisplay.from_estimator, performance)
    if performance.model_.labels_are_separate:
        # The shares of bins of the score, and no density of it.
        return [curve]
    if performance.model_.is_one_pool:
        return [partial(ScoreMixtureDisplay.from_estimator, performance), curve]
    if performance.categories_ is None:
        return [curve]
    categories = performance.categories_
    return [partial(EstimateDisplay.from_estimator, performance, category=categories), curve]


def _draw(
    options: argparse.Namespace,
    answer: Answer,
    panels: Sequence[Callable[..., object]],
    sentence: str,
) -> None:
    """Draw panels side by side into the file of --plot, if any; each is a function of ``ax=``."""
    if options.plot is None:
        return

    # Without a window.
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    size = (5.5 * len(panels), 4.5)
    figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", squeeze=False)
    for panel, ax in zip(panels, axes[0], strict=True):
        panel(ax=ax)

    picture = BytesIO()
    figure.savefig(picture, dpi=150, format=options.plot.suffix[1:].lower())
    plt.close(figure)
    write_file(options.plot, picture.getvalue())
    answer.lines.append(f"{sentence} in {options.plot}.")
    answer.record["plot"] = options.plot
