"""Thresholds and their guarantees: a slider over them, and a table of some."""

from __future__ import annotations

import numpy as np

from ..results._bands import percent
from ._drawn_curve import drawn_curves
from ._html_table import html_table, row_of
from ._interval_rows import bar
from ._markup import Markup, data_script, format_number, joined, tag
from ._performance_report import PerformanceReport
from ._threshold_guarantees import ThresholdGuarantees

__all__ = ["threshold_section"]

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
        "What is promised holds for a threshold that is chosen without looking at what it "
        "promises. One that is chosen for it needs more: threshold_for(precision=0.9), or "
        "--goal precision=0.9 of the command estimate, leaves room for the choice."
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
        _rows(found, place),
        _table(found),
        data_script(_data(found)),
        class_="promises",
    )


def _score(found: ThresholdGuarantees, place: int) -> Markup:
    return tag("output", f"{found.thresholds[place]:.6g}")


def _flagged(found: ThresholdGuarantees, place: int) -> str:
    n = found.flagged[place]
    return f"{n:,.0f} of {found.n_items:,.0f} items are called positive ({n / found.n_items:.1%})."


def _rows(found: ThresholdGuarantees, place: int) -> Markup:
    level = percent(found.bands["precision"].confidence_level)
    least = f"at least, with {percent(found.probability)}"
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
    head = ["threshold", "called positive", *NAMES.values()]
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
