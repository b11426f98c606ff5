"""Numbers as dots with their intervals, one below the other."""

from __future__ import annotations

import numpy as np

from ..results._bands import ScalarEstimate, percent
from ..results._verdict import Verdict
from ._axes import COLORS, styled, verdict_note

__all__ = ["draw_dots", "in_words"]


def draw_dots(
    ax, estimates: dict[str, ScalarEstimate], level, verdict: Verdict | None, errorbar_kwargs
):
    """Draw a dot with its interval for each number, the first on top."""
    from matplotlib.lines import Line2D

    found = list(estimates.values())
    level = found[0].confidence_level if level is None else level
    rows = np.arange(len(found))[::-1]
    values = np.array([estimate.value for estimate in found])
    low, high = np.array([estimate.interval(level) for estimate in found]).T
    style = {
        "label": f"{percent(level)} interval",
        "color": COLORS[0],
        "marker": "o",
        "linestyle": "none",
        "capsize": 3,
    }
    # The value lies in its interval, up to rounding.
    sides = np.maximum([values - low, high - values], 0.0)
    drawn = ax.errorbar(values, rows, xerr=sides, **styled(style, errorbar_kwargs, Line2D))
    ax.set_yticks(rows, list(estimates))
    ax.set_ylim(-0.6, len(found) - 0.4)
    # Above, where it does not cover an interval.
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False}
    ax.legend(title=verdict_note(verdict), **place)
    return drawn


def in_words(estimate: ScalarEstimate) -> str:
    """Return the name of the estimated quantity, with its decision threshold if any."""
    at = "" if estimate.threshold is None else f" at threshold {estimate.threshold:.6g}"
    return f"{estimate.name.replace('_', ' ')}{at}"
