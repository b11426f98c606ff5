"""Elements of HTML and SVG: text is escaped, and only elements are not."""

from __future__ import annotations

import json
from html import escape

import numpy as np

__all__ = ["Markup", "data_script", "joined", "tag", "told"]

# What cannot be in a page at all, and lone halves of surrogate pairs: nothing encodes them.
NO_CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "�")
EMPTY = frozenset({"meta", "input", "line", "path", "rect", "circle", "br"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def joined(*parts: object) -> Markup:
    """Return parts one after another, each escaped unless it is markup; None is nothing."""
    return Markup("".join(_escaped(part) for part in parts if part is not None))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
    *children : object
        As `joined` takes them.
    **attributes : object
        Underscores become hyphens, but for those at the end, which are left out (`class_`). None
        leaves an attribute out, True is one without a value.
    """
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
    """Return data for a script, which cannot end its element whatever text it holds."""
    text = json.dumps(_plain(data), separators=(",", ":"), allow_nan=False)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json">{text}</script>')


def told(value: float) -> str:
    """Return a number in words: three decimals, or what it takes of large and small ones."""
    if not np.isfinite(value):
        return "not defined" if np.isnan(value) else f"{value}"
    return f"{value:.3f}" if abs(value) < 10.0 else f"{value:,.4g}"


def _escaped(part) -> str:
    return part if isinstance(part, Markup) else _clean(str(part))


def _clean(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8").translate(NO_CHARACTERS)
    return escape(text, quote=True)


def _plain(value):
    """Return what JSON knows: numbers of five digits, null for what is none."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return [_plain(float(number)) for number in value]
    if isinstance(value, float):
        return float(f"{value:.5g}") if np.isfinite(value) else None
    return value
