"""Whether a fit can be believed: verdicts, reasons, suspect labels, tests against the model."""

from ._label_checks import SuspectLabels

__all__ = [
    "SuspectLabels",
]
