"""Families on the positive half line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy import special

from ..inputs._arrays import Floats
from ._family import (
    HALF_LOG_2PI,
    ExponentiatedFamily,
    GammaPrior,
    Parameter,
    PositiveFamily,
    Prior,
    TruncatedFamily,
)
from ._real_line import (
    EULER,
    LARGEST_EXPONENT,
    SCALE,
    GumbelR,
    Norm,
    mills,
    minus_half_square,
)

# Newton steps: the start is accurate to 1.5%, and each step squares the error.
_NEWTON_STEPS = 4
# Below this gap, the scores are equal up to rounding.
_MIN_GAP = 1e-13
_HALF_LOG_PI = 0.5 * np.log(np.pi)


@dataclass(frozen=True, repr=False)
class Gamma(PositiveFamily):
    r"""Gamma density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{r^k s^{k - 1} e^{-r s}}{\Gamma(k)}, \quad
        k = \frac{\mu^2}{\sigma^2}, \quad r = \frac{\mu}{\sigma^2}, \quad s > 0

    Here :math:`\mu > 0` is `mean` and :math:`\sigma` is `std`, those of the density; the
    support is (0, inf). It is ``scipy.stats.gamma(k, scale=1 / r)``.

    .. versionadded:: 0.1

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

    def _logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        rate = mean / std**2
        shape = rate * mean
        constant = shape * np.log(rate) - special.gammaln(shape)
        return (shape - 1.0) * np.log(scores) - rate * scores + constant

    def _gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        rate = mean / std**2
        shape = rate * mean
        # With respect to the shape, at a fixed rate; and to the rate, at a fixed shape.
        by_shape = np.log(scores) + (np.log(rate) - special.psi(shape))
        by_rate = mean - scores
        return (
            2.0 * rate * by_shape + by_rate / std**2,
            (-2.0 / std) * (shape * by_shape + rate * by_rate),
        )

    def _sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        rate = mean / std**2
        return special.gammaincc(rate * mean, rate * scores)

    def maximum_likelihood(self, scores: np.ndarray, weights: np.ndarray) -> tuple[float, ...]:
        counted = weights > 0.0
        scores = scores[counted]
        weights = weights[counted] / weights.sum()
        mean = np.einsum("i,i->", weights, scores)
        # log k - psi(k) is how far the log of the mean lies above the mean of the logs.
        gap = np.log(mean) - np.einsum("i,i->", weights, np.log(scores))
        if not gap > _MIN_GAP:
            return mean, 0.0
        return mean, mean / np.sqrt(_shape_of_gap(gap))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        rate = mean / std**2
        return special.gammaincinv(rate * mean, probability) / rate


def _shape_of_gap(gap: float) -> Floats:
    """Return k with ``log(k) - psi(k) = gap``: Newton's method in 1 / k, from Minka's start."""
    shape = (3.0 - gap + np.sqrt((gap - 3.0) ** 2 + 24.0 * gap)) / (12.0 * gap)
    for _ in range(_NEWTON_STEPS):
        miss = np.log(shape) - special.psi(shape) - gap
        slope = 1.0 / shape - special.polygamma(1, shape)
        shape = 1.0 / (1.0 / shape + miss / (shape**2 * slope))
    return shape


