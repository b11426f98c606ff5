"""Charts of a report: curves with bands, and the histogram of the scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..results._bands import CurveBand, percent
from ._html_table import html_table, row_of
from ._markup import Markup, data_script, joined, tag, told
from ._score_columns import ScoreColumns
from ._svg import Frame, drawing

__all__ = ["CurveChart", "legend", "score_chart"]

# Where a curve is told in words, and in a table.
N_TOLD = 11
SIDE = 352.0


@dataclass(frozen=True)
class CurveChart:
    """How a curve of rates is drawn.

    Attributes
    ----------
    title : str
    chance : str or None
        "diagonal", or "level": a line at what the prevalence is; None for no line.
    says : str
        What is seen on it.
    """

    title: str
    chance: str | None
    says: str

    def draw(self, key: str, named: dict, level: float, *, plain: bool = False) -> Markup:
        """Return the chart of a curve, or of one for each of several systems.

        Parameters
        ----------
        key : str
            Which tells it from others of the page.
        named : dict of str or None to CurveBand
        level : float or None
            Of the line of chance, if that is one.
        plain : bool, default=False
            Whether the drawing is all, without the values.
        """
        bands = list(named.values())
        first = bands[0]
        frame = _frame(bands)
        parts = [self._line_of_chance(frame, level)]
        for number, band in enumerate(bands):
            parts.append(frame.area(band.x, *band.interval(), f"band s{number}"))
        for number, band in enumerate(bands):
            parts.append(frame.line(band.x, band.value, f"curve s{number}"))
        parts.append(tag("line", x1=0, x2=0, y1=0, y2=0, class_="cursor"))
        said = " ".join([self.says, *(_sentence(name, band) for name, band in named.items())])
        picture = drawing(key, frame, self.title, said, *parts)
        if plain:
            return picture
        names = ["" if name is None else name for name in named]
        return tag(
            "figure",
            tag("figcaption", self.title),
            picture,
            tag("p", _readout(first, named), class_="readout"),
            _values(named),
            data_script(_data(frame, names, bands)),
            class_="chart",
        )

    def _line_of_chance(self, frame: Frame, level) -> Markup | None:
        if self.chance is None or (self.chance == "level" and level is None):
            return None
        ends = [0.0, 1.0] if self.chance == "diagonal" else [level, level]
        return frame.line([0.0, 1.0], ends, "chance")


def legend(names, kinds: str = "curve") -> Markup:
    """Return which color stands for which name."""
    items = (
        tag("li", tag("span", class_=f"key {kinds} s{number}", aria_hidden="true"), name)
        for number, name in enumerate(names)
    )
    return tag("ul", *items, class_="legend")


def score_chart(key: str, scores: ScoreColumns, classes: tuple[str, str] | None) -> Markup:
    """Return the histogram of the scores with the labelled items of both classes below it."""
    logarithmic = scores.is_saturated
    top = float(scores.counts.max())
    ends = (0.5, 1.4 * top) if logarithmic else (0.0, 1.05 * top)
    x = float(scores.edges[0]), float(scores.edges[-1])
    name = "items, logarithmic" if logarithmic else "items"
    frame = Frame(440.0, 300.0, x, ends, "score", name, 28.0, logarithmic)
    negative, positive = ("negative", "positive") if classes is None else classes
    said = (
        f"{scores.counts.sum():,.0f} scores from {x[0]:.4g} to {x[1]:.4g}, of which "
        f"{scores.positives.sum():,.0f} are expected to be positive. Below the axis: "
        f"{len(scores.negative)} distinct scores labelled {negative}, {len(scores.positive)} "
        f"labelled {positive}."
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
    keys = (
        ("all", "all items"),
        ("positive", f"expected to be {positive}"),
        ("tick positive", f"labelled {positive} (upper row)"),
        ("tick negative", f"labelled {negative} (lower row)"),
    )
    items = (
        tag("li", tag("span", class_=f"key {kind}", aria_hidden="true"), words)
        for kind, words in keys
    )
    return tag(
        "figure",
        tag("figcaption", "Scores"),
        picture,
        tag("ul", *items, class_="legend"),
        tag("p", said, class_="readout"),
        class_="chart wide",
    )


def _at(band: CurveBand, x: float):
    """Return x, the value and both ends of the point of a curve next to x."""
    k = int(np.argmin(np.abs(band.x - x)))
    lower, upper = band.interval()
    return float(band.x[k]), float(band.value[k]), float(lower[k]), float(upper[k])


def _sentence(name: str | None, band: CurveBand) -> str:
    of_which = "" if name is None else f" of {name}"
    x, value, low, high = _at(band, _middle([band]))
    return (
        f"At {band.x_name} {told(x)} the {band.y_name}{of_which} is {told(value)}, {told(low)} to "
        f"{told(high)} with {percent(band.confidence_level)}."
    )


def _readout(first: CurveBand, named) -> Markup:
    """Return the values in the middle, as the script writes those under the pointer."""
    x = _at(first, _middle([first]))[0]
    lines: list[object] = [f"{first.x_name} {told(x)}"]
    for name, band in named.items():
        _, value, low, high = _at(band, x)
        said = "" if name is None else f"{name}: "
        lines += [tag("br"), f"{said}{band.y_name} {told(value)} ({told(low)} to {told(high)})"]
    return joined(*lines)


def _values(named) -> Markup:
    """Return points of the curves as a table."""
    bands = list(named.values())
    first, level = bands[0], percent(bands[0].confidence_level)
    x = np.unique([_at(first, at)[0] for at in np.linspace(*_range(bands), N_TOLD)])
    names = [band.y_name if name is None else name for name, band in named.items()]
    rows = []
    for at in x:
        cells = [_at(band, at) for band in bands]
        texts = (f"{told(value)} ({told(low)} to {told(high)})" for _, value, low, high in cells)
        rows.append(row_of(told(at), *texts))
    caption = f"{first.y_name} against {first.x_name}"
    return tag(
        "details",
        tag("summary", f"Values with {level} intervals"),
        html_table(caption, [first.x_name, *names], rows),
    )


def _range(bands) -> tuple[float, float]:
    """Return the ends of the x axis: those of rates, else those of the curves."""
    low, high = min(band.x[0] for band in bands), max(band.x[-1] for band in bands)
    if bands[0].x_name != "score":
        return 0.0, 1.0
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(high) + 0.5)


def _middle(bands) -> float:
    low, high = _range(bands)
    return 0.5 * low + 0.5 * high


def _frame(bands) -> Frame:
    return Frame(SIDE, SIDE, _range(bands), (0.0, 1.0), bands[0].x_name, bands[0].y_name)


def _data(frame: Frame, names, bands) -> dict:
    """Return what the script needs to say the values under the pointer."""
    series = []
    for name, band in zip(names, bands, strict=True):
        lower, upper = band.interval()
        places = frame.at_x(band.x)
        words = [told(x) for x in band.x]
        values = {"value": band.value, "lower": lower, "upper": upper}
        series.append({"name": name, "at": places, "x": words, **values})
    ends = [float(frame.at_y(1.0)), frame.bottom]
    return {"x": frame.x_name, "y": frame.y_name, "frame": ends, "series": series}
