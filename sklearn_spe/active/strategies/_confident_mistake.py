"""The items of the highest scores that are predicted negative."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._pool import ranks_from_top
from ._strategy import Strategy


@dataclass(frozen=True)
class ConfidentMistake(Strategy):
    """Most confident mistake (MCM) of [1]_: high scores of items predicted negative.

    Positives missed by noisy labels are found there. With a model that is updated by labels it is a
    poor choice: it samples one kind of error only, and inclusion probabilities of other items are
    tiny.

    Random draws are in proportion to the inverse of their rank among them.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." PMLR 80 (2018) 3759-3768.

    Examples
    --------
    >>> from sklearn_spe.active import ConfidentMistake
    >>> ConfidentMistake().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0, 1, 0, 0])
    array([3, 2])
    """

    name: ClassVar[str] = "confident_mistake"
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool):
        # Items predicted positive come after all mistakes.
        mistaken = pool.probability < 0.5
        return np.where(mistaken, pool.scores, pool.scores - np.ptp(pool.scores) - 1.0)

    def weights(self, pool):
        utilities = np.where(pool.free, self.utilities(pool), -np.inf)
        return 1.0 / ranks_from_top(utilities, pool.counts)
