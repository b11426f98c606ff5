"""Tables of a page; wide ones are scrolled by themselves, by the keyboard too."""

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
    """Return a table.

    Parameters
    ----------
    caption : str
    head : sequence of str or None
        The names of the columns; None of one that needs no name.
    rows : iterable of Markup
        As `row_of` returns them.
    class_ : str, default=None
    **attributes : object
        Of what holds the table.
    """
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
    """Return a row that has a name; cells are numbers in words, or elements."""
    whole = (
        cell if isinstance(cell, Markup) else tag("td", cell, class_="number") for cell in cells
    )
    named = name if isinstance(name, Markup) else tag("th", name, scope="row")
    return tag("tr", named, *whole, **attributes)
