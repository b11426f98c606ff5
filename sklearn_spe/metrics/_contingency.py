"""The table of decisions and classes, when labels are random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ._label_law import LabelLaw


@dataclass(frozen=True, eq=False)
class Contingency:
    r"""What metrics of all four counts of a decision are made of, each with its derivatives.

    With A of N items called positive, which is known, they are functions of the determinant
    :math:`TP\,TN - FP\,FN = N\,TP - A N_p`, which is linear in the labels, and of the number of
    pairs of a positive and a negative, :math:`N_p (N - N_p)`, which has products of two.

    Parameters
    ----------
    law : LabelLaw
    above : ndarray of shape (n_cells,)
        The share of each cell's items that is called positive.
    given : ndarray of shape (n_draws,) or None
        The number of positives, where it is known.
    """

    law: LabelLaw
    above: np.ndarray
    given: np.ndarray | None

    @cached_property
    def n_positive(self) -> np.ndarray:
        """The expected number of positives, of shape (n_draws,)."""
        return self.law.n_positive if self.given is None else self.given

    @cached_property
    def n_positive_slope(self) -> float:
        """How one label changes it."""
        return 1.0 if self.given is None else 0.0

    @cached_property
    def n_called(self) -> float:
        """How many items are called positive."""
        return float(np.einsum("j,j->", self.law.counts, self.above))

    @cached_property
    def tp(self) -> np.ndarray:
        """How many of them are expected to be positive, of shape (n_draws,)."""
        return np.einsum("ij,j->i", self.law.mean, self.above)

    @cached_property
    def determinant(self) -> np.ndarray:
        """Its expectation, of shape (n_draws,)."""
        return self.law.n_items * self.tp - self.n_called * self.n_positive

    @cached_property
    def determinant_slope(self) -> np.ndarray:
        """How the label of an item in each cell changes it, of shape (n_cells,)."""
        return self.law.n_items * self.above - self.n_called * self.n_positive_slope

    @cached_property
    def n_pairs(self) -> np.ndarray:
        """The expected number of pairs of two classes, of shape (n_draws,)."""
        # No item makes a pair with itself. Of one class alone rounding may leave less than none.
        drawn = self.n_positive_slope * self.law.variance.sum(axis=1)
        return np.maximum(self.n_positive * (self.law.n_items - self.n_positive) - drawn, 0.0)

    @cached_property
    def n_pairs_slope(self) -> np.ndarray | float:
        """How the label of an item in each cell changes it, of shape (n_draws, n_cells)."""
        others = self.n_positive[:, np.newaxis] - self.law.probability
        return self.n_positive_slope * (self.law.n_items - 1.0 - 2.0 * others)

    @property
    def n_pairs_pairs(self) -> float:
        """How two labels change it beyond what each does."""
        return -2.0 * self.n_positive_slope
