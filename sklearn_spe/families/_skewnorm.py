"""The skew normal family."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy import special

from .._parameter import NormalPrior, Parameter, Prior
from ._family import Family, skewness
from ._norm import HALF_LOG_2PI, mills

_SQRT_2_OVER_PI = np.sqrt(2.0 / np.pi)
_LARGEST_SKEWNESS = 0.9


@dataclass(frozen=True, repr=False)
class SkewNorm(Family):
    r"""Skew normal density of Azzalini with the class's mean and standard deviation.

    .. math:: p(s) = \frac{2}{\omega} \phi(t) \Phi(\alpha t), \quad
        t = \frac{s - \mu}{\omega} + m, \quad \omega = \frac{\sigma}{\sqrt{1 - m^2}}, \quad
        m = \sqrt{\frac{2}{\pi}} \frac{\alpha}{\sqrt{1 + \alpha^2}}

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, and `shape`
    is :math:`\alpha`: 0 is normal, a positive one skews to the right. The support is the
    real line. It is ``scipy.stats.skewnorm(alpha, mean - m * omega, omega)``.

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
    def parameters(self):
        shape = Parameter("shape", "shape", self.shape_prior, typical=(0.0, 1.0, -5.0))
        return *super().parameters, shape

    def logpdf(self, scores, mean, std, shape):
        centre, spread = _moments(shape)
        t = (scores - mean) * (spread / std) + centre
        constant = np.log(2.0 * spread / std) - HALF_LOG_2PI
        return special.log_ndtr(shape * t) - 0.5 * t * t + constant

    def gradient(self, scores, mean, std, shape):
        centre, spread = _moments(shape)
        centre_slope = _SQRT_2_OVER_PI * (1.0 + shape * shape) ** -1.5
        spread_slope = -centre * centre_slope / spread
        z = (scores - mean) / std
        t = spread * z + centre
        ratio = mills(shape * t)
        by_t = shape * ratio - t
        return (
            by_t * (-spread / std),
            (by_t * z * spread + 1.0) * (-1.0 / std),
            by_t * (spread_slope * z + centre_slope) + t * ratio + spread_slope / spread,
        )

    def sf(self, scores, mean, std, shape):
        centre, spread = _moments(shape)
        return _standard_sf((scores - mean) * (spread / std) + centre, shape)

    def ppf(self, probability, mean, std, shape):
        centre, spread = _moments(shape)
        return mean + (std / spread) * (_standard_ppf(probability, shape) - centre)

    def start(self, scores, weights):
        mean, std = super().start(scores, weights)
        skew = skewness(scores, weights, mean, std)
        skew = min(max(skew, -_LARGEST_SKEWNESS), _LARGEST_SKEWNESS)
        centre = np.cbrt(2.0 * skew / (4.0 - np.pi))
        centre /= np.sqrt(1.0 + centre * centre)
        delta = centre / _SQRT_2_OVER_PI
        return mean, std, float(delta / np.sqrt(1.0 - delta * delta))


def _moments(shape):
    """Return the mean and the standard deviation of the standard skew normal variable."""
    centre = _SQRT_2_OVER_PI * shape / np.sqrt(1.0 + shape * shape)
    return centre, np.sqrt(1.0 - centre * centre)


def _standard_sf(t, shape):
    # Clip: rounding may exceed the interval where the two parts cancel.
    return np.clip(special.ndtr(-t) + 2.0 * special.owens_t(t, shape), 0.0, 1.0)


def _standard_ppf(probability, shape, n_steps=60):
    """Invert the standard distribution function by Newton steps inside a shrinking bracket."""
    probability, shape = np.broadcast_arrays(probability, shape)
    # The density is at most 2 phi, so each tail at most twice that of the normal.
    low, high = special.ndtri(0.5 * probability), -special.ndtri(0.5 * (1.0 - probability))
    # At probability 0 and 1 the end of the bracket is the quantile.
    quantile = np.where(np.isinf(low), low, np.where(np.isinf(high), high, 0.5 * (low + high)))
    finite = np.isfinite(quantile)
    t, a, p = quantile[finite], shape[finite], probability[finite]
    low, high = low[finite], high[finite]
    for _ in range(n_steps):
        excess = 1.0 - _standard_sf(t, a) - p
        low, high = np.where(excess < 0.0, t, low), np.where(excess < 0.0, high, t)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            log_density = np.log(2.0) - HALF_LOG_2PI - 0.5 * t * t + special.log_ndtr(a * t)
            newton = t - excess * np.exp(-log_density)
        inside = (newton >= low) & (newton <= high)
        previous, t = t, np.where(inside, newton, 0.5 * (low + high))
        if np.all(np.abs(t - previous) <= 4e-16 * np.maximum(1.0, np.abs(t))):
            break
    quantile[finite] = t
    return quantile[()]
