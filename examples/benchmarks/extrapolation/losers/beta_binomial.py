"""A beta distribution of U, by maximum likelihood of the wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from sklearn_spe.extrapolation import Method
from sklearn_spe.extrapolation._accuracy_distributions import Distribution

# Of the logarithms of both parameters: within them every accuracy from 0 to 1 is found.
BOUNDS = ((-7.0, 12.0), (-12.0, 7.0))


@dataclass(frozen=True)
class BetaDistribution(Distribution):
    """U is beta distributed.

    Attributes
    ----------
    a, b : float
    """

    a: float
    b: float

    @property
    def always_right(self) -> float:
        """The probability that U = 1."""
        return 0.0

    def _accuracies(self, n_classes, top):
        """Return the moments, B(a + k - 1, b) / B(a, b), of the first class alone."""
        k = np.asarray(n_classes, dtype=float)
        return np.exp(special.betaln(self.a + k - 1.0, self.b) - special.betaln(self.a, self.b))

    def _below(self, points):
        return special.betainc(self.a, self.b, points)


@dataclass(frozen=True)
class BetaBinomial(Method):
    """Wins are beta-binomial: U has two parameters."""

    name: ClassVar[str] = "beta_binomial"

    def fit(self, pilot, rng) -> Distribution:
        """Return the beta distribution that makes the wins most likely."""
        wins = np.flatnonzero(pilot.histogram > 0.0)
        shares, losses = pilot.histogram[wins], pilot.n_wrong - wins

        def loss(parameters):
            a, b = np.exp(parameters)
            return special.betaln(a, b) - shares @ special.betaln(wins + a, losses + b)

        starts = [(0.5, -0.5), (2.0, 0.0), (0.0, -3.0)]
        found = [optimize.minimize(loss, s, method="L-BFGS-B", bounds=BOUNDS) for s in starts]
        a, b = np.exp(min(found, key=lambda result: result.fun).x)
        return BetaDistribution(float(a), float(b))
