"""The gamma family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._positive import PositiveFamily

# Newton steps: the start is accurate to 1.5%, and each step squares the error.
_NEWTON_STEPS = 4
# Below this gap, the scores are equal up to rounding.
_MIN_GAP = 1e-13


@dataclass(frozen=True, repr=False)
class Gamma(PositiveFamily):
    r"""Gamma density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{r^k s^{k - 1} e^{-r s}}{\Gamma(k)}, \quad
        k = \frac{\mu^2}{\sigma^2}, \quad r = \frac{\mu}{\sigma^2}, \quad s > 0

    Here :math:`\mu > 0` is `mean` and :math:`\sigma` is `std`, those of the density; the
    support is (0, inf). It is ``scipy.stats.gamma(k, scale=1 / r)``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores, restricted to positive means.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import Gamma
    >>> Gamma().sf(np.array([1.0, 2.0]), 1.0, 1.0).round(3)
    array([0.368, 0.135])
    """

    name: ClassVar[str] = "gamma"
    mean_lower: ClassVar[float] = 0.0

    def _logpdf(self, scores, mean, std):
        rate = mean / std**2
        shape = rate * mean
        constant = shape * np.log(rate) - special.gammaln(shape)
        return (shape - 1.0) * np.log(scores) - rate * scores + constant

    def _gradient(self, scores, mean, std):
        rate = mean / std**2
        shape = rate * mean
        # With respect to the shape, at a fixed rate; and to the rate, at a fixed shape.
        by_shape = np.log(scores) + (np.log(rate) - special.psi(shape))
        by_rate = mean - scores
        return (
            2.0 * rate * by_shape + by_rate / std**2,
            (-2.0 / std) * (shape * by_shape + rate * by_rate),
        )

    def _sf(self, scores, mean, std):
        rate = mean / std**2
        return special.gammaincc(rate * mean, rate * scores)

    def maximum_likelihood(self, scores, weights):
        counted = weights > 0.0
        scores, weights = scores[counted], weights[counted] / weights.sum()
        mean = np.einsum("i,i->", weights, scores)
        # log k - psi(k) is how far the log of the mean lies above the mean of the logs.
        gap = np.log(mean) - np.einsum("i,i->", weights, np.log(scores))
        if not gap > _MIN_GAP:
            return mean, 0.0
        return mean, mean / np.sqrt(_shape_of_gap(gap))

    def ppf(self, probability, mean, std):
        rate = mean / std**2
        return special.gammaincinv(rate * mean, probability) / rate


def _shape_of_gap(gap):
    """Return k with ``log(k) - psi(k) = gap``: Newton's method in 1 / k, from Minka's start."""
    shape = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(_NEWTON_STEPS):
        miss = np.log(shape) - special.psi(shape) - gap
        slope = 1.0 / shape - special.polygamma(1, shape)
        shape = 1.0 / (1.0 / shape + miss / (shape**2 * slope))
    return shape
