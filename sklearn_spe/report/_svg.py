"""Drawing in SVG: axes, lines, areas and bars; colors are those of the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._markup import Markup, joined, tag

__all__ = ["Frame", "drawing"]

# In units of the drawing, slightly more than a pixel each.
LEFT, RIGHT, TOP, BOTTOM = 46.0, 10.0, 8.0, 44.0


@dataclass(frozen=True)
class Frame:
    """Axes of a drawing."""

    width: float  # of the whole drawing
    height: float
    x: tuple[float, float]  # the limits of the axis
    y: tuple[float, float]  # the limits of the axis
    x_name: str
    y_name: str
    below: float = 0.0  # space below the x axis
    logarithmic: bool = False  # whether the y axis is logarithmic

    @property
    def bottom(self) -> float:
        """The position of the x axis."""
        return self.height - BOTTOM - self.below

    def at_x(self, values) -> np.ndarray:
        """Return the horizontal positions of values."""
        low, high = self.x
        share = (np.asarray(values, dtype=float) / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
        return LEFT + share * (self.width - LEFT - RIGHT)

    def at_y(self, values) -> np.ndarray:
        """Return the vertical positions of values, clipped below on a logarithmic axis."""
        values = np.asarray(values, dtype=float)
        low, high = self.y
        if self.logarithmic:
            low, high = np.log(self.y)
            values = np.log(np.maximum(values, self.y[0]))
        share = (values - low) / (high - low)
        return self.bottom - share * (self.bottom - TOP)

    def axes(self) -> Markup:
        """Return grid lines, their numbers and the names of both axes."""
        left, right = LEFT, self.width - RIGHT
        lines = []
        for value in _ticks(*self.x):
            at = _n(self.at_x(value))
            lines.append(tag("line", x1=at, x2=at, y1=_n(TOP), y2=_n(self.bottom), class_="grid"))
            text = {"x": at, "y": _n(self.bottom + self.below + 16.0)}
            lines.append(tag("text", f"{value:g}", **text, text_anchor="middle"))
        for value in _powers(*self.y) if self.logarithmic else _ticks(*self.y):
            at = _n(self.at_y(value))
            lines.append(tag("line", x1=_n(left), x2=_n(right), y1=at, y2=at, class_="grid"))
            text = {"x": _n(left - 6.0), "y": _n(float(self.at_y(value)) + 4.0)}
            lines.append(tag("text", _short(value), **text, text_anchor="end"))
        middle = 0.5 * (TOP + self.bottom)
        lines.append(
            tag(
                "text",
                self.x_name,
                x=_n(0.5 * (left + right)),
                y=_n(self.height - 8.0),
                text_anchor="middle",
                class_="name",
            )
        )
        turned = {"transform": f"translate(12 {_n(middle)}) rotate(-90)"}
        lines.append(tag("text", self.y_name, **turned, text_anchor="middle", class_="name"))
        return tag("g", *lines, class_="axes")

    def line(self, x, y, class_: str) -> Markup:
        """Return a line through points, interrupted where one is undefined."""
        return tag("path", d=_path(self.at_x(x), self.at_y(y)), class_=class_)

    def area(self, x, lower, upper, class_: str) -> Markup:
        """Return the area between two lines, where both are defined."""
        known = np.isfinite(lower) & np.isfinite(upper)
        x, lower, upper = np.asarray(x)[known], lower[known], upper[known]
        around = np.r_[x, x[::-1]], np.r_[upper, lower[::-1]]
        path = _path(self.at_x(around[0]), self.at_y(around[1]))
        return tag("path", d=f"{path}Z" if path else "M0 0", class_=class_)

    def columns(self, edges, heights, class_: str) -> Markup:
        """Return bars from the axis, one path for all."""
        left, right = self.at_x(edges[:-1]), self.at_x(edges[1:])
        tops, bottom = self.at_y(heights), self.bottom
        parts = [
            f"M{_n(a)} {_n(bottom)}V{_n(top)}H{_n(b)}V{_n(bottom)}Z"
            for a, b, top, height in zip(left, right, tops, heights, strict=True)
            if height > 0.0 and bottom - top > 0.05
        ]
        return tag("path", d="".join(parts) or "M0 0", class_=class_)

    def ticks_below(self, x, row: int, class_: str) -> Markup:
        """Return ticks in a row below the axis, with overlapping ones merged."""
        places = np.unique(np.round(self.at_x(x), 1))
        top = self.bottom + 4.0 + 11.0 * row
        return tag("path", d="".join(f"M{_n(a)} {_n(top)}v9" for a in places), class_=class_)


def drawing(key: str, frame: Frame, title: str, description: str, *parts: Markup) -> Markup:
    """Return a drawing with a text alternative."""
    return tag(
        "svg",
        tag("title", title, id=f"{key}-title"),
        tag("desc", description, id=f"{key}-desc"),
        frame.axes(),
        joined(*parts),
        viewbox=f"0 0 {_n(frame.width)} {_n(frame.height)}",
        role="img",
        aria_labeledby=f"{key}-title {key}-desc",
        xmlns="http://www.w3.org/2000/svg",
    )


def _short(value: float) -> str:
    """Return a short number for an axis: thousands are k."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _path(x, y) -> str:
    parts, pen = [], "M"
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if np.isfinite(a) and np.isfinite(b):
            parts.append(f"{pen}{_n(a)} {_n(b)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(parts)


def _n(value) -> str:
    """Return a coordinate, to a tenth."""
    return f"{float(value):.1f}".removesuffix(".0")


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round values between two ends."""
    span = high / 2.0 - low / 2.0
    step = 10.0 ** np.floor(np.log10(span / 2.0))
    step *= next((m for m in (1.0, 2.0, 5.0) if 2.0 * span / (m * step) <= 6.0), 10.0)
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [float(f"{k * step:.10g}") + 0.0 for k in np.arange(first, last + 1.0)]


def _powers(low: float, high: float) -> list[float]:
    """Return powers of ten between two ends."""
    first, last = np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high) + 1e-9)
    step = max(1.0, np.ceil((last - first) / 6.0))
    return [float(10.0**k) for k in np.arange(first, last + 1.0, step)]
