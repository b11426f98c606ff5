"""Tables of a page; wide ones scroll separately, also by keyboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ._markup import Markup, tag

__all__ = ["html_table", "row_of"]


def html_table(
    caption: str,
    head: Sequence[str | None],
    rows: Iterable[Markup],
    *,
    class_: str | None = None,
    **attributes: object,
) -> Markup:
    """Return a table; `head` has None for unnamed columns, and `rows` are from `row_of`."""
    names = (tag("td") if name is None else tag("th", name, scope="col") for name in head)
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *names)),
        tag("tbody", *rows),
        class_=class_,
    )
    held = {"class_": "scroll", "role": "group", "aria_label": caption, "tabindex": 0}
    return tag("div", table, **held, **attributes)


def row_of(name: object, *cells: object, **attributes: object) -> Markup:
    """Return a row with a name; cells are formatted numbers, or elements."""
    whole = (
        cell if isinstance(cell, Markup) else tag("td", cell, class_="number") for cell in cells
    )
    named = name if isinstance(name, Markup) else tag("th", name, scope="row")
    return tag("tr", named, *whole, **attributes)
