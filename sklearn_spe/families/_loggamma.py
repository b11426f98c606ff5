"""The log-gamma family in Prentice's form, whose shape is any real number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import factorial
from typing import ClassVar

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy import special

from ..inputs._arrays import Floats
from ._family import HALF_LOG_2PI, Family, NormalPrior, Parameter, Prior, skewness
from ._real_line import LARGEST_EXPONENT

_LARGEST_START = 2.0

# Below this |shape| the gamma functions of 1 / shape^2 are replaced by Stirling's series,
# of which five terms then have full precision.
_STIRLING_BELOW = 0.2
_BERNOULLI = special.bernoulli(10)[2::2]
_EVEN = np.arange(2.0, 11.0, 2.0)
_STIRLING = np.column_stack(
    [_BERNOULLI / (_EVEN * (_EVEN - 1.0)), _BERNOULLI / _EVEN, _BERNOULLI, _EVEN * _BERNOULLI]
)

# Below this |shape|, and |x| < 1/2, differences of exp(x) are replaced by their series.
_SERIES_BELOW = 0.05
_FACTORIALS = np.array([1.0 / factorial(j) for j in range(18)])
_FIRST, _SECOND = _FACTORIALS[1:16], _FACTORIALS[2:17]
_SECOND_SLOPE = np.arange(1.0, 16.0) * _FACTORIALS[3:18]

# Below this |shape| the distribution function is Temme's expansion: scipy's loses its
# digits in the tails of 1 / shape^2 > 1e5. Its two leading coefficients: DLMF 8.12.
_TEMME_BELOW = 0.01
_TEMME_0 = np.array([-1.0 / 3.0, 1.0 / 12.0, -2.0 / 135.0, 1.0 / 864.0, 1.0 / 2835.0])
_TEMME_1 = np.array([-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0])


@dataclass(frozen=True, repr=False)
class LogGamma(Family):
    r"""Log-gamma density with the class's mean and standard deviation (Prentice, 1974).

    .. math:: p(s) = \frac{v |q|}{\sigma \Gamma(k)} k^k e^{k (q w - e^{q w})}, \quad
        w = m + v \frac{s - \mu}{\sigma}, \quad k = \frac{1}{q^2}

    Here :math:`\mu` is `mean` and :math:`\sigma` is `std`, those of the density, since :math:`m =
    (\psi(k) - \log k) / q` and :math:`v^2 = \psi'(k) / q^2`. The `shape` is :math:`q`: 0 is the
    normal density (a smooth limit), positive values are skewed to the left, negative values to the
    right. 1 is `GumbelL` and -1 is `GumbelR`. The support is the real line. For :math:`q > 0` it is
    `scipy.stats.loggamma` with ``c = k``.

    .. versionadded:: 0.1

    Parameters
    ----------
    mean_prior : Prior, default=NormalPrior(0, 3)
        Prior of the mean, in standard units of all scores.
    std_prior : Prior, default=GammaPrior(2, 0.5)
        Prior of the standard deviation, in standard deviations of all scores.
    shape_prior : Prior, default=NormalPrior(0, 0.9)
        Prior of the shape.

    References
    ----------
    R. L. Prentice, "A log gamma model and its maximum likelihood estimation",
    Biometrika 61 (1974) 539-544.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.families import LogGamma
    >>> LogGamma().sf(np.array([-1.0, 0.0, 1.0]), 0.0, 1.0, 0.5).round(3)
    array([0.846, 0.534, 0.153])
    """

    shape_prior: Prior = field(default=NormalPrior(0.0, 0.9))

    name: ClassVar[str] = "loggamma"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        typical = (0.0, 0.5, -2.0, -1e-4, -0.03)
        return *super().parameters, Parameter("shape", "shape", self.shape_prior, typical=typical)

    def logpdf(self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        small = np.abs(shape) < _SERIES_BELOW
        if np.ndim(small) == 0 or small.all():
            return self._logpdf(scores, mean, std, shape, series=bool(np.all(small)))

        density = self._logpdf(scores, mean, std, np.where(small, 1.0, shape), series=False)
        if small.any():
            # Use the slow series only for the few draws that need it.
            draws = small[:, 0]
            values = (
                value[draws] if isinstance(value, np.ndarray) and value.ndim else value
                for value in (mean, std, shape)
            )
            density[draws] = self._logpdf(scores, *values, series=True)

        return density

    @staticmethod
    def _logpdf(
        scores: np.ndarray, mean: Floats, std: Floats, shape: Floats, *, series: bool
    ) -> np.ndarray:
        remainder, center, spread = _moments(shape, slopes=False)
        constant = np.log(spread / std) - HALF_LOG_2PI - remainder

        with np.errstate(over="ignore", under="ignore"):
            if series:
                return _exponent((scores - mean) * (spread / std) + center, shape) + constant
            x = scores - (mean + np.zeros_like(std + shape))
            x *= shape * spread / std
            x += shape * center
            x -= np.exp(x)
            x *= shape**-2.0
            x += constant + shape**-2.0
            return x

    def gradient(
        self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats
    ) -> tuple[np.ndarray, ...]:
        _, center, spread, remainder_slope, centre_slope, spread_slope = _moments(shape)
        z = (scores - mean) / std
        w = spread * z + center

        with np.errstate(under="ignore"):
            by_w, by_shape = _exponent_slopes(w, shape)

        return (
            by_w * (-spread / std),
            (by_w * z * spread + 1.0) * (-1.0 / std),
            by_shape
            + by_w * (spread_slope * z + centre_slope)
            + (spread_slope / spread - remainder_slope),
        )

    def sf(self, scores: np.ndarray, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        _, center, spread, *_ = _moments(shape)
        w = (scores - mean) * (spread / std) + center
        near_normal = np.abs(shape) < _TEMME_BELOW
        q = np.where(near_normal, 1.0, shape)
        k = q**-2.0
        with np.errstate(over="ignore", under="ignore"):
            gamma = k * np.exp(q * w)
        tail = np.where(q > 0.0, special.gammaincc(k, gamma), special.gammainc(k, gamma))
        if not np.any(near_normal):
            return tail
        return np.where(near_normal, _temme(w, np.where(near_normal, shape, 0.0), -1.0), tail)

    def ppf(self, probability: Floats, mean: Floats, std: Floats, shape: Floats) -> np.ndarray:
        _, center, spread, *_ = _moments(shape)
        near_normal = np.abs(shape) < _TEMME_BELOW
        q = np.where(near_normal, 1.0, shape)
        k = q**-2.0
        log_gamma = np.where(
            q > 0.0,
            _log_gamma_quantile(special.gammaincinv, k, probability, probability),
            _log_gamma_quantile(special.gammainccinv, k, probability, 1.0 - probability),
        )
        w = (log_gamma - np.log(k)) / q

        if np.any(near_normal):
            w_near_normal = _temme_quantile(probability, np.where(near_normal, shape, 0.0))
            w = np.where(near_normal, w_near_normal, w)
        return mean + (std / spread) * (w - center)

    def start(self, scores: np.ndarray, weights: np.ndarray | None) -> tuple[float, ...]:
        mean, std = super().start(scores, weights)
        # The skewness is -shape + O(shape^3).
        shape = -skewness(scores, weights, mean, std)
        return mean, std, min(max(shape, -_LARGEST_START), _LARGEST_START)


def _moments(q: Floats, slopes: bool = True) -> tuple[np.ndarray, ...]:
    """Return the quantities that depend only on the shape.

    They are Stirling's remainder of ``log Gamma(k)``, the mean and the standard
    deviation of w, and, with `slopes`, the derivatives of the three with respect to q.
    """
    square = np.asarray(q * q)
    parts = np.empty((4, *square.shape))
    large = square > _STIRLING_BELOW**2

    # Evaluate each branch only where it applies: both are costly.
    parts[:, ~large] = _by_series(square[~large])
    parts[:, large] = _without_series(square[large], slopes)
    remainder, psi, trigamma, slope = parts
    spread = np.sqrt(1.0 + square * trigamma)
    offset = 0.5 + square * psi

    if not slopes:
        return remainder, -q * offset, spread

    return (
        remainder,
        -q * offset,
        spread,
        2.0 * q * psi,
        offset - 2.0 * trigamma,
        q * slope / spread,
    )


def _by_series(t: np.ndarray) -> tuple[Floats, ...]:
    """Return the four functions of ``t = 1 / k`` that `_moments` is made of, for a small t."""
    remainder, psi, trigamma, slope = polyval(t * t, _STIRLING)
    return t * remainder, psi, 0.5 + t * trigamma, 0.5 + t * slope


def _without_series(t: np.ndarray, slopes: bool) -> tuple[Floats, ...]:
    """Return the same for larger t; the last is costly."""
    k = 1.0 / t
    log_k = np.log(k)
    remainder = special.gammaln(k) - (k - 0.5) * log_k + k - HALF_LOG_2PI
    psi = ((log_k - special.psi(k)) * k - 0.5) * k
    trigamma = k * special.zeta(2.0, k)
    tetragamma = 2.0 * k * k * special.zeta(3.0, k) if slopes else 0.0
    return remainder, psi, (trigamma - 1.0) * k, (tetragamma - trigamma) * k


def _exponent(w: Floats, q: Floats) -> np.ndarray:
    """Return ``(1 + x - exp(x)) / q^2`` with ``x = qw``, which is ``-w^2 / 2`` at q = 0."""
    x = q * w
    return _with_series((1.0 + x) - np.exp(x), w, x, q, 2, -_SECOND)


def _exponent_slopes(w: Floats, q: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the derivatives of `_exponent` with respect to w and q."""
    x = np.minimum(q * w, LARGEST_EXPONENT)
    growth = np.exp(x) - 1.0
    return (
        _with_series(-growth, w, x, q, 1, -_FIRST),
        _with_series((2.0 - x) * growth - 2.0 * x, w, x, q, 3, -_SECOND_SLOPE),
    )


