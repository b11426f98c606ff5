"""The uniform family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._family import Family

_SQRT_3 = np.sqrt(3.0)


@dataclass(frozen=True, repr=False)
class Uniform(Family):
    r"""Uniform density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{2 \sqrt{3} \sigma}, \quad |s - \mu| \le \sqrt{3} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density. The support
    is the interval above and moves with the parameters. It is
    ``scipy.stats.uniform(mean - sqrt(3) * std, 2 * sqrt(3) * std)``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import Uniform
    >>> Uniform().sf(np.array([-2.0, 0.0, 1.0]), 0.0, 1.0).round(3)
    array([1.   , 0.5  , 0.211])
    """

    name: ClassVar[str] = "uniform"
    regular: ClassVar[bool] = False

    def logpdf(self, scores, mean, std):
        half = _SQRT_3 * std
        return np.where(np.abs(scores - mean) <= half, -np.log(2.0 * half), -np.inf)

    def gradient(self, scores, mean, std):
        # Inside the interval; the likelihood jumps at the ends and has no derivative.
        none = np.zeros(np.broadcast_shapes(np.shape(scores), np.shape(mean), np.shape(std)))
        return none, none - 1.0 / std

    def sf(self, scores, mean, std):
        half = _SQRT_3 * std
        return np.clip((mean - scores) / (2.0 * half) + 0.5, 0.0, 1.0)

    def ppf(self, probability, mean, std):
        return mean + _SQRT_3 * std * (2.0 * probability - 1.0)

    def start(self, scores, weights):
        # By the range, not the moments: scores outside the interval have zero likelihood.
        _, smallest = super().start(scores[:1], None)
        counted = scores if weights is None else scores[np.greater(weights, 0.0)]
        low, high = np.min(counted), np.max(counted)
        # Slightly wider, so that the ends stay inside despite rounding.
        half = 0.5 * (high - low) * (1.0 + 1e-6)
        return float(0.5 * (low + high)), float(max(half / _SQRT_3, smallest))

    def maximum_likelihood(self, scores, weights):
        return self.start(scores, weights)
