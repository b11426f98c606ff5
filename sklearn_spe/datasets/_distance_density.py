"""The distance of a normal point from a fixed one: the square root of noncentral chi-square."""

from __future__ import annotations

import numpy as np
from scipy import special

__all__ = ["distance_density", "distance_ends"]

# From this order on Debye's expansion is accurate to 1e-9.
_LARGE_ORDER = 150.0


def distance_density(distances, offset, scale: float, n_features: int) -> np.ndarray:
    """Return the density of the distance between a fixed point and a normal one, at `offset`."""
    half = 0.5 * n_features
    r, m = np.asarray(distances) / scale, np.asarray(offset) / scale
    log_density = (
        (n_features - 1.0) * np.log(r)
        - 0.5 * (r - m) ** 2
        - (half - 1.0) * np.log(2.0)
        - special.gammaln(half)
        + _log_bessel(half, r * m)
    )
    return np.exp(log_density) / scale


def distance_ends(n_features: int, tail: float) -> tuple[float, float]:
    """Return the distances below and above which a normal point lies with probability `tail`.

    Distances of a standard normal point are from its mean.
    """
    half = 0.5 * n_features
    lower, upper = special.gammaincinv(half, tail), special.gammainccinv(half, tail)
    return float(np.sqrt(2.0 * lower)), float(np.sqrt(2.0 * upper))


def _log_bessel(half: float, z) -> np.ndarray:
    """Return log 0F1(half; z^2 / 4) - z, the Bessel function of order half - 1 without its power.

    The Bessel function may underflow and 0F1 overflow: three formulas are needed.
    """
    order = half - 1.0
    if order > _LARGE_ORDER:
        return _log_bessel_of_large_order(order, z)
    border = 40.0 * np.sqrt(half)
    small, large = np.minimum(z, border), np.maximum(z, border)
    by_series = np.log(special.hyp0f1(half, 0.25 * small**2)) - small
    by_bessel = (
        special.gammaln(half) - order * np.log(0.5 * large) + np.log(special.ive(order, large))
    )
    return np.where(z < border, by_series, by_bessel)


def _log_bessel_of_large_order(order, z) -> np.ndarray:
    """Return the same by Debye's expansion, whose error is of the order ``order**-4``.

    See section 10.41 of the NIST Digital Library of Mathematical Functions.
    """
    x = z / order
    w = np.sqrt(1.0 + x**2)
    p = 1.0 / w
    first = p * (3.0 - 5.0 * p**2) / 24.0
    second = p**2 * (81.0 - 462.0 * p**2 + 385.0 * p**4) / 1152.0
    third = p**3 * (30375.0 - 369603.0 * p**2 + 765765.0 * p**4 - 425425.0 * p**6) / 414720.0
    return (
        special.gammaln(order + 1.0)
        - order * np.log(0.5 * order * (1.0 + w))
        + order / (w + x)
        - 0.5 * np.log(2.0 * np.pi * order * w)
        + np.log1p(first / order + second / order**2 + third / order**3)
    )
