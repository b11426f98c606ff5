"""The score is a log-odds, a probability or a margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..sample._cells import ScoreCells
from ._expert import Expert

# Normal distributions of the intercept and of the log slope of y on the log-odds that the score
# would be: (share, mean, standard deviation, mean, standard deviation).
CALIBRATED = (0.0, 0.25, 0.0, 0.12)
LOG_ODDS = (0.0, 0.4, 0.15, 0.25)
MARGIN = (0.0, 0.7, 1.1, 0.4)
ANY = (0.0, 1.6, -0.1, 0.7)
# How often each was right on some fifty score sets, by what the score is.
SHARES = {
    "default": (0.28, 0.35, 0.24, 0.13),
    "probability": (0.34, 0.34, 0.12, 0.20),
    "log_odds": (0.34, 0.38, 0.14, 0.14),
    "margin": (0.05, 0.20, 0.60, 0.15),
    "votes": (0.15, 0.35, 0.35, 0.15),
    "distance": (0.0, 0.2, 0.3, 0.5),
}


@dataclass(frozen=True)
class ScoreLogOdds(Expert):
    r"""The score is a log-odds up to a shift and a stretch: :math:`f = a + b\, l(s)`.

    Platt's curve, with a prior that it is nearly the identity: :math:`l` is the logit of
    scores that are probabilities or votes and the score itself otherwise. Four pairs of
    normal distributions for :math:`a` and :math:`\log b` represent a calibrated score, a log-odds,
    a margin and anything else; their shares depend on the kind of the scores.

    Parameters
    ----------
    n_curves : int, default=250
    weight : float, default=None
        See `Expert`.

    References
    ----------
    J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers (1999).
    """

    name: ClassVar[str] = "score_log_odds"
    weights: ClassVar[dict[str, float]] = {
        "default": 0.26,
        "probability": 0.23,
        "margin": 0.32,
        "votes": 0.33,
        "unit": 0.19,
        "distance": 0.03,
    }

    def curves(self, cells: ScoreCells, rng: np.random.Generator) -> np.ndarray:
        shares = SHARES.get(cells.kind.name, SHARES["default"])
        priors = np.array([CALIBRATED, LOG_ODDS, MARGIN, ANY])
        mean_a, std_a, mean_b, std_b = priors[
            rng.choice(len(priors), size=self.n_curves, p=shares)
        ].T
        intercept = mean_a + std_a * rng.standard_normal(self.n_curves)
        slope = np.exp(mean_b + std_b * rng.standard_normal(self.n_curves))
        return intercept[:, np.newaxis] + slope[:, np.newaxis] * cells.log_odds
