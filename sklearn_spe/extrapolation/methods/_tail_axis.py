"""The position of a score among those of wrong classes, on the probit scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..._arrays import FrozenArrays

__all__ = ["TailAxis"]

# Number of values at either end beyond which the map is linear.
NEAREST_RANK = 15
N_KNOTS = 60
# Number of knots over which the slope of the line is computed.
LINE_KNOTS = 12
# A wrong class that scores higher with a probability below 1e-30 never does.
FARTHEST = 12.0
# Minimum spread of a row with equal scores, as a share of the pooled spread.
MIN_SPREAD = 1e-6
# Decimals to which standardized scores that agree are ties.
DECIMALS = 9


@dataclass(frozen=True)
class SpreadPrior:
    """Empirical Bayes prior of the spread of a row, from the other rows."""

    centre: float  # typical log standard deviation
    kept: float  # shrinkage factor: the share of the deviation that is kept
    log_variance: float  # posterior variance of the log standard deviation
    least: float  # minimum standard deviation of a row, whose scores may all be equal

    @classmethod
    def learn(cls, alone, deviations) -> SpreadPrior:
        """Fit the prior to the standard deviations of rows, and their deviations from the means."""
        n_wrong = deviations.shape[1]
        least = MIN_SPREAD * (float(np.median(alone)) or 1.0)
        logs = np.log(np.maximum(alone, least))
        squares = deviations**2
        with np.errstate(invalid="ignore", divide="ignore"):
            kurtosis = n_wrong * (squares**2).sum(axis=1) / squares.sum(axis=1) ** 2
        typical = np.nanmedian(kurtosis) if np.isfinite(kurtosis).any() else 3.0
        # The sampling variance of the log standard deviation of n values.
        by_chance = max(typical - 1.0, 0.2) / (4.0 * n_wrong)
        centre = float(np.median(logs))
        real = max(0.0, float(np.mean((logs - centre) ** 2)) - by_chance)
        kept = real / (real + by_chance)
        return cls(centre, kept, kept * by_chance, least)


@dataclass(frozen=True, eq=False)
class RowScale(FrozenArrays):
    """Mean and standard deviation of the wrong scores of each item.

    The log standard deviations are shrunk by empirical Bayes, as part of their differences is
    sampling error.
    """

    means: np.ndarray  # (n_items,)
    stds: np.ndarray  # (n_items,)
    n_wrong: int  # number of wrong scores per item
    alone: np.ndarray  # (n_items,); standard deviations before shrinkage
    spreads: SpreadPrior  # the prior of the shrinkage

    @classmethod
    def learn(cls, wrong, spreads: SpreadPrior | None = None) -> RowScale:
        """Compute the scale of the rows of a table of shape (n_items, n_wrong)."""
        n_wrong = wrong.shape[1]
        means = wrong.mean(axis=1)
        deviations = wrong - means[:, np.newaxis]
        squares = np.einsum("ij,ij->i", deviations, deviations)
        alone = np.sqrt(squares / max(n_wrong - 1, 1))
        if spreads is None:
            spreads = SpreadPrior.learn(alone, deviations)
        alone = np.maximum(alone, spreads.least)
        stds = np.exp(spreads.centre + spreads.kept * (np.log(alone) - spreads.centre))
        return cls(means, stds, n_wrong, alone, spreads)

    def of(self, own) -> np.ndarray:
        """Return the standardized scores of the true classes, of shape (n_items,)."""
        return (own - self.means) / self.stds

    def of_each_left_out(self, wrong) -> np.ndarray:
        """Return the standardized wrong scores, each by the others of its row.

        This makes them comparable to the score of a true class, which does not enter the mean.
        """
        n = self.n_wrong
        deviations = wrong - self.means[:, np.newaxis]
        means = self.means[:, np.newaxis] - deviations / (n - 1)
        alone = self.alone[:, np.newaxis]
        squares = (n - 1) * alone**2 - deviations**2 * n / (n - 1)
        stds = np.sqrt(np.maximum(squares / max(n - 2, 1), (MIN_SPREAD * alone) ** 2))
        return (wrong - means) / (stds * (self.stds / self.alone)[:, np.newaxis])


@dataclass(frozen=True, eq=False)
class NormalScores(FrozenArrays):
    r"""The increasing map that makes pooled values standard normal.

    Linear between its knots and beyond the last ones, where fewer than `NEAREST_RANK` values are
    left: a normal tail.
    """

    knots: np.ndarray  # (n_knots,)
    images: np.ndarray  # (n_knots,)

    @classmethod
    def learn(cls, values) -> NormalScores:
        """Fit the map to the ranks of pooled values."""
        values = np.sort(values, axis=None)
        n = len(values)
        nearest = min(NEAREST_RANK, max(1, n // 20))
        tail = np.geomspace(nearest, max(n / 2.0, nearest + 1.0), N_KNOTS // 2).astype(int)
        above = np.unique(np.concatenate([tail, n - tail]))
        above = above[(above >= 1) & (above < n)]
        knots, images = values[n - above], -special.ndtri(above / (n + 1.0))
        # Ties, also up to rounding, have their mean rank.
        _, first, place = np.unique(
            np.round(knots, DECIMALS), return_index=True, return_inverse=True
        )
        images = np.bincount(place, images) / np.bincount(place)
        return cls(knots[first], images)

    def __call__(self, values) -> np.ndarray:
        """Return the images of values, of the same shape."""
        values = np.asarray(values, dtype=float)
        if len(self.knots) < 2:
            return np.sign(values - self.knots[0]) if len(self.knots) else np.zeros_like(values)
        images = np.interp(values, self.knots, self.images)
        step = min(LINE_KNOTS, len(self.knots) - 1)
        for end, inner, beyond in (
            (-1, -1 - step, values > self.knots[-1]),
            (0, step, values < self.knots[0]),
        ):
            rise = self.images[end] - self.images[inner]
            slope = rise / (self.knots[end] - self.knots[inner])
            images[beyond] = self.images[end] + slope * (values[beyond] - self.knots[end])
        return images


@dataclass(frozen=True, eq=False)
class TailAxis:
    """The probit position of an item's true score among wrong ones, and its noise."""

    images: NormalScores  # from standardized scores to positions
    spreads: SpreadPrior  # for standardizing the scores of an item

    @classmethod
    def learn(cls, wrong) -> TailAxis:
        """Fit to a table of wrong scores, of shape (n_items, n_wrong)."""
        rows = RowScale.learn(wrong)
        return cls(NormalScores.learn(rows.of_each_left_out(wrong)), rows.spreads)

    def __call__(self, own, wrong):
        """Return positions and their variances, each of shape (n_items,)."""
        rows = RowScale.learn(wrong, self.spreads)
        x = np.clip(self.images(rows.of(own)), -FARTHEST, FARTHEST)
        return x, 1.0 / rows.n_wrong + x**2 * self.spreads.log_variance
