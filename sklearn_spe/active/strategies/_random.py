"""Uniform random sampling."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._strategy import Strategy


@dataclass(frozen=True)
class Random(Strategy):
    """Uniformly random items.

    With categories, a uniformly random category and then one of its items, as in [1]_, so that
    small categories are sampled too.

    References
    ----------
    .. [1] P. Nguyen, D. Ramanan, C. Fowlkes. "Active testing: an efficient and robust framework
       for estimating accuracy." ICML 2018.

    Examples
    --------
    >>> from sklearn_spe.active import Random
    >>> len(Random().query([0.1, 0.9, 0.5, 0.7], n_labels=2, random_state=0))
    2
    """

    name: ClassVar[str] = "random"
    looks_again: ClassVar[bool] = True
    explores: ClassVar[bool] = False
    # The baseline needs no utilities.
    spreads: ClassVar[bool] = False

    def utilities(self, pool):
        if pool.category is None:
            # All utilities are equal: ties are broken at random.
            return np.zeros(pool.n_items)
        asked = np.bincount(pool.category[~pool.free], minlength=pool.category.max() + 1)
        return -asked[pool.category].astype(float)

    def weights(self, pool):
        if pool.category is None:
            return np.ones(pool.n_items)
        left = np.bincount(pool.category[pool.free], minlength=pool.category.max() + 1)
        return 1.0 / np.maximum(left, 1)[pool.category]
