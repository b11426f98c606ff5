"""Display of results: sentences in counts, JSON-ready values, HTML in a notebook."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Any, ClassVar
from unicodedata import bidirectional

import numpy as np

from ..inputs._validation import check_number
from ._terms import AREAS, metric_named, name_in_words, sentence_in_counts, terms

# The version of `to_dict`; it changes if a key is removed or means something else.
SCHEMA_VERSION = 1
# Of what labels do not identify.
NOT_KNOWN = "more is not known yet"
NO_VALUE = "not known yet"
# Rows of a table that fit on a screen, and characters of a line.
MAX_ROWS, MAX_WIDTH = 40, 120
# Sentences that are read, rather than a table.
MAX_HEADLINES = 10
# Smaller probabilities are not mentioned.
MIN_SHOWN = 0.0005
# Relative width of an interval that is only rounding error.
ROUNDING = 1e-12
# The question that has an interval where all labels are known.
BEYOND_THESE = "for items beyond these: target='population'"
# A metric, and where it is taken.
METRIC_AT = re.compile(r"(\w+)(?: at (\w+ \S+))?")
MIN_COUNT, MAX_COUNT = 100, 10**6
# Characters that are not allowed in a page, and lone surrogates, which cannot be encoded.
NO_CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "�")
# Those that turn the direction of what follows.
NO_CHARACTERS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "�")
# What isolates a text whose direction is another from what is around it.
FIRST_STRONG_ISOLATE, END_OF_ISOLATE = "\u2068", "\u2069"
EMPTY = frozenset({"meta", "input", "line", "path", "rect", "circle", "br"})
# Letters of a name that is not broken, as at the hyphen of 2026-05.
UNBROKEN = 12
WIDTH, HEIGHT = 320, 200


def percent(level: float) -> str:
    """Return a confidence level as text, such as 90% or 97.5%."""
    level = check_number(level, "confidence_level", "[0, 1]")
    return f"{100.0 * level:.4g}%"


# --- exact numbers -----------------------------------------------------------------------


def exact_for_these(n_items: float | None, probability: float = 1.0) -> str:
    """Return a note that a number without an interval is exact, and for which items.

    Parameters
    ----------
    n_items : float or None
        Number of items that the number is about, NaN if it is unknown. None for a population: then
        the number is the same for any labels.
    probability : float, default=1.0
        The probability that the number is exact.
    """
    if n_items is None:
        these = "these scores, whatever the labels"
    elif math.isnan(n_items):
        these = "these items"
    else:
        these = "this one item" if n_items == 1.0 else f"these {n_items:,.0f} items"
    rarely = "" if probability >= 1.0 else f" with probability {probability:.3g}"
    return f"exact for {these}{rarely}"


def probability_in_words(probability: float) -> str:
    """Return a probability with two digits, never 0 or 1."""
    if probability > 0.995:
        return "> 0.99"
    return f"{probability:.2f}" if probability >= 0.005 else "< 0.01"


def has_no_width(low: float, high: float) -> bool:
    """Return whether both ends of an interval are equal, up to rounding."""
    return math.isfinite(low) and abs(high - low) <= ROUNDING * max(1.0, abs(low))


def whole(number: float, *, is_error: bool = True) -> float:
    """Return a number of items as it is shown: errors round half up, and hits half down.

    Then the two add up to what they are a part of, which is a whole number.
    """
    if not math.isfinite(number):
        return number
    number = round(number, 6)
    return math.floor(number + 0.5) if is_error else math.ceil(number - 0.5)


def range_in_words(
    low: float, high: float, template: str = "{}", n_items: float | None = math.nan
) -> str:
    """Return both ends of an interval, or a note that a number without one is exact.

    Parameters
    ----------
    low, high : float
    template : str, default="{}"
        Of each end, such as "{:.3f}"; by default as in `format_number`.
    n_items : float or None, default=NaN
        As in `exact_for_these`.
    """
    if has_no_width(low, high):
        return exact_for_these(n_items)
    ends = (low, high) if template != "{}" else (format_number(low), format_number(high))
    return " to ".join(template.format(end) for end in ends)


# --- sentences ---------------------------------------------------------------------------


def sentence_of(
    name: str,
    value: float,
    interval: tuple[float, float],
    *,
    threshold: float | None = None,
    undefined: float = 0.0,
    exact: str = "",
    is_known: bool = True,
) -> str:
    """Return an estimate as a sentence, in counts if its metric is a share.

    Parameters
    ----------
    name : str
        Such as "recall", "recall at threshold 0.5", "f1 - f1".
    value : float
    interval : (float, float)
    threshold : float, default=None
        The decision threshold, if the name does not have it.
    undefined : float, default=0.0
        The probability that the quantity is not defined.
    exact : str, default=""
        For what the number is exact, if it has no interval.
    is_known : bool, default=True
        Whether labels inform the number; otherwise only its interval is shown.
    """
    match = METRIC_AT.fullmatch(name)
    metric, position = (match[1], match[2]) if match else (name, None)
    if position is None and threshold is not None:
        position = f"threshold {threshold:.6g}"

    ends = interval if not exact and interval[0] < interval[1] else None
    is_defined = not math.isnan(value) and undefined < 1.0 - MIN_SHOWN
    is_open = is_defined and not is_known and ends is not None
    if not is_defined:
        sentence = f"{_subject(metric)} is not defined"
    elif (in_counts := sentence_in_counts(metric)) and 0.0 <= value <= 1.0:
        n = count_for(value, *interval)
        k, *counted = (f"{round(n * share):,}" for share in (value, *(ends or ())))
        between = _between(counted)
        if is_open:
            k = f"{counted[0]} to {counted[1]}"
            between = ""
        are = "is" if k == "1" else "are"
        sentence = in_counts.format(n=f"{n:,}", k=k, are=are) + between
    else:
        numbers = [_rounded(number, *interval) for number in (value, *(ends or ()))]
        sentence = f"{_subject(metric)} is {numbers[0]}{_between(numbers[1:])}"
        if is_open:
            sentence = f"{_subject(metric)} is {numbers[1]} to {numbers[2]}"

    if position is not None:
        sentence = f"At {position}, {sentence[:1].lower()}{sentence[1:]}"
    if is_open:
        sentence += f"; {NOT_KNOWN}"
    if is_defined and exact:
        sentence += f", {exact}"
    if is_defined and undefined >= MIN_SHOWN:
        sentence += f"; with probability {undefined:.2g} it is not defined"
    return f"{sentence}."


def count_for(value: float, low: float, high: float) -> int:
    """Return the number of items in which a share is counted: 100, or a larger power of ten.

    More if the interval is narrower than one item, or if it ends below three items. Of an exact
    share, up to 1,000 unless it is a whole number of 100.
    """
    n = MIN_COUNT
    width = high - low
    top = high if width > 0.0 else value
    while n < MAX_COUNT:
        exact = n > MIN_COUNT or abs(n * value - round(n * value)) < 1e-6
        is_fine = n * width >= 1.0 if width > 0.0 else exact
        if is_fine and not 0.0 < n * top < 3.0:
            break
        n *= 10
    return n


def amount_in_counts(metric: str, value: float, low: float, high: float) -> str:
    """Return a difference, and its interval, in counts if its metric is a share.

    Areas are shares of nothing that can be counted. `metric` is the name of the metric, or of the
    row.
    """
    name = metric_named(metric)
    is_counted = name is not None and name not in AREAS and sentence_in_counts(name)
    largest = max(abs(value), abs(low), abs(high))
    if not is_counted or largest > 1.0 or not math.isfinite(value):
        return amount_of(value, low, high)
    largest = max(abs(low), abs(high))
    n = count_for(largest, largest - (high - low), largest)
    if not high > low:
        return f"{round(n * value):,} in {n:,}"
    return f"{round(n * value):,} in {n:,} ({round(n * low):,} to {round(n * high):,})"


def amount_of(value: float, low: float, high: float) -> str:
    """Return a number and its interval, with the decimals that the interval carries."""
    numbers = [_rounded(number, low, high) for number in (value, low, high)]
    return f"{numbers[0]}{_between(numbers[1:])}" if low < high else numbers[0]


def meaning_of_intervals(level: float) -> str:
    """Return the meaning of an interval, for its first occurrence."""
    return (
        f"In parentheses: {percent(level)} intervals; in {percent(level)} of such analyses the "
        "true value lies inside."
    )


def _subject(metric: str) -> str:
    """Return the quantity as a subject, such as "The F1" or "The number of true positives"."""
    sides = metric.split(" - ")
    quantity = f"difference of {sides[0]}" if len(sides) == 2 and sides[0] == sides[1] else metric
    number = "number of " if quantity.endswith(("_positives", "_negatives")) else ""
    return f"The {number}{name_in_words(quantity)}"


def _between(ends: list[str]) -> str:
    return f" ({ends[0]} to {ends[1]})" if ends else ""


def _rounded(number: float, low: float, high: float) -> str:
    """Return a number with the decimals that its interval carries."""
    width = high - low
    if not (math.isfinite(width) and math.isfinite(number)):
        return f"{number:,.4g}"
    if not width:
        return f"{number:,.0f}" if number == round(number) else f"{number:.3f}"
    decimals = 0 if width >= 10.0 else 1 if width >= 1.0 else 2
    if width < 0.01:
        decimals = min(-math.floor(math.log10(width)), 9)
    return f"{number:,.{decimals}f}"


# --- values ------------------------------------------------------------------------------


def as_json(value: Any, digits: int | None = None) -> Any:
    """Return a value for JSON: numbers rounded to some digits if given, None if not finite."""
    if isinstance(value, dict):
        return {str(key): as_json(part, digits) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part, digits) for part in value]
    if isinstance(value, ShownResult):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist(), digits)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return value if digits is None else float(f"{value:.{digits}g}")
    return value if value is None or isinstance(value, bool | int) else str(value)


class ShownResult:
    """Mixin of results: JSON-ready values, and HTML in a notebook."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values for JSON.

        The first key is "schema_version". Numbers are not rounded. NaN and infinity become None.
        """
        return as_json({"schema_version": SCHEMA_VERSION, **self._record()})

    def _repr_html_(self) -> str:
        content = joined(tag("style", style_of_results()), self._html())
        return str(tag("div", content, class_="spe-result"))

    def _record(self) -> dict[str, Any]:
        """Return the values by name."""
        raise NotImplementedError

    def _values_of(self, *names: str) -> dict[str, Any]:
        """Return the values of attributes, and the results of methods, by name."""
        values = {name: getattr(self, name) for name in names}
        return {name: value() if callable(value) else value for name, value in values.items()}

    def _html(self) -> Markup:
        """Return the content of the notebook's view."""
        raise NotImplementedError


