"""Any curve over the ranks of the scores, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._discrepancy import rank_process
from ._expert import Expert

REACH = 8.0
# What curves that do anything, that decrease and that are flat weigh together.
SHARES = 0.12, 0.07, 0.05


@dataclass(frozen=True)
class RankProcess(Expert):
    r"""A curve that knows nothing of the order of the scores: the classifier may be of no use.

    :math:`f = a + b x + c (x^2 - 1) + g(x)` with :math:`x` the normal quantile of a score's rank,
    :math:`a` normal(0, 2) and :math:`g` a Gaussian process. A third of the curves have :math:`b`
    normal(0, 1), :math:`c` normal(0, 0.5) and a process whose log standard deviation is
    normal(0, 0.5); a third decrease, :math:`\log(-b)` normal(0.5, 0.6); a third are flat, :math:`b`
    normal(0, 0.15) and nothing else. They weigh 12 to 7 to 5. It costs little where a classifier
    works, and ten labels that show that it does not are enough.

    Parameters
    ----------
    n_curves : int, default=750
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "rank_process"
    weights: ClassVar[dict[str, float]] = {"default": sum(SHARES)}
    misspecification: ClassVar[str] = "the scores rank items wrongly, or not at all"

    n_curves: int = 750

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        # Beyond, among many millions of items, there is no rank but infinity.
        n, x = self.n_curves, np.clip(cells.normal_ranks, -REACH, REACH)
        kind = self._kind
        slope = np.choose(
            kind, (rng.normal(0.0, 1.0, n), -rng.lognormal(0.5, 0.6, n), rng.normal(0.0, 0.15, n))
        )
        curvature = np.where(kind == 0, rng.normal(0.0, 0.5, n), 0.0)
        size = np.where(kind == 0, rng.lognormal(0.0, 0.5, n), 0.0)
        terms = (rng.normal(0.0, 2.0, n), slope, curvature)
        line = sum(t[:, np.newaxis] * p for t, p in zip(terms, (x**0, x, x**2 - 1.0), strict=True))
        return line + size[:, np.newaxis] * rank_process(cells, n, rng)

    def shares(self) -> np.ndarray:
        kind = self._kind
        return (np.array(SHARES) / np.bincount(kind, minlength=3))[kind]

    @property
    def _kind(self) -> np.ndarray:
        return np.arange(self.n_curves) * len(SHARES) // self.n_curves
