"""Scores as a model of labels sees them: on the normal scale of their ranks."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..strategies import ranks_from_top

__all__ = ["normal_scores"]


def normal_scores(values) -> np.ndarray:
    """Return the quantile of a normal law at the rank of each value, ties at their mean."""
    ranks = ranks_from_top(values)
    return special.ndtri((len(values) - ranks + 0.5) / len(values))
