"""Betting tests, with two betting rules, and confidence sets from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..results._distributions import ResultDistribution

# The target is slightly larger than needed, as bets are bounded just before the horizon.
MORE, NEARLY = 1.1, 0.98
# The smallest share of the horizon that is left, and the largest distance then assumed, in
# multiples of the strategy's own.
MIN_LEFT, MAX_ASSUMED = 0.05, 2.0
# Prior weight of the expected squares, in draws, and the largest ratio at which one square counts.
PRIOR_DRAWS, MAX_AT_ONCE = 20.0, 25.0
MIN_SQUARE = 1e-12
# The probability that a normal variable lies within one standard deviation of its mean.
ONE_SIGMA = 0.6826894921370859


class Draw(NamedTuple):
    """A draw Y as predicted before it, for each value that is tested: arrays that broadcast."""

    mean: Any  # the predicted one; it is zero if the value is true
    square: Any  # expected square of its prediction error
    loss: Any  # the largest loss of a unit bet
    cube: Any = 0.0  # expected cube of its prediction error


@dataclass(frozen=True, eq=False)
class BettingTest(FrozenArrays):
    r"""E-processes of bets against many hypothesized values, updated draw by draw.

    If a value is true, the draw :math:`Y_t` has the mean zero given the past, or a smaller one. A
    bet :math:`\lambda_t \ge 0`, chosen before the draw, multiplies the e-value by :math:`1 +
    \lambda_t Y_t` and is bounded so that this is positive. The e-value is then a nonnegative
    supermartingale, which ever reaches :math:`1 / \alpha` with probability at most :math:`\alpha`
    (Ville; [1]_): the running maximum is evidence that is valid at every look. A mixture of several
    strategies, with weights that sum to one, is an e-value too. A betting rule chooses the bets;
    validity does not depend on it.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas. "Estimating means of bounded random variables by betting."
       JRSS B 86 (2024) 1-27.
    """

    rule: FiniteHorizonBets | GrowthBets
    log_e_value: np.ndarray  # (..., *values); of each strategy
    most: np.ndarray  # values; running maximum of the log of the total e-value
    signs: Any = 1.0  # of the draws on which each strategy bets

    def after(self, draw: Draw, outcome) -> BettingTest:
        """Return the test after a draw; `outcome` is Y against each value."""
        bound = self.rule.largest / np.maximum(draw.loss, 1e-12)
        bets = np.clip(self.rule.sizes(draw, self.log_e_value), 0.0, bound)
        log_e_value = self.log_e_value + np.log1p(self.signs * bets * outcome)
        most = np.maximum(self.most, log_total(log_e_value, self.most.ndim))
        rule = self.rule.after(draw, outcome - draw.mean)
        return replace(self, rule=rule, log_e_value=log_e_value, most=most)


def log_total(log_e_value: np.ndarray, n_axes: int) -> np.ndarray:
    """Return the log of the total e-value of all strategies, which are all but the last axes."""
    strategies = tuple(range(log_e_value.ndim - n_axes))
    if not strategies:
        return log_e_value
    largest = log_e_value.max(axis=strategies)
    return largest + np.log(np.exp(log_e_value - largest).sum(axis=strategies))


@dataclass(frozen=True, eq=False)
class FiniteHorizonBets(FrozenArrays):
    r"""Bets whose e-value reaches its target in the horizon at which a distance is detectable.

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
    information: np.ndarray  # (n_values,); I against each value
    surplus: np.ndarray  # (n_values,); sum over draws of observed over expected squares
    n_draws: int = 0

    largest: ClassVar[float] = 0.99

    @classmethod
    def start(
        cls, distances: npt.ArrayLike, shares: npt.ArrayLike, alpha: float, n_values: int
    ) -> FiniteHorizonBets:
        """Make the rule before the first draw; `shares` are initial weights of distances."""
        strikes = special.ndtri(alpha * np.asarray(shares, dtype=float) / MORE)
        distances = np.asarray(distances, dtype=float)
        horizons = (strikes / distances) ** 2
        nothing = np.zeros(n_values)
        return cls(distances, horizons, np.log(MORE / alpha), information=nothing, surplus=nothing)

    def sizes(self, draw: Draw, log_e_value: np.ndarray) -> np.ndarray:
        """Return the bets for log e-values, both (..., n_distances, n_values)."""
        distances = self.distances[:, np.newaxis]
        horizon = self.horizons[:, np.newaxis]
        remaining = horizon - self.information
        least = MIN_LEFT * horizon

        # The drift of the hedge, phi(u) / Phi(u) / sqrt(H - I), bounded near the horizon.
        u = special.ndtri_exp(np.minimum(log_e_value - self.wanted, np.log(NEARLY)))
        # The inverse Mills ratio, accurate in the tail.
        hazard = np.sqrt(2.0 / np.pi) / special.erfcx(-u / np.sqrt(2.0))
        drift = hazard / np.sqrt(np.maximum(remaining, least))
        drift = np.where(remaining > least, drift, np.minimum(drift, MAX_ASSUMED * distances))
        return drift / (self._variance(draw) + drift**2)

    def after(self, draw: Draw, error: np.ndarray) -> FiniteHorizonBets:
        """Return the rule after a draw whose mean was predicted with an `error`, (n_values,)."""
        square = np.maximum(draw.square, MIN_SQUARE)
        return replace(
            self,
            information=self.information + 1.0 / self._variance(draw),
            surplus=self.surplus + np.minimum(error**2 / square, MAX_AT_ONCE),
            n_draws=self.n_draws + 1,
        )

    def _variance(self, draw: Draw) -> np.ndarray:
        """Return the expected square of a draw, rescaled by the observed squares."""
        square = np.maximum(draw.square, MIN_SQUARE)
        return square * (PRIOR_DRAWS + self.surplus) / (PRIOR_DRAWS + self.n_draws)


