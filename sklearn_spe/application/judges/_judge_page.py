"""The page on answers of systems and their judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ..._version import __version__, documentation_address
from ...results._estimates import ScalarEstimate
from ...results._showing import (
    Markup,
    bar,
    html_table,
    joined,
    linked,
    percent,
    row_head,
    row_of,
    scale,
    tag,
)
from ...results._verdict import Verdict, verdict_card
from ..report._mean_page import page_section, static_page

TITLE = "Answers of systems and their judges"
HOW = (
    "Ratings of judges predict the labels of answers that nobody checked, in each system only as "
    "far as its labels support it. Systems of one rank (=) are not separable from the first one."
)
GUIDE = "The user guide: An LLM judges, people check fifty"
# Points of a hundred, and how numbers are written.
POINTS = 100.0
OF_POINTS, OF_EXCESS, OF_SHARES = "{:.0f}", "{:+.0f}", "{:.2f}"


@dataclass(frozen=True, eq=False)
class SystemRow:
    """A system in the order of its rate."""

    rank: str
    name: str
    rate: ScalarEstimate
    best: str  # the probability of being best
    n_labels: int


@dataclass(frozen=True, eq=False)
class JudgeColumn:
    """A judge: its agreement with human labels, and its bias for each system."""

    name: str
    kappa: ScalarEstimate | None
    excess: dict[str, ScalarEstimate]


@dataclass(frozen=True, eq=False)
class JudgePage:
    """Sentences, numbers and remarks of the page."""

    sentences: Sequence[str]
    verdict: Verdict
    column: str  # what the rates of systems are called
    too_high: str  # what a judge does that rates a system too high
    systems: Sequence[SystemRow]
    judges: Sequence[JudgeColumn]
    next_steps: Sequence[str]
    remarks: Sequence[str]  # on what was read
    gates: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()


def page_of_judges(page: JudgePage, title: str | None = None) -> str:
    """Return the page: sentences and verdict, systems, judges, what to label next, and how."""
    counts = joined(
        f"{date.today().isoformat()}, ",
        linked(f"sklearn-spe {__version__}", documentation_address()),
        f". {_plain(page.remarks[0])}" if page.remarks else None,
    )
    paragraphs = joined(*(tag("p", text, class_="said") for text in (*page.sentences, *page.gates)))
    parts = [paragraphs, verdict_card(page.verdict)]
    if page.verdict != "ok":
        parts.reverse()

    parts.append(page_section("Systems", systems_table(page)))
    if page.judges:
        agreement = [(judge.name, judge.kappa) for judge in page.judges if judge.kappa is not None]
        tables = [
            _points_table(f"{judge.name}: points by which it {page.too_high}", judge.excess)
            for judge in page.judges
            if judge.excess
        ]
        if agreement:
            tables.insert(0, _table("Agreement with people", "kappa", agreement))
        parts.append(page_section("Judges", joined(*tables)))
    parts.append(
        page_section("What next", joined(*(tag("p", _plain(text)) for text in page.next_steps)))
    )

    rows = [joined(tag("dt", name), tag("dd", text)) for name, text in page.facts]
    guide = linked(GUIDE, documentation_address())
    remarks = (tag("p", _plain(text), class_="remark") for text in page.remarks[1:])
    computed = joined(tag("p", HOW, " ", guide, "."), *remarks, tag("dl", *rows, class_="facts"))
    parts.append(page_section("How this was computed", computed))
    return static_page(TITLE if title is None else title, counts, parts)


def _plain(text: str) -> str:
    """Return text without the marks of names of columns."""
    return text.replace("`", "")


def systems_table(page: JudgePage) -> Markup:
    """Return the systems in order, with ranks that ties share."""
    level = percent(page.systems[0].rate.confidence_level)
    ends = _ends([system.rate for system in page.systems], POINTS)
    head = ["system", "rank", page.column, f"{level} interval", "probability best", "labels"]
    rows = [
        row_of(
            row_head(system.name),
            system.rank,
            *_numbers(system.rate, POINTS, OF_POINTS),
            system.best,
            f"{system.n_labels:,}",
            _bar(system.rate, POINTS, ends),
        )
        for system in page.systems
    ]
    return html_table("Systems in order", [*head, scale(ends)], rows, class_="intervals")


def _points_table(caption: str, estimates: dict[str, ScalarEstimate]) -> Markup:
    return _table(caption, "points of 100", [*estimates.items()], POINTS, OF_EXCESS, "system")


def _table(
    caption: str,
    column: str,
    rows: Sequence[tuple[str, ScalarEstimate]],
    unit: float = 1.0,
    form: str = OF_SHARES,
    head: str = "judge",
) -> Markup:
    """Return a table of estimates, in a unit."""
    estimates = [estimate for _, estimate in rows]
    level = percent(estimates[0].confidence_level)
    ends = _ends(estimates, unit)
    lines = [
        row_of(row_head(name), *_numbers(estimate, unit, form), _bar(estimate, unit, ends))
        for name, estimate in rows
    ]
    heads = [head, column, f"{level} interval", scale(ends)]
    return html_table(caption, heads, lines, class_="intervals")


def _numbers(estimate: ScalarEstimate, unit: float, form: str) -> tuple[str, str]:
    """Return the value and the interval as text."""
    digits = 2 if form == OF_SHARES else None
    value, low, high = (
        # No minus zero.
        form.format(round(unit * number, digits) + 0)
        for number in (estimate.value, *estimate.interval())
    )
    is_exact = estimate.interval()[0] == estimate.interval()[1]
    return value, "exact" if is_exact else f"{low} to {high}"


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
