"""Interfaces without Python: the command line, pages, and files of tables and tools."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .report._expected_widths import ExpectedWidths, plan_labels
    from .report._main_estimates import main_estimates
    from .report._mean_page import MeanReport

__all__ = [
    "ExpectedWidths",
    "MeanReport",
    "main_estimates",
    "plan_labels",
]

# Where a name is defined; it is imported when it is used, which the help of a command never does.
_MODULES = {
    "ExpectedWidths": "report._expected_widths",
    "MeanReport": "report._mean_page",
    "main_estimates": "report._main_estimates",
    "plan_labels": "report._expected_widths",
}

# A type checker would take any name for one of the package.
if not TYPE_CHECKING:

    def __getattr__(name: str):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

    def __dir__():
        return sorted({*globals(), *__all__})
