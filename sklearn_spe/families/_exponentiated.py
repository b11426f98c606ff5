"""Families of ``exp(Y)``, where Y has a density on the real line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._family import Family
from ._positive import PositiveFamily


@dataclass(frozen=True, repr=False)
class ExponentiatedFamily(PositiveFamily):
    """Distribution of ``exp(Y)``, with `parent` the family of Y.

    The mean and the standard deviation of Y are those of the logarithm of a
    lognormal variable with mean `mean` and standard deviation `std`.
    """

    mean_lower: ClassVar[float] = 0.0
    parent: ClassVar[Family]

    def _logpdf(self, scores, mean, std):
        log_scores = np.log(scores)
        return self.parent.logpdf(log_scores, *log_moments(mean, std)) - log_scores

    def _gradient(self, scores, mean, std):
        log_mean, log_std = log_moments(mean, std)
        by_log_mean, by_log_std = self.parent.gradient(np.log(scores), log_mean, log_std)
        # d log_std / d log(std / mean); log_mean = log(mean) - log_std^2 / 2.
        slope = special.expit(2.0 * np.log(std / mean)) / log_std
        by_log_std = slope * (by_log_std - log_std * by_log_mean)
        return (by_log_mean - by_log_std) / mean, by_log_std / std

    def maximum_likelihood(self, scores, weights):
        counted = weights > 0.0
        of_logs = self.parent.maximum_likelihood(np.log(scores[counted]), weights[counted])
        if of_logs is None:
            return None
        log_mean, log_std = of_logs
        mean = np.exp(log_mean + 0.5 * log_std**2)
        return mean, mean * np.sqrt(np.expm1(log_std**2))

    def _sf(self, scores, mean, std):
        return self.parent.sf(np.log(scores), *log_moments(mean, std))

    def ppf(self, probability, mean, std):
        with np.errstate(under="ignore", over="ignore"):
            return np.exp(self.parent.ppf(probability, *log_moments(mean, std)))


def log_moments(mean, std):
    """Return the mean and standard deviation of the log of a lognormal variable."""
    variance = np.logaddexp(0.0, 2.0 * np.log(std / mean))
    return np.log(mean) - 0.5 * variance, np.sqrt(variance)
