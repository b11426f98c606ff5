"""The normal family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._family import Family

HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
_SQRT_HALF = np.sqrt(0.5)
_SQRT_2_OVER_PI = np.sqrt(2.0 / np.pi)


@dataclass(frozen=True, repr=False)
class Norm(Family):
    r"""Normal density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\sigma \sqrt{2\pi}} \exp\left(-\frac{(s - \mu)^2}{2\sigma^2}\right)

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density; the
    support is the real line. It is `scipy.stats.norm`.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import Norm
    >>> Norm().sf(np.array([1.0, 3.0]), 1.0, 2.0).round(3)
    array([0.5  , 0.159])
    """

    name: ClassVar[str] = "norm"

    def logpdf(self, scores, mean, std):
        return minus_half_square(scores, mean, std, np.log(std) + HALF_LOG_2PI)

    def gradient(self, scores, mean, std):
        z = (scores - mean) / std
        return z / std, (z * z - 1.0) / std

    def sf(self, scores, mean, std):
        return special.ndtr((mean - scores) / std)

    def ppf(self, probability, mean, std):
        return mean + std * special.ndtri(probability)

    def maximum_likelihood(self, scores, weights):
        total = weights.sum()
        mean = np.einsum("i,i->", weights, scores) / total
        return mean, np.sqrt(np.einsum("i,i->", weights, (scores - mean) ** 2) / total)


def mills(z):
    """Return the standard normal density over its distribution function, ``phi / Phi``."""
    return _SQRT_2_OVER_PI / special.erfcx(-_SQRT_HALF * z)


def minus_half_square(scores, mean, std, constant):
    """Return ``-((scores - mean) / std)**2 / 2 - constant`` in few passes over the draws."""
    # All later passes are in place, whichever of the two varies over draws.
    z = scores - (mean + np.zeros_like(std))
    z *= _SQRT_HALF / std
    z *= z
    z += constant
    return np.negative(z, out=z if isinstance(z, np.ndarray) else None)
