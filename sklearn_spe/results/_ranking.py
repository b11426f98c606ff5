"""Probabilities of rankings of several systems, from paired draws."""

from __future__ import annotations

import numpy as np

__all__ = ["order_probability", "ranking_probability"]


def ranking_probability(draws, weights=None) -> np.ndarray:
    """Return the probability that one system is better than another, (n_systems, n_systems)."""
    n = draws.shape[1]
    weights = np.ones(len(draws)) if weights is None else weights
    better = np.full((n, n), np.nan)
    for i, j in np.ndindex(n, n):
        off = draws[:, i] - draws[:, j]
        known = ~np.isnan(off)
        total = weights[known].sum()
        if total > 0.0:
            ahead = (off[known] > 0.0) + (off[known] == 0.0) / 2.0
            better[i, j] = weights[known] @ ahead / total
    return better


def order_probability(draws, weights=None) -> float:
    """Return the probability that systems are in the order of their medians.

    `draws` and `weights` are as in `ranking_probability`; 0 if no draw defines all values.
    """
    weights = np.ones(len(draws)) if weights is None else weights
    known = ~np.isnan(draws).any(axis=1)
    draws, weights = draws[known], weights[known]
    if not len(draws):
        return 0.0
    order = np.argsort(-np.median(draws, axis=0), kind="stable")
    in_order = (np.diff(draws[:, order], axis=1) <= 0.0).all(axis=1)
    return float(weights @ in_order / weights.sum())
