"""Some smooth steps upwards, anywhere among the ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ..sample._cells import ScoreCells
from ._expert import Expert

MOST_STEPS = 4


@dataclass(frozen=True)
class MonotoneSteps(Expert):
    r"""A curve of one to four smooth steps upwards over the normal ranks of the scores.

    :math:`f = a + \sum_{j \le J} g_j \operatorname{expit}((x - x_j) / w_j)` with :math:`x` the
    normal quantile of a score's rank, :math:`a` normal with mean :math:`-2.5 - J/2` and standard
    deviation 2, :math:`g_j` gamma with shape 1.5 and scale 2, :math:`x_j` normal(0.7, 1.1) and
    :math:`\log w_j` normal(log 0.25, 0.9). It assumes little more than that larger scores are
    positive more often.

    Parameters
    ----------
    n_curves : int, default=1200
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "monotone_steps"
    weights: ClassVar[dict[str, float]] = {"default": 0.05, "distance": 0.1, "unit": 0.08}

    n_curves: int = 1200

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        n_steps = rng.integers(1, MOST_STEPS + 1, n)
        f = np.repeat(
            (-2.5 - n_steps / 2.0 + 2.0 * rng.standard_normal(n))[:, np.newaxis],
            cells.n_cells,
            axis=1,
        )
        for step in range(MOST_STEPS):
            rows = np.flatnonzero(n_steps > step)
            size = rng.gamma(1.5, 2.0, len(rows))
            place = rng.normal(0.7, 1.1, len(rows))
            width = np.exp(np.log(0.25) + 0.9 * rng.standard_normal(len(rows)))
            x = (cells.normal_ranks - place[:, np.newaxis]) / width[:, np.newaxis]
            f[rows] += size[:, np.newaxis] * special.expit(x)
        return f
