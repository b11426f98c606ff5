"""Scores of several systems with their names, without a data frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["NamedScores"]


class NamedScores(np.ndarray):
    """Scores of several systems with the names of their columns, as a data frame has them."""

    columns: list

    @classmethod
    def of(cls, scores: np.ndarray, names: Sequence) -> NamedScores:
        """Name the columns of scores, (n_items, n_systems)."""
        named = scores.view(cls)
        named.columns = list(names)
        return named
