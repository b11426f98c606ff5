"""Numbers with their intervals as rows of a table, with bars."""

from __future__ import annotations

import numpy as np

from ..results._bands import ScalarEstimate, percent
from ..results._estimate_table import EstimateTable
from ._html_table import html_table, row_of
from ._markup import Markup, format_number, tag

__all__ = ["bar", "interval_table"]

# Smaller probabilities are not mentioned.
MIN_SHOWN = 0.0005


def interval_table(caption: str, table: EstimateTable, extra=None) -> Markup:
    """Return a table with one row per number; `extra` is a further column."""
    level = percent(table.estimates[0].confidence_level)
    ends = _ends(table)
    head = [None, "value", f"{level} interval", *([extra[0]] if extra else []), None]
    texts = [[text] for text in extra[1]] if extra else [[]] * len(table)
    rows = (
        _row(name, estimate, ends, text)
        for name, estimate, text in zip(table.names, table.estimates, texts, strict=True)
    )
    return html_table(caption, head, rows, class_="intervals")


def bar(value: float, low: float, high: float, ends=(0.0, 1.0)) -> Markup:
    """Return an interval as a decorative bar between two ends."""
    parts = []
    if np.isfinite([value, low, high]).all():
        left, middle, right = (
            100.0 * (v - ends[0]) / (ends[1] - ends[0]) for v in (low, value, high)
        )
        parts = [
            tag("i", style=f"left:{left:.1f}%;width:{max(right - left, 0.0):.1f}%"),
            tag("b", style=f"left:{middle:.1f}%"),
        ]
    if ends[0] < 0.0 < ends[1]:
        parts.insert(0, tag("s", style=f"left:{-100.0 * ends[0] / (ends[1] - ends[0]):.1f}%"))
    return tag("div", *parts, class_="bar", aria_hidden="true")


def _row(name: str, estimate: ScalarEstimate, ends, texts: list[str]) -> Markup:
    low, high = estimate.interval()
    remark = None
    if estimate.undefined >= MIN_SHOWN:
        remark = tag("small", f" not defined with probability {estimate.undefined:.3f}")
    bars = tag("td", bar(estimate.value, low, high, ends), class_="bars")
    numbers = format_number(estimate.value), f"{format_number(low)} to {format_number(high)}"
    return row_of(tag("th", name, remark, scope="row"), *numbers, *texts, bars)


def _ends(table: EstimateTable) -> tuple[float, float]:
    """Return the common limits of all bars: 0 and 1, unless a number lies beyond."""
    numbers = np.r_[table.values, table.intervals().ravel()]
    numbers = numbers[np.isfinite(numbers)]
    low, high = float(min(numbers.min(initial=0.0), 0.0)), float(numbers.max(initial=0.0))
    if low < 0.0:
        # For differences zero is in the middle.
        high = max(high, -low)
        return -high, high
    return 0.0, max(1.0, high)
