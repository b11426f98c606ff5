"""The right Gumbel family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._family import Family

# A Gumbel density has mean location +- EULER scale and standard deviation scale / SCALE.
SCALE = np.sqrt(6.0) / np.pi
EULER = np.euler_gamma
# exp(LARGEST_EXPONENT) leaves headroom for the factors of a gradient: no inf - inf.
LARGEST_EXPONENT = 600.0


@dataclass(frozen=True, repr=False)
class GumbelR(Family):
    r"""Right-skewed Gumbel density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\beta} \exp(-z - e^{-z}), \quad
        z = \frac{s - \mu}{\beta} + \gamma, \quad \beta = \frac{\sqrt{6}}{\pi} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and
    :math:`\gamma` is Euler's constant; the support is the real line. It is
    ``scipy.stats.gumbel_r(mean - gamma * beta, beta)``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import GumbelR
    >>> GumbelR().sf(np.array([-1.0, 0.0, 1.0]), 0.0, 1.0).round(3)
    array([0.868, 0.43 , 0.144])
    """

    name: ClassVar[str] = "gumbel_r"

    def logpdf(self, scores, mean, std):
        scale = SCALE * std
        minus_z = (mean - scores) / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            return minus_z - np.exp(minus_z) - np.log(scale)

    def gradient(self, scores, mean, std):
        scale = SCALE * std
        minus_z = (mean - scores) / scale - EULER
        with np.errstate(under="ignore"):
            pull = 1.0 - np.exp(np.minimum(minus_z, LARGEST_EXPONENT))
        return pull / scale, (-(minus_z + EULER) * pull - 1.0) / std

    def sf(self, scores, mean, std):
        with np.errstate(over="ignore", under="ignore"):
            return -np.expm1(-np.exp((mean - scores) / (SCALE * std) - EULER))

    def ppf(self, probability, mean, std):
        with np.errstate(divide="ignore"):
            return mean - SCALE * std * (np.log(-np.log(probability)) + EULER)
