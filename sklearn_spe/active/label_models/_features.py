"""Features of scores: normal scores of their ranks within each category."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..lists._items import members_of
from ..strategies._pool import ranks_from_top

__all__ = ["normal_scores", "ranked_scores"]


def normal_scores(values) -> np.ndarray:
    """Return the normal quantile at the rank of each value, with mean ranks for ties."""
    ranks = ranks_from_top(values)
    return special.ndtri((len(values) - ranks + 0.5) / len(values))


def ranked_scores(ranked_lists) -> np.ndarray:
    """Return the normal scores of each system within each category, (n_rows, n_columns).

    Metrics of categories depend on ranks only, and categories may have different scales.
    """
    ranked = np.empty(ranked_lists.scores.shape)
    for own in members_of(ranked_lists.group, ranked_lists.n_groups):
        for column, values in enumerate(ranked_lists.scores[own].T):
            ranked[own, column] = normal_scores(values)
    return ranked
