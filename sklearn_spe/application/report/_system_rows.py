"""Several systems in one table: a row each, with the differences from the first."""

from __future__ import annotations

from ...results._estimates import ScalarEstimate
from ...results._showing import (
    NO_VALUE,
    Markup,
    format_number,
    html_table,
    percent,
    row_head,
    row_of,
    tag,
)
from ...results._terms import name_in_words
from ._decision_counts import DecisionCounts, decision_counts, numbers_in_words
from ._page import element
from ._ranking_report import RankingReport
from ._report_contents import ReportContents

# Without a threshold.
OF_RANKINGS = ("average precision", "roc auc")
EVERYTHING = "Everything positive"
FLAGGED = "predicted positive"


def table_of_systems(report: ReportContents) -> Markup | None:
    """Return the systems as a table with a row each; None if there is one."""
    if len(report.rankings) < 2:
        return None
    level = percent(report.numbers.estimates[0].confidence_level)
    first = report.rankings[0]
    decides = all(ranking.decision is not None for ranking in report.rankings)
    metrics = ["precision", "recall"] if decides else _metrics(report)

    rows = []
    for ranking in report.rankings:
        row: dict[str, object] = {"verdict": element("status", verdict=ranking.verdict)}
        decision = ranking.decision if decides else None
        if decision is not None:
            if report.threshold is None:
                row["threshold"] = f"{decision.threshold:.6g}"
            row |= _errors(decision_counts(ranking)[0])
        for metric in metrics:
            change = None if ranking is first else _difference(report, ranking, first, metric)
            row[name_in_words(metric)] = _cell(_estimate(report, ranking, metric), change)
        if decision is not None:
            row[FLAGGED] = f"{decision.n_flagged:,.0f}"
        rows.append(row_of(row_head(ranking.name), *row.values()))
    header = list(row)
    if first.decision is not None and decides:
        everything = decision_counts(first)[-1]
        row = _errors(everything) | {
            "precision": _cell(first.decision.prevalence, None),
            "recall": "1.000",
            FLAGGED: f"{everything.n_flagged:,.0f}",
        }
        rows.append(row_of(row_head(EVERYTHING), *(row.get(name, tag("td")) for name in header)))

    caption = f"The systems, with {level} intervals, and the difference from {first.name}"
    at = "" if report.threshold is None else f", at threshold {report.threshold:.6g}"
    return html_table(f"{caption}{at}", [None, *header], rows, class_="systems")


def _errors(decision: DecisionCounts) -> dict[str, object]:
    """Return the errors of a decision as cells, with their intervals."""
    cells: dict[str, object] = {}
    for name, numbers in (("missed", decision.missed), ("false alarms", decision.false_alarms)):
        count, _, ends = numbers_in_words(numbers, decision.is_known).partition(" (")
        parts = [count, tag("small", f" ({ends}") if ends else None]
        cells[name] = element("number", parts=parts)
    return cells


def _metrics(report: ReportContents) -> list[str]:
    """Return the metrics that every system has in the main numbers."""
    return [
        metric
        for metric in (*OF_RANKINGS, "accuracy")
        if all(f"{metric} of {each.name}" in report.numbers.names for each in report.rankings)
    ]


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


def _cell(estimate: ScalarEstimate, difference: ScalarEstimate | None) -> Markup:
    """Return a number with its interval, and the difference from another below it."""
    value = format_number(estimate.value) if estimate.is_known else NO_VALUE
    change = None
    if difference is not None:
        low, high = difference.interval()
        amount = f"{difference.value:+.3f} " if difference.is_known else ""
        change = tag("small", f"{amount}({low:.3f} to {high:.3f})")
    interval = tag("small", f" ({estimate.interval_in_words()})")
    return element("number", parts=[value, interval, change])
