"""Several systems in one table: a row each, with the differences from the first."""

from __future__ import annotations

import numpy as np

from ...results._estimates import ScalarEstimate
from ...results._showing import (
    NO_VALUE,
    Markup,
    format_number,
    html_table,
    joined,
    percent,
    row_head,
    row_of,
    tag,
)
from ...results._terms import name_in_words
from ._decision_counts import DecisionCounts, decision_counts, numbers_in_words
from ._ranking_report import RankingReport
from ._report_contents import ReportContents

# Without a threshold.
OF_RANKINGS = ("average precision", "roc auc")
EVERYTHING = "Everything positive"


def table_of_systems(report: ReportContents) -> Markup | None:
    """Return the systems as a table with a row each; None if there is one."""
    if len(report.rankings) < 2:
        return None
    level = percent(report.numbers.estimates[0].confidence_level)
    first = report.rankings[0]
    decides = all(ranking.decision is not None for ranking in report.rankings)
    metrics = ["precision", "recall"] if decides else _metrics(report)

    header: list[str | Markup | None] = [None, "verdict"]
    if decides and report.threshold is None:
        header.append("threshold")
    if decides:
        header += ["missed", "false alarms"]
    header += [name_in_words(metric) for metric in metrics]
    if decides:
        header.append("predicted positive")
    rows = [
        _row(report, ranking, first, metrics, has_threshold="threshold" in header)
        for ranking in report.rankings
    ]
    if decides:
        rows.append(_row_of_everything(first, len(header)))
    caption = f"The systems, with {level} intervals, and the difference from {first.name}"
    at = "" if report.threshold is None else f", at threshold {report.threshold:.6g}"
    return html_table(f"{caption}{at}", header, rows, class_="systems")


def _metrics(report: ReportContents) -> list[str]:
    """Return the metrics that every system has in the main numbers."""
    return [
        metric
        for metric in (*OF_RANKINGS, "accuracy")
        if all(f"{metric} of {each.name}" in report.numbers.names for each in report.rankings)
    ]


def _row(
    report: ReportContents,
    ranking: RankingReport,
    first: RankingReport,
    metrics: list[str],
    *,
    has_threshold: bool,
) -> Markup:
    """Return the verdict and the numbers of a system."""
    cells: list[object] = []
    if ranking.verdict is not None:
        word = tag("span", str(ranking.verdict), class_="status")
        cells.append(tag("td", tag("span", word, class_=str(ranking.verdict))))
    else:
        cells.append(tag("td"))

    decision = ranking.decision
    if has_threshold and decision is not None:
        cells.append(f"{decision.threshold:.6g}")
    if decision is not None and metrics[0] == "precision":
        of_this = decision_counts(ranking)[0]
        cells += [_counted(numbers, of_this) for numbers in (of_this.missed, of_this.false_alarms)]
    for metric in metrics:
        change = None if ranking is first else _difference(report, ranking, first, metric)
        cells.append(_cell(_estimate(report, ranking, metric), change))
    if decision is not None and metrics[0] == "precision":
        cells.append(f"{decision.n_flagged:,.0f}")
    return row_of(row_head(ranking.name), *cells)


def _row_of_everything(first: RankingReport, n_columns: int) -> Markup:
    """Return the row of the decision that every item is positive."""
    everything = decision_counts(first)[-1]
    prevalence = first.decision.prevalence if first.decision is not None else None
    blank = [tag("td")] * (n_columns - 6)
    cells = [
        _counted(everything.missed, everything),
        _counted(everything.false_alarms, everything),
        _cell(prevalence, None) if prevalence is not None else tag("td"),
        "1.000",
        f"{everything.n_flagged:,.0f}",
    ]
    return row_of(row_head(EVERYTHING), *blank, *cells)


def _estimate(report: ReportContents, ranking: RankingReport, metric: str) -> ScalarEstimate:
    """Return a number of a system."""
    decision = ranking.decision
    if decision is not None and metric in ("precision", "recall"):
        return decision.precision if metric == "precision" else decision.recall
    return report.numbers[f"{metric} of {ranking.name}"]


def _difference(
    report: ReportContents, ranking: RankingReport, first: RankingReport, metric: str
) -> ScalarEstimate | None:
    """Return the difference from the first system, on the items that both scored."""
    for comparison in report.comparisons:
        of_this = comparison.estimates.estimates[0]
        is_this = of_this.name == metric.replace(" ", "_") and comparison.part is None
        if is_this and of_this.threshold in (None, report.threshold):
            return comparison.comparison.difference(ranking.name, first.name)
    estimate, reference = (_estimate(report, each, metric) for each in (ranking, first))
    return estimate - reference if estimate.n_items == reference.n_items else None


def _counted(numbers: np.ndarray, decision: DecisionCounts) -> Markup:
    """Return a count with its interval."""
    count, _, ends = numbers_in_words(numbers, decision.is_known).partition(" (")
    return tag("td", count, tag("small", f" ({ends}") if ends else None, class_="number")


def _cell(estimate: ScalarEstimate, difference: ScalarEstimate | None) -> Markup:
    """Return a number with its interval, and the difference from another below it."""
    value = format_number(estimate.value) if estimate.is_known else NO_VALUE
    change = None
    if difference is not None:
        low, high = difference.interval()
        amount = f"{difference.value:+.3f} " if difference.is_known else ""
        change = tag("small", f"{amount}({low:.3f} to {high:.3f})")
    interval = tag("small", f" ({estimate.interval_in_words()})")
    return tag("td", joined(value, interval, change), class_="number")
