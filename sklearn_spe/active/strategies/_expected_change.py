"""The items whose labels are expected to lower the variance of the estimate most."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_count, check_number
from ._strategy import Strategy


@dataclass(frozen=True)
class ExpectedChange(Strategy):
    r"""The items whose label is expected to lower the variance of the metric most.

    One more label :math:`z` of an item is expected to lower the posterior variance of a metric M
    by :math:`A^2 / V`, with :math:`A = \operatorname{Cov}(M, z)` and :math:`V` the variance of
    the label: exactly so, as a label is one of two. Items that are asked for together are taken
    one after another, each as if those before had told what they are expected to tell.

    By chance, a cell of neighbouring scores is drawn in proportion to a power of its gain, and
    one of its items at random. The power is high for the first labels, which are then nearly the
    best ones. Chance costs nothing, and guards against a model that is wrong where all labels
    would otherwise gather. Where answers are to be proved by the chances of draws
    (``interval="anytime"``), items are drawn so that a proof takes the fewest labels.

    Parameters
    ----------
    sharp_until : int, default=20
        So many labels are drawn nearly by the best gain.
    sharpness : float, default=8.0
        The power of gains by which they are drawn.
    power : float, default=2.0
        The power of gains later.
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
        if pool.information.are_chances:
            return gains[pool.cells]
        left = np.bincount(pool.cells[pool.free], pool.counts[pool.free], len(gains))
        gains = np.where(left > 0, gains, 0.0)
        largest = gains.max(initial=0.0)
        if not largest > 0.0:
            return np.ones(pool.n_items)
        power = self.sharpness if pool.n_labeled < self.sharp_until else self.power
        return ((gains / largest) ** power / np.maximum(left, 1))[pool.cells]
