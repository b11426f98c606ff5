"""Tests of a ratio of sums over a pool, and its confidence sequence."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..results._estimates import ScalarEstimate
from ._betting import AnytimeDistribution, BettingTest, Draw, FiniteHorizonBets
from ._label_design import LabelDesign

# Target half widths of the interval, and the share of the initial wealth for each.
DISTANCES, SHARES = (0.025, 0.048, 0.09), (0.1, 0.8, 0.1)


def possible_range(
    design: LabelDesign, numerator: np.ndarray, denominator: np.ndarray
) -> tuple[float, float]:
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


@dataclass(frozen=True, eq=False)
class RatioTest(FrozenArrays):
    r"""Betting test of each value of a ratio metric of a pool, and its confidence sequence.

    The metric is a ratio of two sums over the pool. At each draw of a design both have unbiased
    estimates (`LabelDesign.totals`), so :math:`Y_t(\theta) = Z_t^{num} - \theta Z_t^{den}` has
    the mean 0 given the past if :math:`\theta` is the metric. The values against which the wealth
    of a `BettingTest` never reached :math:`1 / \alpha` are a confidence set that is valid at every
    look, including looks chosen because the set was small [1]_.

    The wealth is a mixture over several strategies. Each bets that the metric is larger, or
    smaller, with a horizon at which a value at one of `DISTANCES` can be rejected
    (`FiniteHorizonBets`). The variance of a draw is predicted from the free items and their
    inclusion probabilities (`LabelDesign.squares`), rescaled by the squares observed so far: better
    predictions give more power, and validity does not depend on them.

    Attributes
    ----------
    numerator, denominator : ndarray of shape (2, 2)
        ``[z, above]``, what an item adds to either sum of the metric, which lies in [0, 1].
    grid : ndarray of shape (n_grid,)
        The values bet against, increasing from 0 to 1.
    test : BettingTest
        Its strategies are (2, n_distances), first those that bet that the metric is larger.
    n_rows : int
        Number of rows of the design that were bet on.

    References
    ----------
    .. [1] S. Shekhar, Z. Xu, Z. Lipton, P. Liang, A. Ramdas. "Risk-limiting financial audits via
       weighted sampling without replacement." UAI (2023).
    """

    numerator: np.ndarray
    denominator: np.ndarray
    grid: np.ndarray
    test: BettingTest
    n_rows: int = 0

    @classmethod
    def start(
        cls,
        numerator: np.ndarray,
        denominator: np.ndarray,
        *,
        confidence_level: float = 0.9,
        n_grid: int = 1001,
    ) -> RatioTest:
        """Make the test before the first draw.

        Parameters
        ----------
        numerator, denominator : array-like of shape (2, 2)
            The two terms of a metric, ``[z, above]``.
        confidence_level : float in (0, 1), default=0.9
            The level for which bets are optimized; intervals of other levels are valid too.
        n_grid : int, default=1001
            Number of values bet against.
        """
        start = np.array(SHARES) / 2.0
        grid = np.linspace(0.0, 1.0, n_grid)
        rule = FiniteHorizonBets.start(DISTANCES, start, 1.0 - confidence_level, n_grid)
        log_e_value = np.broadcast_to(np.log(start)[:, np.newaxis], (2, len(start), n_grid))
        signs = np.array([1.0, -1.0])[:, np.newaxis, np.newaxis]
        test = BettingTest(rule, log_e_value, np.zeros(n_grid), signs)
        numerator, denominator = (np.asarray(of, dtype=float) for of in (numerator, denominator))
        return cls(numerator, denominator, grid, test)

    def extended(self, design: LabelDesign) -> RatioTest:
        """Return the test updated by the rows of a design not yet bet on."""
        rows = design.drawn[design.drawn >= self.n_rows] - self.n_rows
        streams = [self.numerator, self.denominator]
        predictive = [design.predictive(terms, self.n_rows)[rows] for terms in streams]
        totals = [design.totals(terms, self.n_rows)[rows] for terms in streams]
        up, down = self._largest_moves(design.reach[self.n_rows :][rows])
        squares = self._expected_squares(design, rows + self.n_rows)

        test = self.test
        min_scale = np.abs(self.denominator).max()
        for t in range(len(rows)):
            # Bets are made at the scale of the metric.
            scale = max(predictive[1][t], min_scale)
            expected = (predictive[0][t] - self.grid * predictive[1][t]) / scale
            outcome = (totals[0][t] - self.grid * totals[1][t]) / scale
            largest_loss = np.stack([down[t] / scale - expected, up[t] / scale + expected])
            draw = Draw(expected, squares[t] / scale**2, largest_loss[:, np.newaxis])
            test = test.after(draw, outcome)
        return replace(self, test=test, n_rows=design.n_rows)

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
        distribution = AnytimeDistribution(self.grid, self.test.most, smallest, largest, value)
        n_items = float(design.pool.sum())
        return ScalarEstimate(name, distribution, confidence_level, "anytime", n_items=n_items)

    def _expected_squares(self, design: LabelDesign, rows: np.ndarray) -> np.ndarray:
        """Return the expected squared error of each draw, (n_draws, n_grid)."""
        # The effect of a label on the tested difference, (side, n_grid).
        of_numerator = (self.numerator[1] - self.numerator[0])[:, np.newaxis]
        of_denominator = (self.denominator[1] - self.denominator[0])[:, np.newaxis]
        effect = of_numerator - of_denominator * self.grid

        # Without a prediction: each item is positive with probability 1/2, and drawn uniformly.
        n_free = design.free[:-1][rows]
        unpredicted = 0.25 * n_free * n_free.sum(axis=1, keepdims=True)
        squares = design.squares[rows]
        squares = np.where(np.isnan(squares), unpredicted, squares)
        return np.einsum("ta,ag->tg", squares, effect**2)

    def _largest_moves(self, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the largest deviations of a draw above and below its prediction."""
        g = self.numerator[..., np.newaxis] - self.denominator[..., np.newaxis] * self.grid
        highest = np.maximum(g.max(axis=0), 0.0)
        lowest = np.minimum(g.min(axis=0), 0.0)

        # (n_draws, side, n_grid): the prediction weighs g[0] by 1 - p, and g[1] by p.
        positive = reach[:, 1, :, np.newaxis]
        negative = reach[:, 0, :, np.newaxis]
        up = (highest - g[0]) * positive + (highest - g[1]) * negative
        down = (g[0] - lowest) * positive + (g[1] - lowest) * negative
        return up.max(axis=1), down.max(axis=1)
