"""The distribution of an estimated share: Student's t on the logit scale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from ...results._distributions import ResultDistribution

__all__ = ["LogitDistribution"]


@dataclass(frozen=True, eq=False)
class LogitDistribution(ResultDistribution):
    """An estimate in [0, 1] with a scaled Student's t distribution of its log-odds."""

    value: float  # the estimate; NaN if there is none
    standard_error: float  # NaN if only the range is known
    degrees: float  # degrees of freedom of the standard error
    smallest: float = 0.0  # the bounds
    largest: float = 1.0

    n_points = 1

    @classmethod
    def unknown(
        cls, smallest: float = 0.0, largest: float = 1.0, value: float = np.nan
    ) -> LogitDistribution:
        """Make the distribution of a quantity of which only the range is known."""
        return cls(value, np.nan, np.nan, smallest, largest)

    def quantile(self, levels) -> np.ndarray:
        """Return quantiles of shape (n_levels, 1)."""
        levels = np.atleast_1d(np.asarray(levels, dtype=float))[:, np.newaxis]
        ends = np.where(levels == 0.5, self.value, np.where(levels < 0.5, 0.0, 1.0))
        if np.isfinite(self.standard_error):
            # An estimate of 0 or 1 has no log-odds; it is moved by half a label.
            edge = 0.5 / (self.degrees + 2.0)
            centre = np.clip(self.value, edge, 1.0 - edge)
            steps = special.stdtrit(self.degrees, levels)
            scale = self.standard_error / (centre * (1.0 - centre))
            ends = special.expit(special.logit(centre) + steps * scale)
            # The estimate lies in every interval.
            ends = np.where(levels < 0.5, np.minimum(ends, self.value), ends)
            ends = np.where(levels > 0.5, np.maximum(ends, self.value), ends)
        return np.clip(ends, self.smallest, self.largest)

    def median(self) -> np.ndarray:
        """Return the estimate, of shape (1,)."""
        return np.array([self.value])

    def mean(self) -> np.ndarray:
        """Return the estimate, of shape (1,)."""
        return self.median()

    def std(self) -> np.ndarray:
        """Return the standard error, of shape (1,)."""
        return np.array([self.standard_error])
