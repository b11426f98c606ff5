"""Validation of user input: numbers, seeds, labels, scores, rows, responses; writing of files."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._raters import Annotations
    from ._readings import arrange_readings

__all__ = [
    "Annotations",
    "arrange_readings",
]

# A type checker would take any name for one of the room.
if not TYPE_CHECKING:

    def __getattr__(name: str):
        # Not at the top: whatever is checked here would load scikit-learn's metrics.
        if name == "Annotations":
            from ._raters import Annotations

            return Annotations
        if name == "arrange_readings":
            from ._readings import arrange_readings

            return arrange_readings
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
