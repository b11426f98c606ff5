"""Random draws from a mixture, given its parameters."""

from __future__ import annotations

import numpy as np


def draw_items(mixture, u, rng: np.random.Generator, size: int):
    """Draw scores (on the model scale) and labels 0 and 1 from one `u` of shape (n_dim,)."""
    prevalence, negative, positive = mixture.values(np.atleast_2d(u))
    labels = (rng.random(size) < prevalence[0, 0]).astype(np.int8)
    scores = mixture.negative.rvs(rng, size, *(v[0, 0] for v in negative))
    drawn = mixture.positive.rvs(rng, int(labels.sum()), *(v[0, 0] for v in positive))
    scores[labels == 1] = drawn
    return scores, labels
