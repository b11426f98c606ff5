"""Balanced accuracy."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._contingency import Contingency
from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._metric import ThresholdMetric


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
