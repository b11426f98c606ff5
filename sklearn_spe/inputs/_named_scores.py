"""Named scores of several systems, without a data frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["NamedScores"]


class NamedScores(np.ndarray):
    """Scores of several systems with column names, like a data frame."""

    columns: list

    @classmethod
    def of(cls, scores: np.ndarray, names: Sequence) -> NamedScores:
        """Name the columns of scores, (n_items, n_systems)."""
        named = scores.view(cls)
        named.columns = list(names)
        return named