class ColumnsResult(ShownResult):
    """Mixin of results that are columns; the first column names the rows."""

    caption: ClassVar[str]  # of the table in a notebook

    def to_frame(self) -> Any:
        """Return a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    def _columns(self) -> dict[str, Any]:
        """Return the columns by name, of equal length."""
        raise NotImplementedError

    def _record(self) -> dict[str, Any]:
        return self._columns()

    def _html(self) -> Markup:
        return columns_table(self.caption, self._columns())


# --- HTML --------------------------------------------------------------------------------


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def joined(*parts: object) -> Markup:
    """Return concatenated parts, each escaped unless it is markup; None is empty."""
    return Markup("".join(_escaped(part) for part in parts if part is not None))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """Return an element."""
    opened = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        key = key.rstrip("_").replace("_", "-").replace("viewbox", "viewBox")
        opened.append(key if value is True else f'{key}="{_clean(str(value))}"')
    if name in EMPTY and not children:
        return Markup(f"<{' '.join(opened)}/>")
    return Markup(f"<{' '.join(opened)}>{joined(*children)}</{name}>")


def paragraphs(texts: Iterable[object], class_: str | None = None) -> list[Markup]:
    """Return a paragraph for each text that is not empty."""
    return [tag("p", text, class_=class_) for text in texts if text]


def linked(text: str, address: str) -> Markup:
    """Return a text as a link, or without an address the text."""
    return tag("a", text, href=address) if address else joined(text)


def data_script(data: dict[str, Any]) -> Markup:
    """Return data for a script, which cannot close its element."""
    text = json.dumps(as_json(data, 4), separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json">{text}</script>')


def format_number(value: float) -> str:
    """Return a formatted number: three decimals, or as needed for large and small ones."""
    if not np.isfinite(value):
        return "not defined" if np.isnan(value) else f"{value}"
    return f"{value:.3f}" if abs(value) < 10.0 else f"{value:,.4g}"


def _escaped(part: object) -> str:
    return part if isinstance(part, Markup) else _isolated(_clean(str(part)))


def _isolated(text: str) -> str:
    """Return a text that turns nothing around it, as the element bdi would, also in pictures."""
    if text.isascii() or not any(bidirectional(letter) in ("R", "AL") for letter in text):
        return text
    return f"{FIRST_STRONG_ISOLATE}{text}{END_OF_ISOLATE}"


def _clean(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8").translate(NO_CHARACTERS)
    return escape(text, quote=True)


def html_table(
    caption: str,
    head: Sequence[str | Markup | None],
    rows: Iterable[Markup],
    *,
    class_: str | None = None,
    **attributes: object,
) -> Markup:
    """Return a table; `head` has None for unnamed columns, and `rows` are from `row_of`."""
    names = (_head_cell(name) for name in head)
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *names)),
        tag("tbody", *rows),
        class_=class_,
    )

    return tag(
        "div",
        table,
        class_="scroll",
        role="group",
        aria_label=caption,
        tabindex=0,
        **attributes,
    )


def _head_cell(name: str | Markup | None) -> Markup:
    if isinstance(name, Markup):
        return name
    return tag("td") if name is None else tag("th", name, scope="col")


def row_of(name: object, *cells: object, **attributes: object) -> Markup:
    """Return a row with a name; cells are formatted numbers, or elements."""
    formatted = (
        cell if isinstance(cell, Markup) else tag("td", cell, class_="number") for cell in cells
    )
    head = name if isinstance(name, Markup) else row_head(name)
    return tag("tr", head, *formatted, **attributes)


def row_head(name: object, *more: object) -> Markup:
    """Return the first cell of a row; `more` stands behind the name."""
    class_ = "number" if len(str(name)) <= UNBROKEN and not any(more) else None
    return tag("th", name, *more, scope="row", class_=class_)


def scale(ends: tuple[float, float] = (0.0, 1.0)) -> Markup:
    """Return the ends of the bars of a column, and zero if it lies between, as its head."""
    low, high = ends
    marks = [low, 0.0, high] if low < 0.0 < high else [low, high]
    return tag("td", *(tag("span", f"{mark:.3g}") for mark in marks), class_="scale")


def bar(value: float, low: float, high: float, ends: tuple[float, float] = (0.0, 1.0)) -> Markup:
    """Return an interval as a decorative bar between two ends; NaN is no value."""
    parts = []
    if np.isfinite([low, high]).all():
        left, middle, right = (
            100.0 * (end - ends[0]) / (ends[1] - ends[0]) for end in (low, value, high)
        )
        parts = [tag("i", style=f"left:{left:.1f}%;width:{max(right - left, 0.0):.1f}%")]
        if np.isfinite(value):
            parts.append(tag("b", style=f"left:{middle:.1f}%"))

    if ends[0] < 0.0 < ends[1]:
        parts.insert(0, tag("s", style=f"left:{-100.0 * ends[0] / (ends[1] - ends[0]):.1f}%"))
    return tag("div", *parts, class_="bar", aria_hidden="true")


@cache
def style_of_results() -> Markup:
    """Return the style sheet of all results, for light and dark backgrounds."""
    return Markup(resources.files(__package__).joinpath("results.css").read_text(encoding="utf-8"))


def interval_table(
    caption: str,
    named: Iterable[tuple[str, Any]],
    extra: tuple[str, list[str]] | None = None,
    *,
    explained: bool = False,
) -> Markup:
    """Return a table with one row per estimate.

    Parameters
    ----------
    caption : str
    named : iterable of (str, ScalarEstimate)
        Not empty.
    extra : (str, list of str), default=None
        The head and the cells of a further column.
    explained : bool, default=False
        Whether each metric is explained, with a link to the footnote on its computation.
    """
    names, estimates = zip(*named, strict=True)
    level = percent(estimates[0].confidence_level)
    intervals = [estimate.interval() for estimate in estimates]
    ends = _ends([estimate.value for estimate in estimates], intervals)
    extra_names = [extra[0]] if extra else []
    head = [None, "value", f"{level} interval", *extra_names, scale(ends)]
    extra_cells = [[extra_cell] for extra_cell in extra[1]] if extra else [[]] * len(names)
    rows = []
    explained_metrics: set[str] = set()

    for name, estimate, (low, high), extra_cell in zip(
        names, estimates, intervals, extra_cells, strict=True
    ):
        remark = None
        if estimate.undefined >= MIN_SHOWN:
            remark = tag("small", f" not defined with probability {estimate.undefined:.3f}")

        value = estimate.value if estimate.is_known else math.nan
        bars = tag("td", bar(value, low, high, ends), class_="bars")
        in_words = format_number(value) if estimate.is_known else NO_VALUE
        numbers = in_words, estimate.interval_in_words()
        link = term = None

        if explained and (metric := metric_named(name)):
            link = footnote_link(metric)
            # Once a table, where it first stands.
            term = (
                None
                if metric in explained_metrics
                else tag("small", terms()[metric].meaning, class_="term")
            )
            explained_metrics.add(metric)

        rows.append(
            row_of(
                row_head(name_in_words(name), link, remark, term),
                *numbers,
                *extra_cell,
                bars,
            )
        )

    return html_table(caption, head, rows, class_="intervals")


def columns_table(caption: str, columns: Mapping[str, Any]) -> Markup:
    """Return a table of columns by name; the first column names the rows."""
    rows = zip(*columns.values(), strict=True)
    first_rows = [row_of(*map(_cell, row)) for row, _ in zip(rows, range(MAX_ROWS), strict=False)]
    n_rows = len(next(iter(columns.values())))
    more = None if n_rows <= MAX_ROWS else tag("p", f"{n_rows:,} rows", class_="hint")
    names = [name.replace("_", " ") for name in columns]
    return joined(html_table(caption, names, first_rows), more)


def _cell(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | str):
        return str(value)
    is_whole = isinstance(value, int | np.integer)
    return f"{value:,}" if is_whole else format_number(float(value))


def footnote_link(metric: str) -> Markup:
    """Return the link to the footnote on how a metric is computed."""
    title = f"How {name_in_words(metric)} is computed"
    return joined(
        " ", tag("a", "?", href=f"#{footnote_id(metric)}", aria_label=title, class_="how")
    )


def footnote_id(metric: str) -> str:
    """Return the identifier of a footnote on a page."""
    return f"computed-{metric.replace('_', '-')}"


def _ends(values: list[float], intervals: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the common limits of all bars: 0 and 1, unless a number lies beyond."""
    numbers = np.r_[values, np.ravel(intervals)]
    numbers = numbers[np.isfinite(numbers)]
    low = float(min(numbers.min(initial=0.0), 0.0))
    high = float(numbers.max(initial=0.0))
    if low < 0.0:
        # For differences zero is in the middle.
        high = max(high, -low)
        return -high, high
    return 0.0, max(1.0, high)


