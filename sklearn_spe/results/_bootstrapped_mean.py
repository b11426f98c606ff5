"""The mean of further cases: the distribution of a weighted mean with Dirichlet weights.

A Bayesian bootstrap gives each case a weight Gamma(1), independently; the mean of further cases is
the weighted mean (Rubin 1981). Its distribution function needs no draws: the mean is below t where
a weighted sum of gamma variables is negative, whose characteristic function is a product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import optimize

from ._distributions import ResultDistribution

# Steps of the integral over the logarithm of the frequency. The trapezoidal rule converges
# exponentially there; with these the error is below 1e-8.
_STEP = 0.04
_LOWEST, _HIGHEST = -26.0, 16.0


@dataclass(frozen=True, eq=False)
class BootstrappedMean(ResultDistribution):
    """The mean of values with Dirichlet weights.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Different values.
    counts : ndarray of shape (n_values,)
        Number of cases with each value; fractions where a case is made up.
    """

    values: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, made_up: npt.ArrayLike, count: float = 1.0) -> BootstrappedMean:
        """Return the mean of cases and of made-up ones, each of which counts as `count` cases."""
        extra = np.asarray(made_up, dtype=float)
        counts = np.r_[np.ones(len(values)), np.full(len(extra), count)]
        different, places = np.unique(np.r_[values, extra], return_inverse=True)
        return cls(different, np.bincount(places.ravel(), counts))

    @cached_property
    def n_cases(self) -> float:
        """Number of cases, with the made-up ones."""
        return float(self.counts.sum())

    def mean(self) -> np.ndarray:
        """Return the mean, of shape (1,)."""
        return np.array([self.counts @ self.values / self.n_cases])

    def std(self) -> np.ndarray:
        """Return the standard deviation, of shape (1,)."""
        deviations = self.values - self.mean()
        return np.sqrt([self.counts @ deviations**2 / self.n_cases / (self.n_cases + 1.0)])

    def median(self) -> np.ndarray:
        """Return the median, of shape (1,)."""
        return self.quantile(0.5)[0]

    def quantile(self, levels: npt.ArrayLike) -> np.ndarray:
        """Return quantiles of shape (n_levels, 1)."""
        least, largest = self.values[0], self.values[-1]
        probabilities = np.atleast_1d(np.asarray(levels, dtype=float))
        if least == largest:
            return np.full((len(probabilities), 1), least)
        # Two values as far from the mean as they can be with such a tail (Cantelli).
        tails = np.clip(np.minimum(probabilities, 1.0 - probabilities), 1e-12, None)
        reach = self.std() * np.sqrt(1.0 / tails - 1.0)
        lower = np.maximum(self.mean() - reach, least)
        upper = np.minimum(self.mean() + reach, largest)
        roots = [
            optimize.brentq(lambda t, level=level: self.below(t) - level, *ends, xtol=1e-7)
            for level, *ends in zip(probabilities, lower, upper, strict=True)
        ]
        return np.array(roots)[:, np.newaxis]

    def below(self, bound: float) -> float:
        """Return the probability that the mean is below a bound; a tie counts half.

        By the inversion of Gil-Pelaez, P(Q < 0) = 1/2 - 1/pi * integral of Im phi(u) / u over u > 0
        for Q = sum of counts of gamma variables times (value - bound).
        """
        scales = self.values - bound
        is_scaled = scales != 0.0
        scales, counts = scales[is_scaled], self.counts[is_scaled]
        if not len(scales) or (scales > 0.0).all() or (scales < 0.0).all():
            return 0.5 if not len(scales) else float(scales[0] < 0.0)

        width = np.sqrt(counts @ scales**2)
        frequencies = np.exp(np.arange(_LOWEST, _HIGHEST, _STEP)) / width
        phases = np.zeros(len(frequencies))
        decay = np.zeros(len(frequencies))
        for scale, count in zip(scales, counts, strict=True):
            turned = scale * frequencies
            phases += count * np.arctan(turned)
            decay += count * np.log1p(turned**2)
        integral = _STEP * (np.exp(-decay / 2.0) @ np.sin(phases))
        return float(np.clip(0.5 - integral / np.pi, 0.0, 1.0))
