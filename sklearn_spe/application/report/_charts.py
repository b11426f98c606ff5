"""Charts of a page, drawn as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...results._estimates import CurveBand, percent
from ...results._showing import (
    Markup,
    data_script,
    format_number,
    has_no_width,
    html_table,
    joined,
    row_of,
    tag,
)
from ._ranking_report import ScoreColumns

# In units of the drawing, slightly more than a pixel each.
LEFT = 46.0
RIGHT = 10.0
TOP = 8.0
BOTTOM = 44.0
SIDE = 352.0
# Points of a curve that are drawn, and those of many curves in one picture: a page is sent.
MAX_POINTS = 110
MANY = 3
# Number of points of a curve in a table.
N_LISTED = 11


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

    def at_x(self, values: npt.ArrayLike) -> np.ndarray:
        """Return the horizontal positions of values."""
        low, high = self.x
        share = (np.asarray(values, dtype=float) / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
        return LEFT + share * (self.width - LEFT - RIGHT)

    def at_y(self, values: npt.ArrayLike) -> np.ndarray:
        """Return the vertical positions of values, clipped below on a logarithmic axis."""
        heights = np.asarray(values, dtype=float)
        low, high = self.y
        if self.logarithmic:
            low, high = np.log(self.y)
            heights = np.log(np.maximum(heights, self.y[0]))
        share = (heights - low) / (high - low)
        return self.bottom - share * (self.bottom - TOP)

    def axes(self) -> Markup:
        """Return grid lines, their numbers and the names of both axes."""
        left = LEFT
        right = self.width - RIGHT
        lines = []

        # Vertical grid lines, with their numbers below the axis.
        for value in _ticks(*self.x):
            x = _n(self.at_x(value))
            y = _n(self.bottom + self.below + 16.0)
            lines.append(tag("line", x1=x, x2=x, y1=_n(TOP), y2=_n(self.bottom), class_="grid"))
            lines.append(tag("text", f"{value:g}", x=x, y=y, text_anchor="middle"))

        # Horizontal grid lines, with their numbers on the left.
        for value in _powers(*self.y) if self.logarithmic else _ticks(*self.y):
            y = _n(self.at_y(value))
            text_y = _n(float(self.at_y(value)) + 4.0)
            lines.append(tag("line", x1=_n(left), x2=_n(right), y1=y, y2=y, class_="grid"))
            lines.append(tag("text", _short(value), x=_n(left - 6.0), y=text_y, text_anchor="end"))

        center = _n(0.5 * (left + right))
        middle = _n(0.5 * (TOP + self.bottom))
        x_name = tag(
            "text",
            self.x_name,
            x=center,
            y=_n(self.height - 8.0),
            text_anchor="middle",
            class_="name",
        )
        y_name = tag(
            "text",
            self.y_name,
            transform=f"translate(12 {middle}) rotate(-90)",
            text_anchor="middle",
            class_="name",
        )
        return tag("g", *lines, x_name, y_name, class_="axes")

    def line(self, x: npt.ArrayLike, y: npt.ArrayLike, class_: str) -> Markup:
        """Return a line through points, interrupted where one is undefined."""
        return tag("path", d=_path(self.at_x(x), self.at_y(y)), class_=class_)

    def area(self, x: np.ndarray, lower: np.ndarray, upper: np.ndarray, class_: str) -> Markup:
        """Return the area between two lines, where both are defined."""
        is_defined = np.isfinite(lower) & np.isfinite(upper)
        x = np.asarray(x)[is_defined]
        lower = lower[is_defined]
        upper = upper[is_defined]

        # Along the upper line, and back along the lower one.
        outline_x = np.r_[x, x[::-1]]
        outline_y = np.r_[upper, lower[::-1]]
        path = _path(self.at_x(outline_x), self.at_y(outline_y))
        return tag("path", d=f"{path}Z" if path else "M0 0", class_=class_)

    def columns(self, edges: np.ndarray, heights: np.ndarray, class_: str) -> Markup:
        """Return bars from the axis, one path for all."""
        left = self.at_x(edges[:-1])
        right = self.at_x(edges[1:])
        tops = self.at_y(heights)
        bottom = self.bottom

        parts = [
            f"M{_n(a)} {_n(bottom)}V{_n(top)}H{_n(b)}V{_n(bottom)}Z"
            for a, b, top, height in zip(left, right, tops, heights, strict=True)
            if height > 0.0 and bottom - top > 0.05
        ]
        return tag("path", d="".join(parts) or "M0 0", class_=class_)

    def ticks_below(self, x: npt.ArrayLike, row: int, class_: str) -> Markup:
        """Return ticks in a row below the axis, with overlapping ones merged."""
        positions = np.unique(np.round(self.at_x(x), 1))
        top = self.bottom + 4.0 + 11.0 * row
        return tag(
            "path",
            d="".join(f"M{_n(position)} {_n(top)}v9" for position in positions),
            class_=class_,
        )


def drawing(key: str | None, frame: Frame, title: str, description: str, *parts: Markup) -> Markup:
    """Return a drawing with a text alternative; without a key nothing in it has an identifier."""
    title_id = None
    description_id = None
    labels = None
    if key is not None:
        title_id = f"{key}-title"
        description_id = f"{key}-desc"
        labels = f"{title_id} {description_id}"

    return tag(
        "svg",
        tag("title", title, id=title_id),
        tag("desc", description, id=description_id),
        frame.axes(),
        joined(*parts),
        viewbox=f"0 0 {_n(frame.width)} {_n(frame.height)}",
        role="img",
        aria_labelledby=labels,
        xmlns="http://www.w3.org/2000/svg",
    )


def _short(value: float) -> str:
    """Return a short number for an axis: thousands are k."""
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def _path(x: np.ndarray, y: np.ndarray) -> str:
    parts = []
    pen = "M"
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if np.isfinite(a) and np.isfinite(b):
            parts.append(f"{pen}{_n(a)} {_n(b)}")
            pen = "L"
        else:
            pen = "M"
    return "".join(parts)


def _n(value: npt.ArrayLike) -> str:
    """Return a coordinate, to a tenth."""
    return f"{float(np.asarray(value)):.1f}".removesuffix(".0")


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
    first = np.ceil(np.log10(low) - 1e-9)
    last = np.floor(np.log10(high) + 1e-9)
    step = max(1.0, np.ceil((last - first) / 6.0))
    return [float(10.0**k) for k in np.arange(first, last + 1.0, step)]


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A curve with its band."""

    name: str  # of the system; empty if there is one
    x: np.ndarray  # (n_points,)
    value: np.ndarray  # (n_points,)
    lower: np.ndarray  # (n_points,)
    upper: np.ndarray  # (n_points,)
    band: CurveBand

    @property
    def x_name(self) -> str:
        """The name of the x axis."""
        return self.band.x_name

    @property
    def y_name(self) -> str:
        """The name of the y axis."""
        return self.band.y_name

    @property
    def level(self) -> str:
        """The level of the band, in percent."""
        return percent(self.band.confidence_level)

    @property
    def is_known(self) -> bool:
        """Whether labels inform the curve; else its band alone is shown."""
        return self.band.is_known

    def nearest(self, x: float) -> int:
        """Return the index of the point nearest to x."""
        return int(np.argmin(np.abs(self.x - x)))

    def format_at(self, index: int) -> str:
        """Return the value and interval at an index in words."""
        interval = self.band.range_in_words(self.lower[index], self.upper[index])
        return f"{format_number(self.value[index])} ({interval})" if self.is_known else interval

    def sentence(self, x: float) -> str:
        """Return the value of the curve at x as a sentence."""
        index = self.nearest(x)
        of_which = f" of {self.name}" if self.name else ""
        low = self.lower[index]
        high = self.upper[index]
        level = "" if has_no_width(low, high) else f" with probability {self.level}"
        value = f"{format_number(self.value[index])}, " if self.is_known else ""

        return (
            f"At {self.x_name} {format_number(self.x[index])} the {self.y_name}{of_which} is "
            f"{value}{self.band.range_in_words(low, high)}{level}."
        )


