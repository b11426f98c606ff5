"""Families on the real line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import special

from ..inputs._arrays import Floats
from ._family import (
    HALF_LOG_2PI,
    Family,
    NormalPrior,
    Parameter,
    Prior,
    bracketed_root,
    skewness,
)

_SQRT_HALF, _SQRT_3 = np.sqrt(0.5), np.sqrt(3.0)
_SQRT_2_OVER_PI = np.sqrt(2.0 / np.pi)
# A Gumbel density has mean location +- EULER scale and standard deviation scale / SCALE.
SCALE = np.sqrt(6.0) / np.pi
EULER = np.euler_gamma
# exp(LARGEST_EXPONENT) leaves headroom for the factors of a gradient: no inf - inf.
LARGEST_EXPONENT = 600.0
_LARGEST_SKEWNESS = 0.9


@dataclass(frozen=True, repr=False)
class Norm(Family):
    r"""Normal density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\sigma \sqrt{2\pi}} \exp\left(-\frac{(s - \mu)^2}{2\sigma^2}\right)

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density; the
    support is the real line. It is `scipy.stats.norm`.

    .. versionadded:: 0.1

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

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        return minus_half_square(scores, mean, std, np.log(std) + HALF_LOG_2PI)

    def gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        z = (scores - mean) / std
        return z / std, (z * z - 1.0) / std

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        return special.ndtr((mean - scores) / std)

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        return mean + std * special.ndtri(probability)

    def maximum_likelihood(self, scores: np.ndarray, weights: np.ndarray) -> tuple[float, ...]:
        total = weights.sum()
        mean = np.einsum("i,i->", weights, scores) / total
        return mean, np.sqrt(np.einsum("i,i->", weights, (scores - mean) ** 2) / total)


def mills(z: Floats) -> np.ndarray:
    """Return the standard normal density over its distribution function, ``phi / Phi``."""
    return _SQRT_2_OVER_PI / special.erfcx(-_SQRT_HALF * z)


def minus_half_square(
    scores: np.ndarray, mean: Floats, std: Floats, constant: Floats
) -> np.ndarray:
    """Return ``-((scores - mean) / std)**2 / 2 - constant`` in few passes over the draws."""
    # All later passes are in place, whichever of the two varies over draws.
    z = scores - (mean + np.zeros_like(std))
    z *= _SQRT_HALF / std
    z *= z
    z += constant
    return np.negative(z, out=z if isinstance(z, np.ndarray) else None)


def log_add_exp(a: Floats, b: Floats) -> np.ndarray:
    """Return ``log(exp(a) + exp(b))``."""
    # Five times faster than np.logaddexp; -inf in both gives -inf.
    high = np.maximum(a, b)
    with np.errstate(invalid="ignore"):
        distance = np.asarray(np.subtract(a, b))

    np.abs(distance, out=distance)
    np.negative(distance, out=distance)
    np.exp(distance, out=distance)
    np.log1p(distance, out=distance)
    distance += high
    both_zero = np.isneginf(high)
    if both_zero.any():
        distance[both_zero] = -np.inf

    return distance[()]


