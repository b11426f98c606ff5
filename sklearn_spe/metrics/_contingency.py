"""Metrics of all four counts of a decision, and the table of these when labels are random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._label_law import LabelLaw
from ._metric import ThresholdMetric


@dataclass(frozen=True, eq=False)
class Contingency:
    r"""What metrics of all four counts of a decision are made of, each with its derivatives.

    With A of N items called positive, which is known, they are functions of the determinant
    :math:`TP\,TN - FP\,FN = N\,TP - A N_p`, which is linear in the labels, and of the number of
    pairs of a positive and a negative, :math:`N_p (N - N_p)`, which has products of two.

    Parameters
    ----------
    law : LabelLaw
    above : ndarray of shape (n_cells,)
        The share of each cell's items that is called positive.
    given : ndarray of shape (n_draws,) or None
        The number of positives, where it is known.
    """

    law: LabelLaw
    above: np.ndarray
    given: np.ndarray | None

    @cached_property
    def n_positive(self) -> np.ndarray:
        """The expected number of positives, of shape (n_draws,)."""
        return self.law.n_positive if self.given is None else self.given

    @cached_property
    def n_positive_slope(self) -> float:
        """How one label changes it."""
        return 1.0 if self.given is None else 0.0

    @cached_property
    def n_called(self) -> float:
        """How many items are called positive."""
        return float(np.einsum("j,j->", self.law.counts, self.above))

    @cached_property
    def tp(self) -> np.ndarray:
        """How many of them are expected to be positive, of shape (n_draws,)."""
        return np.einsum("ij,j->i", self.law.mean, self.above)

    @cached_property
    def determinant(self) -> np.ndarray:
        """Its expectation, of shape (n_draws,)."""
        return self.law.n_items * self.tp - self.n_called * self.n_positive

    @cached_property
    def determinant_slope(self) -> np.ndarray:
        """How the label of an item in each cell changes it, of shape (n_cells,)."""
        return self.law.n_items * self.above - self.n_called * self.n_positive_slope

    @cached_property
    def n_pairs(self) -> np.ndarray:
        """The expected number of pairs of two classes, of shape (n_draws,)."""
        # No item makes a pair with itself. Of one class alone rounding may leave less than none.
        drawn = self.n_positive_slope * self.law.variance.sum(axis=1)
        return np.maximum(self.n_positive * (self.law.n_items - self.n_positive) - drawn, 0.0)

    @cached_property
    def n_pairs_slope(self) -> np.ndarray | float:
        """How the label of an item in each cell changes it, of shape (n_draws, n_cells)."""
        others = self.n_positive[:, np.newaxis] - self.law.probability
        return self.n_positive_slope * (self.law.n_items - 1.0 - 2.0 * others)

    @property
    def n_pairs_pairs(self) -> float:
        """How two labels change it beyond what each does."""
        return -2.0 * self.n_positive_slope


@dataclass(frozen=True)
class BalancedAccuracy(ThresholdMetric):
    """The mean of recall and specificity: each class counts as much as the other.

    Where all items are of one class it is the share of them that is right, as in scikit-learn's
    `balanced_accuracy_score`.

    Examples
    --------
    Of two positives one is found, of eight negatives six are let alone:

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

    def expected_ratio(self, law, above, n_positive):
        table = Contingency(law, above, n_positive)
        both = table.n_pairs > 0.0
        # Of one class alone it is the share of items that are right.
        right = law.n_items - table.n_called - table.n_positive + 2.0 * table.tp
        right_slope = 2.0 * above - table.n_positive_slope
        rows = both[:, np.newaxis]
        return ExpectedRatio(
            law,
            np.where(both, table.determinant + table.n_pairs, right),
            np.where(both, 2.0 * table.n_pairs, law.n_items),
            np.where(rows, table.determinant_slope + table.n_pairs_slope, right_slope),
            np.where(rows, 2.0 * table.n_pairs_slope, 0.0),
            table.n_pairs_pairs,
            2.0 * table.n_pairs_pairs,
        )


@dataclass(frozen=True)
class CohenKappa(ThresholdMetric):
    r"""The agreement of decisions and classes beyond that of chance, between -1 and 1.

    .. math:: \frac{2 (TP\,TN - FP\,FN)}{(TP + FP)(FP + TN) + (TP + FN)(FN + TN)}

    Not defined where all items are of one class and all are called that; scikit-learn's
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

    def expected_ratio(self, law, above, n_positive):
        table = Contingency(law, above, n_positive)
        n, called = law.n_items, table.n_called
        return ExpectedRatio(
            law,
            2.0 * table.determinant,
            called * (n - table.n_positive) + (n - called) * table.n_positive,
            2.0 * table.determinant_slope,
            table.n_positive_slope * (n - 2.0 * called),
        )


@dataclass(frozen=True)
class MatthewsCorrcoef(ThresholdMetric):
    r"""The correlation of decisions and classes, between -1 and 1.

    .. math:: \frac{TP\,TN - FP\,FN}{\sqrt{(TP + FP)(TP + FN)(TN + FP)(TN + FN)}}

    Not defined where all items are of one class, or all are called one; scikit-learn's
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
        # Where all lie above the threshold, rounding may leave less than nothing below it.
        fn, tn = np.maximum(n_positive - tp, 0.0), np.maximum(n_negative - fp, 0.0)
        # Each root by itself: the product of four counts would lose digits, or overflow.
        spread = np.sqrt(tp + fp) * np.sqrt(fn + tn) * np.sqrt(n_positive) * np.sqrt(n_negative)
        return ratio(tp * tn - fp * fn, spread)

    def expected_ratio(self, law, above, n_positive):
        table = Contingency(law, above, n_positive)
        spread = np.sqrt(table.n_called * np.maximum(law.n_items - table.n_called, 0.0))
        return ExpectedRatio(
            law,
            ratio(table.determinant, spread),
            table.n_pairs,
            ratio(table.determinant_slope, spread),
            table.n_pairs_slope,
            denominator_pairs=table.n_pairs_pairs,
            power=0.5,
        )
