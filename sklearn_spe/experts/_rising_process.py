"""A curve that rises over the ranks, but not everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._slack import rank_waves

# Beyond, among many millions of items, there is no rank but infinity.
REACH = 8.0


@dataclass(frozen=True)
class RisingProcess(Expert):
    r"""A curve that rises on the whole, with humps and plateaus that no parametric curve has.

    :math:`f = a + b x + g(x)` with :math:`x` the normal quantile of a score's rank, :math:`a`
    normal(-2, 1.6), :math:`\log b` normal(0.3, 0.6) and :math:`g` a Gaussian process whose log
    standard deviation is normal(0.2, 0.5).

    Parameters
    ----------
    n_curves : int, default=1000
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "rising_process"
    weights: ClassVar[dict[str, float]] = {"default": 0.2}

    n_curves: int = 1000

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        level, slope, size = (
            part[:, np.newaxis]
            for part in (
                rng.normal(-2.0, 1.6, n),
                rng.lognormal(0.3, 0.6, n),
                rng.lognormal(0.2, 0.5, n),
            )
        )
        return (
            level
            + slope * np.clip(cells.normal_ranks, -REACH, REACH)
            + size * rank_waves(cells, n, rng)
        )