def drawn_curves(
    bands: Mapping[str | None, CurveBand] | Mapping[str, CurveBand], n_points: int | None = None
) -> list[DrawnCurve]:
    """Return the curves of the systems' bands by name, thinned to about `n_points` points."""
    curves = []
    for name, band in bands.items():
        step = 1 if n_points is None else max(1, round(len(band.x) / n_points))
        # The last point stays.
        points = np.unique(np.r_[np.arange(0, len(band.x), step), len(band.x) - 1])
        lower, upper = band.interval()
        curve = DrawnCurve(
            name or "",
            band.x[points],
            band.value[points],
            lower[points],
            upper[points],
            band,
        )
        curves.append(curve)
    return curves


def range_of(curves: list[DrawnCurve]) -> tuple[float, float]:
    """Return the limits of the x axis: those of rates, or the range of the scores."""
    if curves[0].x_name != "score":
        return 0.0, 1.0
    low = float(min(curve.x[0] for curve in curves))
    high = float(max(curve.x[-1] for curve in curves))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


@dataclass(frozen=True)
class CurvePoint:
    """A point near a curve, with intervals on both axes: values and both ends."""

    x: tuple[float, float, float]
    y: tuple[float, float, float]

    def draw(self, frame: Frame, kind: str) -> Markup:
        """Return the point, and a line along each interval."""
        x, left, right = (_n(frame.at_x(value)) for value in self.x)
        y, bottom, top = (_n(frame.at_y(value)) for value in self.y)
        return tag(
            "g",
            tag("path", d=f"M{left} {y}H{right}M{x} {bottom}V{top}"),
            tag("circle", cx=x, cy=y, r=5),
            class_=f"point {kind}",
        )