@dataclass(frozen=True, repr=False)
class Gompertz(TruncatedFamily):
    r"""Gompertz density: a left Gumbel density truncated below at zero.

    .. math:: p(s) = \frac{1}{\beta} \exp(z - e^z + c), \quad
        z = \frac{s - \mu}{\beta} - \gamma, \quad c = e^{-\mu / \beta - \gamma}, \quad
        \beta = \frac{\sqrt{6}}{\pi} \sigma, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the mean and the standard
    deviation of the left Gumbel density **before** truncation, so `mean` may be
    negative; :math:`\gamma` is Euler's constant. The support is (0, inf). It is
    ``scipy.stats.gompertz(c, scale=beta)``.

    .. versionadded:: 0.1

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

    def _logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        scale = SCALE * std
        at_zero = -mean / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            # (z - hazard) - log(scale)
            return scores / scale - _hazard(scores, scale, at_zero) + (at_zero - np.log(scale))

    def _gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        scale = SCALE * std
        at_zero = -mean / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            hazard = _hazard(scores, scale, at_zero)
            pull = np.minimum(hazard, np.exp(LARGEST_EXPONENT)) - 1.0
            cut = np.exp(np.minimum(at_zero, LARGEST_EXPONENT)) / scale
        return pull / scale, ((scores - mean) / scale * pull + (scores * cut - 1.0)) / std

    def _sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        scale = SCALE * std
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-_hazard(scores, scale, -mean / scale - EULER))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        scale = SCALE * std
        with np.errstate(divide="ignore"):
            log_hazard = np.log(-np.log1p(-probability))
        with np.errstate(under="ignore"):
            return scale * np.logaddexp(0.0, log_hazard + mean / scale + EULER)


def _hazard(scores: np.ndarray, scale: Floats, at_zero: Floats) -> Floats:
    """Return ``exp(z) - exp(at_zero)``, the hazard up to the scores: z is scores / scale + at_zero.

    It is ``exp(at_zero) expm1(scores / scale)`` if the location is below zero, where
    the difference would cancel, and ``expm1(z) - expm1(at_zero)`` if it is above,
    where the factors would underflow and overflow.
    """
    below = np.maximum(at_zero, 0.0)
    above = np.minimum(at_zero, 0.0)
    return np.exp(below) * (np.expm1(scores / scale + above) - np.expm1(above))


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

    .. versionadded:: 0.1

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


@dataclass(frozen=True, repr=False)
class LogNorm(ExponentiatedFamily):
    r"""Lognormal density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{\phi((\log s - \lambda) / \tau)}{\tau s}, \quad
        \tau^2 = \log\left(1 + \frac{\sigma^2}{\mu^2}\right), \quad
        \lambda = \log \mu - \frac{\tau^2}{2}, \quad s > 0

    Here :math:`\mu > 0` is `mean` and :math:`\sigma` is `std`, those of the density (not of
    the log score); the support is (0, inf). It is
    ``scipy.stats.lognorm(tau, scale=exp(lambda))``.

    .. versionadded:: 0.1

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


