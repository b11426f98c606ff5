"""Draws from the prior of a mixture."""

import numpy as np


def draw_parameters(mixture, rng, size):
    """Draw `u` of shape (size, n_dim) from the prior of a mixture."""
    kept = []
    while sum(map(len, kept)) < size:
        u = np.stack([p.real(p.ppf(rng.random(size))) for p in mixture.parameters], axis=1)
        # The order prior is at most twice the prior without it.
        log_order = mixture.log_order(u) - np.log(2.0)
        kept.append(u[np.log(rng.random(size)) < log_order])
    return np.concatenate(kept)[:size]
