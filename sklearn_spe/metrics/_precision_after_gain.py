"""The precision that is left after a gain of recall."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..inputs._numbers import check_number
from ._division import ratio
from ._metric import TradeoffMetric


@dataclass(frozen=True)
class PrecisionAfterGain(TradeoffMetric):
    """The precision once the threshold is so low that recall is larger by a given amount.

    What the slope of precision against recall says of small gains, in numbers that exist on a
    finite sample. Undefined where so much recall is not left to gain.

    Parameters
    ----------
    recall_gain : float in (0, 1), default=0.1
    """

    recall_gain: float = 0.1

    name: ClassVar[str] = "precision_after_gain"

    def __post_init__(self):
        check_number(self.recall_gain, "recall_gain", "(0, 1)")

    def value(self, tp, fp, n_positive, tp_below, fp_below, probability=None):
        wanted = ratio(tp, n_positive) + self.recall_gain
        recall, precision = ratio(tp_below, n_positive), ratio(tp_below, tp_below + fp_below)
        after = np.full(wanted.shape, np.nan)
        for i, row in enumerate(recall):
            # Sums of counts reach a recall only up to rounding.
            reached = np.searchsorted(row, wanted[i] - 1e-12)
            found = np.flatnonzero((reached < len(row)) & np.isfinite(wanted[i]))
            if probability is None:
                after[i, found] = precision[i, reached[found]]
            else:
                after[i, found] = np.interp(wanted[i, found], row, precision[i])
        return after
