"""Random draws from a mixture: of its parameters from the prior, of items given parameters."""

from __future__ import annotations

import numpy as np


def draw_parameters(mixture, rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw `u` of shape (size, n_dim) from the prior of a mixture."""
    kept: list[np.ndarray] = []
    while sum(map(len, kept)) < size:
        u = np.stack([p.real(p.rvs(rng, size)) for p in mixture.parameters], axis=1)
        # The order prior is at most twice the prior without it.
        log_order = mixture.log_order(u) - np.log(2.0)
        kept.append(u[np.log(rng.random(size)) < log_order])
    return np.concatenate(kept)[:size]


def draw_items(mixture, u, rng: np.random.Generator, size: int):
    """Draw scores (on the model scale) and labels 0 and 1 from one `u` of shape (n_dim,)."""
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    labels = (rng.random(size) < prevalence[0, 0]).astype(np.int8)
    scores = mixture.negative.rvs(rng, size, *(v[0, 0] for v in negative))
    drawn = mixture.positive.rvs(rng, int(labels.sum()), *(v[0, 0] for v in positive))
    scores[labels == 1] = drawn
    return scores, labels
