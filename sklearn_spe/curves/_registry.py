"""Registry of curves of two rates: a new one costs one file and one entry here."""

from __future__ import annotations

from ._precision_recall import PRECISION_RECALL
from ._roc import DET, ROC

__all__ = ["CURVES"]

CURVES = {curve.name: curve for curve in (PRECISION_RECALL, ROC, DET)}