@dataclass(frozen=True, repr=False)
class TruncNorm(TruncatedFamily):
    r"""Normal density truncated below at zero.

    .. math:: p(s) = \frac{\phi((s - \mu) / \sigma)}{\sigma \Phi(\mu / \sigma)}, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the mean and the standard
    deviation **before** truncation, so `mean` may be negative: far below zero the
    density is nearly exponential. The support is (0, inf). It is
    ``scipy.stats.truncnorm(-mean / std, inf, mean, std)``.

    .. versionadded:: 0.1

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

    def _logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        constant = np.log(std) + HALF_LOG_2PI + special.log_ndtr(mean / std)
        return minus_half_square(scores, mean, std, constant)

    def _gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        z = (scores - mean) / std
        ratio = mean / std
        hazard = mills(ratio)
        return (z - hazard) / std, (z * z + (ratio * hazard - 1.0)) / std

    def _sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(under="ignore"):
            return np.exp(special.log_ndtr((mean - scores) / std) - special.log_ndtr(mean / std))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(divide="ignore"):
            log_sf = np.log1p(-probability) + special.log_ndtr(mean / std)
        return np.maximum(mean - std * special.ndtri_exp(log_sf), 0.0)

    def center(self, mean: Floats, std: Floats) -> tuple[Floats, tuple[Floats, ...]]:
        # The mean after truncation, in closed form.
        ratio = mean / std
        hazard = mills(ratio)
        shrinkage = hazard * (hazard + ratio)
        return mean + std * hazard, (1.0 - shrinkage, hazard + ratio * shrinkage)


@dataclass(frozen=True, repr=False)
class TruncT(TruncatedFamily):
    r"""Student t density truncated below at zero: a truncated normal with heavier tails.

    .. math:: p(s) = \frac{t_\nu((s - \mu) / \sigma)}{\sigma T_\nu(\mu / \sigma)}, \quad s > 0

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, the **location and scale** of
    the t density before truncation: its standard deviation,
    :math:`\sigma \sqrt{\nu / (\nu - 2)}`, exists for :math:`\nu > 2` only. The shape `df` is
    :math:`\nu`, between 1 (Cauchy) and 100 (all but normal). `mean` may be negative; the
    support is (0, inf). scipy has the untruncated `scipy.stats.t`.

    .. versionadded:: 0.1

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
    def parameters(self) -> tuple[Parameter, ...]:
        shape = Parameter("df", "shape", self.df_prior, 1.0, 100.0, typical=(4.0, 1.5, 30.0))
        return *super().parameters, shape

    def _logpdf(self, scores: np.ndarray, mean: Floats, std: Floats, df: Floats) -> np.ndarray:
        constant = _log_constant(df) - np.log(std) - _log_stdtr(df, mean / std)
        z = (scores - mean) / (std * np.sqrt(df))
        return -0.5 * (df + 1.0) * np.log1p(z * z) + constant

    def _gradient(
        self, scores: np.ndarray, mean: Floats, std: Floats, df: Floats
    ) -> tuple[np.ndarray, ...]:
        ratio = mean / std
        log_mass = _log_stdtr(df, ratio)

        with np.errstate(under="ignore"):
            hazard = np.exp(_log_density(df, ratio) - log_mass)

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

    def _sf(self, scores: np.ndarray, mean: Floats, std: Floats, df: Floats) -> np.ndarray:
        with np.errstate(under="ignore"):
            return np.exp(_log_stdtr(df, (mean - scores) / std) - _log_stdtr(df, mean / std))

    def ppf(self, probability: Floats, mean: Floats, std: Floats, df: Floats) -> np.ndarray:
        above = special.stdtr(df, mean / std)
        below = special.stdtr(df, -mean / std)

        with np.errstate(under="ignore"):
            sf = (1.0 - probability) * above
            cdf = below + probability * above

        # Invert each half from its own tail, for full precision. The sign is known; at probability
        # 0 stdtrit is nan (scipy 1.15) or has the wrong one (1.17).
        tail = np.minimum(np.minimum(sf, cdf), 0.5)
        magnitude = np.abs(special.stdtrit(df, np.where(tail > 0.0, tail, 0.5)))
        magnitude = np.where(tail > 0.0, magnitude, np.inf)
        quantile = np.maximum(mean + std * np.where(cdf < 0.5, -magnitude, magnitude), 0.0)

        # Near zero the density is constant, and stdtr lacks precision.
        ratio = mean / std
        near = probability * std * np.exp(_log_stdtr(df, ratio) - _log_density(df, ratio))
        return np.where(near < 1e-7 * std, near, quantile)

    def start(
        self, scores: np.ndarray, weights: np.ndarray | None, *shapes: Any
    ) -> tuple[float, ...]:
        return super().start(scores, weights, 10.0)


def _log_constant(df: Floats) -> Floats:
    """Return the log of the standard t density at zero."""
    log_ratio = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df)
    return log_ratio - 0.5 * np.log(df) - _HALF_LOG_PI


def _log_density(df: Floats, z: Floats) -> Floats:
    """Return the log of the standard t density."""
    return _log_constant(df) - 0.5 * (df + 1.0) * np.log1p(z * z / df)


def _log_stdtr(df: Floats, z: Floats) -> Floats:
    """Return the log of the standard t distribution function, also where that underflows."""
    probability = special.stdtr(df, z)
    lost = probability < 1e-280
    if not np.any(lost):
        return np.log(probability)

    # The incomplete beta function as a series around zero: DLMF 8.17.8.
    x = np.where(lost, df / (df + z * z), 0.5)
    a = 0.5 * df
    series = special.hyp2f1(a + 0.5, 1.0, a + 1.0, x)
    log_power = a * np.log(x) + 0.5 * np.log1p(-x)
    tail = log_power - np.log(df) - special.betaln(a, 0.5) + np.log(series)
    return np.where(lost, tail, np.log(np.where(lost, 1.0, probability)))


def _log_stdtr_slope(df: Floats, z: Floats) -> Floats:
    """Return d log_stdtr / d df by a central difference: it has no closed form.

    It is computed once per draw, not per score.
    """
    step = 1e-5 * df
    return (_log_stdtr(df + step, z) - _log_stdtr(df - step, z)) / (2.0 * step)
