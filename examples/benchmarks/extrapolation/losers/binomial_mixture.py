"""The nonparametric maximum likelihood of the distribution of U, given that wins are binomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from sklearn_spe.extrapolation import Method
from sklearn_spe.extrapolation._accuracy_distributions import (
    ConditionalAccuracyDistribution,
    Distribution,
    Points,
)

# Values of U are tried on an even grid of their probits.
PROBITS = np.arange(-4.0, 6.001, 0.05)
MAX_STEPS = 2_000
# The mean log likelihood of an item must rise by more than this in a step.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class BinomialMixture(Method):
    r"""U takes values on a grid: :math:`P(w) = \sum_g \pi_g \mathrm{Bin}(w; n, u_g)`, by EM.

    The likelihood is nearly flat for values above 1 - 1 / n, where EM stays near its start, which
    is even on the grid.
    """

    name: ClassVar[str] = "binomial_mixture"

    def fit(self, pilot, rng) -> Distribution:
        """Return the distribution on the grid that makes the wins most likely."""
        histogram = pilot.histogram
        wins = np.flatnonzero(histogram > 0.0)
        shares = histogram[wins]
        likelihood = _binomial(wins, pilot.n_wrong)
        weights = np.full(len(PROBITS), 1.0 / len(PROBITS))
        last = -np.inf
        for _ in range(MAX_STEPS):
            marginal = likelihood @ weights
            value = shares @ np.log(marginal)
            weights *= (shares / marginal) @ likelihood
            if value - last < TOLERANCE:
                break
            last = value
        weights /= weights.sum()
        return ConditionalAccuracyDistribution(Points(special.log_ndtr(PROBITS)), weights)


def _binomial(wins, n):
    """Return binomial probabilities, of shape (n_wins, n_grid)."""
    wins = wins[:, np.newaxis].astype(float)
    ways = special.gammaln(n + 1.0) - special.gammaln(wins + 1.0) - special.gammaln(n - wins + 1.0)
    logs = wins * special.log_ndtr(PROBITS) + (n - wins) * special.log_ndtr(-PROBITS)
    return np.exp(ways + logs)
