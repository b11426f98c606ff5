"""Estimators of the conditional accuracy of items: one method per file."""

from ._registry import METHODS

__all__ = [
    "METHODS",
]
