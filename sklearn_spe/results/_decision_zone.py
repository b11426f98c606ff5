"""Two thresholds with promises of their own, and what lies between them for a human to decide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ._bands import ScalarEstimate

__all__ = ["DecisionZone"]


@dataclass(frozen=True, eq=False, repr=False)
class DecisionZone(FrozenArrays):
    """Two thresholds, on the scale of the scores, and what lies between them.

    Attributes
    ----------
    negative, positive : float
        Items that reach `positive` are called positive (a score of at least this; at most, with
        ``greater_is_positive=False``), those that do not reach `negative` are called negative,
        and all others are for a human. Both are the same if nothing is.
    share : ScalarEstimate
        How large a part of all items is for a human. Of the sample it is known; of the population
        its interval says how far the sample may be off.
    undecided : ndarray of bool of shape (n_samples,)
        Which rows of X are for a human; with ``target="sample"`` none that is labelled.
    """

    negative: float
    positive: float
    share: ScalarEstimate
    undecided: np.ndarray

    def __repr__(self) -> str:
        return (
            f"DecisionZone(negative={self.negative:.4g}, positive={self.positive:.4g}, "
            f"share={self.share.value:.3g})"
        )
