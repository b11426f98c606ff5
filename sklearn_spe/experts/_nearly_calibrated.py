"""The score is a probability that is right as it is, or nearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._slack import SlackScale


@dataclass(frozen=True)
class NearlyCalibrated(Expert):
    r"""The score is the log-odds of being positive, and little is wrong with it.

    :math:`f = a + b\, l(s)` with :math:`a` normal(0, 0.2) and :math:`\log b` normal(0, 0.1), and
    hardly any slack: whoever has calibrated forecasts need not learn them anew. `ScoreLogOdds`
    stands for scores that are calibrated only roughly.

    Parameters
    ----------
    n_curves : int, default=500
    weight : float, default=None
        See `Expert`.
    """

    name: ClassVar[str] = "nearly_calibrated"
    # Of other kinds no score says how probable anything is.
    weights: ClassVar[dict[str, float]] = {
        "default": 0.0,
        "probability": 0.6,
        "log_odds": 0.6,
        "unknown": 0.12,
    }
    slack: ClassVar[SlackScale] = SlackScale(
        shift=0.1, stretch=0.05, roughness=0.25, lapse=0.03, plateau=0.03
    )
    at_its_word: ClassVar[bool] = True

    n_curves: int = 500

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        level, slope = rng.normal(0.0, 0.2, (n, 1)), rng.lognormal(0.0, 0.1, (n, 1))
        return level + slope * cells.log_odds
