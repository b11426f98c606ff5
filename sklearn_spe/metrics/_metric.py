"""The contract of a metric: a number from how many positives and negatives lie where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Metric(ABC):
    """A performance measure. Where it is not defined its value is NaN.

    `zero_division` is what takes the place of NaN, as in scikit-learn; a goal is a lower bound
    if `greater_is_better`, else an upper one.
    """

    name: ClassVar[str]
    greater_is_better: ClassVar[bool] = True
    zero_division: ClassVar[float] = 0.0


@dataclass(frozen=True)
class ThresholdMetric(Metric):
    """A measure of the decision ``score >= threshold``."""

    @abstractmethod
    def value(self, tp, fp, n_positive, n_negative) -> np.ndarray:
        """Return the metric of counts (or probabilities); all arguments broadcast."""


@dataclass(frozen=True)
class RankingMetric(Metric):
    """A measure of the whole ranking by score."""

    @abstractmethod
    def value(self, tp, fp, *, steps: bool = True) -> np.ndarray:
        """Return the metric of each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Positives and negatives at or above each threshold, thresholds falling; the
            last column holds all of them.
        steps : bool or ndarray of shape (n_thresholds,), default=True
            Where the curve goes to a threshold at once, as at every score of a finite
            sample. Elsewhere the thresholds are points of a continuous curve.
        """


@dataclass(frozen=True)
class TradeoffMetric(Metric):
    """A measure of what a threshold lower than the one at hand would buy and cost.

    It is a matter of the curve below the threshold. Undefined values are left out.
    """

    zero_division: ClassVar[float] = np.nan

    @abstractmethod
    def value(self, tp, fp, n_positive, tp_below, fp_below, probability=None) -> np.ndarray:
        """Return the metric at each threshold, for each row.

        Parameters
        ----------
        tp, fp : ndarray of shape (n_draws, n_thresholds)
            Positives and negatives at or above the thresholds.
        n_positive : ndarray of shape (n_draws, 1)
        tp_below, fp_below : ndarray of shape (n_draws, n_below)
            The same at falling thresholds, from the highest of those asked for on. Of a sample
            they are all its scores, or as many as there are cells, down to the lowest.
        probability : ndarray of shape (n_draws, n_thresholds), default=None
            That an item right at the threshold is positive, where the curve is continuous; None
            for a finite sample.

        Returns
        -------
        values : ndarray of shape (n_draws, n_thresholds)
        """


def ratio(numerator, denominator) -> np.ndarray:
    """Divide; NaN where the denominator is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.divide(numerator, denominator)
    # What is divided here is never negative: x / 0 is either nan or inf.
    return np.where(np.isinf(quotient), np.nan, quotient)


def with_origin(counts) -> np.ndarray:
    """Put the threshold above all scores, where nothing is counted, before the others."""
    return np.concatenate([np.zeros((len(counts), 1)), counts], axis=1)
