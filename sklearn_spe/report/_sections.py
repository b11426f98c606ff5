"""Sections of a page."""

from __future__ import annotations

import numpy as np

from ..results._html import (
    Markup,
    bar,
    data_script,
    format_number,
    html_table,
    joined,
    row_of,
    tag,
)
from ..results._showing import interval_table, percent
from ._charts import CurveChart, drawn_curves, legend, score_chart
from ._performance_report import CITATION, CONSENSUS, LabelValue, NamedRow, PerformanceReport
from ._ranking_report import MetricComparison, ThresholdGuarantees

# Number of rows of the table.
N_LISTED = 12
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}


def threshold_section(report: PerformanceReport) -> Markup | None:
    """Return the section on thresholds, for each ranking."""
    parts = []
    for number, ranking in enumerate(report.rankings):
        if ranking.thresholds is not None:
            heading = None if ranking.name is None else tag("h3", ranking.name)
            parts.append(joined(heading, _slider(f"threshold{number}", ranking.thresholds)))
    if not parts:
        return None
    hint = (
        "The lower bounds are valid for a threshold that is fixed in advance, not for one that is "
        "chosen by them. To choose a threshold, use threshold_for(precision=0.9), or the option "
        "--goal precision=0.9 of the command estimate: its guarantee allows for the choice."
    )
    return joined(*parts, tag("p", hint, class_="hint"))


def _slider(key: str, found: ThresholdGuarantees) -> Markup:
    place, last = found.place, len(found.thresholds) - 1
    side = "at least" if found.greater_is_positive else "at most"
    control = tag(
        "input",
        type="range",
        id=key,
        min=0,
        max=last,
        step=1,
        value=place,
        aria_valuetext=f"score {found.thresholds[place]:.6g}",
    )
    return tag(
        "div",
        tag("label", f"Positive is a score of {side} ", _score(found, place), for_=key),
        control,
        tag("p", _flagged(found, place), class_="flagged"),
        _threshold_rows(found, place),
        _table(found),
        data_script(_data(found)),
        class_="thresholds",
    )


def _score(found: ThresholdGuarantees, place: int) -> Markup:
    return tag("output", f"{found.thresholds[place]:.6g}")


def _flagged(found: ThresholdGuarantees, place: int) -> str:
    n = found.flagged[place]
    return (
        f"{n:,.0f} of {found.n_items:,.0f} items are predicted positive ({n / found.n_items:.1%})."
    )


def _threshold_rows(found: ThresholdGuarantees, place: int) -> Markup:
    level = percent(found.bands["precision"].confidence_level)
    least = f"at least, with probability {percent(found.probability)}"
    rows = []
    for name, band in found.bands.items():
        lower, upper = (end[place] for end in band.interval())
        value = band.value[place]
        numbers = (
            format_number(value),
            f"{format_number(lower)} to {format_number(upper)}",
            format_number(found.least[name][place]),
        )
        bars = tag("td", bar(value, lower, upper), class_="bars")
        rows.append(row_of(NAMES[name], *numbers, bars, data_metric=name))
    head = [None, "value", f"{level} interval", least, None]
    return html_table("At this threshold", head, rows, class_="intervals", aria_live="polite")


def _table(found: ThresholdGuarantees) -> Markup:
    rows, curves = [], drawn_curves(found.bands)
    for place in np.unique(np.linspace(0, len(found.thresholds) - 1, N_LISTED).astype(int)):
        cells = [f"{found.flagged[place]:,.0f}"]
        cells += [curve.format_at(place) for curve in curves]
        rows.append(row_of(f"{found.thresholds[place]:.6g}", *cells))
    head = ["threshold", "predicted positive", *NAMES.values()]
    summary = tag("summary", f"{len(rows)} thresholds as a table")
    return tag("details", summary, html_table("Thresholds", head, rows))


def _data(found: ThresholdGuarantees) -> dict:
    bands = {}
    for name, band in found.bands.items():
        lower, upper = band.interval()
        numbers = {"value": band.value, "lower": lower, "upper": upper, "least": found.least[name]}
        bands[name] = numbers
    return {
        # Formatted: five digits may not separate neighboring values.
        "thresholds": [f"{score:.6g}" for score in found.thresholds],
        "flagged": [_flagged(found, place) for place in range(len(found.thresholds))],
        "bands": bands,
    }


CONSENSUS_SAID = f" The score is the {CONSENSUS}: the mean of all columns on a common scale."
CHARTS = {
    "precision_recall": CurveChart(
        "Precision and recall", "level", "Precision against recall; the dashed line is chance."
    ),
    "roc": CurveChart(
        "ROC", "diagonal", "True against false positive rate; the dashed line is chance."
    ),
    "reliability": CurveChart(
        "Reliability",
        "diagonal",
        "The share of positives against the predicted probability; the dashed line is perfect "
        "calibration.",
    ),
    "probability": CurveChart(
        "Probability by score", None, "The probability that an item with a given score is positive."
    ),
    "accuracy_coverage": CurveChart(
        "Accuracy and coverage", None, "The accuracy of the most confident items."
    ),
}


def curve_charts(rankings, prevalence, *, plain: bool = False) -> list[Markup]:
    """Return a chart of each kind of curve, with those of all rankings."""
    names = list(dict.fromkeys(name for ranking in rankings for name in ranking.curves))
    found = []
    for name in names:
        bands = {r.name: r.curves[name] for r in rankings if name in r.curves}
        found.append(CHARTS[name].draw(name, bands, prevalence, plain=plain))
    return found