@dataclass(frozen=True)
class CurveChart:
    """Settings for drawing a curve of rates."""

    title: str
    chance: str | None  # "diagonal", or "level": a line at the prevalence; None for no line
    caption: str

    def draw(
        self,
        key: str,
        bands: Mapping[str | None, CurveBand],
        level: float | None,
        *,
        plain: bool = False,
        points: Mapping[str | None, CurvePoint] | None = None,
    ) -> Markup:
        """Return the chart of a curve, or of one for each of several systems, by name.

        `points` are those of the systems' decisions.
        """
        n_points = MAX_POINTS if len(bands) < MANY else MAX_POINTS // 2
        curves = drawn_curves(bands, n_points)
        first = curves[0]
        limits = range_of(curves)
        frame = Frame(SIDE, SIDE, limits, (0.0, 1.0), first.x_name, first.y_name)
        areas = [frame.area(c.x, c.lower, c.upper, f"band s{k}") for k, c in enumerate(curves)]
        lines = [
            frame.line(c.x, c.value, f"curve s{k}") for k, c in enumerate(curves) if c.is_known
        ]
        crosses = [
            points[name].draw(frame, f"s{k}")
            for k, name in enumerate(bands)
            if points is not None and name in points
        ]

        # Halves: the sum of two large scores may overflow.
        middle = 0.5 * limits[0] + 0.5 * limits[1]
        description = [self.caption, *(curve.sentence(middle) for curve in curves)]
        picture = drawing(
            None if plain else key,
            frame,
            self.title,
            " ".join(description),
            joined(self._line_of_chance(frame, level)),
            *areas,
            *lines,
            *crosses,
            tag("line", x1=0, x2=0, y1=0, y2=0, class_="cursor"),
        )
        if plain:
            return picture

        return tag(
            "figure",
            tag("figcaption", self.title),
            picture,
            tag("p", _readout(curves, middle), class_="readout"),
            _values(curves, limits),
            data_script(_data(frame, curves)),
            class_="chart",
        )

    def _line_of_chance(self, frame: Frame, level: float | None) -> Markup | None:
        if self.chance == "diagonal":
            heights = [0.0, 1.0]
        elif self.chance == "level" and level is not None:
            heights = [level, level]
        else:
            return None
        return frame.line([0.0, 1.0], heights, "chance")


def legend(names: Iterable[str]) -> Markup:
    """Return the legend of curves, from colors to names."""
    return _legend({f"curve s{number}": name for number, name in enumerate(names)})


