"""The notebook view of a fitted estimator: the verdict, the main numbers and the curve."""

from __future__ import annotations

from ..results._bands import percent
from ..results._estimate_table import EstimateTable
from ._charts import legend
from ._html_page import style_of_pages
from ._interval_rows import interval_table
from ._markup import Markup, joined, tag
from ._performance_report import MAX_SYSTEMS, views_of
from ._ranking_report import CLASSES_CURVES, RankingReport
from ._sections import curve_charts, verdict_card

__all__ = ["first_answers"]

# With more items each number takes about half a second.
MAX_ITEMS = 100_000
HEIGHT = 520
MORE = "All of it, with thresholds, what more labels would buy and the rows to label next: "


def first_answers(performance) -> str:
    """Return the view in a frame that isolates its style and runs no script."""
    page = tag(
        "html",
        tag("head", tag("meta", charset="utf-8"), style_of_pages()),
        tag("body", tag("main", _content(performance)), class_="fragment"),
        lang="en",
    )
    frame = tag(
        "iframe",
        srcdoc=f"<!doctype html>{page}",
        title="First answers of a fitted PerformanceCurveEstimator",
        sandbox="",
        style=f"width:100%;height:{HEIGHT}px;border:0",
    )
    return str(frame)


def _content(performance) -> Markup:
    views = dict(list(views_of(performance).items())[:MAX_SYSTEMS])
    first = next(iter(views.values()))
    n_items = first.posterior_.sample.counts.sum()
    more = tag("p", MORE, tag("code", 'to_html("report.html")'), ".", class_="hint")
    more = joined(more, tag("p", tag("code", repr(performance)), class_="hint"))
    if n_items * len(views) > MAX_ITEMS:
        return joined(verdict_card(performance.verdict_), more)
    of_classes = performance.pos_label_ is None
    metrics = ("accuracy",) if of_classes else ("average_precision", "roc_auc", "prevalence")
    curve = CLASSES_CURVES[0] if of_classes else "precision_recall"
    numbers = {}
    for name, view in views.items():
        for metric in metrics:
            # The items that each system scored, where scores are missing.
            common = metric == "prevalence" and not performance.subject_.misses_scores
            of_which = "" if name is None or common else f" of {name}"
            numbers[f"{metric.replace('_', ' ')}{of_which}"] = view.estimate(metric)
    table = EstimateTable(tuple(numbers), tuple(numbers.values()))
    rankings = [RankingReport(name, {curve: view.curve(curve)}) for name, view in views.items()]
    prevalence = numbers["prevalence"].value if "prevalence" in numbers else None
    names = [name for name in views if name is not None]
    level = percent(performance.confidence_level)
    return joined(
        verdict_card(performance.verdict_),
        tag(
            "div",
            tag("div", interval_table("Main numbers", table), more),
            tag(
                "div",
                *curve_charts(rankings, prevalence, plain=True),
                legend(names) if names else None,
                tag("p", f"Median and {level} band.", class_="hint"),
            ),
            class_="pair",
        ),
    )
