"""The cost of a lower threshold: precision lost per recall gained."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..inputs._numbers import check_count, check_number
from ._division import ratio
from ._metric import TradeoffMetric


@dataclass(frozen=True)
class PrecisionRecallSlope(TradeoffMetric):
    r"""The derivative of precision with respect to recall, :math:`dP / dR` [1]_.

    The precision lost at a lower threshold. With the recall R and the precision P at the threshold,
    and the probability q that an item at the threshold is positive,

    .. math:: \frac{dP}{dR} = \frac{P}{R} \left(1 - \frac{P}{q}\right) .

    It is unbounded below as q goes to zero, so that its posterior mean need not exist. On a finite
    sample it would be 0 or infinite at every item; there it is the slope of a secant that spans
    several items.

    Parameters
    ----------
    least_items : int, default=10
        The secant spans at least this number of items ...
    share : float, default=0.01
        ... and at least this share of all.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.
    """

    least_items: int = 10
    share: float = 0.01

    name: ClassVar[str] = "precision_recall_slope"

    def __post_init__(self):
        check_count(self.least_items, "least_items")
        check_number(self.share, "share", "[0, 1]")

    def value(self, tp, fp, n_positive, tp_below, fp_below, probability=None):
        if probability is not None:
            return self.tangent(tp, fp, n_positive, probability)
        # The number of predicted positives is the same for every label draw of a sample.
        called, called_below = (tp + fp)[0], (tp_below + fp_below)[0]
        # Tolerance: sums of weights reach a number only up to rounding.
        wanted = (called + self.span(called_below[-1])) * (1.0 - 1e-12)
        at = np.minimum(np.searchsorted(called_below, wanted), len(called_below) - 1)
        return self.secant(tp, fp, n_positive, tp_below[:, at], fp_below[:, at])

    def span(self, n_items) -> float:
        """Return the number of items that the secant of a sample spans."""
        return max(self.least_items, self.share * n_items)

    def tangent(self, tp, fp, n_positive, probability) -> np.ndarray:
        """Return the slope of a continuous curve; all arguments broadcast.

        Parameters
        ----------
        tp, fp, n_positive : ndarray
            Counts at the threshold.
        probability : ndarray
            Probability that an item at the threshold is positive.
        """
        precision, recall = ratio(tp, tp + fp), ratio(tp, n_positive)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return precision / recall * (1.0 - precision / probability)

    def secant(self, tp, fp, n_positive, tp_below, fp_below) -> np.ndarray:
        """Return the slope between two operating points; all arguments broadcast.

        Minus infinity if the lower threshold gains no positive.
        """
        fall = ratio(tp_below, tp_below + fp_below) - ratio(tp, tp + fp)
        gained = ratio(tp_below - tp, n_positive)
        with np.errstate(divide="ignore", invalid="ignore"):
            return fall / gained


@dataclass(frozen=True)
class PrecisionAfterGain(TradeoffMetric):
    """The precision at the lower threshold that increases recall by a given amount.

    The finite-sample counterpart of the slope of precision by recall. Undefined if recall cannot
    increase by this amount.

    Parameters
    ----------
    recall_gain : float in (0, 1), default=0.1
    """

    recall_gain: float = 0.1

    name: ClassVar[str] = "precision_after_gain"

    def __post_init__(self):
        check_number(self.recall_gain, "recall_gain", "(0, 1)")

    def value(self, tp, fp, n_positive, tp_below, fp_below, probability=None):
        wanted = ratio(tp, n_positive) + self.recall_gain
        recall, precision = ratio(tp_below, n_positive), ratio(tp_below, tp_below + fp_below)
        after = np.full(wanted.shape, np.nan)
        for i, row in enumerate(recall):
            # Tolerance: sums of counts reach a recall only up to rounding.
            reached = np.searchsorted(row, wanted[i] - 1e-12)
            found = np.flatnonzero((reached < len(row)) & np.isfinite(wanted[i]))
            if probability is None:
                after[i, found] = precision[i, reached[found]]
            else:
                after[i, found] = np.interp(wanted[i, found], row, precision[i])
        return after