def _legend(keys: Mapping[str, str]) -> Markup:
    """Return a legend, from classes of the style sheet to words."""
    items = (
        tag("li", tag("span", class_=f"key {kind}", aria_hidden="true"), words)
        for kind, words in keys.items()
    )
    return tag("ul", *items, class_="legend")


def score_chart(
    key: str, scores: ScoreColumns, classes: tuple[str, str] | None, *, is_known: bool = True
) -> Markup:
    """Return the histogram of the scores with the labeled items of both classes below it.

    `is_known` is whether labels inform the expected number of positives, which is drawn then.
    """
    negative, positive = classes or ("negative", "positive")
    low = float(scores.edges[0])
    high = float(scores.edges[-1])

    # With one bin above all others, the others are visible on a logarithmic axis only.
    logarithmic = scores.is_saturated
    highest = float(scores.counts.max())
    y_limits = (0.5, 1.4 * highest) if logarithmic else (0.0, 1.05 * highest)
    y_name = "items, logarithmic" if logarithmic else "items"
    frame = Frame(520.0, 300.0, (low, high), y_limits, "score", y_name, 28.0, logarithmic)

    expected = f", and the expected number that are {positive}" if is_known else ""
    labeled = (
        f"{len(scores.positive)} distinct scores labeled {positive} and {len(scores.negative)} "
        f"labeled {negative}"
    )
    description = (
        f"{scores.counts.sum():,.0f} scores from {low:.4g} to {high:.4g}{expected}. Below the "
        f"axis: {labeled}."
    )
    picture = drawing(
        key,
        frame,
        "Scores",
        description,
        frame.columns(scores.edges, scores.counts, "column all"),
        joined(
            frame.columns(scores.edges, scores.positives, "column positive") if is_known else None
        ),
        frame.ticks_below(scores.positive, 0, "tick positive"),
        frame.ticks_below(scores.negative, 1, "tick negative"),
    )

    keys = {
        "all": "all items",
        **({"positive": f"expected to be {positive}"} if is_known else {}),
        "tick positive": f"labeled {positive} (upper row)",
        "tick negative": f"labeled {negative} (lower row)",
    }

    return tag(
        "figure",
        tag("figcaption", "Scores"),
        picture,
        _legend(keys),
        tag("p", description, class_="readout"),
        class_="chart wide",
    )


def _readout(curves: list[DrawnCurve], x: float) -> Markup:
    """Return the initial values of the readout, as the script updates them at the pointer."""
    first = curves[0]
    x = float(first.x[first.nearest(x)])
    lines: list[object] = [f"On the curve, at {first.x_name} {format_number(x)}:"]
    for curve in curves:
        name = f"{curve.name}: " if curve.name else ""
        lines += [tag("br"), f"{name}{curve.y_name} {curve.format_at(curve.nearest(x))}"]
    return joined(*lines)


def _values(curves: list[DrawnCurve], limits: tuple[float, float]) -> Markup:
    """Return points of the curves as a table."""
    first = curves[0]
    points = sorted({first.nearest(x) for x in np.linspace(*limits, N_LISTED)})
    rows = []
    for x in first.x[points]:
        values = [curve.format_at(curve.nearest(x)) for curve in curves]
        rows.append(row_of(format_number(x), *values))

    names = [curve.name or curve.y_name for curve in curves]
    return tag(
        "details",
        tag("summary", f"Values with {first.level} intervals"),
        html_table(f"{first.y_name} against {first.x_name}", [first.x_name, *names], rows),
    )


def _data(frame: Frame, curves: list[DrawnCurve]) -> dict:
    """Return the data from which the script updates the readout."""
    series = [
        {
            "name": curve.name,
            "at": frame.at_x(curve.x),
            "x": [format_number(x) for x in curve.x],
            "value": curve.value if curve.is_known else None,
            "lower": curve.lower,
            "upper": curve.upper,
        }
        for curve in curves
    ]

    axes = {"x": frame.at_x([0.0, 1.0]), "y": frame.at_y([0.0, 1.0])}
    return {"x": frame.x_name, "y": frame.y_name, "axes": axes, "series": series}
