"""Confidence sequences by betting, with a finite horizon."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..results._distributions import ResultDistribution
from ..results._estimates import ScalarEstimate
from ._label_design import LabelDesign


def possible_range(design: LabelDesign, numerator, denominator) -> tuple[float, float]:
    """Return the minimum and maximum of the ratio over all completions of the free labels.

    A ratio of linear functions attains its extremes where all free items of a side are alike:
    negative, positive, or never labeled.
    """
    known, free = design.known[-1], design.free[-1]
    values = []
    for below, above in itertools.product((0, 1, None), repeat=2):
        counts = known.copy()
        for side, z in enumerate((below, above)):
            if z is not None:
                counts[z, side] += free[side]
        top, bottom = (counts * numerator).sum(), (counts * denominator).sum()
        if bottom > 0.0:
            values.append(top / bottom)
    return (min(values), max(values)) if values else (np.nan, np.nan)


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


# The largest share of the wealth that one bet may lose.
LARGEST_BET = 0.99
# The probability that a normal variable lies within one standard deviation of its mean.
ONE_SIGMA = 0.6826894921370859


@dataclass(frozen=True, eq=False)
class BettingEProcess(FrozenArrays):
    r"""E-processes against each value of a ratio metric of a pool, and its confidence sequence.

    The metric is a ratio of two sums over the pool. At each draw of a design both have unbiased
    estimates (`LabelDesign.totals`), so that :math:`Y_t(\theta) = Z_t^{num} - \theta Z_t^{den}` has
    the mean 0 given the past if :math:`\theta` is the metric. A bet :math:`\lambda_t(\theta)`,
    chosen before the draw, multiplies the wealth by :math:`1 + \lambda_t Y_t` and is bounded so
    that this factor is never negative. The wealth against the true value is a nonnegative
    martingale, so it ever reaches :math:`1 / \alpha` with probability at most :math:`\alpha`
    (Ville). The values against which it never did are a confidence set that is valid at every look,
    including looks chosen because the set was small [1]_, [2]_.

    The e-process is a mixture over several betting strategies. Each bets that the metric is larger,
    or smaller, with a horizon at which a value at one of `distances` can be rejected
    (`FiniteHorizonBets`). The variance of a draw is predicted from the free items and their
    inclusion probabilities (`LabelDesign.squares`), rescaled by the squares observed so far: better
    predictions give more power, and validity does not depend on them.

    Attributes
    ----------
    numerator, denominator : ndarray of shape (2, 2)
        ``[z, above]``, what an item adds to either sum of the metric, which lies in [0, 1].
    grid : ndarray of shape (n_grid,)
        The values bet against, increasing from 0 to 1.
    bets : FiniteHorizonBets
        The bets of each strategy.
    log_e_value : ndarray of shape (2, n_distances, n_grid)
        Log wealth of each strategy, first those that bet that the metric is larger. The total
        wealth is one at the start.
    most : ndarray of shape (n_grid,)
        The running maximum of the logarithm of the total wealth.
    n_rows : int
        Number of rows of the design that were bet on.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas. "Estimating means of bounded random variables by betting."
       JRSS B 86 (2024) 1-27.
    .. [2] S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas. "Risk-limiting financial audits via
       weighted sampling without replacement." UAI (2023).
    """

    numerator: np.ndarray
    denominator: np.ndarray
    grid: np.ndarray
    bets: FiniteHorizonBets
    log_e_value: np.ndarray
    most: np.ndarray
    n_rows: int = 0

    @classmethod
    def start(
        cls,
        numerator,
        denominator,
        *,
        distances=(0.025, 0.048, 0.09),
        shares=(0.1, 0.8, 0.1),
        confidence_level: float = 0.9,
        n_grid: int = 1001,
    ) -> BettingEProcess:
        """Make the e-processes before the first draw.

        Parameters
        ----------
        numerator, denominator : array-like of shape (2, 2)
            The two terms of a metric, ``[z, above]``.
        distances : sequence of float, default=(0.025, 0.048, 0.09)
            Target half widths of the interval.
        shares : sequence of float, default=(0.1, 0.8, 0.1)
            Share of the initial wealth for each of them; they sum to one.
        confidence_level : float in (0, 1), default=0.9
            The level for which bets are optimized; intervals of other levels are valid too.
        n_grid : int, default=1001
            Number of values bet against.
        """
        start = np.asarray(shares, dtype=float) / 2.0
        grid = np.linspace(0.0, 1.0, n_grid)
        return cls(
            np.asarray(numerator, dtype=float),
            np.asarray(denominator, dtype=float),
            grid,
            FiniteHorizonBets.start(distances, start, 1.0 - confidence_level, n_grid),
            np.broadcast_to(np.log(start)[:, np.newaxis], (2, len(start), n_grid)),
            np.zeros(n_grid),
        )

    def extended(self, design: LabelDesign) -> BettingEProcess:
        """Return the e-processes updated by the rows of a design not yet bet on."""
        rows = design.drawn[design.drawn >= self.n_rows] - self.n_rows
        streams = [self.numerator, self.denominator]
        predictive = [design.predictive(terms, self.n_rows)[rows] for terms in streams]
        totals = [design.totals(terms, self.n_rows)[rows] for terms in streams]
        up, down = self._largest_moves(design.reach[self.n_rows :][rows])
        squares = self._expected_squares(design, rows + self.n_rows)
        log_e_value, most, bets = self.log_e_value.copy(), self.most.copy(), self.bets
        least_scale = np.abs(self.denominator).max()
        for t in range(len(rows)):
            # Bets are made at the scale of the metric.
            scale = max(predictive[1][t], least_scale)
            expected = (predictive[0][t] - self.grid * predictive[1][t]) / scale
            won = (totals[0][t] - self.grid * totals[1][t]) / scale
            bets = bets.before(squares[t] / scale**2)
            for side, sign in enumerate((1.0, -1.0)):
                # The largest possible loss of a unit bet.
                loss = (down[t] if side == 0 else up[t]) / scale - sign * expected
                bound = LARGEST_BET / np.maximum(loss, 1e-12)
                log_e_value[side] += np.log1p(
                    sign * np.minimum(bets.sizes(log_e_value[side]), bound) * won
                )
            bets = bets.after(won - expected)
            np.maximum(most, _log_sum(log_e_value), out=most)
        return replace(self, log_e_value=log_e_value, most=most, bets=bets, n_rows=design.n_rows)

    def estimate(
        self, design: LabelDesign, value: float, name: str, confidence_level: float = 0.9
    ) -> ScalarEstimate:
        """Return the metric with its confidence set.

        Parameters
        ----------
        design : LabelDesign
            The design that was bet on last.
        value : float
            The point estimate of the metric.
        name : str
        confidence_level : float in (0, 1), default=0.9
        """
        smallest, largest = possible_range(design, self.numerator, self.denominator)
        distribution = AnytimeDistribution(self.grid, self.most, smallest, largest, value)
        return ScalarEstimate(name, distribution, confidence_level, "anytime")

    def _expected_squares(self, design, rows):
        """Return the expected squared error of each draw, (n_draws, n_grid)."""
        off = (self.numerator[1] - self.numerator[0])[:, np.newaxis]
        off = off - (self.denominator[1] - self.denominator[0])[:, np.newaxis] * self.grid
        # Without a prediction: each item is positive with probability 1/2, and drawn uniformly.
        free = design.free[:-1][rows]
        coins = 0.25 * free * free.sum(axis=1, keepdims=True)
        squares = design.squares[rows]
        return np.einsum("ta,ag->tg", np.where(np.isnan(squares), coins, squares), off**2)

    def _largest_moves(self, reach):
        """Return the largest deviations of a draw above and below its prediction."""
        g = self.numerator[..., np.newaxis] - self.denominator[..., np.newaxis] * self.grid
        highest = np.maximum(g.max(axis=0), 0.0)
        lowest = np.minimum(g.min(axis=0), 0.0)
        # (n_draws, side, n_grid): the prediction weighs g[0] by 1 - p, and g[1] by p.
        positive, negative = reach[:, 1, :, np.newaxis], reach[:, 0, :, np.newaxis]
        up = (highest - g[0]) * positive + (highest - g[1]) * negative
        down = (g[0] - lowest) * positive + (g[1] - lowest) * negative
        return up.max(axis=1), down.max(axis=1)


def _log_sum(log_e_value):
    logs = log_e_value.reshape(-1, log_e_value.shape[-1])
    largest = logs.max(axis=0)
    return largest + np.log(np.exp(logs - largest).sum(axis=0))


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

    def quantile(self, levels) -> np.ndarray:
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

    def _end(self, level):
        rises = level > 0.5
        alpha = 2.0 * min(level, 1.0 - level)
        grid, most = (self.grid[::-1], self.most[::-1]) if rises else (self.grid, self.most)
        with np.errstate(divide="ignore"):
            wall = -np.log(alpha)
        # Where every value is rejected, the least rejected one is left.
        first = int(np.argmax(most < wall)) if (most < wall).any() else int(np.argmin(most))
        end = grid[first]
        if first and most[first] < wall:
            # The log wealth is interpolated linearly between two values of the grid.
            share = (wall - most[first]) / (most[first - 1] - most[first])
            end += share * (grid[first - 1] - end)
        if np.isnan(self.smallest):
            return 1.0 if rises else 0.0
        return float(np.clip(end, self.smallest, self.largest))
