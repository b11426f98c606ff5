"""Reports: lines of text, and self-contained HTML pages."""

from ._chosen_threshold import ChosenThreshold
from ._metric_comparison import MetricComparison
from ._performance_report import PerformanceReport
from ._progress import describe_progress
from ._registry import HtmlPage as HtmlPage

__all__ = ["ChosenThreshold", "MetricComparison", "PerformanceReport", "describe_progress"]
