"""Metrics of the trade-off between precision and recall, and of probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..inputs._validation import check_count, check_number
from ._expectation import ratio
from ._metric import Metric, TradeoffMetric

# Distance of probabilities from 0 and 1 in the log loss, as scikit-learn's.
RESOLUTION = float(np.finfo(float).eps)


@dataclass(frozen=True)
class PrecisionRecallSlope(TradeoffMetric):
    r"""The derivative of precision with respect to recall, :math:`dP / dR` [1]_.

    The slope is the precision lost at a lower threshold. With the recall R and the precision P at
    the threshold, and the probability q that an item at the threshold is positive, it is

    .. math:: \frac{dP}{dR} = \frac{P}{R} \left(1 - \frac{P}{q}\right) .

    The slope is unbounded below as q goes to zero, so its posterior mean may not exist. On a finite
    sample, where the derivative would be 0 or infinite, it is the slope of a secant that spans
    several items.

    .. versionadded:: 0.1

    Parameters
    ----------
    least_items : int, default=10
        The secant spans at least this number of items.
    share : float, default=0.01
        The secant spans at least this share of all items.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.
    """

    least_items: int = 10
    share: float = 0.01

    name: ClassVar[str] = "precision_recall_slope"
    meaning: ClassVar[str] = (
        "The change of precision per change of recall, if the threshold is lowered a little."
    )
    computed: ClassVar[str] = (
        "the slope of the precision-recall curve at the threshold; of a sample, that of a secant "
        "over the next items below it."
    )

    def __post_init__(self) -> None:
        check_count(self.least_items, "least_items")
        check_number(self.share, "share", "[0, 1]")

    def value(
        self,
        tp: np.ndarray,
        fp: np.ndarray,
        n_positive: np.ndarray,
        tp_below: np.ndarray,
        fp_below: np.ndarray,
        probability: np.ndarray | None = None,
    ) -> Any:
        if probability is not None:
            return self.tangent(tp, fp, n_positive, probability)
        # The number of predicted positives is the same for every label draw of a sample.
        called = (tp + fp)[0]
        called_below = (tp_below + fp_below)[0]
        # Tolerance: sums of weights reach a number only up to rounding.
        n_called = (called + self.span(called_below[-1])) * (1.0 - 1e-12)
        index = np.minimum(np.searchsorted(called_below, n_called), len(called_below) - 1)
        return self.secant(tp, fp, n_positive, tp_below[:, index], fp_below[:, index])

    def span(self, n_items: float) -> float:
        """Return the number of items that the secant of a sample spans."""
        return max(self.least_items, self.share * n_items)

    def tangent(
        self, tp: np.ndarray, fp: np.ndarray, n_positive: np.ndarray, probability: np.ndarray
    ) -> np.ndarray:
        """Return the slope of a continuous curve; all arguments broadcast.

        Parameters
        ----------
        tp, fp, n_positive : ndarray
            Counts at the threshold.
        probability : ndarray
            Probability that an item at the threshold is positive.
        """
        precision = ratio(tp, tp + fp)
        recall = ratio(tp, n_positive)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return precision / recall * (1.0 - precision / probability)

    def secant(
        self,
        tp: np.ndarray,
        fp: np.ndarray,
        n_positive: np.ndarray,
        tp_below: np.ndarray,
        fp_below: np.ndarray,
    ) -> np.ndarray:
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

    It is the finite-sample counterpart of the derivative of precision with respect to recall. It is
    undefined if recall cannot increase by this amount.

    .. versionadded:: 0.1

    Parameters
    ----------
    recall_gain : float in (0, 1), default=0.1
    """

    recall_gain: float = 0.1

    name: ClassVar[str] = "precision_after_gain"
    meaning: ClassVar[str] = (
        "The precision at a threshold that is lowered until recall is higher by a given gain."
    )
    computed: ClassVar[str] = (
        "the precision at the highest threshold whose recall is larger by the gain."
    )

    def __post_init__(self) -> None:
        check_number(self.recall_gain, "recall_gain", "(0, 1)")

    def value(
        self,
        tp: np.ndarray,
        fp: np.ndarray,
        n_positive: np.ndarray,
        tp_below: np.ndarray,
        fp_below: np.ndarray,
        probability: np.ndarray | None = None,
    ) -> Any:
        target = ratio(tp, n_positive) + self.recall_gain
        recall = ratio(tp_below, n_positive)
        precision = ratio(tp_below, tp_below + fp_below)

        after = np.full(target.shape, np.nan)
        for i, row in enumerate(recall):
            # Tolerance: sums of counts reach a recall only up to rounding.
            index = np.searchsorted(row, target[i] - 1e-12)
            reached = np.flatnonzero((index < len(row)) & np.isfinite(target[i]))
            if probability is None:
                after[i, reached] = precision[i, index[reached]]
            else:
                after[i, reached] = np.interp(target[i, reached], row, precision[i])

        return after


