"""The score is a log-odds of other days, when positives were more or less frequent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._expert import Expert
from ._slack import SlackScale


@dataclass(frozen=True)
class ShiftedPrevalence(Expert):
    r"""The score is the log-odds of being positive among items with another prevalence.

    Classes that were balanced for training, negatives of which some were left out, or positives
    that have become rarer leave the densities of both classes as they are, and shift all log-odds
    by one number: :math:`f = a + b\, l(s)` with :math:`a` normal(-0.7, 1.5), :math:`\log b`
    normal(0.05, 0.2) and little slack. `NearlyCalibrated` has hardly any shift, and the curves of
    `ScoreLogOdds` that are shifted as far have any slope.

    Parameters
    ----------
    n_curves : int, default=1000
    weight : float, default=None
        See `Expert`.

    References
    ----------
    M. Saerens, P. Latinne, C. Decaestecker, "Adjusting the outputs of a classifier to new a priori
    probabilities: a simple procedure", Neural Computation 14 (2002).
    """

    name: ClassVar[str] = "shifted_prevalence"
    # Of other kinds no score says how probable anything is.
    weights: ClassVar[dict[str, float]] = {
        "default": 0.0,
        "probability": 0.25,
        "log_odds": 0.25,
        "unknown": 0.25,
    }
    slack: ClassVar[SlackScale] = SlackScale(
        shift=0.2, stretch=0.1, roughness=0.5, lapse=0.06, plateau=0.06
    )
    at_its_word: ClassVar[bool] = True

    n_curves: int = 1000

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        n = self.n_curves
        level, slope = rng.normal(-0.7, 1.5, (n, 1)), rng.lognormal(0.05, 0.2, (n, 1))
        return level + slope * cells.log_odds