def curve_drawing(
    x: np.ndarray, value: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> Markup | None:
    """Return a curve and its band, without axes; None if fewer than two points are finite."""
    points = np.array([x, value, lower, upper], dtype=float)
    points = points[:, np.isfinite(points).all(axis=0)]
    if points.shape[1] < 2:
        return None

    x = points[0]
    curves = points[1:]
    bottom = min(curves.min(), 0.0)
    top = max(curves.max(), 1.0)
    across = WIDTH * (x - x[0]) / (x[-1] - x[0])
    value, lower, upper = HEIGHT * (top - curves) / (top - bottom)

    def path(xs: np.ndarray, ys: np.ndarray) -> str:
        return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))

    band = path(np.r_[across, across[::-1]], np.r_[lower, upper[::-1]]) + "Z"
    shapes = (
        tag("path", class_="band", d=band),
        tag("path", class_="curve", d=path(across, value)),
    )

    # The ends of both axes, below and beside the curve.
    ends = (
        tag("text", f"{x[0]:.4g}", x=0, y=HEIGHT + 16),
        tag("text", f"{x[-1]:.4g}", x=WIDTH, y=HEIGHT + 16, text_anchor="end"),
        tag("text", f"{top:.4g}", x=WIDTH + 6, y=10),
        tag("text", f"{bottom:.4g}", x=WIDTH + 6, y=HEIGHT),
    )
    edge = tag("rect", x=0, y=0, width=WIDTH, height=HEIGHT, class_="grid", fill="none")

    # With room for the numbers at the axes.
    width = WIDTH + 46
    height = HEIGHT + 22
    content = joined(edge, *shapes, *ends)

    return tag(
        "svg",
        content,
        viewbox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_hidden="true",
    )
