"""Reports: lines of text, and self-contained HTML pages."""

from ._performance_report import PerformanceReport
from ._ranking_report import MetricComparison
from ._sentences import ChosenThreshold, describe_progress

__all__ = [
    "ChosenThreshold",
    "MetricComparison",
    "PerformanceReport",
    "describe_progress",
]
