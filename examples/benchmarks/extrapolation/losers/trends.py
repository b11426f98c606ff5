"""Straight lines through the curve of accuracies, as drawn with a ruler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sklearn_spe.extrapolation import CurveMethod


@dataclass(frozen=True)
class Trend:
    """A line in the logarithm of the number of classes, kept within [0, 1].

    Attributes
    ----------
    intercept, slope : float
    logarithmic : bool
        Whether it is the logarithm of the accuracy that lies on the line.
    """

    intercept: float
    slope: float
    logarithmic: bool

    def accuracy(self, n_classes):
        """Return the line at numbers of classes."""
        heights = self.intercept + self.slope * np.log(np.asarray(n_classes, dtype=float))
        return np.clip(np.exp(heights) if self.logarithmic else heights, 0.0, 1.0)


@dataclass(frozen=True)
class LogLinear(CurveMethod):
    """The accuracy falls linearly in log k."""

    name: ClassVar[str] = "log_linear"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the line that is closest to a curve of accuracies."""
        return Trend(*_line(n_classes, accuracies, count_weights), False)


@dataclass(frozen=True)
class PowerLaw(CurveMethod):
    """The accuracy falls like a power of k."""

    name: ClassVar[str] = "power_law"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the power that is closest to a curve of accuracies, on the scale of logarithms."""
        positive = accuracies > 0.0
        if positive.sum() < 2:
            return Trend(0.0, 0.0, False)
        logs = np.log(accuracies[positive])
        return Trend(*_line(n_classes[positive], logs, count_weights[positive]), True)


def _line(n_classes, heights, count_weights):
    """Return intercept and slope by weighted least squares."""
    slope, intercept = np.polyfit(np.log(n_classes), heights, 1, w=np.sqrt(count_weights))
    return float(intercept), float(slope)
