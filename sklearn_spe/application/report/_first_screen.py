"""The first screen of a page: the data, the estimates, their meaning, and the next step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..._version import __version__, documentation_address
from ...results._estimates import ScalarEstimate
from ...results._remedies import PLAIN
from ...results._showing import (
    NO_VALUE,
    NOT_KNOWN,
    Markup,
    bar,
    count_for,
    format_number,
    joined,
    paragraphs,
    percent,
    tag,
)
from ...results._terms import metric_named, name_in_words, sentence_in_counts
from ...results._verdict import HEADLINES, Verdict
from ._charts import curve_figure, legend
from ._decision_counts import (
    counts_to_choose_from,
    decision_counts,
    decision_table,
    numbers_in_words,
)
from ._page import element
from ._plain_answers import (
    BETTER,
    FURTHER,
    GOAL,
    GOOD,
    NEXT,
    SURE,
    SYSTEMS,
    WHERE,
    plain_verdict,
)
from ._report_contents import ReportContents
from ._system_rows import table_of_systems
from ._threshold_panel import threshold_panel

# Hexadecimal digits of the checksum of the file.
N_DIGITS = 12
# Reasons of a verdict that stand on the first screen; others unfold.
MAX_REASONS = 1
# A card whose interval is at least so wide shows no number.
SAYS_NOTHING = 0.9
# Numbers that are shown large.
MAX_CARDS = 3
# Sources of a threshold whose reason stands on its card.
SHORT_SOURCES = ("given", "usual")
# The identifier of the slider on the first screen.
SLIDER = "threshold0"


def provenance(report: ReportContents) -> Markup:
    """Return the data, the day, the version, and where to read on."""
    labels = report.labels
    of_file = ""
    if report.file is not None and report.file not in report.title:
        of_file = f" of {report.file}"
    models = f"model{'s' if len(report.systems) > 1 else ''} {', '.join(report.systems)}"
    address = documentation_address()
    parts = (
        f"{labels.n_items:,.0f} items{of_file}, {labels.n_labeled:,.0f} labeled",
        report.checksum and f"SHA-256 {report.checksum[:N_DIGITS]}",
        report.systems and models,
        report.date,
        f"sklearn-spe {__version__}",
        tag("a", "how it was computed", href="#method"),
        address and tag("a", "documentation", href=address),
    )
    return Markup(" · ".join(joined(part) for part in parts if part))


def first_screen(report: ReportContents) -> Markup:
    """Return the main sentence, the verdict, the counts, the next step and the curve."""
    first = [verdict_line(plain_verdict(report.verdict)), tag("p", _lead(report), class_="lead")]
    # The verdict comes before any number, unless it is "ok".
    if report.verdict == "ok":
        first.reverse()

    systems = table_of_systems(report)
    if systems is None:
        cards = tag("div", *_cards(report), class_="cards")
        counts = [*_choices(report), cards, _next(report), _compared(report)]
        beside = threshold_panel(SLIDER, report.rankings[0])
    else:
        counts = [systems, _of_thresholds(report), _next(report)]
        beside = legend([str(ranking.name) for ranking in report.rankings])
    curve = curve_figure(report.curves[0], report.rankings, report.prevalence, with_decisions=True)
    hints = _hints(report)
    return element(
        "first", verdict_and_lead=first, counts=counts, hints=hints, curve=curve, beside=beside
    )


def _lead(report: ReportContents) -> str:
    """Return how good it is, or which is better; the question of a threshold comes before it."""
    answers = report.answers.in_words(PLAIN)
    questions = [GOAL, WHERE] if report.choices else [GOAL]
    questions.append(SYSTEMS if answers.answer(SYSTEMS) else GOOD)
    return " ".join(answers.answer(question) or "" for question in questions).strip()


def _next(report: ReportContents) -> Markup:
    """Return the next step, the reason for the threshold, and changes since an earlier report."""
    answers = report.answers.in_words(PLAIN)
    parts = [tag("p", tag("strong", "Next: "), answers.answer(NEXT), class_="said")]
    if report.decision is not None and report.decision.source not in SHORT_SOURCES:
        parts.append(tag("p", tag("strong", "Threshold: "), report.decision.reason, class_="said"))
    if report.earlier is not None:
        parts += paragraphs([answers.answer(BETTER)], "said")
    return joined(*parts)


def _compared(report: ReportContents) -> Markup | None:
    """Return the decision beside other thresholds and chance."""
    decision = report.decision
    if decision is None:
        return None
    rows = decision_counts(report.rankings[0])
    level = decision.precision.confidence_level
    title = "Compared with other decisions"
    return decision_table(title, rows, is_sample=decision.is_sample, level=level)


def _of_thresholds(report: ReportContents) -> Markup:
    """Return where systems decide, and where to try other thresholds."""
    n_shown = len(report.rankings)
    n_systems = len(report.systems)
    left_out = f"These are the first {n_shown} of {n_systems} systems. "
    decision = None if report.choices else report.answers.in_words(PLAIN).answer(WHERE)
    choices = list(_choices(report))
    parts = (
        left_out if n_shown < n_systems else None,
        decision,
        decision and " ",
        tag("a", "Other thresholds", href="#thresholds"),
    )
    more = element("unfolding", title="Thresholds to choose from", content=choices)
    return joined(tag("p", *parts, class_="hint"), more if choices else None)


def _hints(report: ReportContents) -> list[Markup]:
    """Return the precision of the numbers, and their intervals for further items."""
    answers = report.answers.in_words(PLAIN)
    hints = {"": answers.answer(SURE), "For further items like these: ": answers.answer(FURTHER)}
    return [tag("p", name, text, class_="hint") for name, text in hints.items() if text]


def verdict_line(verdict: Verdict) -> Markup:
    """Return a verdict with its first reason; others unfold."""
    # Those that make it what it is come first.
    reasons = sorted(verdict.reasons, key=lambda reason: reason.verdict != verdict)
    headline = HEADLINES["ok, with remarks" if verdict == "ok" and reasons else str(verdict)]
    first = paragraphs(reason.text for reason in reasons[:MAX_REASONS])
    others = [tag("li", reason.text) for reason in reasons[MAX_REASONS:]]
    words = f"{len(others)} more reason{'s' if len(others) > 1 else ''}"
    more = element("unfolding", title=words, content=tag("ul", *others)) if others else None
    return element("verdict", verdict=verdict, headline=headline, reasons=first, more=more)


def _choices(report: ReportContents) -> Iterable[Markup]:
    """Return the thresholds to choose from, as none was given."""
    level = report.numbers.estimates[0].confidence_level
    for ranking in report.rankings:
        if ranking.name in report.choices:
            title = "Thresholds to choose from"
            title += "" if ranking.name is None else f", by {ranking.name}"
            rows = counts_to_choose_from(ranking)
            thresholds = report.choices[ranking.name]
            is_sample = thresholds.missed is not None
            yield decision_table(title, rows, is_sample=is_sample, level=level)


# --- large numbers -----------------------------------------------------------------------


def _cards(report: ReportContents) -> list[Markup]:
    """Return the big numbers: of the decision, else the first ones of the report."""
    decision = report.decision
    if decision is None:
        numbers = list(report.numbers.items())
        return [_card(name_in_words(name), estimate) for name, estimate in numbers[:MAX_CARDS]]

    of_this = decision_counts(report.rankings[0])[0]
    share = decision.n_flagged / decision.n_items
    n_flagged = decision.n_flagged if decision.is_sample else 100
    of_alarms = f" of {n_flagged:,.0f} predicted positive"
    of_missed = " in these items" if decision.is_sample else " of 100 positives"
    flagged = _drawn_card(
        "Predicted positive",
        [f"{decision.n_flagged:,.0f}", tag("small", f" of {decision.n_items:,.0f}")],
        f"A score of {decision.side} {decision.threshold:.6g} ({share:.1%}).",
        hint=joined(
            f"{decision.reason} " if decision.source in SHORT_SOURCES else None,
            tag("a", "Another threshold", href=f"#{SLIDER}"),
        ),
    )
    return [
        _count_card("Missed positives", of_this.missed, of_missed, decision.recall),
        _count_card("False alarms", of_this.false_alarms, of_alarms, decision.precision),
        flagged,
    ]


def _count_card(name: str, numbers: np.ndarray, of_what: str, estimate: ScalarEstimate) -> Markup:
    """Return a count of errors; its bar is the share of errors, one minus the estimate."""
    if not np.isfinite(numbers[0]):
        return _drawn_card(name, "not defined")
    low, high = estimate.interval()
    level = f"{percent(estimate.confidence_level)} interval"
    middle = estimate.value if estimate.is_known else np.nan
    is_defined = estimate.undefined < 0.5
    picture = bar(1.0 - middle, 1.0 - high, 1.0 - low) if is_defined else None
    words = numbers_in_words(numbers, is_known=True)
    count, _, ends = words.removesuffix(")").partition(" (")

    big: object = [count, tag("small", of_what)]
    below = f"{ends} ({level})" if ends else estimate.exactness() if is_defined else ""
    if not estimate.is_known:
        known = ends or count
        says_nothing = high - low > SAYS_NOTHING
        big = NO_VALUE if says_nothing else [known, tag("small", of_what)]
        below = f"{known}{of_what} ({level})" if says_nothing else f"{level}; {NOT_KNOWN}"
    return _drawn_card(name, big, below, picture)


def _card(name: str, estimate: ScalarEstimate) -> Markup:
    """Return a large number with its interval."""
    low, high = estimate.interval()
    value = estimate.value
    metric = metric_named(estimate.name)
    if not np.isfinite(value) or estimate.undefined >= 0.5:
        return _drawn_card(name, "not defined")

    is_known = estimate.is_known
    is_share = 0.0 <= low <= high <= 1.0
    picture = bar(value if is_known else np.nan, low, high) if is_share else None
    ends = estimate.interval_in_words()
    big: object = format_number(value) if is_known else ends
    if metric is not None and sentence_in_counts(metric) and is_share:
        # A share in counts.
        n = count_for(value, low, high)
        both_ends = f"{round(n * low):,} to {round(n * high):,}"
        big = [f"{round(n * value):,}" if is_known else both_ends, tag("small", f" of {n:,}")]
        ends = estimate.exactness() or both_ends

    of_level = "" if estimate.exactness() else f"({percent(estimate.confidence_level)} interval)"
    below = f"{ends} {of_level}"
    if not is_known:
        if high - low > SAYS_NOTHING:
            big = NO_VALUE
        below = f"{NO_VALUE}: {below}"
    return _drawn_card(name, big, below, picture)


def _drawn_card(
    name: str,
    big: object,
    below: str = "",
    picture: Markup | None = None,
    hint: Markup | None = None,
) -> Markup:
    """Return a card: a large number, its interval, a picture and a hint."""
    return element(
        "card",
        name=name,
        big=big,
        below=paragraphs([below], "range"),
        picture=picture,
        hint=paragraphs([hint], "hint"),
    )
