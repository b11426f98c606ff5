"""The equal error rate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._division import ratio
from ._metric import RankingMetric, with_origin


@dataclass(frozen=True)
class EqualErrorRate(RankingMetric):
    """The error rate at the threshold with equal false positive and false negative rates.

    The intersection of the ROC curve, linearly interpolated, with the antidiagonal.
    """

    name: ClassVar[str] = "equal_error_rate"
    greater_is_better: ClassVar[bool] = False
    zero_division: ClassVar[float] = np.nan

    def value(self, tp, fp, *, steps=True):
        tp, fp = with_origin(tp), with_origin(fp)
        fpr, fnr = ratio(fp, fp[:, -1:]), 1.0 - ratio(tp, tp[:, -1:])
        # The excess increases from -1 to 1; find the first point where it is nonnegative.
        excess = fpr - fnr
        at = np.argmax(excess >= 0.0, axis=1)
        rows = np.arange(len(tp))
        after, before = excess[rows, at], excess[rows, np.maximum(at - 1, 0)]
        share = ratio(-before, after - before)
        start = fpr[rows, np.maximum(at - 1, 0)]
        return start + share * (fpr[rows, at] - start)
