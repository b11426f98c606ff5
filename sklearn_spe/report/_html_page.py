"""A report as one self-contained HTML page, written atomically."""

from __future__ import annotations

from importlib import resources

from ..tables._writing import write_file
from ._markup import Markup, joined, tag
from ._performance_report import PerformanceReport
from ._sections import SECTIONS, verdict_card

__all__ = ["page_of_report", "style_of_pages", "write_page"]

# The page may not load anything from the network.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page_of_report(report: PerformanceReport) -> str:
    """Return a report as HTML."""
    sections = (_section(title, content(report)) for title, content in SECTIONS.items())
    body = tag(
        "main",
        tag("header", tag("h1", report.title), tag("p", report.counts, class_="counts")),
        verdict_card(report.verdict),
        *sections,
    )
    head = joined(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", report.title),
        style_of_pages(),
    )
    script = Markup(f"<script>{_text('page.js')}</script>")
    page = tag("html", tag("head", head), tag("body", body, script), lang="en")
    return f"<!doctype html>\n{page}\n"


def write_page(path, page: str) -> None:
    """Write a page into a file atomically."""
    write_file(path, page.encode("utf-8"))


def style_of_pages() -> Markup:
    """Return the style sheet of pages and embedded views."""
    return Markup(f"<style>{_text('page.css')}</style>")


def _section(title: str, content: Markup | None) -> Markup | None:
    return None if content is None else tag("section", tag("h2", title), content)


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
