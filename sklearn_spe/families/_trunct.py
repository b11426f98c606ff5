"""The Student t family, truncated at zero."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import special

from .._parameter import GammaPrior, Parameter, Prior
from ._truncated import TruncatedFamily

_HALF_LOG_PI = 0.5 * np.log(np.pi)


@dataclass(frozen=True, repr=False)
class TruncT(TruncatedFamily):
    r"""Student t density truncated below at zero: a truncated normal with heavier tails.

    .. math:: p(s) = \frac{t_\nu((s - \mu) / \sigma)}{\sigma T_\nu(\mu / \sigma)}, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the **location and scale** of
    the t density before truncation: its standard deviation,
    :math:`\sigma \sqrt{\nu / (\nu - 2)}`, exists for :math:`\nu > 2` only. The shape `df` is
    :math:`\nu`, between 1 (Cauchy) and 100 (all but normal). `mean` may be negative; the
    support is (0, inf). scipy has the untruncated `scipy.stats.t`.

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the location, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the scale, in standard deviations of all scores.
    df_prior : Prior, default=GammaPrior(2, 10)
        Prior of the degrees of freedom (Juarez and Steel, Model-based clustering of
        non-Gaussian panel data, J. Bus. Econ. Stat. 28, 2010).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import TruncT
    >>> TruncT().sf(np.array([0.0, 1.0, 10.0]), 0.0, 1.0, 1.0).round(3)
    array([1.   , 0.5  , 0.063])
    """

    df_prior: Prior = field(default=GammaPrior(2.0, 10.0))

    name: ClassVar[str] = "trunct"

    @property
    def parameters(self):
        shape = Parameter("df", "shape", self.df_prior, 1.0, 100.0, typical=(4.0, 1.5, 30.0))
        return *super().parameters, shape

    def _logpdf(self, scores, mean, std, df):
        constant = _log_constant(df) - np.log(std) - _log_stdtr(df, mean / std)
        z = (scores - mean) / (std * np.sqrt(df))
        return -0.5 * (df + 1.0) * np.log1p(z * z) + constant

    def _gradient(self, scores, mean, std, df):
        ratio = mean / std
        log_mass = _log_stdtr(df, ratio)
        with np.errstate(under="ignore"):
            hazard = np.exp(
                _log_constant(df) - 0.5 * (df + 1.0) * np.log1p(ratio * ratio / df) - log_mass
            )
        z = (scores - mean) / std
        square = z * z
        pull = (df + 1.0) / (df + square)
        constant = 0.5 * (special.psi(0.5 * (df + 1.0)) - special.psi(0.5 * df) - 1.0 / df)
        return (
            (pull * z - hazard) / std,
            (pull * square + (ratio * hazard - 1.0)) / std,
            pull * square / (2.0 * df)
            - 0.5 * np.log1p(square / df)
            + (constant - _log_stdtr_slope(df, ratio)),
        )

    def _sf(self, scores, mean, std, df):
        with np.errstate(under="ignore"):
            return np.exp(_log_stdtr(df, (mean - scores) / std) - _log_stdtr(df, mean / std))

    def ppf(self, probability, mean, std, df):
        above, below = special.stdtr(df, mean / std), special.stdtr(df, -mean / std)
        with np.errstate(under="ignore"):
            sf, cdf = (1.0 - probability) * above, below + probability * above
        # Invert each half from its own tail, for full precision. The sign is known; at probability
        # 0 stdtrit is nan (scipy 1.15) or has the wrong one (1.17).
        tail = np.minimum(np.minimum(sf, cdf), 0.5)
        magnitude = np.abs(special.stdtrit(df, np.where(tail > 0.0, tail, 0.5)))
        magnitude = np.where(tail > 0.0, magnitude, np.inf)
        quantile = np.maximum(mean + std * np.where(cdf < 0.5, -magnitude, magnitude), 0.0)
        # Near zero the density is constant, and stdtr lacks precision.
        ratio = mean / std
        log_density = _log_constant(df) - 0.5 * (df + 1.0) * np.log1p(ratio * ratio / df)
        near = probability * std * np.exp(_log_stdtr(df, ratio) - log_density)
        return np.where(near < 1e-7 * std, near, quantile)

    def start(self, scores, weights):
        return super().start(scores, weights, 10.0)


def _log_constant(df):
    """Return the log of the standard t density at zero."""
    log_ratio = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df)
    return log_ratio - 0.5 * np.log(df) - _HALF_LOG_PI


def _log_stdtr(df, z):
    """Return the log of the standard t distribution function, also where that underflows."""
    probability = special.stdtr(df, z)
    lost = probability < 1e-280
    if not np.any(lost):
        return np.log(probability)
    # The incomplete beta function as a series around zero: DLMF 8.17.8.
    x = np.where(lost, df / (df + z * z), 0.5)
    a = 0.5 * df
    series = special.hyp2f1(a + 0.5, 1.0, a + 1.0, x)
    tail = a * np.log(x) + 0.5 * np.log1p(-x) - np.log(df) - special.betaln(a, 0.5) + np.log(series)
    return np.where(lost, tail, np.log(np.where(lost, 1.0, probability)))


def _log_stdtr_slope(df, z):
    """Return d log_stdtr / d df by a central difference: it has no closed form.

    It is computed once per draw, not per score.
    """
    step = 1e-5 * df
    return (_log_stdtr(df + step, z) - _log_stdtr(df - step, z)) / (2.0 * step)