@dataclass(frozen=True, repr=False)
class GumbelR(Family):
    r"""Right-skewed Gumbel density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\beta} \exp(-z - e^{-z}), \quad
        z = \frac{s - \mu}{\beta} + \gamma, \quad \beta = \frac{\sqrt{6}}{\pi} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and
    :math:`\gamma` is Euler's constant; the support is the real line. It is
    ``scipy.stats.gumbel_r(mean - gamma * beta, beta)``.

    .. versionadded:: 0.1

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

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        scale = SCALE * std
        minus_z = (mean - scores) / scale - EULER
        with np.errstate(over="ignore", under="ignore"):
            return minus_z - np.exp(minus_z) - np.log(scale)

    def gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        scale = SCALE * std
        minus_z = (mean - scores) / scale - EULER
        with np.errstate(under="ignore"):
            pull = 1.0 - np.exp(np.minimum(minus_z, LARGEST_EXPONENT))
        return pull / scale, (-(minus_z + EULER) * pull - 1.0) / std

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            return -np.expm1(-np.exp((mean - scores) / (SCALE * std) - EULER))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return mean - SCALE * std * (np.log(-np.log(probability)) + EULER)


@dataclass(frozen=True, repr=False)
class GumbelL(Family):
    r"""Left-skewed Gumbel density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{\beta} \exp(z - e^z), \quad
        z = \frac{s - \mu}{\beta} - \gamma, \quad \beta = \frac{\sqrt{6}}{\pi} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and
    :math:`\gamma` is Euler's constant; the support is the real line. It is
    ``scipy.stats.gumbel_l(mean + gamma * beta, beta)``, and the mirror image of `GumbelR`.

    .. versionadded:: 0.1

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
    mirror: ClassVar[GumbelR] = GumbelR()

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        return self.mirror.logpdf(np.negative(scores), -mean, std)

    def gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        by_mean, by_std = self.mirror.gradient(np.negative(scores), -mean, std)
        return -by_mean, by_std

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(-np.exp((scores - mean) / (SCALE * std) - EULER))

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return mean + SCALE * std * (np.log(-np.log1p(-probability)) + EULER)


