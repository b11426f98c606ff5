"""The prior that positives score higher."""

from __future__ import annotations

import numpy as np
from scipy import special

_HALF_LOG_2PI = 0.5 * np.log(2.0 * np.pi)
# Sharpness of the order prior: a tenth of a standard deviation in the wrong order costs four nats,
# a whole one two hundred. With less, thousands of scores would swap the classes wherever the
# families fit the score distribution better that way.
STEEPNESS = 20.0
N_LATTICE = 4096
# Below the negative of this, use the asymptotic normal distribution function.
FAR = 1e4


def log_order_prior(centre_0, std_0, centre_1, std_1):
    r"""Return the log prior factor for the order of the classes, and its derivatives.

    Without labels the likelihood is invariant to swapping the classes. With
    :math:`d = (c_1 - c_0) / \sqrt{\sigma_0^2 + \sigma_1^2}`, for which
    :math:`P(S_1 > S_0) = \Phi(d)` if both are normal, the prior is multiplied by
    :math:`2 \Phi(20 d)`: positives score higher. The centre :math:`c` of a class is its mean, or
    its median if it is truncated (`Family.centre`). A classifier that scores its positives
    lower is thereby excluded; labels that contradict this raise a warning.
    """
    variance = std_0 * std_0 + std_1 * std_1
    distance = (centre_1 - centre_0) / np.sqrt(variance)
    z = STEEPNESS * distance
    log_factor = special.log_ndtr(z)
    # The normal density over its distribution function. In the far tail the two logs cancel up to
    # rounding, and the ratio is -z up to 1 / z.
    near = np.maximum(z, -FAR)
    ratio = np.exp(-0.5 * near * near - _HALF_LOG_2PI - special.log_ndtr(near))
    slope = STEEPNESS * np.where(z < -FAR, -z, ratio)
    by_centre = slope / np.sqrt(variance)
    by_std = -slope * distance / variance
    slopes = (-by_centre, by_std * std_0, by_centre, by_std * std_1)
    return np.log(2.0) + log_factor, slopes


def lattice(n_points: int, n_dim: int) -> np.ndarray:
    """Return points that cover the unit cube evenly, of shape (n_points, n_dim).

    The additive recurrence of the generalized golden ratio, the positive root of
    ``x**(n_dim + 1) = x + 1``.
    """
    golden = 2.0
    for _ in range(60):
        golden = (1.0 + golden) ** (1.0 / (n_dim + 1))
    steps = golden ** -np.arange(1.0, n_dim + 1)
    return (0.5 + np.arange(1, n_points + 1)[:, np.newaxis] * steps) % 1.0
