"""Reports: lines of text, and self-contained HTML pages."""

from ._label_plan import LabelPlan, plan_labels
from ._main_estimates import main_estimates

__all__ = [
    "LabelPlan",
    "main_estimates",
    "plan_labels",
]
