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
    row_of,
    tag,
)
from ._page import element
from ._ranking_report import RankingReport, ScoreColumns

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
# Each kind of curve: its title, its line of chance ("diagonal", or "level" at the prevalence), and
# what it shows.
CURVES = {
    "precision_recall": (
        "Precision and recall",
        "level",
        "Precision against recall; the dashed line is chance.",
    ),
    "roc": (
        "ROC",
        "diagonal",
        "True against false positive rate; the dashed line is chance.",
    ),
    "reliability": (
        "Reliability",
        "diagonal",
        "The share of positives against the predicted probability; the dashed line is perfect "
        "calibration.",
    ),
    "probability": (
        "Probability by score",
        None,
        "The probability that an item with a given score is positive.",
    ),
    "accuracy_coverage": (
        "Accuracy and coverage",
        None,
        "The accuracy of the most confident items.",
    ),
}


@dataclass(frozen=True)
class Chart:
    """The axes of a drawing."""

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

    def figure(
        self, key: str, title: str, description: str, shapes: list, below: list, kind: str = "chart"
    ) -> Markup:
        """Return the drawing of shapes with a text alternative, and what stands below it."""
        right = self.width - RIGHT
        return _drawn(
            "figure",
            kind=kind,
            key=key,
            title=title,
            description=description,
            width=self.width,
            height=self.height,
            ticks=self._ticks(right),
            center=0.5 * (LEFT + right),
            lowest=self.height - 8.0,
            middle=0.5 * (TOP + self.bottom),
            x_name=self.x_name,
            y_name=self.y_name,
            shapes=shapes,
            below=below,
        )

    def _ticks(self, right: float) -> list[Markup]:
        """Return grid lines with their numbers, below the axis and on the left."""
        low = self.bottom
        y = low + self.below + 16.0
        of_x = [
            _drawn("tick of x", x=self.at_x(x), y=y, top=TOP, bottom=low, value=f"{x:g}")
            for x in _round_values(*self.x)
        ]
        of_y = []
        for value in _powers(*self.y) if self.logarithmic else _round_values(*self.y):
            y = float(self.at_y(value))
            number = _short(value)
            ends = {"left": LEFT, "right": right, "x": LEFT - 6.0}
            of_y.append(_drawn("tick of y", y=y, base=y + 4.0, value=number, **ends))
        return [*of_x, *of_y]

    def line(self, x: npt.ArrayLike, y: npt.ArrayLike, kind: str) -> Markup:
        """Return a line through points, interrupted where one is undefined."""
        return _drawn("path", d=_path(self.at_x(x), self.at_y(y)), kind=kind)

    def area(self, x: np.ndarray, lower: np.ndarray, upper: np.ndarray, kind: str) -> Markup:
        """Return the area between two lines, where both are defined."""
        is_defined = np.isfinite(lower) & np.isfinite(upper)
        x, lower, upper = (values[is_defined] for values in (x, lower, upper))

        # Along the upper line, and back along the lower one.
        outline_x = np.r_[x, x[::-1]]
        outline_y = np.r_[upper, lower[::-1]]
        path = _path(self.at_x(outline_x), self.at_y(outline_y))
        return _drawn("path", d=f"{path}Z" if path else "M0 0", kind=kind)

    def columns(self, edges: np.ndarray, heights: np.ndarray, kind: str) -> Markup:
        """Return bars from the axis, one path for all."""
        ends = self.at_x(edges)
        low = self.bottom
        bottom = _n(low)
        parts = [
            f"M{_n(left)} {bottom}V{_n(top)}H{_n(right)}V{bottom}Z"
            for left, right, top, height in zip(
                ends[:-1], ends[1:], self.at_y(heights), heights, strict=True
            )
            if height > 0.0 and low - top > 0.05
        ]
        return _drawn("path", d="".join(parts) or "M0 0", kind=kind)

    def ticks_below(self, x: npt.ArrayLike, row: int, kind: str) -> Markup:
        """Return ticks in a row below the axis, with overlapping ones merged."""
        positions = np.unique(np.round(self.at_x(x), 1))
        top = _n(self.bottom + 4.0 + 11.0 * row)
        path = "".join(f"M{_n(position)} {top}v9" for position in positions)
        return _drawn("path", d=path, kind=kind)

    def point(self, x: np.ndarray, y: np.ndarray, kind: str) -> Markup:
        """Return a point, and a line along its interval on each axis: values and both ends."""
        x, left, right = self.at_x(x)
        y, bottom, top = self.at_y(y)
        return _drawn("point", kind=kind, x=x, y=y, left=left, right=right, bottom=bottom, top=top)


