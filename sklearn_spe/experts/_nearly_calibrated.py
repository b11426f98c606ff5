"""The score is a probability that is right as it is, or nearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._discrepancy import DiscrepancyScale
from ._expert import Expert


@dataclass(frozen=True)
class NearlyCalibrated(Expert):
    r"""The score is the log-odds of being positive, and little is wrong with it.

    :math:`f = a + b\, l(s)` with :math:`a` normal(0, 0.2) and :math:`\log b` normal(0, 0.1), and
    hardly any discrepancy: calibrated forecasts need not be learned anew. `ScoreLogOdds` represents
    scores that are calibrated only roughly.

    Parameters
    ----------
    n_curves : int, default=250
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "nearly_calibrated"
    # Of other kinds no score says how probable anything is.
    weights: ClassVar[dict[str, float]] = {
        "default": 0.0,
        "probability": 0.08,
        "log_odds": 0.08,
        "unknown": 0.02,
    }
    discrepancy: ClassVar[DiscrepancyScale] = DiscrepancyScale(
        shift=0.1, stretch=0.05, roughness=0.25, small_lapse=0.03, large_lapse=0.03
    )
    states_probability: ClassVar[bool] = True

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        level, slope = rng.normal(0.0, 0.2, (n, 1)), rng.lognormal(0.0, 0.1, (n, 1))
        return level + slope * cells.log_odds
