"""The Gompertz family: the left Gumbel, truncated at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._gumbel_r import EULER, LARGEST_EXPONENT, SCALE
from ._truncated import TruncatedFamily


@dataclass(frozen=True, repr=False)
class Gompertz(TruncatedFamily):
    r"""Gompertz density: a left Gumbel density truncated below at zero.

    .. math:: p(s) = \frac{1}{\beta} \exp(z - e^z + c), \quad
        z = \frac{s - \mu}{\beta} - \gamma, \quad c = e^{-\mu / \beta - \gamma}, \quad
        \beta = \frac{\sqrt{6}}{\pi} \sigma, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the mean and the standard
    deviation of the left Gumbel density **before** truncation, so that `mean` may be
    negative; :math:`\gamma` is Euler's constant. The support is (0, inf). It is
    ``scipy.stats.gompertz(c, scale=beta)``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean before truncation, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation before truncation, in standard deviations of
        all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import Gompertz
    >>> Gompertz().sf(np.array([0.0, 1.0, 2.0]), 1.0, 1.0).round(3)
    array([1.   , 0.666, 0.154])
    """

    name: ClassVar[str] = "gompertz"

    def _logpdf(self, scores, mean, std):
        scale = SCALE * std
        at_zero = -mean / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            # (z - hazard) - log(scale)
            return scores / scale - _hazard(scores, scale, at_zero) + (at_zero - np.log(scale))

    def _gradient(self, scores, mean, std):
        scale = SCALE * std
        at_zero = -mean / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            hazard = _hazard(scores, scale, at_zero)
            pull = np.minimum(hazard, np.exp(LARGEST_EXPONENT)) - 1.0
            cut = np.exp(np.minimum(at_zero, LARGEST_EXPONENT)) / scale
        return pull / scale, ((scores - mean) / scale * pull + (scores * cut - 1.0)) / std

    def _sf(self, scores, mean, std):
        scale = SCALE * std
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-_hazard(scores, scale, -mean / scale - EULER))

    def ppf(self, probability, mean, std):
        scale = SCALE * std
        with np.errstate(divide="ignore"):
            log_hazard = np.log(-np.log1p(-probability))
        with np.errstate(under="ignore"):
            return scale * np.logaddexp(0.0, log_hazard + mean / scale + EULER)


def _hazard(scores, scale, at_zero):
    """Return ``exp(z) - exp(at_zero)``, the hazard up to the scores: z is scores / scale + at_zero.

    It is ``exp(at_zero) expm1(scores / scale)`` if the location is below zero, where
    the difference would cancel, and ``expm1(z) - expm1(at_zero)`` if it is above,
    where the factors would underflow and overflow.
    """
    below, above = np.maximum(at_zero, 0.0), np.minimum(at_zero, 0.0)
    return np.exp(below) * (np.expm1(scores / scale + above) - np.expm1(above))
