"""Sections of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..results._estimates import ScalarEstimate
from ..results._remedies import PLAIN
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
from ..results._terms import (
    AREAS,
    EVERY_NUMBER,
    metric_named,
    name_in_words,
    sentence_in_counts,
    terms,
)
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
# A card whose interval is at least so wide shows no number; what it shows instead.
SAYS_NOTHING = 0.9
NOT_YET = "not known yet"
# Numbers that are shown large.
MAX_CARDS = 4
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


def first_screen(report: PerformanceReport) -> Markup:
    """Return the big numbers, and the answers to the first questions."""
    details = joined(" ", tag("a", "Details", href="#method"))
    answers = report.answers.in_words(PLAIN).linked({COMPUTED: details})
    cards = tag("div", *_cards(report), class_="cards")
    tables = []
    for name, thresholds in report.choices.items():
        caption = "Thresholds to choose from" + ("" if name is None else f", by {name}")
        tables.append(_table_of(thresholds, thresholds.choices, caption))
    return joined(cards, *tables, answers)


def _cards(report: PerformanceReport) -> list[Markup]:
    """Return the big numbers: of the decision, else the first ones of the report."""
    decision = report.decision
    if decision is None:
        of_systems = (each for each in report.comparisons if each.ahead == "better")
        compared = next(of_systems, None)
        numbers = list(report.numbers.items())
        if compared is not None:
            numbers = [(f"{compared.title} of {n}", e) for n, e in compared.estimates.items()]
        return [_card(name_in_words(name), estimate) for name, estimate in numbers[:MAX_CARDS]]

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
    value = estimate.value
    metric = metric_named(estimate.name)
    meaning = None if metric is None else terms()[metric].meaning
    if not np.isfinite(value) or estimate.undefined >= 0.5:
        return _drawn_card(name, "not defined", None, meaning)

    is_known = estimate.is_known
    middle = value if is_known else float("nan")
    big: str
    picture = None
    is_counted = metric is not None and metric not in AREAS and sentence_in_counts(metric)
    if is_counted and 0.0 <= low <= high <= 1.0:
        # A share in counts, with a bar.
        n = count_for(value, low, high)
        big = joined(f"{round(n * value):,}", tag("small", f" of {n:,}"))
        both_ends = f"{round(n * low):,} to {round(n * high):,}"
        if not is_known:
            big = joined(both_ends, tag("small", f" of {n:,}"))
        ends = estimate.exactness() or both_ends
    else:
        big = format_number(value) if is_known else estimate.interval_in_words()
        ends = estimate.interval_in_words()
    if 0.0 <= low <= high <= 1.0:
        both = tag("div", tag("span", "0"), tag("span", "1"), class_="ends", aria_hidden="true")
        picture = joined(bar(middle, low, high), both)

    of_level = "" if estimate.exactness() else f"({percent(estimate.confidence_level)} interval)"
    below = f"{ends} {of_level}"
    if not is_known:
        if high - low > SAYS_NOTHING:
            big = NOT_YET
        below = f"{NOT_YET}: {below}"
    return _drawn_card(name, big, below, meaning, picture)


def _drawn_card(
    name: str, big: str, below: str | None, hint: str | None, picture: Markup | None = None
) -> Markup:
    """Return a card: a large number, its interval, a picture and a hint."""
    return tag(
        "div",
        tag("p", name, class_="named"),
        tag("p", big, class_="big"),
        below and tag("p", below, class_="range"),
        picture,
        hint and tag("p", hint, class_="hint"),
        class_="card",
    )


def _of_each(rankings: Iterable[RankingReport], draw: Callable[..., Any]) -> list[Markup]:
    """Return the drawing of each ranking below its name; `draw` takes its number and itself."""
    parts = []
    for number, ranking in enumerate(rankings):
        part = draw(number, ranking)
        if part is not None:
            title = None if ranking.name is None else tag("h3", ranking.name)
            parts.append(joined(title, part))
    return parts


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
    guarantees = ranking.thresholds
    if guarantees is None:
        return None

    key = f"threshold{number}"
    index = guarantees.place
    score = f"{guarantees.thresholds[index]:.6g}"
    side = "at least" if guarantees.greater_is_positive else "at most"
    control = tag(
        "input",
        type="range",
        id=key,
        min=0,
        max=len(guarantees.thresholds) - 1,
        step=1,
        value=index,
        aria_valuetext=f"score {score}",
    )

    n = guarantees.flagged[index]
    flagged = (
        f"{n:,.0f} of {guarantees.n_items:,.0f} items {'is' if n == 1 else 'are'} predicted "
        f"positive ({n / guarantees.n_items:.1%}), {guarantees.labeled[index]:,.0f} of them "
        "labeled."
    )
    return tag(
        "div",
        tag("label", f"Positive is a score of {side} ", tag("output", score), for_=key),
        control,
        tag("p", flagged, class_="flagged"),
        _threshold_rows(guarantees, index),
        _table(guarantees),
        data_script(_data(guarantees)),
        class_="thresholds",
    )


def _threshold_rows(guarantees: ThresholdGuarantees, index: int) -> Markup:
    level = percent(guarantees.bands["precision"].confidence_level)
    least = f"at least, with probability {percent(guarantees.probability)}"
    rows = []
    for name, band in guarantees.bands.items():
        lower, upper = (end[index] for end in band.interval())
        value = band.value[index]
        bound = guarantees.least[name][index]
        row = row_of(
            NAMES[name],
            format_number(value),
            range_in_words(lower, upper, n_items=band.n_items),
            NO_LABEL if np.isnan(bound) else format_number(bound),
            tag("td", bar(value, lower, upper), class_="bars"),
            data_metric=name,
        )
        rows.append(row)

    header = [None, "value", f"{level} interval", least, scale()]
    return html_table("At this threshold", header, rows, class_="intervals", aria_live="polite")


def _table(guarantees: ThresholdGuarantees) -> Markup:
    """Return evenly spaced thresholds as a table that unfolds."""
    last = len(guarantees.thresholds) - 1
    places = np.unique(np.linspace(0, last, N_LISTED).astype(int))
    summary = tag("summary", f"{len(places)} thresholds as a table")
    return tag("details", summary, _table_of(guarantees, places, "Thresholds"))


def _table_of(guarantees: ThresholdGuarantees, places: np.ndarray, caption: str) -> Markup:
    """Return the numbers at some thresholds."""
    curves = drawn_curves(guarantees.bands)
    rows = []
    for index in places:
        values = [curve.format_at(index) for curve in curves]
        score = f"{guarantees.thresholds[index]:.6g}"
        rows.append(row_of(score, f"{guarantees.flagged[index]:,.0f}", *values))
    return html_table(caption, ["threshold", "predicted positive", *NAMES.values()], rows)


def _data(guarantees: ThresholdGuarantees) -> dict[str, Any]:
    """Return the data from which the script updates the numbers."""
    bands = {}
    for name, band in guarantees.bands.items():
        lower, upper = band.interval()
        bands[name] = {
            "value": band.value,
            "lower": lower,
            "upper": upper,
            "least": guarantees.least[name],
        }
    return {
        # Formatted: four digits may not separate neighboring values.
        "thresholds": [f"{score:.6g}" for score in guarantees.thresholds],
        "flagged": _whole_if_possible(guarantees.flagged),
        "labeled": _whole_if_possible(guarantees.labeled),
        "n_items": int(guarantees.n_items),
        "bands": bands,
    }


def _whole_if_possible(counts: np.ndarray) -> list[float]:
    """Return counts for a script, where whole numbers are shorter."""
    return [int(n) if n == int(n) else float(n) for n in counts]


def curve_charts(
    rankings: Iterable[RankingReport], prevalence: float | None, *, plain: bool = False
) -> list[Markup]:
    """Return a chart of each kind of curve, with those of all rankings."""
    rankings = tuple(rankings)
    names = list(dict.fromkeys(name for ranking in rankings for name in ranking.curves))
    charts = []
    for name in names:
        bands = {r.name: r.curves[name] for r in rankings if name in r.curves}
        charts.append(CHARTS[name].draw(name, bands, prevalence, plain=plain))
    return charts


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
        metric = report.worth[0].metric if report.worth else report.metric
        hint = f"Their labels say the most about {name_in_words(metric)}" + (
            ", of each system in turn; a label serves all." if in_turn else "."
        )
        table = _row_table(rows, "To label next", report.unit, "probability of being positive")
        parts.append(tag("div", table, tag("p", hint, class_="hint")))

    if rows := report.suspect_rows:
        n_more = report.n_suspect - len(rows)
        hints = (
            "The probability of each label given the other labels. Check them: a wrong label "
            "biases every estimate.",
            f" There are {n_more:,} more." if n_more > 0 else None,
            CONSENSUS_SAID if rows[0].of == CONSENSUS else None,
        )
        table = _row_table(rows, "Suspect labels", report.unit, "probability of the label")
        parts.append(tag("div", table, tag("p", *hints, class_="hint")))

    columns = [tag("div", *parts)] if parts else []
    if report.worth:
        hint = "Expected widths, from the lower to the upper end; not guaranteed."
        worth = [each._html() for each in report.worth]
        columns.append(tag("div", *worth, tag("p", hint, class_="hint")))
    return tag("div", *columns, class_="pair") if columns else None


def _row_table(rows: tuple[NamedRow, ...], caption: str, unit: str, probability: str) -> Markup:
    is_labeled = any(row.label is not None for row in rows)
    is_scored = any(np.isfinite(row.score) for row in rows)
    several = is_scored and any(row.of is not None for row in rows)

    # Only the columns that say something.
    header = [unit]
    if is_labeled:
        header.append("label")
    if is_scored:
        header.append("score")
    if several:
        header.append("score of")
    header.append(probability)

    body = []
    for row in rows:
        cells: list[object] = []
        if is_labeled:
            cells.append(tag("td", row.label))
        if is_scored:
            cells.append(f"{row.score:.6g}")
        if several:
            cells.append(tag("td", row.of or ""))
        name = tag("th", row.name, scope="row", class_="item")
        body.append(row_of(name, *cells, f"{row.probability:.3f}"))
    return html_table(caption, header, body)


def _comparisons(report: PerformanceReport) -> Markup | None:
    parts = []
    for comparison in report.comparisons:
        part = "" if comparison.part is None else f" where the category is {comparison.part}"
        heading = f"{comparison.title[:1].upper()}{comparison.title[1:]}{part}"
        parts += [tag("h3", heading), comparison._html()]
    return joined(*parts) if parts else None


def _earlier(report: PerformanceReport) -> Markup | None:
    return None if report.earlier is None else report.earlier._html()


def _how(report: PerformanceReport) -> Markup:
    facts = [joined(tag("dt", name), tag("dd", text)) for name, text in report.facts]
    more = tag(
        "details",
        tag("summary", "The model, versions and what to cite"),
        tag("dl", *facts, class_="facts"),
        tag("p", CITATION, class_="hint"),
    )

    # How each of the metrics is computed, once.
    metrics = list(dict.fromkeys(filter(None, map(metric_named, report.numbers.names))))
    notes = []
    for metric in metrics:
        computed = terms()[metric].computed
        term = tag("dt", name_in_words(metric))
        definition = tag("dd", f"{computed[:1].upper()}{computed[1:]}")
        notes.append(tag("div", term, definition, id=footnote_id(metric)))
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
