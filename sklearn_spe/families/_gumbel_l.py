"""The left Gumbel family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._family import Family
from ._gumbel_r import EULER, SCALE, GumbelR

_MIRROR = GumbelR()


@dataclass(frozen=True, repr=False)
class GumbelL(Family):
    r"""Left-skewed Gumbel density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\beta} \exp(z - e^z), \quad
        z = \frac{s - \mu}{\beta} - \gamma, \quad \beta = \frac{\sqrt{6}}{\pi} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and
    :math:`\gamma` is Euler's constant; the support is the real line. It is
    ``scipy.stats.gumbel_l(mean + gamma * beta, beta)``, and the mirror image of `GumbelR`.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import GumbelL
    >>> GumbelL().sf(np.array([-1.0, 0.0, 1.0]), 0.0, 1.0).round(3)
    array([0.856, 0.57 , 0.132])
    """

    name: ClassVar[str] = "gumbel_l"

    def logpdf(self, scores, mean, std):
        return _MIRROR.logpdf(np.negative(scores), -mean, std)

    def gradient(self, scores, mean, std):
        by_mean, by_std = _MIRROR.gradient(np.negative(scores), -mean, std)
        return -by_mean, by_std

    def sf(self, scores, mean, std):
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-np.exp((scores - mean) / (SCALE * std) - EULER))

    def ppf(self, probability, mean, std):
        with np.errstate(divide="ignore"):
            return mean + SCALE * std * (np.log(-np.log1p(-probability)) + EULER)
