"""Reports: lines of text, and self-contained HTML pages."""

from ..estimators._judge_errors import judge_errors
from ._expected_widths import ExpectedWidths, plan_labels
from ._main_estimates import main_estimates

__all__ = [
    "ExpectedWidths",
    "judge_errors",
    "main_estimates",
    "plan_labels",
]
