"""Reports: lines of text, and self-contained HTML pages."""

from ._chosen_threshold import ChosenThreshold
from ._performance_report import PerformanceReport
from ._progress import describe_progress
from ._registry import HtmlPage as HtmlPage
from ._sides_compared import SidesCompared

__all__ = ["ChosenThreshold", "PerformanceReport", "SidesCompared", "describe_progress"]
