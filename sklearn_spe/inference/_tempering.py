"""Tempering: powers of weights with a given effective sample size."""

from __future__ import annotations

import numpy as np

_N_BISECTIONS = 40


def power_with_ess(log_weights: np.ndarray, ess: float, limit: float = 1.0, base=0.0) -> float:
    """Return the largest power of weights with at least a given effective sample size.

    Parameters
    ----------
    log_weights : ndarray of shape (n_draws,)
        Unnormalized; -inf is a weight of zero and stays so at every power.
    ess : float
        Kish's effective size to keep; if fewer draws have positive weight, nine tenths of their
        number.
    limit : float, default=1.0
        Maximum power.
    base : float or ndarray of shape (n_draws,), default=0.0
        Finite log weights that are not raised to the power.
    """
    finite = np.isfinite(log_weights)
    base = np.broadcast_to(base, log_weights.shape)[finite]
    log_weights = log_weights[finite]
    ess = min(ess, 0.9 * len(log_weights))
    if kish_ess(base + limit * log_weights) >= ess:
        return limit
    low, high = 0.0, limit
    for _ in range(_N_BISECTIONS):
        middle = 0.5 * (low + high)
        if kish_ess(base + middle * log_weights) >= ess:
            low = middle
        else:
            high = middle
    return low


def kish_ess(log_weights: np.ndarray) -> float:
    """Return Kish's effective size of unnormalized log weights."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / np.sum(weights**2))


def normalised(log_weights: np.ndarray) -> np.ndarray:
    """Return weights that sum to one."""
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()
