"""Bets with a finite detection horizon (Dubins-Savage)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["FiniteHorizonBets"]

# The target is slightly larger than needed, as bets are bounded just before the horizon.
MORE, NEARLY = 1.1, 0.98
# The smallest share of the horizon that is left, and the largest distance then assumed, in
# multiples of the strategy's own.
MIN_LEFT, MAX_ASSUMED = 0.05, 2.0
# Prior weight of the expected squares, in draws, and the largest ratio at which one square counts.
PRIOR_DRAWS, MAX_AT_ONCE = 20.0, 25.0
MIN_SQUARE = 1e-12


@dataclass(frozen=True, eq=False)
class FiniteHorizonBets(FrozenArrays):
    r"""Bets whose wealth reaches its target within the horizon at which a distance is detectable.

    A draw :math:`Y_t` with expected square :math:`v_t` adds :math:`1 / v_t` to the information
    :math:`I`. If the mean of the draws is zero, the sum of :math:`Y_t / v_t` is approximately a
    Brownian motion at time :math:`I`. With wealth equal to a share c of the target :math:`1 /
    \alpha`, the largest probability of reaching it by time :math:`H` is c [1]_. The bets that
    attain it are the hedge of a digital option,

    .. math:: \lambda_t = \frac{\mu_t}{v_t} , \quad
        \mu_t = \frac{\varphi(u)}{\Phi(u) \sqrt{H - I}} , \quad u = \Phi^{-1}(c) .

    With a share w of the initial wealth, a distance d is detected at :math:`H = (z / d)^2`,
    :math:`z = - \Phi^{-1}(w \alpha)`. This takes about :math:`z^2 / (2 \log (1 / w \alpha))` times
    the information of the growth-optimal bets :math:`d / v_t`. The play is bold: below the target,
    bets increase as the remaining time decreases. The remaining time is bounded below by a share of
    :math:`H`, and from then on :math:`\mu_t` is at most a multiple of d. As bets are not
    infinitesimal, :math:`\mu_t / (v_t + \mu_t^2)` is used.

    References
    ----------
    .. [1] L. E. Dubins, L. J. Savage. "How to gamble if you must." McGraw-Hill (1965).
    """

    distances: np.ndarray  # (n_distances,); d of each strategy
    horizons: np.ndarray  # (n_distances,); H of each strategy
    wanted: float  # logarithm of the target wealth
    square: np.ndarray  # (n_values,); expected square of the next draw, before rescaling
    information: np.ndarray  # (n_values,); I against each value
    surplus: np.ndarray  # (n_values,); sum over draws of observed over expected squares
    n_draws: int = 0

    @classmethod
    def start(cls, distances, shares, alpha: float, n_values: int) -> FiniteHorizonBets:
        """Make the bets before the first draw; `shares` are those of the initial wealth."""
        strikes = special.ndtri(alpha * np.asarray(shares, dtype=float) / MORE)
        distances, zero = np.asarray(distances, dtype=float), np.zeros(n_values)
        return cls(distances, (strikes / distances) ** 2, np.log(MORE / alpha), zero, zero, zero)

    def before(self, square) -> FiniteHorizonBets:
        """Return the bets for a draw whose expected square is `square`, (n_values,)."""
        return replace(self, square=np.maximum(square, MIN_SQUARE))

    @property
    def variance(self) -> np.ndarray:
        """The expected square of a draw, rescaled by the observed squares, (n_values,)."""
        return self.square * (PRIOR_DRAWS + self.surplus) / (PRIOR_DRAWS + self.n_draws)

    def sizes(self, log_e_value) -> np.ndarray:
        """Return the bet sizes for a log wealth, both (n_distances, n_values)."""
        distances, horizon = self.distances[:, np.newaxis], self.horizons[:, np.newaxis]
        left, least = horizon - self.information, MIN_LEFT * horizon
        u = special.ndtri_exp(np.minimum(log_e_value - self.wanted, np.log(NEARLY)))
        # The inverse Mills ratio, accurate in the tail.
        hazard = np.sqrt(2.0 / np.pi) / special.erfcx(-u / np.sqrt(2.0))
        mean = hazard / np.sqrt(np.maximum(left, least))
        mean = np.where(left > least, mean, np.minimum(mean, MAX_ASSUMED * distances))
        return mean / (self.variance + mean**2)

    def after(self, off) -> FiniteHorizonBets:
        """Return the bets after a draw with prediction error `off`, (n_values,)."""
        return replace(
            self,
            information=self.information + 1.0 / self.variance,
            surplus=self.surplus + np.minimum(off**2 / self.square, MAX_AT_ONCE),
            n_draws=self.n_draws + 1,
        )
