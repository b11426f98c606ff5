"""Reliability of a fit: verdicts, reasons, suspect labels, tests of the model."""

from ._label_checks import SuspectLabels

__all__ = [
    "SuspectLabels",
]
