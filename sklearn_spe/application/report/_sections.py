"""Sections of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...results._remedies import PLAIN, filled
from ...results._showing import (
    Markup,
    footnote_id,
    html_table,
    interval_table,
    joined,
    paragraphs,
    percent,
    row_of,
    tag,
)
from ...results._terms import EVERY_NUMBER, metric_named, name_in_words, terms
from ...results._verdict import NOT_BELIEVED
from ._charts import curve_figure, legend, score_chart
from ._label_advice import CONSENSUS, NamedRow
from ._page import element, facts_list
from ._ranking_report import RankingReport
from ._report_contents import CITATION, ReportContents
from ._threshold_panel import table_of_thresholds, threshold_panel

CONSENSUS_SAID = f" The score is the {CONSENSUS}: the mean of all columns on a common scale."


def _of_each(rankings: Iterable[RankingReport], draw: Callable[..., Any]) -> list[Markup]:
    """Return the drawing of each ranking below its name; `draw` takes its number and itself."""
    parts = []
    for number, ranking in enumerate(rankings):
        part = draw(number, ranking)
        if part is not None:
            title = None if ranking.name is None else tag("h3", ranking.name)
            parts.append(joined(title, part))
    return parts


def _thresholds(report: ReportContents) -> Markup | None:
    """Return the section on thresholds, for each ranking."""
    parts = _of_each(report.rankings, _of_thresholds)
    if not parts:
        return None
    hint = (
        "The lower bounds (at least, with the probability in parentheses) are valid for a "
        "threshold that is fixed in advance, not for one that is chosen by them: a threshold "
        "chosen for a goal, such as a precision of 0.9, needs a guarantee that allows for the "
        "choice. Where no labeled item reaches a threshold, there is no bound: it would be the "
        "model's alone."
    )
    return joined(*parts, *paragraphs([hint], "hint"))


def _of_thresholds(number: int, ranking: RankingReport) -> Markup | None:
    """Return a table of thresholds; of several rankings with a slider, as they share no other."""
    if ranking.thresholds is None:
        return None
    table = table_of_thresholds(ranking.thresholds)
    if ranking.name is None:
        return table
    return joined(threshold_panel(f"threshold{number}", ranking), table)


def _answers(report: ReportContents) -> Markup:
    """Return all answers in words, and all reasons of the verdict."""
    return report.answers.in_words(PLAIN)._html()


def _numbers(report: ReportContents) -> Markup:
    table = interval_table("Main numbers", report.numbers.items(), explained=True)
    if report.classes is not None:
        return tag("div", table, tag("div", _matrix(report), _scores(report)), class_="pair")
    # Of several classes the matrix is wide.
    more = (interval_table(title, part.items()) for title, part in report.tables.items())
    return joined(
        table,
        *_remarks(report),
        _matrix(report),
        tag("div", *more, class_="pair"),
    )


def _remarks(report: ReportContents) -> list[Markup]:
    return paragraphs((filled(remark, PLAIN) for remark in report.remarks), "hint")


def _matrix(report: ReportContents) -> Markup:
    """Return the confusion matrix of each ranking."""
    return joined(
        *_of_each(report.rankings, lambda _, ranking: ranking.matrix and ranking.matrix._html())
    )


def _curves(report: ReportContents) -> Markup | None:
    """Return the curves besides the first, and whether they contradict stated probabilities."""
    if report.classes is None:
        return None
    rankings = report.rankings
    names = [ranking.name for ranking in rankings if ranking.name is not None]
    level = percent(report.numbers.estimates[0].confidence_level)
    hint = f"Lines are posterior medians; bands are pointwise {level} credible bands."
    figures = (curve_figure(kind, rankings, report.prevalence) for kind in report.curves[1:])
    return joined(
        *paragraphs([hint], "hint"),
        legend(names) if names else None,
        tag("div", *figures, class_="charts"),
        *(
            tag("p", each.name and f"{each.name}: ", each.calibration, class_="said")
            for each in rankings
            if each.calibration
        ),
        *_remarks(report),
    )


def _scores(report: ReportContents) -> Markup:
    def draw(number: int, ranking: RankingReport) -> Any:
        scores = ranking.scores
        key = f"scores{number}"
        return scores and score_chart(key, scores, report.classes, is_known=ranking.is_known)

    return joined(*(tag("div", part) for part in _of_each(report.rankings, draw)))


def _label_next(report: ReportContents) -> Markup | None:
    parts = []
    if rows := report.next_rows:
        in_turn = any(row.of is not None for row in rows)
        metric = report.worth[0].metric if report.worth else report.metric
        hint = f"Their labels are most informative about {name_in_words(metric)}" + (
            ", of each system in turn; a label serves all." if in_turn else "."
        )
        is_known = all(ranking.is_known for ranking in report.rankings)
        probability = "probability of being positive" if is_known else None
        table = _row_table(rows, "To label next", report.unit, probability)
        parts.append(tag("div", table, *paragraphs([hint], "hint")))

    if rows := report.suspect_rows:
        n_more = report.n_suspect - len(rows)
        hint = (
            "The probability of each label given the other labels. Check them: a wrong label "
            "biases every estimate."
        )
        hint += f" There are {n_more:,} more." if n_more > 0 else ""
        hint += CONSENSUS_SAID if rows[0].of == CONSENSUS else ""
        table = _row_table(rows, "Suspect labels", report.unit, "probability of the label")
        parts.append(tag("div", table, *paragraphs([hint], "hint")))

    columns = [tag("div", *parts)] if parts else []
    is_believed = report.verdict not in NOT_BELIEVED
    if worth := [each for each in report.worth if each.is_known and is_believed]:
        hint = "Expected widths, from the lower to the upper end; not guaranteed."
        tables = [each._html() for each in worth]
        columns.append(tag("div", *tables, *paragraphs([hint], "hint")))
    return tag("div", *columns, class_="pair") if columns else None


def _row_table(
    rows: tuple[NamedRow, ...], caption: str, unit: str, probability: str | None
) -> Markup:
    """Return rows with the columns that say something."""
    is_scored = any(np.isfinite(row.score) for row in rows)
    columns: dict[str, Iterable[object]] = {}
    if any(row.label is not None for row in rows):
        columns["label"] = (tag("td", row.label) for row in rows)
    if is_scored:
        columns["score"] = (f"{row.score:.6g}" for row in rows)
    if is_scored and any(row.of is not None for row in rows):
        columns["score of"] = (tag("td", row.of or "") for row in rows)
    if probability is not None:
        columns[probability] = (f"{row.probability:.3f}" for row in rows)

    names = (tag("th", row.name, scope="row", class_="item") for row in rows)
    body = (row_of(*cells) for cells in zip(names, *columns.values(), strict=True))
    return html_table(caption, [unit, *columns], body)


def _comparisons(report: ReportContents) -> Markup | None:
    parts = []
    for comparison in report.comparisons:
        part = "" if comparison.part is None else f" where the category is {comparison.part}"
        heading = f"{comparison.title[:1].upper()}{comparison.title[1:]}{part}"
        parts += [tag("h3", heading), comparison._html()]
    return joined(*parts) if parts else None


def _earlier(report: ReportContents) -> Markup | None:
    return None if report.earlier is None else report.earlier._html()


def _how(report: ReportContents) -> Markup:
    more = joined(facts_list(report.facts), *paragraphs([CITATION], "hint"))

    # How each of the metrics is computed, once.
    metrics = dict.fromkeys(filter(None, map(metric_named, report.numbers.names)))
    notes = []
    for metric in metrics:
        computed = terms()[metric].computed
        text = f"{computed[:1].upper()}{computed[1:]}"
        name = name_in_words(metric)
        notes.append(element("note", key=footnote_id(metric), name=name, text=text))
    return joined(
        *paragraphs([EVERY_NUMBER], "said"),
        tag("dl", *notes, class_="notes charts"),
        element("unfolding", title="The model, versions and what to cite", content=more),
    )


# Title and content of each, in their order; empty ones are left out.
SECTIONS = {
    "answers": ("All answers in words", _answers),
    "numbers": ("The numbers", _numbers),
    "earlier": ("Compared with the earlier report", _earlier),
    "comparisons": ("Comparisons", _comparisons),
    "curves": ("Curves", _curves),
    "thresholds": ("Thresholds and their guarantees", _thresholds),
    "rows": ("What to label next, and what to check", _label_next),
    "method": ("How this was computed", _how),
}