def _drawn(name: str, /, **parts: object) -> Markup:
    """Return an element of a drawing; numbers are coordinates, to a tenth."""
    coordinates = {key: _n(part) for key, part in parts.items() if isinstance(part, float)}
    return element(name, **(parts | coordinates))


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


def _n(value: float) -> str:
    """Return a coordinate, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")


def _round_values(low: float, high: float) -> list[float]:
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


# --- curves ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """A curve with its band, of which some points are drawn."""

    name: str  # of the system; empty if there is one
    x: np.ndarray  # (n_points,)
    value: np.ndarray  # (n_points,)
    lower: np.ndarray  # (n_points,)
    upper: np.ndarray  # (n_points,)
    band: CurveBand

    @classmethod
    def of(cls, name: str | None, band: CurveBand, n_points: int | None = None) -> DrawnCurve:
        """Return the curve of a system, thinned to about `n_points` points."""
        step = 1 if n_points is None else max(1, round(len(band.x) / n_points))
        # The last point stays.
        points = np.unique(np.r_[np.arange(0, len(band.x), step), len(band.x) - 1])
        columns = (band.x, band.value, *band.interval())
        x, value, lower, upper = (column[points] for column in columns)
        return cls(name or "", x, value, lower, upper, band)

    def nearest(self, x: float) -> int:
        """Return the index of the point nearest to x."""
        return int(np.argmin(np.abs(self.x - x)))

    def format_at(self, index: int) -> str:
        """Return the value and interval at an index in words."""
        interval = self.band.range_in_words(self.lower[index], self.upper[index])
        if not self.band.is_known:
            return interval
        return f"{format_number(self.value[index])} ({interval})"

    def sentence(self, x: float) -> str:
        """Return the value of the curve at x as a sentence."""
        index = self.nearest(x)
        band = self.band
        of_which = f" of {self.name}" if self.name else ""
        low = self.lower[index]
        high = self.upper[index]
        level = f" with probability {percent(band.confidence_level)}"
        value = f"{format_number(self.value[index])}, " if band.is_known else ""

        return (
            f"At {band.x_name} {format_number(self.x[index])} the {band.y_name}{of_which} is "
            f"{value}{band.range_in_words(low, high)}{'' if has_no_width(low, high) else level}."
        )


def curve_figure(
    kind: str,
    rankings: Iterable[RankingReport],
    prevalence: float | None,
    *,
    with_decisions: bool = False,
) -> Markup:
    """Return the chart of a kind of curve of all rankings, maybe with points of their decisions."""
    rankings = [ranking for ranking in rankings if kind in ranking.curves]
    n_points = MAX_POINTS if len(rankings) < MANY else MAX_POINTS // 2
    curves = [DrawnCurve.of(each.name, each.curves[kind], n_points) for each in rankings]
    band = curves[0].band
    limits = _range_of(curves)
    chart = Chart(SIDE, SIDE, limits, (0.0, 1.0), band.x_name, band.y_name)
    title, chance, caption = CURVES[kind]

    heights = {"diagonal": [0.0, 1.0]}
    if prevalence is not None:
        heights["level"] = [prevalence, prevalence]
    shapes = [chart.line([0.0, 1.0], heights[chance], "chance")] if chance in heights else []
    shapes += [chart.area(c.x, c.lower, c.upper, f"band s{k}") for k, c in enumerate(curves)]
    shapes += [
        chart.line(c.x, c.value, f"curve s{k}") for k, c in enumerate(curves) if c.band.is_known
    ]
    for k, ranking in enumerate(rankings if with_decisions else ()):
        point = None if ranking.decision is None else ranking.decision.point
        if point is not None:
            shapes.append(chart.point(point[0], point[1], f"s{k}"))
    shapes.append(element("cursor"))

    # Halves: the sum of two large scores may overflow.
    middle = 0.5 * limits[0] + 0.5 * limits[1]
    description = " ".join([caption, *(curve.sentence(middle) for curve in curves)])
    below = [_readout(curves, middle), _values(curves, limits), data_script(_data(chart, curves))]
    return chart.figure(kind, title, description, shapes, below)


def _range_of(curves: list[DrawnCurve]) -> tuple[float, float]:
    """Return the limits of the x axis: those of rates, or the range of the scores."""
    if curves[0].band.x_name != "score":
        return 0.0, 1.0
    low = float(min(curve.x[0] for curve in curves))
    high = float(max(curve.x[-1] for curve in curves))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _readout(curves: list[DrawnCurve], x: float) -> Markup:
    """Return the initial values of the readout, as the script updates them at the pointer."""
    first = curves[0]
    x = float(first.x[first.nearest(x)])
    lines: list[object] = [f"On the curve, at {first.band.x_name} {format_number(x)}:"]
    for curve in curves:
        name = f"{curve.name}: " if curve.name else ""
        lines += [tag("br"), f"{name}{curve.band.y_name} {curve.format_at(curve.nearest(x))}"]
    return tag("p", *lines, class_="readout")


def _values(curves: list[DrawnCurve], limits: tuple[float, float]) -> Markup:
    """Return points of the curves as a table."""
    first = curves[0]
    band = first.band
    points = sorted({first.nearest(x) for x in np.linspace(*limits, N_LISTED)})
    rows = [
        row_of(format_number(x), *(curve.format_at(curve.nearest(x)) for curve in curves))
        for x in first.x[points]
    ]
    header = [band.x_name, *(curve.name or band.y_name for curve in curves)]
    title = f"Values with {percent(band.confidence_level)} intervals"
    table = html_table(f"{band.y_name} against {band.x_name}", header, rows)
    return element("unfolding", title=title, content=table)


def _data(chart: Chart, curves: list[DrawnCurve]) -> dict:
    """Return the data from which the script updates the readout."""
    series = [
        {
            "name": curve.name,
            "at": chart.at_x(curve.x),
            "x": [format_number(x) for x in curve.x],
            "value": curve.value if curve.band.is_known else None,
            "lower": curve.lower,
            "upper": curve.upper,
        }
        for curve in curves
    ]
    axes = {"x": chart.at_x([0.0, 1.0]), "y": chart.at_y([0.0, 1.0])}
    return {"x": chart.x_name, "y": chart.y_name, "axes": axes, "series": series}


def legend(names: Iterable[str]) -> Markup:
    """Return the legend of curves, from colors to names."""
    return _legend({f"curve s{number}": name for number, name in enumerate(names)})


def _legend(keys: Mapping[str, str]) -> Markup:
    """Return a legend, from classes of the style sheet to words."""
    items = (element("key", kind=kind, words=words) for kind, words in keys.items())
    return tag("ul", *items, class_="legend")


# --- scores ------------------------------------------------------------------------------


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
    chart = Chart(520.0, 300.0, (low, high), y_limits, "score", y_name, 28.0, logarithmic)

    expected = f", and the expected number that are {positive}" if is_known else ""
    description = (
        f"{scores.counts.sum():,.0f} scores from {low:.4g} to {high:.4g}{expected}. Below the "
        f"axis: {len(scores.positive)} distinct scores labeled {positive} and "
        f"{len(scores.negative)} labeled {negative}."
    )
    columns = {"column all": scores.counts}
    keys = {"all": "all items"}
    if is_known:
        columns["column positive"] = scores.positives
        keys["positive"] = f"expected to be {positive}"
    keys["tick positive"] = f"labeled {positive} (upper row)"
    keys["tick negative"] = f"labeled {negative} (lower row)"
    shapes = [
        *(chart.columns(scores.edges, heights, kind) for kind, heights in columns.items()),
        chart.ticks_below(scores.positive, 0, "tick positive"),
        chart.ticks_below(scores.negative, 1, "tick negative"),
    ]
    below = [_legend(keys), tag("p", description, class_="readout")]
    return chart.figure(key, "Scores", description, shapes, below, "chart wide")