@dataclass(frozen=True)
class ProbabilityMetric(Metric):
    """Metric of predicted probabilities.

    It uses scores as probabilities of the positive class, and has no threshold.
    """

    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    @abstractmethod
    def value(
        self, positive: np.ndarray, negative: np.ndarray, probability: np.ndarray
    ) -> np.ndarray:
        """Return the metric; the last axis of all arguments is over cells of equal scores.

        Parameters
        ----------
        positive, negative : ndarray of shape (..., n_cells)
            Number of items of each class.
        probability : ndarray of shape (n_cells,)
            Predicted probability of the items of each cell.
        """

    def __call__(self, y_true: np.ndarray, y_score: np.ndarray) -> float:
        """Return the metric of labels 0 and 1 and predicted probabilities."""
        y_true = np.asarray(y_true, dtype=float)
        return float(self.value(y_true, 1.0 - y_true, np.asarray(y_score, dtype=float)))


@dataclass(frozen=True)
class MeanLoss(ProbabilityMetric):
    """The mean loss of predicted probabilities over items."""

    @abstractmethod
    def losses(self, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses of a predicted probability for a negative and a positive item."""

    def value(
        self, positive: np.ndarray, negative: np.ndarray, probability: np.ndarray
    ) -> np.ndarray:
        if_negative, if_positive = self.losses(probability)
        lost = np.einsum("...j,j->...", positive, if_positive)
        lost = lost + np.einsum("...j,j->...", negative, if_negative)
        return ratio(lost, np.sum(positive, axis=-1) + np.sum(negative, axis=-1))


@dataclass(frozen=True)
class BrierScore(MeanLoss):
    """The mean squared difference of probability and label; 0 is best.

    As scikit-learn's `brier_score_loss`.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics._tradeoff import BrierScore
    >>> positive, negative, probability = np.array([[0, 1], [1, 0], [0.2, 0.6]])
    >>> float(BrierScore().value(positive, negative, probability).round(6))
    0.1
    """

    name: ClassVar[str] = "brier_score"
    meaning: ClassVar[str] = "The mean squared error of the predicted probabilities; 0 is perfect."
    computed: ClassVar[str] = (
        "the mean of the squared differences of predicted probabilities and labels."
    )
    aliases: ClassVar[tuple[str, ...]] = ("brier", "brierscoreloss")

    def losses(self, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return probability**2, (1.0 - probability) ** 2


@dataclass(frozen=True)
class LogLoss(MeanLoss):
    """The mean negative log probability of the true class; 0 is best.

    As scikit-learn's `log_loss`: probabilities are clipped to 2.2e-16 from 0 and 1, so a
    certain and wrong prediction has the loss 36, not infinity. If predictions are exactly 0 or 1, a
    few such items dominate; `BrierScore` is bounded.

    .. versionadded:: 0.1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics._tradeoff import LogLoss
    >>> positive, negative, probability = np.array([[0, 1], [1, 0], [0.2, 0.6]])
    >>> float(LogLoss().value(positive, negative, probability).round(6))
    0.366985
    """

    name: ClassVar[str] = "log_loss"
    meaning: ClassVar[str] = (
        "The mean negative logarithm of the probability predicted for the true class."
    )
    computed: ClassVar[str] = "the mean of minus the logarithm of that probability."
    aliases: ClassVar[tuple[str, ...]] = ("crossentropy", "nll", "logarithmicloss")
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def losses(self, probability: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        known = np.clip(probability, RESOLUTION, 1.0 - RESOLUTION)
        return -np.log1p(-known), -np.log(known)


@dataclass(frozen=True)
class ExpectedCalibrationError(ProbabilityMetric):
    r"""The mean distance between predicted probabilities and outcomes over bins; 0 is best.

    .. math:: \sum_b \frac{n_b}{n} \left| \bar y_b - \bar p_b \right|

    The bins have equal width in the probability of the positive class and include their upper end,
    as in scikit-learn's `calibration_curve`. If a bin has few items, the error is above 0 even for
    calibrated probabilities, also with all labels known.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_bins : int, default=10

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.metrics import ExpectedCalibrationError
    >>> positive, negative, probability = np.array([[0, 1], [1, 0], [0.2, 0.6]])
    >>> float(ExpectedCalibrationError().value(positive, negative, probability).round(6))
    0.3
    """

    n_bins: int = 10

    name: ClassVar[str] = "expected_calibration_error"
    meaning: ClassVar[str] = (
        "How far predicted probabilities are from the shares of positives, on average; 0 is best."
    )
    computed: ClassVar[str] = (
        "the distance of the mean predicted probability and the share of positives in each of"
        " ten bins of equal width, averaged over the items."
    )
    aliases: ClassVar[tuple[str, ...]] = ("ece", "calibrationerror")

    def __post_init__(self) -> None:
        check_count(self.n_bins, "n_bins")

    def value(
        self, positive: np.ndarray, negative: np.ndarray, probability: np.ndarray
    ) -> np.ndarray:
        inner_edges = np.linspace(0.0, 1.0, self.n_bins + 1)[1:-1]
        bins = np.searchsorted(inner_edges, probability)
        in_bins = (bins[:, np.newaxis] == np.arange(self.n_bins)).astype(float)
        counts = positive + negative
        excess = np.einsum("...j,jb->...b", positive - counts * probability, in_bins)
        return ratio(np.abs(excess).sum(axis=-1), np.sum(counts, axis=-1))
