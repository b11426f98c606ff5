"""The precision that is left after a gain of recall."""

from dataclasses import dataclass
from typing import ClassVar

from .._numbers import check_number
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
