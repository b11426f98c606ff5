"""Effective sample size of weights, and deterministic selection of draws."""

from __future__ import annotations

import numpy as np


def effective_size(weights) -> float:
    """Return Kish's effective sample size of weights that sum to one."""
    return float(1.0 / np.sum(weights**2))


def picked(weights, n: int) -> np.ndarray:
    """Return indices of `n` draws in proportion to their weights, deterministically."""
    marks = (np.arange(n) + 0.5) / n
    return np.minimum(np.searchsorted(np.cumsum(weights), marks), len(weights) - 1)
