"""Weighted draws as a probability law: quantiles, mean and standard deviation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class WeightedDraws:
    """The law of one or several quantities, given by weighted draws.

    Attributes
    ----------
    draws : ndarray of shape (n_draws, n_points)
        NaN marks a draw in which a quantity is not defined; it is left out there.
    weights : ndarray of shape (n_draws,)
        Not negative, summing to one.
    """

    draws: np.ndarray
    weights: np.ndarray

    def __post_init__(self):
        for name in ("draws", "weights"):
            array = np.array(getattr(self, name), dtype=float)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def quantile(self, levels) -> np.ndarray:
        """Return weighted quantiles of shape (n_levels, n_points).

        The quantile function is linear between the draws, each of which stands in
        the middle of its weight.
        """
        levels = np.atleast_1d(np.asarray(levels, dtype=float))
        # One row a quantity: sorting is faster along contiguous memory. NaN comes last.
        draws = np.ascontiguousarray(self.draws.T)
        order = np.argsort(draws, axis=1, kind="stable")
        ordered = np.take_along_axis(draws, order, axis=1)
        weights = self.weights[order]
        weights[np.isnan(ordered)] = 0.0
        ends = np.cumsum(weights, axis=1)
        middles = ends - weights / 2.0
        result = np.full((len(levels), len(draws)), np.nan)
        for j in range(len(draws)):
            defined = weights[j] > 0.0
            if defined.any():
                share = middles[j, defined] / ends[j, -1]
                result[:, j] = np.interp(levels, share, ordered[j, defined])
        return result

    def mean(self) -> np.ndarray:
        """Return the weighted mean of each quantity."""
        return self._moment(self.draws)

    def std(self) -> np.ndarray:
        """Return the weighted standard deviation of each quantity."""
        return np.sqrt(self._moment((self.draws - self.mean()) ** 2))

    def envelope_level(self, level: float) -> float:
        """Return the pointwise level at which whole draws lie inside with probability `level`.

        A draw's depth is its most extreme pointwise rank; the draws of the largest depths,
        holding `level` of the weight, lie between the pointwise quantiles at that depth.
        """
        n_points = self.draws.shape[1]
        depth = np.ones(len(self.draws))
        for j in range(n_points):
            column = self.draws[:, j]
            order = np.argsort(column, kind="stable")
            values, first = np.unique(column[order], return_index=True)
            ends = np.cumsum(self.weights[order])
            above = np.r_[0.0, ends][first]
            below = np.r_[ends[first[1:] - 1], ends[-1]] if len(first) > 1 else ends[-1:]
            at = np.searchsorted(values, column)
            inside = ~np.isnan(column)
            rank = np.minimum(below[at], 1.0 - above[at])
            depth[inside] = np.minimum(depth[inside], rank[inside])
        order = np.argsort(-depth, kind="stable")
        held = np.cumsum(self.weights[order])
        last = min(np.searchsorted(held, level * held[-1]), len(held) - 1)
        return float(np.clip(1.0 - 2.0 * depth[order[last]], 0.0, 1.0))

    def _moment(self, values) -> np.ndarray:
        defined = ~np.isnan(values)
        weights = np.where(defined, self.weights[:, None], 0.0)
        total = weights.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return (weights * np.where(defined, values, 0.0)).sum(axis=0) / total