def _numbers(report: PerformanceReport) -> Markup:
    tables = {"Main numbers": report.numbers, **report.tables}
    hint = None
    if report.threshold is None and any(ranking.thresholds for ranking in report.rankings):
        said = (
            "The scores imply no decision threshold: pass one for precision, recall, F1 and "
            "accuracy."
        )
        hint = tag("p", said, class_="hint")
    sentences = (tag("p", text, class_="said") for text in report.numbers.headlines())
    drawn = (interval_table(title, table.items()) for title, table in tables.items())
    return joined(*sentences, *drawn, hint)


def _curves(report: PerformanceReport) -> Markup:
    prevalence = None
    if "prevalence" in report.numbers.names:
        prevalence = report.numbers["prevalence"].value
    names = [ranking.name for ranking in report.rankings if ranking.name is not None]
    level = percent(report.numbers.estimates[0].confidence_level)
    return joined(
        tag(
            "p",
            f"Lines are posterior medians; bands are pointwise {level} credible bands.",
            class_="hint",
        ),
        legend(names) if names else None,
        tag("div", *curve_charts(report.rankings, prevalence), class_="charts"),
        *(tag("p", remark, class_="hint") for remark in report.remarks),
    )


def _scores(report: PerformanceReport) -> Markup | None:
    charts = []
    for number, ranking in enumerate(report.rankings):
        if ranking.scores is not None:
            heading = None if ranking.name is None else tag("h3", ranking.name)
            chart = score_chart(f"scores{number}", ranking.scores, report.classes)
            charts.append(tag("div", heading, chart))
    return tag("div", *charts, class_="charts") if charts else None


def _worths(report: PerformanceReport) -> Markup | None:
    if not report.worth:
        return None
    return joined(
        tag("div", *(tag("div", _worth(worth)) for worth in report.worth), class_="pair"),
        tag("p", "Expected width, from the lower to the upper end; not guaranteed.", class_="hint"),
    )


def _worth(worth: LabelValue) -> Markup:
    of_which = "" if worth.system is None else f" of {worth.system}"
    caption = f"Width of the interval of {worth.metric.replace('_', ' ')}{of_which}"
    rows = []
    for place, n in enumerate(worth.n_labels.tolist()):
        cells = (f"{widths[place]:.3f}" for widths in worth.widths.values())
        rows.append(row_of(f"{n:,}" if n else "none", *cells))
    return html_table(caption, ["further labels", *worth.widths], rows)


def _rows_to_label(report: PerformanceReport) -> Markup | None:
    parts = []
    if report.next_rows:
        in_turn = any(row.of is not None for row in report.next_rows)
        parts.append(
            tag(
                "div",
                _row_table(
                    "To label next", report.unit, report.next_rows, "probability of being positive"
                ),
                tag(
                    "p",
                    "Their labels are expected to be the most informative on average precision"
                    + (", of each system in turn; a label serves all." if in_turn else "."),
                    class_="hint",
                ),
            )
        )
    if report.suspect_rows:
        more = report.n_suspect - len(report.suspect_rows)
        parts.append(
            tag(
                "div",
                _row_table(
                    "Suspect labels",
                    report.unit,
                    report.suspect_rows,
                    "probability of the label",
                ),
                tag(
                    "p",
                    "The probability of each label given the other labels. Check them: a wrong "
                    "label biases every estimate.",
                    f" There are {more:,} more." if more > 0 else None,
                    CONSENSUS_SAID if report.suspect_rows[0].of == CONSENSUS else None,
                    class_="hint",
                ),
            )
        )
    return tag("div", *parts, class_="pair") if parts else None


def _row_table(caption: str, unit: str, rows: tuple[NamedRow, ...], probability: str) -> Markup:
    labeled = any(row.label is not None for row in rows)
    scored = any(np.isfinite(row.score) for row in rows)
    several = scored and any(row.of is not None for row in rows)
    head = [unit, *(["label"] if labeled else []), *(["score"] if scored else [])]
    head += [*(["score of"] if several else []), probability]
    body = []
    for row in rows:
        cells: list[object] = [tag("td", row.label)] if labeled else []
        cells += [f"{row.score:.6g}"] if scored else []
        cells += [tag("td", row.of or "")] if several else []
        name = tag("th", row.name, scope="row", class_="item")
        body.append(row_of(name, *cells, f"{row.probability:.3f}"))
    return html_table(caption, head, body)


def _comparisons(report: PerformanceReport) -> Markup | None:
    return joined(*map(_comparison, report.comparisons)) if report.comparisons else None


def _comparison(found: MetricComparison) -> Markup:
    parts = [
        tag("h3", f"{found.title[:1].upper()}{found.title[1:]}"),
        interval_table("Estimates", found.estimates.items()),
    ]
    if len(found.differences):
        # A side without a value has no probability either.
        chances = [format_number(p) for p in found.probabilities]
        caption = f"Difference from {found.baseline}"
        extra = (f"{found.ahead} with probability", chances)
        parts.append(interval_table(caption, found.differences.items(), extra))
    parts += [tag("p", remark) for remark in found.remarks]
    return joined(*parts)


def _how(report: PerformanceReport) -> Markup:
    facts = [joined(tag("dt", name), tag("dd", said)) for name, said in report.facts]
    return joined(tag("dl", *facts), tag("h3", "How to cite"), tag("p", CITATION))


# Title and content of each, by its place in page.html; empty ones are left out.
SECTIONS = {
    "numbers": ("The numbers", _numbers),
    "curves": ("Curves", _curves),
    "scores": ("Scores and labels", _scores),
    "thresholds": ("Thresholds and their guarantees", threshold_section),
    "plan": ("Value of further labels", _worths),
    "rows": ("Rows to review", _rows_to_label),
    "comparisons": ("Comparisons", _comparisons),
    "method": ("How this was computed", _how),
}
