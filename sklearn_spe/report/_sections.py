"""Sections of a page."""

from __future__ import annotations

import numpy as np

from ..results._estimates import ScalarEstimate
from ..results._showing import (
    Markup,
    bar,
    count_for,
    data_script,
    footnote_id,
    format_number,
    html_table,
    interval_table,
    joined,
    percent,
    row_of,
    scale,
    tag,
)
from ..results._terms import EVERY_NUMBER, TERMS, metric_named, name_in_words
from ._charts import CurveChart, drawn_curves, legend, score_chart
from ._label_advice import CONSENSUS, NamedRow
from ._performance_report import CITATION, PerformanceReport
from ._plain_answers import COMPUTED
from ._thresholds import DecisionNumbers, ThresholdGuarantees

# Number of rows of the table.
N_LISTED = 12
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
NO_LABEL = "no label there"
# Numbers that are shown large.
MAX_CARDS = 4


def first_screen(report: PerformanceReport) -> Markup:
    """Return the big numbers, and the answers to the first questions."""
    answers = report.answers.linked({COMPUTED: ("#method", "Details")})
    return joined(tag("div", *_cards(report), class_="cards"), answers)


def _cards(report: PerformanceReport) -> list[Markup]:
    """Return the big numbers: of the decision, else the first ones of the report."""
    decision = report.decision
    if decision is None:
        of_systems = (each for each in report.comparisons if each.ahead == "better")
        compared = next(of_systems, None)
        shown = list(report.numbers.items())
        if compared is not None:
            shown = [(f"{compared.title} of {n}", e) for n, e in compared.estimates.items()]
        return [_card(name_in_words(name), estimate) for name, estimate in shown[:MAX_CARDS]]
    cards = [_card("Precision", decision.precision), _card("Recall", decision.recall)]
    return [*cards, _flagged_card(decision), _card("Positives", decision.prevalence)]


def _card(name: str, estimate: ScalarEstimate) -> Markup:
    """Return a large number with its interval and its meaning."""
    low, high = estimate.interval()
    value, metric = estimate.value, metric_named(estimate.name)
    meaning = TERMS[metric].meaning if metric is not None else ""
    if not np.isfinite(value) or estimate.undefined >= 0.5:
        big, ends = "not defined", None
    elif 0.0 <= low <= high <= 1.0:
        n = count_for(value, low, high)
        big = joined(f"{round(n * value):,}", tag("small", f" of {n:,}"))
        ends = f"{round(n * low):,} to {round(n * high):,}" if high > low else "exactly"
    else:
        big, ends = format_number(value), f"{format_number(low)} to {format_number(high)}"
    range_ = None if ends is None else tag("p", f"{ends} ", _of_level(estimate), class_="range")
    drawn = None
    if ends is not None and 0.0 <= low <= high <= 1.0:
        both = tag("div", tag("span", "0"), tag("span", "1"), class_="ends", aria_hidden="true")
        drawn = joined(bar(value, low, high), both)
    named = tag("p", name, class_="named")
    meant = tag("p", meaning, class_="hint") if meaning else None
    return tag("div", named, tag("p", big, class_="big"), range_, drawn, meant, class_="card")


def _of_level(estimate: ScalarEstimate) -> str:
    low, high = estimate.interval()
    return f"({percent(estimate.confidence_level)} interval)" if high > low else ""


def _flagged_card(decision: DecisionNumbers) -> Markup:
    share = decision.n_flagged / decision.n_items
    return tag(
        "div",
        tag("p", "Predicted positive", class_="named"),
        tag(
            "p",
            f"{decision.n_flagged:,.0f}",
            tag("small", f" of {decision.n_items:,.0f}"),
            class_="big",
        ),
        tag("p", f"{share:.1%} of the items", class_="range"),
        tag("p", f"A score of {decision.side} {decision.threshold:.6g}.", class_="hint"),
        class_="card",
    )


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
        "chosen by them: a threshold chosen for a goal, such as a precision of 0.9, needs a "
        "guarantee that allows for the choice. Where no labeled item reaches a threshold, there is "
        "no bound: it would be the model's alone."
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
    n, labeled = found.flagged[place], found.labeled[place]
    are = "is" if n == 1 else "are"
    return (
        f"{n:,.0f} of {found.n_items:,.0f} items {are} predicted positive "
        f"({n / found.n_items:.1%}), {labeled:,.0f} of them labeled."
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
            _least(found.least[name][place]),
        )
        bars = tag("td", bar(value, lower, upper), class_="bars")
        rows.append(row_of(NAMES[name], *numbers, bars, data_metric=name))
    head = [None, "value", f"{level} interval", least, scale()]
    return html_table("At this threshold", head, rows, class_="intervals", aria_live="polite")