def _with_series(
    difference: np.ndarray, w: Floats, x: Floats, q: Floats, power: int, series: np.ndarray
) -> np.ndarray:
    """Return ``difference / q^power``; where it cancels, ``w^power`` times the series in x."""
    small = np.abs(q) < _SERIES_BELOW
    if not np.any(small):
        return difference / q**power
    tiny = np.abs(q) < 1e-100
    result = np.asarray(difference / np.where(tiny, 1.0, q) ** power)
    cancels = small & (np.abs(x) < 0.5)
    result[cancels] = np.asarray(w)[cancels] ** power * polyval(np.asarray(x)[cancels], series)
    return result[()]


def _temme(w: Floats, q: Floats, side: float) -> np.ndarray:
    """Return the distribution function (`side` 1) or one minus it (-1) for a small shape."""
    with np.errstate(over="ignore", under="ignore"):
        root = np.sign(w) * np.sqrt(-2.0 * _exponent(w, q))
        density = np.exp(-0.5 * root * root - HALF_LOG_2PI)
        # Where the series are inaccurate, the density is zero.
        eta = np.clip(q * root, -1.0, 1.0)
        correction = q * density * (polyval(eta, _TEMME_0) + q * q * polyval(eta, _TEMME_1))
    return np.clip(special.ndtr(side * root) - side * correction, 0.0, 1.0)


