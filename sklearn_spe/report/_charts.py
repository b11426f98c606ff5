"""Charts of a report: curves with bands, and the histogram of the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._drawn_curve import DrawnCurve, drawn_curves, range_of
from ._html_table import html_table, row_of
from ._markup import Markup, data_script, format_number, joined, tag
from ._score_columns import ScoreColumns
from ._svg import Frame, drawing

__all__ = ["CurveChart", "legend", "score_chart"]

# Number of points of a curve in a table.
N_LISTED = 11
SIDE = 352.0


@dataclass(frozen=True)
class CurveChart:
    """Settings for drawing a curve of rates."""

    title: str
    chance: str | None  # "diagonal", or "level": a line at the prevalence; None for no line
    says: str  # the caption

    def draw(self, key: str, named: dict, level: float | None, *, plain: bool = False) -> Markup:
        """Return the chart of a curve, or of one for each of several systems."""
        curves = drawn_curves(named)
        first, ends = curves[0], range_of(curves)
        frame = Frame(SIDE, SIDE, ends, (0.0, 1.0), first.x_name, first.y_name)
        areas = (
            frame.area(c.x, c.lower, c.upper, f"band s{place}") for place, c in enumerate(curves)
        )
        lines = (frame.line(c.x, c.value, f"curve s{place}") for place, c in enumerate(curves))
        middle = 0.5 * ends[0] + 0.5 * ends[1]
        picture = drawing(
            key,
            frame,
            self.title,
            " ".join([self.says, *(curve.sentence(middle) for curve in curves)]),
            joined(self._line_of_chance(frame, level)),
            *areas,
            *lines,
            tag("line", x1=0, x2=0, y1=0, y2=0, class_="cursor"),
        )
        if plain:
            return picture
        return tag(
            "figure",
            tag("figcaption", self.title),
            picture,
            tag("p", _readout(curves, middle), class_="readout"),
            _values(curves, ends),
            data_script(_data(frame, curves)),
            class_="chart",
        )

    def _line_of_chance(self, frame: Frame, level: float | None) -> Markup | None:
        if self.chance is None or (self.chance == "level" and level is None):
            return None
        ends = [0.0, 1.0] if self.chance == "diagonal" else [level, level]
        return frame.line([0.0, 1.0], ends, "chance")


def legend(names) -> Markup:
    """Return the legend, from colors to names."""
    items = (
        tag("li", tag("span", class_=f"key curve s{number}", aria_hidden="true"), name)
        for number, name in enumerate(names)
    )
    return tag("ul", *items, class_="legend")


def score_chart(key: str, scores: ScoreColumns, classes: tuple[str, str] | None) -> Markup:
    """Return the histogram of the scores with the labeled items of both classes below it."""
    logarithmic = scores.is_saturated
    top = float(scores.counts.max())
    ends = (0.5, 1.4 * top) if logarithmic else (0.0, 1.05 * top)
    x = float(scores.edges[0]), float(scores.edges[-1])
    name = "items, logarithmic" if logarithmic else "items"
    frame = Frame(380.0, 290.0, x, ends, "score", name, 28.0, logarithmic)
    negative, positive = classes or ("negative", "positive")
    said = (
        f"{scores.counts.sum():,.0f} scores from {x[0]:.4g} to {x[1]:.4g}, and how many of each "
        f"are expected to be {positive}. Below the axis: "
        f"{len(scores.positive)} distinct scores labeled {positive} and {len(scores.negative)} "
        f"labeled {negative}."
    )
    picture = drawing(
        key,
        frame,
        "Scores",
        said,
        frame.columns(scores.edges, scores.counts, "column all"),
        frame.columns(scores.edges, scores.positives, "column positive"),
        frame.ticks_below(scores.positive, 0, "tick positive"),
        frame.ticks_below(scores.negative, 1, "tick negative"),
    )
    keys = {
        "all": "all items",
        "positive": f"expected to be {positive}",
        "tick positive": f"labeled {positive} (upper row)",
        "tick negative": f"labeled {negative} (lower row)",
    }
    items = (
        tag("li", tag("span", class_=f"key {kind}", aria_hidden="true"), words)
        for kind, words in keys.items()
    )
    return tag(
        "figure",
        tag("figcaption", "Scores"),
        picture,
        tag("ul", *items, class_="legend"),
        tag("p", said, class_="readout"),
        class_="chart wide",
    )


def _readout(curves: list[DrawnCurve], x: float) -> Markup:
    """Return the initial values of the readout, as the script updates them at the pointer."""
    first = curves[0]
    x = float(first.x[first.nearest(x)])
    lines: list[object] = [f"{first.x_name} {format_number(x)}"]
    for curve in curves:
        name = f"{curve.name}: " if curve.name else ""
        lines += [tag("br"), f"{name}{curve.y_name} {curve.format_at(curve.nearest(x))}"]
    return joined(*lines)


def _values(curves: list[DrawnCurve], ends: tuple[float, float]) -> Markup:
    """Return points of the curves as a table."""
    first = curves[0]
    places = sorted({first.nearest(x) for x in np.linspace(*ends, N_LISTED)})
    rows = [
        row_of(
            format_number(first.x[place]), *(c.format_at(c.nearest(first.x[place])) for c in curves)
        )
        for place in places
    ]
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
            "value": curve.value,
            "lower": curve.lower,
            "upper": curve.upper,
        }
        for curve in curves
    ]
    ends = [float(frame.at_y(1.0)), frame.bottom]
    return {"x": frame.x_name, "y": frame.y_name, "frame": ends, "series": series}
