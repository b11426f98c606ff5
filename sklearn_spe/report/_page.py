"""The page of a report, and the summary of a fitted estimator in a notebook."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib import resources
from string import Template
from typing import TYPE_CHECKING, Any

from ..inputs._writing import write_page
from ..results._showing import Markup, interval_table, joined, percent, style_of_results, tag
from ..results._tables import EstimateTable
from ..results._verdict import verdict_card
from ._charts import legend
from ._curve_pictures import curve_charts
from ._first_screen import first_screen, provenance
from ._main_estimates import main_estimates
from ._operating_point import operating_points, question_of_threshold
from ._performance_report import MAX_SYSTEMS, PerformanceReport, rankings_of
from ._plain_answers import (
    ALARMS,
    GOOD,
    MISSED,
    SURE,
    WHERE,
    LabelCounts,
    PlainAnswers,
)
from ._ranking_report import CLASSES_CURVES, RankingReport
from ._sections import SECTIONS
from ._thresholds import DecisionNumbers

if TYPE_CHECKING:
    import os

    from ..estimators._performance import PerformanceCurveEstimator
    from ..models._ranking_value import Ranking

# With more items each number takes about half a second.
MAX_ITEMS = 100_000
IN_NOTEBOOKS = (GOOD, SURE, WHERE, ALARMS, MISSED)
MORE = "The full report, with thresholds, the value of further labels and the rows to label next: "


def page_of_report(report: PerformanceReport) -> str:
    """Return a report as HTML."""
    parts: dict[str, object] = {
        "title": report.title,
        "counts": provenance(report),
        "first": first_screen(report),
        "script": Markup(_text("page.js")),
    }
    for name, (title, content_of) in SECTIONS.items():
        parts[name] = _section(name, title, content_of(report))
    return _filled("page.html", parts)


def _section(name: str, title: str, content: Markup | None) -> Markup | None:
    """Return a section that unfolds."""
    if content is None:
        return None
    return tag("details", tag("summary", tag("h2", title)), content, id=name, class_="section")


def _filled(name: str, parts: dict[str, object]) -> str:
    """Return a template with its placeholders filled in, escaped unless they are markup."""
    style = Markup(style_of_results() + _text("page.css"))
    policy = Markup(_policy(str(style), str(parts["script"])))
    filled = {key: joined(part) for key, part in parts.items()}
    return Template(_text(name)).substitute(filled, style=style, policy=policy)


def _policy(style: str, script: str) -> str:
    """Return the content security policy: this script and style sheet, and style attributes."""
    of_style, of_script = (
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)
    )
    # Browsers that do not know the last two use the first.
    return (
        f"script-src {of_script}; style-src 'unsafe-inline'; style-src-elem {of_style}; "
        "style-src-attr 'unsafe-inline'"
    )


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def main_results(performance: PerformanceCurveEstimator) -> str:
    """Return the notebook's view: the verdict, the main numbers and the curve."""
    content = joined(tag("style", style_of_results()), _content(performance))
    return str(tag("div", content, class_="spe-result"))


def _content(performance: PerformanceCurveEstimator) -> Markup:
    verdict = performance.verdict_
    if not performance.model_.has_scores:
        return joined(verdict_card(verdict), main_estimates(performance)._html())

    by_name = dict(list(rankings_of(performance).items())[:MAX_SYSTEMS])
    first = next(iter(by_name.values()))
    more = joined(
        tag("p", MORE, tag("code", 'to_html("report.html")'), ".", class_="hint"),
        tag("p", tag("code", repr(performance)), class_="hint"),
    )
    if first.posterior_.sample.counts.sum() * len(by_name) > MAX_ITEMS:
        return joined(verdict_card(verdict), more)

    of_classes = performance.pos_label_ is None
    numbers = _main_numbers(performance, by_name)
    points = {} if of_classes else operating_points(by_name, None)
    decisions = {name: DecisionNumbers.of(by_name[name], point) for name, point in points.items()}
    question = None if of_classes or points else question_of_threshold(by_name)
    answers = PlainAnswers.of(
        numbers, LabelCounts.of(first), verdict, decisions=decisions, question=question
    )

    # The curve of each system in one picture.
    curve = CLASSES_CURVES[0] if of_classes else "precision_recall"
    rankings = [
        RankingReport(name, {curve: ranking.curve(curve)}) for name, ranking in by_name.items()
    ]
    prevalence = numbers["prevalence"].value if "prevalence" in numbers.names else None
    names = [name for name in by_name if name is not None]
    hint = f"Posterior median and {percent(performance.confidence_level)} credible band."
    charts = tag(
        "div",
        *curve_charts(rankings, prevalence, plain=True),
        legend(names) if names else None,
        tag("p", hint, class_="hint"),
    )

    table = tag("div", interval_table("Main numbers", numbers.items()), more)
    parts = [answers.only(IN_NOTEBOOKS)._html(), verdict_card(verdict)]
    if verdict != "ok":
        # Before any number.
        parts.reverse()
    return joined(*parts, tag("div", table, charts, class_="pair"))


def _main_numbers(
    performance: PerformanceCurveEstimator, rankings: dict[str | None, Ranking]
) -> EstimateTable:
    """Return the few numbers of each system that a notebook shows."""
    metrics: tuple[str, ...] = ("average_precision", "roc_auc", "prevalence")
    if performance.pos_label_ is None:
        metrics = ("accuracy",)

    numbers = {}
    for name, ranking in rankings.items():
        for metric in metrics:
            # The items that each system scored, where scores are missing.
            is_common = metric == "prevalence" and not performance.model_.misses_scores
            of_which = "" if name is None or is_common else f" of {name}"
            numbers[f"{metric.replace('_', ' ')}{of_which}"] = ranking.estimate(metric)
    return EstimateTable(tuple(numbers), tuple(numbers.values()))


def full_page(
    performance: PerformanceCurveEstimator, path: str | os.PathLike[str] | None, **asked: Any
) -> str | None:
    """Return the page of a fitted estimator, or write it to a file; `asked` is as in `to_html`."""
    return write_page(path, lambda: page_of_report(PerformanceReport.of(performance, **asked)))
