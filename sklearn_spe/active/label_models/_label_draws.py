"""Draws of what labels may be, given all that is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._frozen import FrozenArrays

__all__ = ["LabelDraws"]


@dataclass(frozen=True, eq=False)
class LabelDraws(FrozenArrays):
    """Draws of a label model.

    Attributes
    ----------
    probability : ndarray of shape (n_draws, n_entries)
        That each label is 1 in a world of the model; labels are independent then.
    codes : ndarray of shape (n_entries,)
        1, 0, or -1 where the label is not known.
    """

    probability: np.ndarray
    codes: np.ndarray

    @property
    def n_draws(self) -> int:
        return len(self.probability)

    @cached_property
    def mean(self) -> np.ndarray:
        """The probability that each label is 1, (n_entries,); known ones are 0 or 1."""
        return np.where(self.codes < 0, self.probability.mean(axis=0), self.codes)

    @cached_property
    def completed(self) -> np.ndarray:
        """The probability with 0 and 1 where labels are known, (n_draws, n_entries)."""
        return np.where(self.codes < 0, self.probability, self.codes)

    def labels(self, rows: slice, rng) -> np.ndarray:
        """Draw all labels in some of the worlds, (n_rows, n_entries)."""
        p = self.probability[rows]
        return np.where(self.codes < 0, rng.random(p.shape) < p, self.codes)