@dataclass(frozen=True, repr=False)
class SkewNorm(Family):
    r"""Skew normal density of Azzalini with the class's mean and standard deviation.

    .. math:: p(s) = \frac{2}{\omega} \phi(t) \Phi(\alpha t), \quad
        t = \frac{s - \mu}{\omega} + m, \quad \omega = \frac{\sigma}{\sqrt{1 - m^2}}, \quad
        m = \sqrt{\frac{2}{\pi}} \frac{\alpha}{\sqrt{1 + \alpha^2}}

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and `shape` is
    :math:`\alpha`: 0 is the normal density, positive values are skewed to the right. The support is
    the real line. It is ``scipy.stats.skewnorm(alpha, mean - m * omega, omega)``.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.
    shape_prior : Prior, default=NormalPrior(0, 3)
        Prior of the shape.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import SkewNorm
    >>> SkewNorm().sf(np.array([-1.0, 0.0, 1.0]), 0.0, 1.0, 4.0).round(3)
    array([0.854, 0.439, 0.159])
    """

    shape_prior: Prior = field(default=NormalPrior(0.0, 3.0))

    name: ClassVar[str] = "skewnorm"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        shape = Parameter("shape", "shape", self.shape_prior, typical=(0.0, 1.0, -5.0))
        return *super().parameters, shape

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        center, spread = _moments(shape)
        t = (scores - mean) * (spread / std) + center
        constant = np.log(2.0 * spread / std) - HALF_LOG_2PI
        return special.log_ndtr(shape * t) - 0.5 * t * t + constant

    def gradient(
        self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats
    ) -> tuple[np.ndarray, ...]:
        center, spread = _moments(shape)
        centre_slope = _SQRT_2_OVER_PI * (1.0 + shape * shape) ** -1.5
        spread_slope = -center * centre_slope / spread
        z = (scores - mean) / std
        t = spread * z + center
        ratio = mills(shape * t)
        by_t = shape * ratio - t

        return (
            by_t * (-spread / std),
            (by_t * z * spread + 1.0) * (-1.0 / std),
            by_t * (spread_slope * z + centre_slope) + t * ratio + spread_slope / spread,
        )

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        center, spread = _moments(shape)
        return _standard_sf((scores - mean) * (spread / std) + center, shape)

    def ppf(self, probability: Floats, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        center, spread = _moments(shape)
        return mean + (std / spread) * (_standard_ppf(probability, shape) - center)

    def start(self, scores: np.ndarray, weights: np.ndarray | None) -> tuple[float, ...]:
        mean, std = super().start(scores, weights)
        skew = skewness(scores, weights, mean, std)
        skew = min(max(skew, -_LARGEST_SKEWNESS), _LARGEST_SKEWNESS)
        center = np.cbrt(2.0 * skew / (4.0 - np.pi))
        center /= np.sqrt(1.0 + center * center)
        delta = center / _SQRT_2_OVER_PI
        return mean, std, float(delta / np.sqrt(1.0 - delta * delta))


def _moments(shape: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of the standard skew normal variable."""
    center = _SQRT_2_OVER_PI * shape / np.sqrt(1.0 + shape * shape)
    return center, np.sqrt(1.0 - center * center)


def _standard_sf(t: Floats, shape: Floats) -> np.ndarray:
    # Clip: rounding may exceed the interval where the two parts cancel.
    return np.clip(special.ndtr(-t) + 2.0 * special.owens_t(t, shape), 0.0, 1.0)


def _standard_ppf(probability: Floats, shape: Floats) -> np.ndarray:
    """Return the quantiles of the standard skew normal variable."""
    probability, shape = np.broadcast_arrays(probability, shape)

    # The density is at most 2 phi, so each tail at most twice that of the normal.
    low = special.ndtri(0.5 * probability)
    high = -special.ndtri(0.5 * (1.0 - probability))

    # At probability 0 and 1 the end of the bracket is the quantile.
    quantile = np.where(np.isinf(low), low, np.where(np.isinf(high), high, 0.5 * (low + high)))
    finite = np.isfinite(quantile)
    a = shape[finite]
    p = probability[finite]

    def step(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        excess = 1.0 - _standard_sf(t, a) - p
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log_density = np.log(2.0) - HALF_LOG_2PI - 0.5 * t * t + special.log_ndtr(a * t)
            return excess, t - excess * np.exp(-log_density)

    quantile[finite] = bracketed_root(step, quantile[finite], low[finite], high[finite])
    return quantile[()]


@dataclass(frozen=True, repr=False)
class Uniform(Family):
    r"""Uniform density with the class's mean and standard deviation.

    .. math:: p(s) = \frac{1}{2 \sqrt{3} \sigma}, \quad |s - \mu| \le \sqrt{3} \sigma

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density. The support is
    this interval, which depends on the parameters. It is
    ``scipy.stats.uniform(mean - sqrt(3) * std, 2 * sqrt(3) * std)``.

    .. versionadded:: 0.1

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

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        half = _SQRT_3 * std
        return np.where(np.abs(scores - mean) <= half, -np.log(2.0 * half), -np.inf)

    def gradient(self, scores: np.ndarray, mean: Floats, std: Floats) -> tuple[np.ndarray, ...]:
        # Inside the interval; the likelihood jumps at the ends and has no derivative.
        zeros = np.zeros(np.broadcast_shapes(np.shape(scores), np.shape(mean), np.shape(std)))
        return zeros, zeros - 1.0 / std

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats) -> np.ndarray:
        half = _SQRT_3 * std
        return np.clip((mean - scores) / (2.0 * half) + 0.5, 0.0, 1.0)

    def ppf(self, probability: Floats, mean: Floats, std: Floats) -> np.ndarray:
        return mean + _SQRT_3 * std * (2.0 * probability - 1.0)

    def start(self, scores: np.ndarray, weights: np.ndarray | None) -> tuple[float, ...]:
        # By the range, not the moments: scores outside the interval have zero likelihood.
        _, smallest = super().start(scores[:1], None)
        counted = scores if weights is None else scores[np.greater(weights, 0.0)]
        low = np.min(counted)
        high = np.max(counted)
        # Slightly wider, so that the ends stay inside despite rounding.
        half = 0.5 * (high - low) * (1.0 + 1e-6)
        return float(0.5 * (low + high)), float(max(half / _SQRT_3, smallest))

    def maximum_likelihood(self, scores: np.ndarray, weights: np.ndarray) -> tuple[float, ...]:
        return self.start(scores, weights)
