"""The area under the ROC curve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._label_distribution import sum_above, sum_below
from ._metric import RankingMetric, with_origin


@dataclass(frozen=True)
class RocAuc(RankingMetric):
    r"""The probability that a positive scores above a negative, ties counting half.

    Under independent labels the number of pairs in order, and that of all pairs, are quadratic:
    with the expected positives :math:`\mu_c` and negatives :math:`\nu_c` of a cell, :math:`\sum_c
    \mu_c (\sum_{d \text{ below } c} \nu_d + \nu_c / 2) - V / 2` and :math:`E[N_p] E[N_n] - V`,
    where V is the variance of the number of positives: no item is paired with itself. Neighbors in
    a cell are in order half of the time, just as ties count.
    """

    name: ClassVar[str] = "roc_auc"
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, *, steps=True):
        tp, fp = with_origin(tp), with_origin(fp)
        area = (np.diff(fp, axis=1) * (tp[:, 1:] + tp[:, :-1])).sum(axis=1) / 2.0
        # Sums of non-integer weights may exceed their product by rounding.
        return np.minimum(ratio(area, tp[:, -1] * fp[:, -1]), 1.0)

    def expected_ratio(self, distribution, above, n_positive):
        positive, p = distribution.mean, distribution.probability
        negative = distribution.counts - positive
        below = sum_below(negative) + negative / 2.0
        ordered = np.einsum("ij,ij->i", positive, below) - distribution.variance.sum(axis=1) / 2.0
        # Exclude the item itself from the others of its cell, twice.
        slope = below - sum_above(positive) - positive / 2.0 + (p - 0.5)
        if n_positive is not None:
            return ExpectedRatio(
                distribution, ordered, n_positive * (distribution.n_items - n_positive), slope, 0.0
            )
        total = distribution.n_positive
        n_pairs = total * (distribution.n_items - total) - distribution.variance.sum(axis=1)
        pairs_slope = distribution.n_items - 1.0 - 2.0 * (total[:, np.newaxis] - p)
        # Second derivatives by two labels: one pair in order less, and two pairs less.
        return ExpectedRatio(distribution, ordered, n_pairs, slope, pairs_slope, -1.0, -2.0)
