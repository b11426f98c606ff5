"""HTML with escaped content: elements, tables, bars of intervals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

# Characters that are not allowed in a page, and lone surrogates, which cannot be encoded.
NO_CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "�")
EMPTY = frozenset({"meta", "input", "line", "path", "rect", "circle", "br"})


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


def data_script(data: dict) -> Markup:
    """Return data for a script, which cannot close its element."""
    text = json.dumps(_plain(data), separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json">{text}</script>')


def format_number(value: float) -> str:
    """Return a formatted number: three decimals, or as needed for large and small ones."""
    if not np.isfinite(value):
        return "not defined" if np.isnan(value) else f"{value}"
    return f"{value:.3f}" if abs(value) < 10.0 else f"{value:,.4g}"


def _escaped(part) -> str:
    return part if isinstance(part, Markup) else _clean(str(part))


def _clean(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8").translate(NO_CHARACTERS)
    return escape(text, quote=True)


def _plain(value):
    """Return a JSON value: numbers with four digits, null for non-finite ones."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return [_plain(float(number)) for number in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if np.isfinite(value) else None
    return value


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
    scroll = {"class_": "scroll", "role": "group", "aria_label": caption, "tabindex": 0}
    return tag("div", table, **scroll, **attributes)


def _head_cell(name: str | Markup | None) -> Markup:
    if isinstance(name, Markup):
        return name
    return tag("td") if name is None else tag("th", name, scope="col")


def row_of(name: object, *cells: object, **attributes: object) -> Markup:
    """Return a row with a name; cells are formatted numbers, or elements."""
    whole = (
        cell if isinstance(cell, Markup) else tag("td", cell, class_="number") for cell in cells
    )
    named = name if isinstance(name, Markup) else row_head(name)
    return tag("tr", named, *whole, **attributes)


# Letters of a name that is not broken, as at the hyphen of 2026-05.
UNBROKEN = 12


def row_head(name: object, *more: object) -> Markup:
    """Return the first cell of a row; `more` stands behind the name."""
    class_ = "number" if len(str(name)) <= UNBROKEN and not any(more) else None
    return tag("th", name, *more, scope="row", class_=class_)


def scale(ends=(0.0, 1.0)) -> Markup:
    """Return the ends of the bars of a column, and zero if it lies between, as its head."""
    low, high = ends
    marks = [low, 0.0, high] if low < 0.0 < high else [low, high]
    return tag("td", *(tag("span", f"{mark:.3g}") for mark in marks), class_="scale")


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