def _temme_quantile(probability: Floats, q: Floats, n_steps: int = 6) -> np.ndarray:
    """Invert `_temme` by Newton's method from the first terms of Cornish and Fisher."""
    normal = special.ndtri(probability)
    finite = np.isfinite(normal)
    z = np.where(finite, normal, 0.0)
    w = z - q * (z * z + 2.0) / 6.0

    for _ in range(n_steps):
        # Invert each half from its own tail, for full precision.
        lower = _temme(w, q, 1.0) - probability
        upper = (1.0 - probability) - _temme(w, q, -1.0)
        with np.errstate(under="ignore"):
            density = np.exp(_exponent(w, q) - HALF_LOG_2PI - q * q / 12.0)
        w = w - np.where(z < 0.0, lower, upper) / np.maximum(density, 1e-300)

    return np.where(finite, w, normal)


def _log_gamma_quantile(
    inverse: Callable[[Floats, Floats], np.ndarray],
    k: Floats,
    probability: Floats,
    lower_tail: Floats,
) -> np.ndarray:
    """Return the log of a gamma quantile, also where the quantile underflows."""
    quantile = inverse(k, probability)
    with np.errstate(divide="ignore", under="ignore"):
        tail = (np.log(lower_tail) + special.gammaln(k + 1.0)) / k
        return np.where(quantile > 1e-290, np.log(quantile), tail)
