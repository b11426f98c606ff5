"""Uncertainty sampling."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._strategy import Strategy


@dataclass(frozen=True)
class Adaptive(Strategy):
    """The items with the probability nearest to one half (section 3.1 of [1]_).

    The probabilities come from a model that is refitted to the labels of each round. Known as
    uncertainty sampling.

    References
    ----------
    .. [1] B. A. Miller, J. Vila, M. Kirn, J. R. Zipkin. "Classifier performance estimation
       with unbalanced, partially labeled data." PMLR 88 (2018) 4-16.

    Examples
    --------
    >>> from sklearn_spe.active import Adaptive
    >>> Adaptive().query([0.1, 0.9, 0.5, 0.7], n_labels=2, probability=[0.0, 0.9, 0.3, 0.6])
    array([3, 2])
    """

    name: ClassVar[str] = "adaptive"
    needs: ClassVar[tuple[str, ...]] = ("probability",)

    def utilities(self, pool):
        return -np.abs(pool.probability - 0.5)
