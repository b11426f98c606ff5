"""The page on answers of systems and their judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...results._estimates import ScalarEstimate
from ...results._showing import (
    Markup,
    bar,
    html_table,
    joined,
    percent,
    row_head,
    row_of,
    scale,
    tag,
)
from ...results._verdict import Verdict
from ..report._main_estimates import OF_VERDICTS
from ..report._page import how_computed, static_page
from ._judge_answers import Rating, Standing

HOW = (
    "Ratings of judges predict the labels of answers that nobody checked, in each system only as "
    "far as its labels support it. Systems of one rank (=) are not separable from the first one."
)
GUIDE = "An LLM judges, people check fifty"
# Points of a hundred, and how numbers are written.
POINTS = 100.0
OF_EXCESS, OF_SHARES = "{:+.0f}", "{:.2f}"


def page_of_judges(
    title: str,
    standing: Standing,
    ratings: Sequence[Rating],
    *,
    sentences: Iterable[str],
    verdict: Verdict,
    next_step: str,
    remarks: Sequence[str],
    facts: Iterable[tuple[str, str]],
) -> str:
    """Return the page: sentences and verdict, systems, judges, what to label next, and how."""
    first, *others = (_plain(remark) for remark in remarks)
    sections = {
        "Systems": _systems_table(standing),
        "Judges": joined(*_tables_of_judges(standing, ratings)) if ratings else None,
        "What next": tag("p", _plain(next_step)),
        "How this was computed": how_computed(HOW, GUIDE, others, facts),
    }
    return static_page(title, first, sentences, verdict, sections)


def _plain(text: str) -> str:
    """Return text without the marks of names of columns."""
    return text.replace("`", "")


def _systems_table(standing: Standing) -> Markup:
    """Return the systems in order, with ranks that ties share."""
    rates = [standing.rates[name] for name in standing.order]
    level = percent(rates[0].confidence_level)
    ends = _ends(rates, POINTS)
    column = standing.wording.column
    head = ["system", "rank", column, f"{level} interval", "probability best", "labels"]
    rows = [
        row_of(row_head(name), *standing.cells(name), _bar(rate, POINTS, ends))
        for name, rate in zip(standing.order, rates, strict=True)
    ]
    return html_table("Systems in order", [*head, scale(ends)], rows, class_="intervals")


def _tables_of_judges(standing: Standing, ratings: Sequence[Rating]) -> Iterable[Markup]:
    """Yield the agreement of judges with people, and the excess of each for each system."""
    for metric in OF_VERDICTS.values():
        agreements = {each.judge.name: each.agreement for each in ratings}
        rows = {name: each[metric] for name, each in agreements.items() if metric in each}
        if rows:
            yield _table("Agreement with people", metric, rows)
    too_high = " ".join(standing.wording.too_high)
    for each in ratings:
        excess = {name: each.excess[name] for name in standing.order if name in each.excess}
        if excess:
            caption = f"{each.judge.name}: points by which it {too_high}"
            yield _table(caption, "points of 100", excess, POINTS, OF_EXCESS, "system")


def _table(
    caption: str,
    column: str,
    rows: dict[str, ScalarEstimate],
    unit: float = 1.0,
    form: str = OF_SHARES,
    head: str = "judge",
) -> Markup:
    """Return a table of estimates, in a unit."""
    estimates = list(rows.values())
    level = percent(estimates[0].confidence_level)
    ends = _ends(estimates, unit)
    lines = []
    for name, estimate in rows.items():
        low, high = estimate.interval()
        value, *interval = (_number(unit * number, form) for number in (estimate.value, low, high))
        in_words = "exact" if low == high else " to ".join(interval)
        lines.append(row_of(row_head(name), value, in_words, _bar(estimate, unit, ends)))
    heads = [head, column, f"{level} interval", scale(ends)]
    return html_table(caption, heads, lines, class_="intervals")


def _number(number: float, form: str) -> str:
    """Return a number as text, without a minus at zero."""
    return form.format(round(number, 2 if form == OF_SHARES else None) + 0)


def _ends(estimates: Sequence[ScalarEstimate], unit: float) -> tuple[float, float]:
    """Return the ends of the scale of bars: from zero, which is in the middle of differences."""
    ends = [unit * end for estimate in estimates for end in estimate.interval()]
    if min(ends) >= 0.0:
        return 0.0, max(unit, *ends)
    largest = max(map(abs, ends))
    return -largest, largest


def _bar(estimate: ScalarEstimate, unit: float, ends: tuple[float, float]) -> Markup:
    low, high = (unit * end for end in estimate.interval())
    return tag("td", bar(unit * estimate.value, low, high, ends), class_="bars")
