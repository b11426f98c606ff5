"""How much to bet, to have won once a distance can be told."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from .._arrays import FrozenArrays

__all__ = ["TimelyBets"]

# A gambler wants a little more than is needed, as just before the end no bet is large enough.
MORE, NEARLY = 1.1, 0.98
# The share of its time that a gambler has left at least, and the largest distance it then assumes,
# in multiples of its own.
LEAST_LEFT, MOST_ASSUMED = 0.05, 2.0
# How many draws the expected squares are worth, and how far above it one square may count.
PRIOR_DRAWS, MOST_AT_ONCE = 20.0, 25.0
LEAST_SQUARE = 1e-12


@dataclass(frozen=True, eq=False)
class TimelyBets(FrozenArrays):
    r"""Bets with which capital reaches its goal in the time that a distance takes to be told.

    A draw :math:`Y_t` of the expected square :math:`v_t` adds :math:`1 / v_t` to the information
    :math:`I`. If the mean of the draws is zero the sum of :math:`Y_t / v_t` is about a Brownian
    motion at the time :math:`I`. A gambler who has the share c of what all want,
    :math:`1 / \alpha`, can reach it at the time :math:`H` with the probability c, and in no way
    more often [1]_. The bets that do so are those of who insures a digital option,

    .. math:: \lambda_t = \frac{\mu_t}{v_t} , \quad
        \mu_t = \frac{\varphi(u)}{\Phi(u) \sqrt{H - I}} , \quad u = \Phi^{-1}(c) .

    With the share w of all capital at the start a distance d is told at :math:`H = (z / d)^2`,
    :math:`z = - \Phi^{-1}(w \alpha)`. That takes about :math:`z^2 / (2 \log (1 / w \alpha))` as
    much information as bets :math:`d / v_t`, which let capital grow fastest. They are bold: who
    is behind bets the more the less time is left, which is never less than a part
    of :math:`H`, and from then on :math:`\mu_t` is at most a multiple of d. As bets are no small
    ones :math:`\mu_t / (v_t + \mu_t^2)` is bet.

    Attributes
    ----------
    distances : ndarray of shape (n_distances,)
        d of each gambler.
    horizons : ndarray of shape (n_distances,)
        H of each.
    wanted : float
        The logarithm of what each wants.
    square : ndarray of shape (n_values,)
        The expected square of the next draw, before what draws say of it.
    information : ndarray of shape (n_values,)
        I, against each value.
    surplus : ndarray of shape (n_values,)
        How many times as large as expected the squares were, summed over the draws.
    n_draws : int

    References
    ----------
    .. [1] L. E. Dubins, L. J. Savage. "How to gamble if you must." McGraw-Hill (1965).
    """

    distances: np.ndarray
    horizons: np.ndarray
    wanted: float
    square: np.ndarray
    information: np.ndarray
    surplus: np.ndarray
    n_draws: int = 0

    @classmethod
    def start(cls, distances, shares, alpha: float, n_values: int) -> TimelyBets:
        """Make the bets before the first draw.

        Parameters
        ----------
        distances : sequence of float
        shares : sequence of float
            Of the capital that gamblers start with, one a distance.
        alpha : float in (0, 1)
            All capital is to grow from 1 to 1 / alpha.
        n_values : int
            How many values are bet against.
        """
        strikes = special.ndtri(alpha * np.asarray(shares, dtype=float) / MORE)
        distances, zero = np.asarray(distances, dtype=float), np.zeros(n_values)
        return cls(distances, (strikes / distances) ** 2, np.log(MORE / alpha), zero, zero, zero)

    def before(self, square) -> TimelyBets:
        """Return the bets for a draw whose expected square is `square`, (n_values,)."""
        return replace(self, square=np.maximum(square, LEAST_SQUARE))

    @property
    def variance(self) -> np.ndarray:
        """The expected square, by what draws say of it, (n_values,)."""
        return self.square * (PRIOR_DRAWS + self.surplus) / (PRIOR_DRAWS + self.n_draws)

    def sizes(self, log_capital) -> np.ndarray:
        """Return the bets of gamblers with this capital, both (n_distances, n_values)."""
        distances, horizon = self.distances[:, np.newaxis], self.horizons[:, np.newaxis]
        left, least = horizon - self.information, LEAST_LEFT * horizon
        u = special.ndtri_exp(np.minimum(log_capital - self.wanted, np.log(NEARLY)))
        # The density at u over the probability below it, also far out.
        hazard = np.sqrt(2.0 / np.pi) / special.erfcx(-u / np.sqrt(2.0))
        mean = hazard / np.sqrt(np.maximum(left, least))
        mean = np.where(left > least, mean, np.minimum(mean, MOST_ASSUMED * distances))
        return mean / (self.variance + mean**2)

    def after(self, off) -> TimelyBets:
        """Return the bets after a draw.

        Parameters
        ----------
        off : ndarray of shape (n_values,)
            What it was off from what was foreseen, against each value.
        """
        return replace(
            self,
            information=self.information + 1.0 / self.variance,
            surplus=self.surplus + np.minimum(off**2 / self.square, MOST_AT_ONCE),
            n_draws=self.n_draws + 1,
        )
