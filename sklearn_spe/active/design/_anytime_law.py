"""The law of a confidence sequence: the values not yet ruled out, at every level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import FrozenArrays

__all__ = ["AnytimeLaw"]

# The probability that a normal quantity lies within a standard deviation of its mean.
ONE_SIGMA = 0.6826894921370859


@dataclass(frozen=True, eq=False)
class AnytimeLaw(FrozenArrays):
    """The ends of confidence sets, in place of the quantiles of a law.

    The set of level 1 - alpha holds the values against which the capital never
    reached 1 / alpha. The quantile at q is its lower end at alpha = 2 q if q is below one half,
    else its upper end at alpha = 2 (1 - q).

    Attributes
    ----------
    grid : ndarray of shape (n_grid,)
        Values, rising.
    most : ndarray of shape (n_grid,)
        The largest logarithm of the capital against each of them, up to now.
    least, greatest : float
        No other values are possible, whatever the missing labels are; NaN if nothing is.
    value : float
        The best guess.
    """

    grid: np.ndarray
    most: np.ndarray
    least: float
    greatest: float
    value: float

    n_points = 1

    def quantile(self, levels) -> np.ndarray:
        """Return the ends of sets, of shape (n_levels, 1)."""
        ends = [self._end(level) for level in np.atleast_1d(np.asarray(levels, dtype=float))]
        return np.array(ends)[:, np.newaxis]

    def median(self) -> np.ndarray:
        """Return the best guess, of shape (1,)."""
        return np.array([self.value])

    def mean(self) -> np.ndarray:
        """Return the best guess, of shape (1,)."""
        return self.median()

    def std(self) -> np.ndarray:
        """Return half the width of the set that holds as much as a standard deviation."""
        low, high = self.quantile([(1.0 - ONE_SIGMA) / 2.0, (1.0 + ONE_SIGMA) / 2.0])
        return (high - low) / 2.0

    def _end(self, level):
        rises = level > 0.5
        alpha = 2.0 * min(level, 1.0 - level)
        grid, most = (self.grid[::-1], self.most[::-1]) if rises else (self.grid, self.most)
        with np.errstate(divide="ignore"):
            wall = -np.log(alpha)
        # Where all is ruled out the least unlikely value is left.
        first = int(np.argmax(most < wall)) if (most < wall).any() else int(np.argmin(most))
        end = grid[first]
        if first and most[first] < wall:
            # The capital is known between two values of the grid up to a straight line.
            share = (wall - most[first]) / (most[first - 1] - most[first])
            end += share * (grid[first - 1] - end)
        if np.isnan(self.least):
            return 1.0 if rises else 0.0
        return float(np.clip(end, self.least, self.greatest))