def _least(bound: float) -> str:
    return NO_LABEL if np.isnan(bound) else format_number(bound)


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
        # Formatted: four digits may not separate neighboring values.
        "thresholds": [f"{score:.6g}" for score in found.thresholds],
        "flagged": [int(n) if n == int(n) else float(n) for n in found.flagged],
        "labeled": [int(n) if n == int(n) else float(n) for n in found.labeled],
        "n_items": int(found.n_items),
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
    table = interval_table("Main numbers", report.numbers.items(), explained=True)
    if report.classes is not None:
        return tag(
            "div", table, tag("div", *_there([_matrix(report), _scores(report)])), class_="pair"
        )
    # Of several classes the matrix is wide, and there is one curve.
    more = (interval_table(title, part.items()) for title, part in report.tables.items())
    return joined(
        tag("div", table, tag("div", _drawn_curves(report)), class_="pair"),
        _matrix(report),
        tag("div", *more, class_="pair"),
    )


def _there(parts: list) -> list:
    return [part for part in parts if part is not None]


def _matrix(report: PerformanceReport) -> Markup | None:
    """Return the confusion matrix of each ranking."""
    parts = []
    for ranking in report.rankings:
        if ranking.matrix is not None:
            of_which = None if ranking.name is None else tag("h3", ranking.name)
            parts.append(joined(of_which, ranking.matrix._html()))
    return joined(*parts) if parts else None


def _curves(report: PerformanceReport) -> Markup | None:
    return None if report.classes is None else _drawn_curves(report)


def _drawn_curves(report: PerformanceReport) -> Markup:
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
        *(
            tag("p", "" if each.name is None else f"{each.name}: ", each.calibration, class_="said")
            for each in report.rankings
            if each.calibration
        ),
        *(tag("p", remark, class_="hint") for remark in report.remarks),
    )


def _scores(report: PerformanceReport) -> Markup | None:
    charts = []
    for number, ranking in enumerate(report.rankings):
        if ranking.scores is not None:
            heading = None if ranking.name is None else tag("h3", ranking.name)
            chart = score_chart(f"scores{number}", ranking.scores, report.classes)
            charts.append(tag("div", heading, chart))
    return joined(*charts) if charts else None


def _label_next(report: PerformanceReport) -> Markup | None:
    rows = _rows_to_label(report)
    if rows is None and not report.worth:
        return None
    hint = "Expected widths, from the lower to the upper end; not guaranteed."
    worth = (
        tag("div", *(each._html() for each in report.worth), tag("p", hint, class_="hint"))
        if report.worth
        else None
    )
    return tag("div", *_there([rows, worth]), class_="pair")


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
                    f"Their labels say the most about {name_in_words(report.metric)}"
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
    return tag("div", *parts) if parts else None


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
    if not report.comparisons:
        return None
    parts = []
    for found in report.comparisons:
        where = "" if found.part is None else f" where the category is {found.part}"
        heading = f"{found.title[:1].upper()}{found.title[1:]}{where}"
        parts.append(joined(tag("h3", heading), found._html()))
    return joined(*parts)


def _earlier(report: PerformanceReport) -> Markup | None:
    return None if report.earlier is None else report.earlier._html()


def _how(report: PerformanceReport) -> Markup:
    facts = [joined(tag("dt", name), tag("dd", said)) for name, said in report.facts]
    more = tag(
        "details",
        tag("summary", "The model, versions and what to cite"),
        tag("dl", *facts, class_="facts"),
        tag("p", CITATION, class_="hint"),
    )
    metrics = list(dict.fromkeys(filter(None, map(metric_named, report.numbers.names))))
    notes = (
        tag(
            "div",
            tag("dt", name_in_words(metric)),
            tag("dd", f"{TERMS[metric].computed[:1].upper()}{TERMS[metric].computed[1:]}"),
            id=footnote_id(metric),
        )
        for metric in metrics
    )
    return joined(
        tag("p", EVERY_NUMBER, class_="said"), tag("dl", *notes, class_="notes charts"), more
    )


# Title and content of each, by its place in page.html; empty ones are left out.
SECTIONS = {
    "numbers": ("The numbers", _numbers),
    "earlier": ("Compared with the earlier report", _earlier),
    "comparisons": ("Comparisons", _comparisons),
    "curves": ("Curves", _curves),
    "thresholds": ("Thresholds and their guarantees", threshold_section),
    "rows": ("What to label next, and what to check", _label_next),
    "method": ("How this was computed", _how),
}
