"""The area under the ROC curve."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._metric import RankingMetric, ratio, with_origin


@dataclass(frozen=True)
class RocAuc(RankingMetric):
    """The probability that a positive scores above a negative, ties counting half."""

    name: ClassVar[str] = "roc_auc"
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, *, steps=True):
        tp, fp = with_origin(tp), with_origin(fp)
        area = (np.diff(fp, axis=1) * (tp[:, 1:] + tp[:, :-1])).sum(axis=1) / 2.0
        return ratio(area, tp[:, -1] * fp[:, -1])
