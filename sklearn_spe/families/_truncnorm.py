"""The normal family, truncated at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from ._norm import HALF_LOG_2PI, mills, minus_half_square
from ._truncated import TruncatedFamily


@dataclass(frozen=True, repr=False)
class TruncNorm(TruncatedFamily):
    r"""Normal density truncated below at zero.

    .. math:: p(s) = \frac{\phi((s - \mu) / \sigma)}{\sigma \Phi(\mu / \sigma)}, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the mean and the standard
    deviation **before** truncation, so that `mean` may be negative: far below zero the
    density is nearly exponential. The support is (0, inf). It is
    ``scipy.stats.truncnorm(-mean / std, inf, mean, std)``.

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
    >>> from sklearn_spe.families import TruncNorm
    >>> TruncNorm().sf(np.array([0.0, 1.0, 2.0]), 0.0, 1.0).round(3)
    array([1.   , 0.317, 0.046])
    """

    name: ClassVar[str] = "truncnorm"

    def _logpdf(self, scores, mean, std):
        constant = np.log(std) + HALF_LOG_2PI + special.log_ndtr(mean / std)
        return minus_half_square(scores, mean, std, constant)

    def _gradient(self, scores, mean, std):
        z = (scores - mean) / std
        ratio = mean / std
        hazard = mills(ratio)
        return (z - hazard) / std, (z * z + (ratio * hazard - 1.0)) / std

    def _sf(self, scores, mean, std):
        with np.errstate(under="ignore"):
            return np.exp(special.log_ndtr((mean - scores) / std) - special.log_ndtr(mean / std))

    def ppf(self, probability, mean, std):
        with np.errstate(divide="ignore"):
            log_sf = np.log1p(-probability) + special.log_ndtr(mean / std)
        return np.maximum(mean - std * special.ndtri_exp(log_sf), 0.0)

    def centre(self, mean, std):
        # The mean after truncation, in closed form.
        ratio = mean / std
        hazard = mills(ratio)
        shrinkage = hazard * (hazard + ratio)
        return mean + std * hazard, (1.0 - shrinkage, hazard + ratio * shrinkage)
