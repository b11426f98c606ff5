"""The door of this room: how a fitted estimator, which stands below, becomes a page."""

from __future__ import annotations

import os

from ..performance._pages import PAGES, Page
from ._first_answers import first_answers
from ._html_page import page_of_report, write_page
from ._performance_report import PerformanceReport

__all__ = ["HtmlPage"]


class HtmlPage(Page):
    """HTML that stands by itself."""

    def whole(self, performance, path, **asked):
        if not (path is None or isinstance(path, (str, os.PathLike))):
            raise TypeError(f"path must be the name of a file or None, got {path!r}.")
        if path is not None and ("\0" in str(path) or not os.fspath(path)):
            raise ValueError(f"path must be the name of a file or None, got {path!r}.")
        page = page_of_report(PerformanceReport.of(performance, **asked))
        if path is None:
            return page
        write_page(path, page)
        return None

    def fragment(self, performance):
        return first_answers(performance)


PAGES["html"] = HtmlPage()
