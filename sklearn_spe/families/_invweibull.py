"""The inverse Weibull family, also known as the right Frechet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._exponentiated import ExponentiatedFamily
from ._gumbel_r import GumbelR


@dataclass(frozen=True, repr=False)
class InvWeibull(ExponentiatedFamily):
    r"""Inverse Weibull (right Frechet) density: the exponential of a right Gumbel variable.

    .. math:: p(s) = \frac{1}{\beta s} \exp(-z - e^{-z}), \quad
        z = \frac{\log s - \lambda}{\beta} + \gamma, \quad
        \beta = \frac{\sqrt{6}}{\pi} \tau, \quad s > 0

    Its moments need not exist, so **`mean` and `std` are nominal**: the log score has the
    mean :math:`\lambda` and the standard deviation :math:`\tau` that it would have if the
    score were lognormal with these moments,

    .. math:: \tau^2 = \log\left(1 + \frac{\sigma^2}{\mu^2}\right), \quad
        \lambda = \log \mu - \frac{\tau^2}{2},

    where :math:`\mu > 0` is `mean` and :math:`\sigma` is `std`; :math:`\gamma` is Euler's
    constant. The support is (0, inf). It is
    ``scipy.stats.invweibull(1 / beta, scale=exp(lambda - gamma * beta))``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the nominal mean, in standard units of all scores, restricted to
        positive means.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the nominal standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import InvWeibull
    >>> InvWeibull().sf(np.array([0.5, 1.0, 2.0]), 1.0, 1.0).round(3)
    array([0.616, 0.28 , 0.107])
    """

    name: ClassVar[str] = "invweibull"
    exact_moments: ClassVar[bool] = False
    parent: ClassVar[GumbelR] = GumbelR()