@dataclass(frozen=True)
class GrowthBets:
    r"""Bets that maximize the expected growth of the log e-value under the predicted labels.

    They are the root of :math:`E Y - \lambda E Y^2 + \lambda^2 E Y^3`.
    """

    largest: ClassVar[float] = 0.97

    def sizes(self, draw: Draw, log_e_value: np.ndarray) -> np.ndarray:
        """Return the bets, in the shape of the mean of the draw, for any e-value."""
        mean = draw.mean
        second = draw.square + mean**2
        third = draw.cube + 3.0 * draw.square * mean + mean**3
        root = np.sqrt(np.maximum(second**2 - 4.0 * third * mean, 0.0))
        return 2.0 * mean / np.maximum(second + root, 1e-300)

    def after(self, draw: Draw, error: np.ndarray) -> GrowthBets:
        """Return the same rule: it has no memory."""
        return self


@dataclass(frozen=True, eq=False)
class AnytimeDistribution(ResultDistribution):
    """Quantile interface to the confidence sets of an e-process.

    The set of level 1 - alpha contains the values against which the wealth never reached 1 / alpha.
    The quantile at q is its lower end at alpha = 2 q if q is below one half, else its upper end at
    alpha = 2 (1 - q).
    """

    grid: np.ndarray  # (n_grid,); values, increasing
    most: np.ndarray  # (n_grid,); running maximum of the log wealth against each value
    smallest: float  # bounds on the metric over all completions of the labels; NaN if undefined
    largest: float
    value: float  # the point estimate

    n_points = 1

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return the ends of the confidence sets, of shape (n_levels, 1)."""
        ends = [self._end(level) for level in np.atleast_1d(np.asarray(levels, dtype=float))]
        return np.array(ends)[:, np.newaxis]

    def median(self) -> np.ndarray:
        """Return the point estimate, of shape (1,)."""
        return np.array([self.value])

    def mean(self) -> np.ndarray:
        """Return the point estimate, of shape (1,)."""
        return self.median()

    def std(self) -> np.ndarray:
        """Return half the width of the 68% confidence set."""
        low, high = self.quantile([(1.0 - ONE_SIGMA) / 2.0, (1.0 + ONE_SIGMA) / 2.0])
        return (high - low) / 2.0

    def _end(self, level: float) -> float:
        """Return the end of a confidence set: the lower one for a level below one half."""
        is_upper = level > 0.5
        alpha = 2.0 * min(level, 1.0 - level)
        with np.errstate(divide="ignore"):
            critical = -np.log(alpha)
        grid = self.grid
        evidence = self.most
        if is_upper:
            grid = grid[::-1]
            evidence = evidence[::-1]

        # The first value that is not rejected; where every value is, the least rejected one.
        is_inside = evidence < critical
        first = int(np.argmax(is_inside)) if is_inside.any() else int(np.argmin(evidence))
        end = grid[first]
        if first and is_inside[first]:
            # The log wealth is interpolated linearly between two values of the grid.
            share = (critical - evidence[first]) / (evidence[first - 1] - evidence[first])
            end += share * (grid[first - 1] - end)

        if np.isnan(self.smallest):
            return 1.0 if is_upper else 0.0
        return float(np.clip(end, self.smallest, self.largest))
