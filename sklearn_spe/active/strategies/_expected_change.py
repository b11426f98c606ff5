"""The items whose labels have the largest expected reduction of the variance of the estimate."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_count, check_number
from ._strategy import Strategy


@dataclass(frozen=True)
class ExpectedChange(Strategy):
    r"""The items whose label has the largest expected reduction of the variance of the metric.

    One more label :math:`z` of an item reduces the posterior variance of a metric M in expectation
    by :math:`A^2 / V`, with :math:`A = \operatorname{Cov}(M, z)` and :math:`V` the variance of the
    label; this is exact, as a label is binary. The items of a batch are selected sequentially, each
    given the expected information of those before.

    In random draws, a cell of neighboring scores is drawn in proportion to a power of its gain, and
    one of its items uniformly. The power is high for the first labels, which are then nearly
    optimal. Random draws cost little, and protect against a model that is wrong where all labels
    would otherwise concentrate. Where selections are to be proved by the sampling design
    (``interval="anytime"``), items are drawn so that a proof takes few labels.

    Parameters
    ----------
    sharp_until : int, default=20
        Number of labels that are drawn with the high power.
    sharpness : float, default=8.0
        The power of gains for these labels.
    power : float, default=2.0
        The power of gains for later labels.
    """

    sharp_until: int = 20
    sharpness: float = 8.0
    power: float = 2.0

    name: ClassVar[str] = "expected_change"
    needs: ClassVar[tuple[str, ...]] = ("information",)
    looks_again: ClassVar[bool] = True

    def __post_init__(self):
        check_count(self.sharp_until, "sharp_until", 0)
        check_number(self.sharpness, "sharpness", "[0, 100]")
        check_number(self.power, "power", "[0, 100]")

    def utilities(self, pool):
        return pool.information.gains[pool.cells]

    def weights(self, pool):
        gains = pool.information.gains
        if pool.information.are_inclusion_proba:
            return gains[pool.cells]
        left = np.bincount(pool.cells[pool.free], pool.counts[pool.free], len(gains))
        gains = np.where(left > 0, gains, 0.0)
        largest = gains.max(initial=0.0)
        if not largest > 0.0:
            return np.ones(pool.n_items)
        power = self.sharpness if pool.n_labeled < self.sharp_until else self.power
        return ((gains / largest) ** power / np.maximum(left, 1))[pool.cells]
