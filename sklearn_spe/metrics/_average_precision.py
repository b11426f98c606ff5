"""Average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._expected_ratio import ExpectedRatio
from ._label_distribution import sum_above, sum_below
from ._metric import RankingMetric, with_origin
from ._ratios import Precision


@dataclass(frozen=True)
class AveragePrecision(RankingMetric):
    r"""The mean precision over recall, :math:`\sum_n (R_n - R_{n-1}) P_n`.

    On a finite sample the exact sum over its distinct scores, as scikit-learn's
    `average_precision_score`; on a continuous curve the area under it.

    Under independent labels :math:`N_p AP` is quadratic (eq. 12 of [1]_, where :math:`E[z^2]`
    should be :math:`p`). With the expected positives :math:`\mu_c` of a cell of :math:`m_c` items,
    those of all higher cells :math:`M_c` among :math:`N_c` items, and f = 1 if the items of the
    cell are tied, 1/2 if they are neighbors, so that each has on average half of the others above
    it,

    .. math:: E[N_p AP] = \sum_c \frac{\mu_c (M_c + 1) + f (\mu_c^2 - \sum_{i \in c} p_i^2)}
        {N_c + 1 + f (m_c - 1)} ,

    exact for ties; for neighbors, up to the curvature of the ranks within a cell.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.
    """

    name: ClassVar[str] = "average_precision"
    averages: ClassVar[Precision] = Precision()

    def value(self, tp, fp, *, steps=True):
        precision = ratio(tp, tp + fp)
        if not np.all(steps):
            # Between two points of a continuous curve the precision is about the mean of
            # both; above the first threshold it is that of the first.
            before = np.concatenate([precision[:, :1], precision[:, :-1]], axis=1)
            before = np.where(np.isnan(before) | steps, precision, before)
            precision = (precision + before) / 2.0
        gained = np.diff(with_origin(tp), axis=1)
        area = np.where(gained > 0.0, gained * precision, 0.0).sum(axis=1)
        # Sums of non-integer weights may exceed their total by rounding.
        return np.minimum(ratio(area, tp[:, -1]), 1.0)

    def expected_ratio(self, distribution, above, n_positive):
        within = np.where(distribution.single, 1.0, 0.5)
        # A cell without items has no rank.
        rank = distribution.counts_above + 1.0 + within * (distribution.counts - 1.0)
        rank = np.where(distribution.counts > 0.0, rank, 1.0)
        higher = sum_above(distribution.mean) + 1.0
        pairs = distribution.mean**2 - distribution.squares
        area = ((distribution.mean * higher + within * pairs) / rank).sum(axis=1)
        others = 2.0 * within * (distribution.mean - distribution.probability)
        slope = (higher + others) / rank + sum_below(distribution.mean / rank)
        if n_positive is not None:
            return ExpectedRatio(distribution, area, n_positive, slope, 0.0)
        return ExpectedRatio(distribution, area, distribution.n_positive, slope, 1.0)
