"""Validation of user input: numbers, seeds, labels, scores, rows and classifier responses."""

from ._raters import Annotations

__all__ = [
    "Annotations",
]
