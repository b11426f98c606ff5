"""A curve with its band as numbers that are drawn, told and tabulated: computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results._bands import CurveBand, percent
from ._markup import told

__all__ = ["DrawnCurve", "drawn_curves", "range_of"]


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A curve.

    Attributes
    ----------
    name : str
        Of the system; empty if there is one.
    x, value, lower, upper : ndarray of shape (n_points,)
    x_name, y_name : str
    level : str
        Of the band, in percent.
    """

    name: str
    x: np.ndarray
    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    x_name: str
    y_name: str
    level: str

    def nearest(self, x: float) -> int:
        """Return the place of the point next to x."""
        return int(np.argmin(np.abs(self.x - x)))

    def told(self, place: int) -> str:
        """Return the value at a place and its interval in words."""
        low, high = told(self.lower[place]), told(self.upper[place])
        return f"{told(self.value[place])} ({low} to {high})"

    def sentence(self, x: float) -> str:
        """Return what the curve is at x, as a sentence."""
        place = self.nearest(x)
        of_which = f" of {self.name}" if self.name else ""
        return (
            f"At {self.x_name} {told(self.x[place])} the {self.y_name}{of_which} is "
            f"{told(self.value[place])}, {told(self.lower[place])} to {told(self.upper[place])} "
            f"with {self.level}."
        )


def drawn_curves(named: Mapping[Any, CurveBand]) -> list[DrawnCurve]:
    """Return curves as they are drawn, of bands by the names of systems."""
    return [_drawn(name or "", band) for name, band in named.items()]


def _drawn(name: str, band: CurveBand) -> DrawnCurve:
    lower, upper = band.interval()
    names = band.x_name, band.y_name
    return DrawnCurve(
        name, band.x, band.value, lower, upper, *names, percent(band.confidence_level)
    )


def range_of(curves: list[DrawnCurve]) -> tuple[float, float]:
    """Return the ends of the x axis: those of rates, of scores those of the curves."""
    if curves[0].x_name != "score":
        return 0.0, 1.0
    low = float(min(curve.x[0] for curve in curves))
    high = float(max(curve.x[-1] for curve in curves))
    return (low, high) if high > low else (low - 0.5, high + 0.5)
