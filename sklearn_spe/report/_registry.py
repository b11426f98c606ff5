"""Registration of HTML pages with the fitted estimators, which are in a lower layer."""

from __future__ import annotations

from ..performance._pages import PAGES, Page
from ..tables._writing import check_file_name
from ._first_answers import first_answers
from ._html_page import page_of_report, write_page
from ._performance_report import PerformanceReport

__all__ = ["HtmlPage"]


class HtmlPage(Page):
    """A self-contained HTML page."""

    def whole(self, performance, path, **asked):
        if path is not None:
            # Checked before the page is made, which takes seconds.
            check_file_name(path)
        page = page_of_report(PerformanceReport.of(performance, **asked))
        if path is None:
            return page
        write_page(path, page)
        return None

    def fragment(self, performance):
        return first_answers(performance)


PAGES["html"] = HtmlPage()
