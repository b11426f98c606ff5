"""Reports: lines of text, and self-contained HTML pages."""

from ._main_estimates import main_estimates

__all__ = [
    "main_estimates",
]
