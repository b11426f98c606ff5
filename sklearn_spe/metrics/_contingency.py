"""Metrics of all four cells of the confusion matrix, and their expectations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._label_distribution import LabelDistribution
from ._metric import ThresholdMetric


@dataclass(frozen=True, eq=False)
class Contingency:
    r"""Building blocks of metrics of the confusion matrix, with their derivatives.

    Given A of N items predicted positive, the metrics are functions of the determinant
    :math:`TP\,TN - FP\,FN = N\,TP - A N_p`, which is linear in the labels, and of the number of
    pairs of a positive and a negative, :math:`N_p (N - N_p)`, which is quadratic. `above`
    (n_cells,) is the share of each cell predicted positive; `given` (n_draws,) is the number of
    positives, if known.
    """

    distribution: LabelDistribution
    above: np.ndarray
    given: np.ndarray | None

    @cached_property
    def n_positive(self) -> np.ndarray:
        """The expected number of positives, of shape (n_draws,)."""
        return self.distribution.n_positive if self.given is None else self.given

    @cached_property
    def n_positive_slope(self) -> float:
        """Its derivative by one label."""
        return 1.0 if self.given is None else 0.0

    @cached_property
    def n_called(self) -> float:
        """Number of predicted positives."""
        return float(np.einsum("j,j->", self.distribution.counts, self.above))

    @cached_property
    def tp(self) -> np.ndarray:
        """Expected number of true positives, (n_draws,)."""
        return np.einsum("ij,j->i", self.distribution.mean, self.above)

    @cached_property
    def determinant(self) -> np.ndarray:
        """Expected determinant, (n_draws,)."""
        return self.distribution.n_items * self.tp - self.n_called * self.n_positive

    @cached_property
    def determinant_slope(self) -> np.ndarray:
        """Its derivative by the label of an item in each cell, (n_cells,)."""
        return self.distribution.n_items * self.above - self.n_called * self.n_positive_slope

    @cached_property
    def n_pairs(self) -> np.ndarray:
        """Expected number of pairs of a positive and a negative, (n_draws,)."""
        # No item is paired with itself. With a single class rounding may give a negative number.
        drawn = self.n_positive_slope * self.distribution.variance.sum(axis=1)
        return np.maximum(
            self.n_positive * (self.distribution.n_items - self.n_positive) - drawn, 0.0
        )

    @cached_property
    def n_pairs_slope(self) -> np.ndarray | float:
        """Its derivative by the label of an item in each cell, (n_draws, n_cells)."""
        others = self.n_positive[:, np.newaxis] - self.distribution.probability
        return self.n_positive_slope * (self.distribution.n_items - 1.0 - 2.0 * others)

    @property
    def n_pairs_pairs(self) -> float:
        """Its second derivative by two labels."""
        return -2.0 * self.n_positive_slope


@dataclass(frozen=True)
class BalancedAccuracy(ThresholdMetric):
    """Mean of recall and specificity.

    If all items belong to one class it is the accuracy on that class, as in scikit-learn's
    `balanced_accuracy_score`.

    Examples
    --------
    One of two positives and six of eight negatives are predicted correctly:

    >>> from sklearn_spe.metrics import BalancedAccuracy
    >>> float(BalancedAccuracy().value(tp=1, fp=2, n_positive=2, n_negative=8))
    0.625
    """

    name: ClassVar[str] = "balanced_accuracy"

    def value(self, tp, fp, n_positive, n_negative):
        recall, specificity = ratio(tp, n_positive), ratio(n_negative - fp, n_negative)
        of_one = np.where(np.isnan(recall), specificity, recall)
        of_both = (recall + specificity) / 2.0
        return np.where(np.isnan(of_both), of_one, of_both)

    def expected_ratio(self, distribution, above, n_positive):
        table = Contingency(distribution, above, n_positive)
        both = table.n_pairs > 0.0
        # With a single class it is the accuracy.
        right = distribution.n_items - table.n_called - table.n_positive + 2.0 * table.tp
        right_slope = 2.0 * above - table.n_positive_slope
        rows = both[:, np.newaxis]
        return ExpectedRatio(
            distribution,
            np.where(both, table.determinant + table.n_pairs, right),
            np.where(both, 2.0 * table.n_pairs, distribution.n_items),
            np.where(rows, table.determinant_slope + table.n_pairs_slope, right_slope),
            np.where(rows, 2.0 * table.n_pairs_slope, 0.0),
            table.n_pairs_pairs,
            2.0 * table.n_pairs_pairs,
        )


@dataclass(frozen=True)
class CohenKappa(ThresholdMetric):
    r"""Cohen's kappa: agreement of decisions and classes beyond chance, in [-1, 1].

    .. math:: \frac{2 (TP\,TN - FP\,FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    Undefined if all items belong to one class and are predicted as such; scikit-learn's
    `cohen_kappa_score` is NaN there.

    Examples
    --------
    >>> from sklearn_spe.metrics import CohenKappa
    >>> float(CohenKappa().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "cohen_kappa"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, n_positive, n_negative):
        fn, tn = n_positive - tp, n_negative - fp
        chance = (tp + fp) * n_negative + n_positive * (fn + tn)
        return ratio(2.0 * (tp * tn - fp * fn), chance)

    def expected_ratio(self, distribution, above, n_positive):
        table = Contingency(distribution, above, n_positive)
        n, called = distribution.n_items, table.n_called
        return ExpectedRatio(
            distribution,
            2.0 * table.determinant,
            called * (n - table.n_positive) + (n - called) * table.n_positive,
            2.0 * table.determinant_slope,
            table.n_positive_slope * (n - 2.0 * called),
        )


@dataclass(frozen=True)
class MatthewsCorrcoef(ThresholdMetric):
    r"""Matthews correlation coefficient of decisions and classes, in [-1, 1].

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Undefined if all items belong to one class, or are predicted as one; scikit-learn's
    `matthews_corrcoef` is zero there.

    Examples
    --------
    >>> from sklearn_spe.metrics import MatthewsCorrcoef
    >>> float(MatthewsCorrcoef().value(tp=3, fp=1, n_positive=4, n_negative=4))
    0.5
    """

    name: ClassVar[str] = "matthews_corrcoef"
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def value(self, tp, fp, n_positive, n_negative):
        # If all items lie above the threshold, rounding may give negative counts below.
        fn, tn = np.maximum(n_positive - tp, 0.0), np.maximum(n_negative - fp, 0.0)
        # Separate square roots: the product of four counts would lose precision, or overflow.
        spread = np.sqrt(tp + fp) * np.sqrt(fn + tn) * np.sqrt(n_positive) * np.sqrt(n_negative)
        return ratio(tp * tn - fp * fn, spread)

    def expected_ratio(self, distribution, above, n_positive):
        table = Contingency(distribution, above, n_positive)
        spread = np.sqrt(table.n_called * np.maximum(distribution.n_items - table.n_called, 0.0))
        return ExpectedRatio(
            distribution,
            ratio(table.determinant, spread),
            table.n_pairs,
            ratio(table.determinant_slope, spread),
            table.n_pairs_slope,
            denominator_pairs=table.n_pairs_pairs,
            power=0.5,
        )
