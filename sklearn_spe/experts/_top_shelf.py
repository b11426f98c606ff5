"""Hard negatives above most positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._rank_binormal import RankBinormal

# The share of the items on the shelf is log-uniform between these powers of ten.
SHARES = -2.5, -0.4
# How probable a positive is there: a multiple of a beta law, and a little.
MOST, LEAST, BETA = 0.8, 1e-3, (0.7, 3.5)


@dataclass(frozen=True)
class TopShelf(Expert):
    """The curve of `RankBinormal` below, and mostly negatives at the very top.

    Near-duplicates, a class that training never saw, a broken sensor: what a classifier is
    surest of may be wrong. The largest scores, between 0.3% and 40% of all, are no more often
    positive than by a draw from 0.8 Beta(0.7, 3.5).

    Parameters
    ----------
    n_curves : int, default=1024
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "top_shelf"
    weights: ClassVar[dict[str, float]] = {"default": 0.1}
    doubts: ClassVar[str] = "the largest scores are mostly those of negatives"

    n_curves: int = 1024

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        below = RankBinormal(self.n_curves).curves(cells, rng)
        share = 10.0 ** rng.uniform(*SHARES, (self.n_curves, 1))
        level = special.logit(LEAST + MOST * rng.beta(*BETA, (self.n_curves, 1)))
        # A tie on top is on the shelf, however heavy.
        on_top = cells.rank_ends[1] > 1.0 - share
        return np.where(on_top, np.minimum(below, level), below)
