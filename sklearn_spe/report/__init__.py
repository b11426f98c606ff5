"""Reports: lines of text, and self-contained HTML pages."""

from ._expected_widths import ExpectedWidths, plan_labels
from ._main_estimates import main_estimates

__all__ = [
    "ExpectedWidths",
    "main_estimates",
    "plan_labels",
]
