"""Reports: lines of text, and self-contained HTML pages."""

# What sklearn_spe itself names is imported under its own name, and documented there.
from ._page import HtmlPage as HtmlPage
from ._performance_report import PerformanceReport
from ._ranking_report import MetricComparison
from ._sentences import ChosenThreshold, describe_progress

__all__ = [
    "ChosenThreshold",
    "MetricComparison",
    "PerformanceReport",
    "describe_progress",
]
