"""Scores as a model of labels sees them: on the normal scale of their ranks in each category."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..boards._items import members_of
from ..strategies._pool import ranks_from_top

__all__ = ["normal_scores", "ranked_scores"]


def normal_scores(values) -> np.ndarray:
    """Return the quantile of a normal law at the rank of each value, ties at their mean."""
    ranks = ranks_from_top(values)
    return special.ndtri((len(values) - ranks + 0.5) / len(values))


def ranked_scores(board) -> np.ndarray:
    """Return the normal scores of each system within each category, (n_entries, n_columns).

    Nothing else of scores matters to a metric of the categories, and categories need not be
    scored on one scale.
    """
    ranked = np.empty(board.scores.shape)
    for own in members_of(board.group, board.n_groups):
        for column, values in enumerate(board.scores[own].T):
            ranked[own, column] = normal_scores(values)
    return ranked
