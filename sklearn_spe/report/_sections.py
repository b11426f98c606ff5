"""Sections of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

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
    range_in_words,
    row_of,
    scale,
    tag,
)
from ..results._terms import EVERY_NUMBER, TERMS, metric_named, name_in_words
from ._charts import CurveChart, drawn_curves, legend, score_chart
from ._label_advice import CONSENSUS, NamedRow
from ._performance_report import CITATION, PerformanceReport
from ._plain_answers import COMPUTED
from ._ranking_report import RankingReport
from ._thresholds import ThresholdGuarantees

# Number of rows of the table.
N_LISTED = 12
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}
NO_LABEL = "no label there"
# Numbers that are shown large.
MAX_CARDS = 4


def first_screen(report: PerformanceReport) -> Markup:
    """Return the big numbers, and the answers to the first questions."""
    details = joined(" ", tag("a", "Details", href="#method"))
    answers = report.answers.linked({COMPUTED: details})
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
    share = decision.n_flagged / decision.n_items
    flagged = _drawn_card(
        "Predicted positive",
        joined(f"{decision.n_flagged:,.0f}", tag("small", f" of {decision.n_items:,.0f}")),
        f"{share:.1%} of the items",
        f"A score of {decision.side} {decision.threshold:.6g}.",
    )
    cards = [_card("Precision", decision.precision), _card("Recall", decision.recall)]
    return [*cards, flagged, _card("Positives", decision.prevalence)]


def _card(name: str, estimate: ScalarEstimate) -> Markup:
    """Return a large number with its interval and its meaning."""
    low, high = estimate.interval()
    value, metric = estimate.value, metric_named(estimate.name)
    meaning = None if metric is None else TERMS[metric].meaning
    big: str
    drawn = None
    if not np.isfinite(value) or estimate.undefined >= 0.5:
        return _drawn_card(name, "not defined", None, meaning)
    if 0.0 <= low <= high <= 1.0:
        n = count_for(value, low, high)
        big = joined(f"{round(n * value):,}", tag("small", f" of {n:,}"))
        ends = estimate.exactness() or f"{round(n * low):,} to {round(n * high):,}"
        both = tag("div", tag("span", "0"), tag("span", "1"), class_="ends", aria_hidden="true")
        drawn = joined(bar(value, low, high), both)
    else:
        big, ends = format_number(value), estimate.interval_in_words()
    of_level = "" if estimate.exactness() else f"({percent(estimate.confidence_level)} interval)"
    return _drawn_card(name, big, f"{ends} {of_level}", meaning, drawn)


def _drawn_card(
    name: str, big: str, below: str | None, hint: str | None, drawn: Markup | None = None
) -> Markup:
    """Return a card: a large number, its interval, a drawing and a hint."""
    return tag(
        "div",
        tag("p", name, class_="named"),
        tag("p", big, class_="big"),
        below and tag("p", below, class_="range"),
        drawn,
        hint and tag("p", hint, class_="hint"),
        class_="card",
    )


def _of_each(rankings: Iterable[RankingReport], draw: Callable[..., Any]) -> list[Markup]:
    """Return the drawing of each ranking below its name; `draw` takes its number and itself."""
    drawn = ((ranking.name, draw(number, ranking)) for number, ranking in enumerate(rankings))
    named = ((name if name is None else tag("h3", name), part) for name, part in drawn)
    return [joined(name, part) for name, part in named if part is not None]


def threshold_section(report: PerformanceReport) -> Markup | None:
    """Return the section on thresholds, for each ranking."""
    parts = _of_each(report.rankings, _slider)
    if not parts:
        return None
    hint = (
        "The lower bounds are valid for a threshold that is fixed in advance, not for one that is "
        "chosen by them: a threshold chosen for a goal, such as a precision of 0.9, needs a "
        "guarantee that allows for the choice. Where no labeled item reaches a threshold, there is "
        "no bound: it would be the model's alone."
    )
    return joined(*parts, tag("p", hint, class_="hint"))


def _slider(number: int, ranking: RankingReport) -> Markup | None:
    """Return the control of the threshold, and the numbers at it; without one, None."""
    if (found := ranking.thresholds) is None:
        return None
    key, score = f"threshold{number}", f"{found.thresholds[found.place]:.6g}"
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
        aria_valuetext=f"score {score}",
    )
    n, labeled = found.flagged[place], found.labeled[place]
    flagged = (
        f"{n:,.0f} of {found.n_items:,.0f} items {'is' if n == 1 else 'are'} predicted positive "
        f"({n / found.n_items:.1%}), {labeled:,.0f} of them labeled."
    )
    return tag(
        "div",
        tag("label", f"Positive is a score of {side} ", tag("output", score), for_=key),
        control,
        tag("p", flagged, class_="flagged"),
        _threshold_rows(found, place),
        _table(found),
        data_script(_data(found)),
        class_="thresholds",
    )


def _threshold_rows(found: ThresholdGuarantees, place: int) -> Markup:
    level = percent(found.bands["precision"].confidence_level)
    least = f"at least, with probability {percent(found.probability)}"
    rows = []
    for name, band in found.bands.items():
        lower, upper = (end[place] for end in band.interval())
        value, bound = band.value[place], found.least[name][place]
        ends = range_in_words(lower, upper, n_items=band.n_items)
        surely = NO_LABEL if np.isnan(bound) else format_number(bound)
        bars = tag("td", bar(value, lower, upper), class_="bars")
        cells = format_number(value), ends, surely, bars
        rows.append(row_of(NAMES[name], *cells, data_metric=name))
    head = [None, "value", f"{level} interval", least, scale()]
    return html_table("At this threshold", head, rows, class_="intervals", aria_live="polite")


def _table(found: ThresholdGuarantees) -> Markup:
    rows, curves = [], drawn_curves(found.bands)
    for place in np.unique(np.linspace(0, len(found.thresholds) - 1, N_LISTED).astype(int)):
        cells = (curve.format_at(place) for curve in curves)
        score, n = f"{found.thresholds[place]:.6g}", f"{found.flagged[place]:,.0f}"
        rows.append(row_of(score, n, *cells))
    head = ["threshold", "predicted positive", *NAMES.values()]
    summary = tag("summary", f"{len(rows)} thresholds as a table")
    return tag("details", summary, html_table("Thresholds", head, rows))


def _data(found: ThresholdGuarantees) -> dict:
    bands = {}
    for name, band in found.bands.items():
        lower, upper = band.interval()
        ends = {"lower": lower, "upper": upper}
        bands[name] = {"value": band.value, **ends, "least": found.least[name]}
    counts = {"flagged": found.flagged, "labeled": found.labeled}
    return {
        # Formatted: four digits may not separate neighboring values.
        "thresholds": [f"{score:.6g}" for score in found.thresholds],
        **{key: [int(n) if n == int(n) else float(n) for n in of] for key, of in counts.items()},
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
        return tag("div", table, tag("div", _matrix(report), _scores(report)), class_="pair")
    # Of several classes the matrix is wide, and there is one curve.
    more = (interval_table(title, part.items()) for title, part in report.tables.items())
    return joined(
        tag("div", table, tag("div", _drawn_curves(report)), class_="pair"),
        _matrix(report),
        tag("div", *more, class_="pair"),
    )


def _matrix(report: PerformanceReport) -> Markup:
    """Return the confusion matrix of each ranking."""
    return joined(
        *_of_each(report.rankings, lambda _, ranking: ranking.matrix and ranking.matrix._html())
    )


def _curves(report: PerformanceReport) -> Markup | None:
    return None if report.classes is None else _drawn_curves(report)


def _drawn_curves(report: PerformanceReport) -> Markup:
    prevalence = None
    if "prevalence" in report.numbers.names:
        prevalence = report.numbers["prevalence"].value
    names = [ranking.name for ranking in report.rankings if ranking.name is not None]
    level = percent(report.numbers.estimates[0].confidence_level)
    hint = f"Lines are posterior medians; bands are pointwise {level} credible bands."
    return joined(
        tag("p", hint, class_="hint"),
        legend(names) if names else None,
        tag("div", *curve_charts(report.rankings, prevalence), class_="charts"),
        *(
            tag("p", "" if each.name is None else f"{each.name}: ", each.calibration, class_="said")
            for each in report.rankings
            if each.calibration
        ),
        *(tag("p", remark, class_="hint") for remark in report.remarks),
    )


def _scores(report: PerformanceReport) -> Markup:
    def draw(number: int, ranking: RankingReport) -> Any:
        scores = ranking.scores
        return scores and score_chart(f"scores{number}", scores, report.classes)

    return joined(*(tag("div", part) for part in _of_each(report.rankings, draw)))


def _label_next(report: PerformanceReport) -> Markup | None:
    parts = []
    if rows := report.next_rows:
        in_turn = any(row.of is not None for row in rows)
        said = f"Their labels say the most about {name_in_words(report.metric)}" + (
            ", of each system in turn; a label serves all." if in_turn else "."
        )
        titles = "To label next", report.unit, "probability of being positive"
        parts.append(tag("div", _row_table(rows, *titles), tag("p", said, class_="hint")))
    if rows := report.suspect_rows:
        more = report.n_suspect - len(rows)
        hint = (
            "The probability of each label given the other labels. Check them: a wrong label "
            "biases every estimate.",
            f" There are {more:,} more." if more > 0 else None,
            CONSENSUS_SAID if rows[0].of == CONSENSUS else None,
        )
        titles = "Suspect labels", report.unit, "probability of the label"
        parts.append(tag("div", _row_table(rows, *titles), tag("p", *hint, class_="hint")))
    columns = [tag("div", *parts)] if parts else []
    if report.worth:
        said = "Expected widths, from the lower to the upper end; not guaranteed."
        worth = (each._html() for each in report.worth)
        columns.append(tag("div", *worth, tag("p", said, class_="hint")))
    return tag("div", *columns, class_="pair") if columns else None


def _row_table(rows: tuple[NamedRow, ...], caption: str, unit: str, probability: str) -> Markup:
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
    parts = []
    for found in report.comparisons:
        where = "" if found.part is None else f" where the category is {found.part}"
        heading = f"{found.title[:1].upper()}{found.title[1:]}{where}"
        parts += [tag("h3", heading), found._html()]
    return joined(*parts) if parts else None


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
