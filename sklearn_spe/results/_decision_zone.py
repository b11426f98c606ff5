"""Two thresholds with separate guarantees, and the zone between them for manual decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ._bands import ScalarEstimate

__all__ = ["DecisionZone"]


@dataclass(frozen=True, eq=False, repr=False)
class DecisionZone(FrozenArrays):
    """Two thresholds, on the scale of the scores, and the undecided items between them.

    Attributes
    ----------
    negative, positive : float
        Items that reach `positive` are classified as positive (a score of at least this; at most,
        with ``greater_is_positive=False``), those that do not reach `negative` as negative, and all
        others are undecided. Both are equal if no item is undecided.
    share : ScalarEstimate
        The share of undecided items. It is known for the sample; for the population its interval
        accounts for sampling error.
    undecided : ndarray of bool of shape (n_samples,)
        Which rows of X are undecided; with ``target="sample"`` no labeled ones.
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
