"""Pages and their elements, from the templates beside this file: page.html and elements.html."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

from ..._version import __version__, documentation_address
from ...inputs._writing import write_file
from ...results._showing import Markup, joined, linked, paragraphs, style_of_results, tag
from ...results._verdict import Verdict, verdict_card


def element(name: str, /, **parts: object) -> Markup:
    """Return an element of a page with its parts: text is escaped, a list joined, None empty."""
    return Markup(
        _templates()[name].substitute(
            {
                key: joined(*part) if isinstance(part, list) else joined(part)
                for key, part in parts.items()
            }
        )
    )


def facts_list(facts: Iterable[tuple[str, str]]) -> Markup:
    """Return facts by name."""
    return tag(
        "dl", *(element("fact", name=name, text=text) for name, text in facts), class_="facts"
    )


def page_of(title: str, counts: Markup, content: Iterable[object], script: str = "") -> str:
    """Return a page that loads nothing; without a script it allows none."""
    style = style_of_results() + text_beside("page.css")
    return element(
        "page",
        title=title,
        counts=counts,
        content=Markup("\n".join(map(joined, content))),
        script=Markup(f"<script>{script}</script>\n") if script else None,
        style=Markup(style),
        policy=Markup(_policy(style, script)),
    )


def static_page(
    title: str,
    counts: str,
    sentences: Iterable[str],
    verdict: Verdict,
    sections: Mapping[str, object],
) -> str:
    """Return a page without a script: sentences, the verdict, and the sections that are available.

    A verdict that is not "ok" comes before the sentences.
    """
    first = [joined(*paragraphs(sentences, "said")), verdict_card(verdict)]
    if verdict != "ok":
        first.reverse()
    version = linked(f"sklearn-spe {__version__}", documentation_address())
    content = [
        element("open section", title=heading, content=part)
        for heading, part in sections.items()
        if part is not None
    ]
    counts = joined(f"{date.today().isoformat()}, ", version, f". {counts}")
    return page_of(title, counts, [*first, *content])


def how_computed(how: str, guide: str, remarks: Iterable[str], facts: Iterable) -> Markup:
    """Return how the numbers of a static page were computed, and where to read on."""
    guide = linked(f"The user guide: {guide}", documentation_address())
    return joined(tag("p", how, " ", guide, "."), *paragraphs(remarks, "remark"), facts_list(facts))


def write_page(path: str | os.PathLike[str] | None, page: str) -> str | None:
    """Write a page to a file, or return it without a path."""
    if path is None:
        return page
    write_file(path, page.encode("utf-8"))
    return None


def text_beside(name: str) -> str:
    """Return the text of a file of this folder."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> dict[str, Template]:
    """Return the templates by name; those of elements stand below it."""
    _, *elements = re.split(r"<!-- (.+) -->\n", text_beside("elements.html"))
    pairs = zip(elements[::2], elements[1::2], strict=True)
    templates = {name: Template(text.removesuffix("\n")) for name, text in pairs}
    return {"page": Template(text_beside("page.html")), **templates}


def _policy(style: str, script: str) -> str:
    """Return the content security policy: this style sheet and script, and style attributes."""
    of_style, of_script = (
        f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script)
    )
    # Browsers that do not know the last two use the first.
    styles = f"style-src 'unsafe-inline'; style-src-elem {of_style}; style-src-attr 'unsafe-inline'"
    return f"script-src {of_script}; {styles}" if script else styles
