"""Any curve over the ranks of the scores, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._slack import rank_waves

REACH = 8.0
# How many curves are flat, fall, or do anything.
FLAT, FALLING, ANY = 0.2, 0.4, 0.4


@dataclass(frozen=True)
class RankProcess(Expert):
    r"""A curve that knows nothing of the order of the scores: the classifier may be of no use.

    :math:`f = a + b x + c (x^2 - 1) + g(x)` with :math:`x` the normal quantile of a score's rank,
    :math:`a` normal(-1.4, 1.6) and :math:`g` a Gaussian process. A fifth of the curves are flat,
    :math:`b` normal(0, 0.15) and nothing else; two fifths fall, :math:`\log(-b)` normal(0.5, 0.6);
    the others have :math:`b` normal(0, 1), :math:`c` normal(0, 0.5) and a process whose log
    standard deviation is normal(0, 0.5). It costs little where a classifier works, and ten labels
    that say it does not are heard.

    Parameters
    ----------
    n_curves : int, default=1500
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "rank_process"
    weights: ClassVar[dict[str, float]] = {"default": 0.45}
    # Where only the largest scores are labelled it would put as many positives below.
    sees_rare: ClassVar[bool] = False
    doubts: ClassVar[str] = "the scores rank items wrongly, or not at all"

    n_curves: int = 1500

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        # Beyond, among many millions of items, there is no rank but infinity.
        n, x = self.n_curves, np.clip(cells.normal_ranks, -REACH, REACH)
        kind = rng.choice(3, size=n, p=(FLAT, FALLING, ANY))
        slope = np.choose(
            kind, (rng.normal(0.0, 0.15, n), -rng.lognormal(0.5, 0.6, n), rng.normal(0.0, 1.0, n))
        )
        bend = np.where(kind == 2, rng.normal(0.0, 0.5, n), 0.0)
        size = np.where(kind == 2, rng.lognormal(0.0, 0.5, n), 0.0)
        terms = (rng.normal(-1.4, 1.6, n), slope, bend)
        line = sum(t[:, np.newaxis] * p for t, p in zip(terms, (x**0, x, x**2 - 1.0), strict=True))
        return line + size[:, np.newaxis] * rank_waves(cells, n, rng)
