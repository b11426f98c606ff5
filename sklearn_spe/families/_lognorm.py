"""The lognormal family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._exponentiated import ExponentiatedFamily
from ._norm import Norm


@dataclass(frozen=True, repr=False)
class LogNorm(ExponentiatedFamily):
    r"""Lognormal density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{\phi((\log s - \lambda) / \tau)}{\tau s}, \quad
        \tau^2 = \log\left(1 + \frac{\sigma^2}{\mu^2}\right), \quad
        \lambda = \log \mu - \frac{\tau^2}{2}, \quad s > 0

    Here :math:`\mu > 0` is `mean` and :math:`\sigma` is `std`, those of the density (not of
    the log score); the support is (0, inf). It is
    ``scipy.stats.lognorm(tau, scale=exp(lambda))``.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores, restricted to positive means.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import LogNorm
    >>> LogNorm().sf(np.array([0.5, 1.0, 2.0]), 1.0, 1.0).round(3)
    array([0.661, 0.339, 0.106])
    """

    name: ClassVar[str] = "lognorm"
    parent: ClassVar[Norm] = Norm()
