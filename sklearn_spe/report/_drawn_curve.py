"""A curve with its band as numbers, for drawing, text and tables: computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results._bands import CurveBand, percent
from ._markup import format_number

__all__ = ["DrawnCurve", "drawn_curves", "range_of"]


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A curve with its band."""

    name: str  # of the system; empty if there is one
    x: np.ndarray  # (n_points,)
    value: np.ndarray  # (n_points,)
    lower: np.ndarray  # (n_points,)
    upper: np.ndarray  # (n_points,)
    x_name: str
    y_name: str
    level: str  # of the band, in percent

    def nearest(self, x: float) -> int:
        """Return the index of the point nearest to x."""
        return int(np.argmin(np.abs(self.x - x)))

    def format_at(self, place: int) -> str:
        """Return the value and interval at an index in words."""
        low, high = format_number(self.lower[place]), format_number(self.upper[place])
        return f"{format_number(self.value[place])} ({low} to {high})"

    def sentence(self, x: float) -> str:
        """Return the value of the curve at x as a sentence."""
        place = self.nearest(x)
        of_which = f" of {self.name}" if self.name else ""
        return (
            f"At {self.x_name} {format_number(self.x[place])} the {self.y_name}{of_which} is "
            f"{format_number(self.value[place])}, {format_number(self.lower[place])} to "
            f"{format_number(self.upper[place])} "
            f"with {self.level}."
        )


def drawn_curves(named: Mapping[Any, CurveBand]) -> list[DrawnCurve]:
    """Return the curves of bands given by the names of systems."""
    return [_drawn(name or "", band) for name, band in named.items()]


def _drawn(name: str, band: CurveBand) -> DrawnCurve:
    lower, upper = band.interval()
    names = band.x_name, band.y_name
    return DrawnCurve(
        name, band.x, band.value, lower, upper, *names, percent(band.confidence_level)
    )


def range_of(curves: list[DrawnCurve]) -> tuple[float, float]:
    """Return the limits of the x axis: those of rates, or the range of the scores."""
    if curves[0].x_name != "score":
        return 0.0, 1.0
    low = float(min(curve.x[0] for curve in curves))
    high = float(max(curve.x[-1] for curve in curves))
    return (low, high) if high > low else (low - 0.5, high + 0.5)
