"""The equal error rate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._metric import RankingMetric, with_origin


@dataclass(frozen=True)
class EqualErrorRate(RankingMetric):
    """The rate at which as large a share of the negatives is accepted as of positives missed.

    Where the ROC curve, drawn with straight lines between its points, meets the falling
    diagonal.
    """

    name: ClassVar[str] = "equal_error_rate"
    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, *, steps=True):
        tp, fp = with_origin(tp), with_origin(fp)
        fpr, fnr = ratio(fp, fp[:, -1:]), 1.0 - ratio(tp, tp[:, -1:])
        # The excess rises from -1 to 1; the first point at which it is not negative.
        excess = fpr - fnr
        at = np.argmax(excess >= 0.0, axis=1)
        rows = np.arange(len(tp))
        after, before = excess[rows, at], excess[rows, np.maximum(at - 1, 0)]
        share = ratio(-before, after - before)
        start = fpr[rows, np.maximum(at - 1, 0)]
        return start + share * (fpr[rows, at] - start)
