"""Validation of user input: numbers, seeds, labels, scores, rows, responses; writing of files."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._raters import Annotations

__all__ = [
    "Annotations",
]

# A type checker would take any name for one of the room.
if not TYPE_CHECKING:

    def __getattr__(name):
        # Not at the top: whatever is checked here would load scikit-learn's metrics.
        if name == "Annotations":
            from ._raters import Annotations

            return Annotations
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
