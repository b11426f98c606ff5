"""Where a score stands among those of wrong classes, on the probit scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ..._arrays import FrozenArrays

__all__ = ["TailCoordinate"]

# The map is read off down to so many values from either end, and is a straight line beyond.
NEAREST_RANK = 15
N_KNOTS = 60
# The slope of the line is that over so many knots.
LINE_KNOTS = 12
# A wrong class that scores higher with a probability below 1e-30 never does.
FARTHEST = 12.0
# At least this share of the pooled spread stands for that of a row whose scores are all equal.
LEAST_SPREAD = 1e-6
# Standardised scores that agree in so many decimals are tied.
DECIMALS = 9


@dataclass(frozen=True)
class SpreadPrior:
    """What is known of the spread of a row from the other rows.

    Attributes
    ----------
    centre : float
        The typical logarithm of a standard deviation.
    kept : float
        The share of a row's distance from it that is no chance.
    log_variance : float
        Of the logarithm of a standard deviation: what is still unknown of it.
    least : float
        The least standard deviation of a row, whose scores may all be equal.
    """

    centre: float
    kept: float
    log_variance: float
    least: float

    @classmethod
    def learn(cls, alone, deviations) -> SpreadPrior:
        """Learn it of the standard deviations of rows, and of their deviations from the means."""
        n_wrong = deviations.shape[1]
        least = LEAST_SPREAD * (float(np.median(alone)) or 1.0)
        logs = np.log(np.maximum(alone, least))
        squares = deviations**2
        with np.errstate(invalid="ignore", divide="ignore"):
            kurtosis = n_wrong * (squares**2).sum(axis=1) / squares.sum(axis=1) ** 2
        typical = np.nanmedian(kurtosis) if np.isfinite(kurtosis).any() else 3.0
        # The variance of the log of a standard deviation that n values have.
        by_chance = max(typical - 1.0, 0.2) / (4.0 * n_wrong)
        centre = float(np.median(logs))
        real = max(0.0, float(np.mean((logs - centre) ** 2)) - by_chance)
        kept = real / (real + by_chance)
        return cls(centre, kept, kept * by_chance, least)


@dataclass(frozen=True, eq=False)
class RowScale(FrozenArrays):
    """Mean and standard deviation of the wrong scores of each item.

    The logarithms of the standard deviations are drawn together by empirical Bayes: they differ
    in part by the chance of which classes were tried.

    Attributes
    ----------
    means, stds : ndarray of shape (n_items,)
    n_wrong : int
        How many wrong scores each item has.
    alone : ndarray of shape (n_items,)
        The standard deviations before they were drawn together.
    spreads : SpreadPrior
        What draws them together.
    """

    means: np.ndarray
    stds: np.ndarray
    n_wrong: int
    alone: np.ndarray
    spreads: SpreadPrior

    @classmethod
    def learn(cls, wrong, spreads: SpreadPrior | None = None) -> RowScale:
        """Measure the rows of a table of shape (n_items, n_wrong)."""
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
        """Return the standardised scores of the true classes, of shape (n_items,)."""
        return (own - self.means) / self.stds

    def of_each_left_out(self, wrong) -> np.ndarray:
        """Return the standardised wrong scores, each by the others of its row.

        So they compare with the score of a true class, which has no part in the mean.
        """
        n = self.n_wrong
        deviations = wrong - self.means[:, np.newaxis]
        means = self.means[:, np.newaxis] - deviations / (n - 1)
        alone = self.alone[:, np.newaxis]
        squares = (n - 1) * alone**2 - deviations**2 * n / (n - 1)
        stds = np.sqrt(np.maximum(squares / max(n - 2, 1), (LEAST_SPREAD * alone) ** 2))
        return (wrong - means) / (stds * (self.stds / self.alone)[:, np.newaxis])


@dataclass(frozen=True, eq=False)
class NormalScores(FrozenArrays):
    r"""The increasing map that makes pooled values standard normal.

    Linear between its knots, and beyond the last of them, where fewer than `NEAREST_RANK` values
    are left, a straight line: a normal tail.

    Attributes
    ----------
    knots, images : ndarray of shape (n_knots,)
    """

    knots: np.ndarray
    images: np.ndarray

    @classmethod
    def learn(cls, values) -> NormalScores:
        """Read the map off the ranks of pooled values."""
        values = np.sort(values, axis=None)
        n = len(values)
        nearest = min(NEAREST_RANK, max(1, n // 20))
        tail = np.geomspace(nearest, max(n / 2.0, nearest + 1.0), N_KNOTS // 2).astype(int)
        above = np.unique(np.concatenate([tail, n - tail]))
        above = above[(above >= 1) & (above < n)]
        knots, images = values[n - above], -special.ndtri(above / (n + 1.0))
        # Among equal values the middle of their ranks; equal but for rounding they are, too.
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
class TailCoordinate:
    """The place of an item's own score among wrong ones, on the probit scale, and its noise.

    Attributes
    ----------
    images : NormalScores
        From standardised scores to coordinates.
    spreads : SpreadPrior
        For standardising the scores of an item.
    """

    images: NormalScores
    spreads: SpreadPrior

    @classmethod
    def learn(cls, wrong) -> TailCoordinate:
        """Learn it of a table of wrong scores, of shape (n_items, n_wrong)."""
        rows = RowScale.learn(wrong)
        return cls(NormalScores.learn(rows.of_each_left_out(wrong)), rows.spreads)

    def __call__(self, own, wrong):
        """Return coordinates and their variances, each of shape (n_items,)."""
        rows = RowScale.learn(wrong, self.spreads)
        x = np.clip(self.images(rows.of(own)), -FARTHEST, FARTHEST)
        return x, 1.0 / rows.n_wrong + x**2 * self.spreads.log_variance
