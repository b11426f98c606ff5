"""Average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._metric import RankingMetric, ratio, with_origin


@dataclass(frozen=True)
class AveragePrecision(RankingMetric):
    r"""The mean precision over recall, :math:`\sum_n (R_n - R_{n-1}) P_n`.

    On a finite sample the exact sum over its distinct scores, as scikit-learn's
    `average_precision_score`; on a continuous curve the area under it.
    """

    name: ClassVar[str] = "average_precision"

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
        return ratio(area, tp[:, -1])
