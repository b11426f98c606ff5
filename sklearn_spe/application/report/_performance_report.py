"""PerformanceReport: the results of a fitted estimator, and their page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...results._showing import Markup
from ._first_screen import first_screen, provenance
from ._page import element, page_of, text_beside, write_page
from ._report_contents import ReportContents
from ._sections import SECTIONS

if TYPE_CHECKING:
    import os


class PerformanceReport(ReportContents):
    """All results of a fitted `PerformanceCurveEstimator`, computed once.

    `from_estimator` computes the values; `to_html` turns them into a page.

    .. versionadded:: 0.1

    Attributes
    ----------
    title : str
    date : str
        The day of the computation, such as 2026-11-25.
    counts : str
        The numbers of labels, in words.
    classes : (str, str) or None
        The names of the negative and of the positive class; None if there are more than two.
    verdict : Verdict
    answers : PlainAnswers
        The most important results, in words.
    numbers : EstimateTable
        The main numbers, and those at a threshold.
    metric : str
        The metric by which systems or categories are compared and further labels are planned.
    threshold : float or None
        The decision threshold; `decision.source` of the ranking states whether it was given, comes
        from a goal or is the usual one for such scores. None if it must be given, or if systems
        have different thresholds.
    rankings : tuple of RankingReport
        One for each system, at most six.
    comparisons : tuple of MetricComparison
        Systems side by side, or categories.
    tables : dict of str to EstimateTable
        Further tables by title, such as the numbers of each class.
    worth : tuple of LabelValue
        The expected gain from more labels, for each system shown.
    next_rows : tuple of NamedRow
        Rows to label next; with several systems, the best rows of each in turn.
    suspect_rows : tuple of NamedRow
        Rows with suspect labels.
    n_suspect : int
        Number of suspect labels.
    unit : str
        The unit of row names.
    facts : tuple of (str, str)
        The methods of computation.
    remarks : tuple of str
        The parts that are omitted, with reasons.
    labels : LabelCounts
        The numbers of items and of labels.
    systems : tuple of str
        The names of the systems; empty if the only one has none.
    earlier : EarlierReport or None
        The comparison with an earlier report.
    file, checksum : str or None
        The name and the SHA-256 checksum of the file of scores, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe import PerformanceCurveEstimator, PerformanceReport
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(500, random_state=0)
    >>> y = np.where(np.arange(500) < 20, labels, -1)
    >>> performance = PerformanceCurveEstimator(random_state=0).fit(scores, y)
    >>> report = PerformanceReport.from_estimator(performance, threshold=1.0)
    >>> report.numbers.names[0]
    'average precision'
    >>> len(report.next_rows)
    10
    >>> report.answers.answer("At which threshold?")
    'A score of at least 1 is predicted positive: ... of 500 items.'
    >>> report.to_html().startswith("<!doctype html>")
    True
    """

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the report as one HTML page, or write it to a file.

        The page has results in words, the verdict, the main estimates and a confusion matrix. It
        compares systems and categories, and the results with an earlier report. It shows curves,
        scores and labels, guarantees of thresholds, the value of further labels, rows to label next
        and suspect labels. It ends with the methods. The page is self-contained: it loads no other
        files.

        Parameters
        ----------
        path : str or Path, default=None
            The file, written completely or not at all. None returns the page.

        Returns
        -------
        page : str or None
            None if it was written.

        Raises
        ------
        TypeError
            If `path` is not the name of a file.
        OSError
            If the file cannot be written; an existing file is then unchanged.
        """
        return write_page(path, _page_of_report(self))


def _page_of_report(report: PerformanceReport) -> str:
    """Return a report as HTML: its first screen, and sections that unfold."""
    content: list[Markup | None] = [first_screen(report)]
    for name, (title, content_of) in SECTIONS.items():
        part = content_of(report)
        section = part and element("section", name=name, title=title, content=part)
        content.append(section)
    return page_of(report.title, provenance(report), content, text_beside("page.js"))
