"""Distribution of unknown labels: independent, with given probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._arrays import FrozenArrays


@dataclass(frozen=True, eq=False)
class LabelDistribution(FrozenArrays):
    """Independent labels of items in cells of scores, in decreasing order of score.

    The distribution over which expectations of metrics are taken. Every unlabeled item of a cell is
    independently positive with the same probability; known labels are fixed.

    Parameters
    ----------
    unlabeled : array-like of shape (n_cells,)
        Number of unlabeled items of each cell.
    probability : array-like of shape (n_draws, n_cells) or (n_cells,)
        Probability that each such item is positive; one row for each draw.
    positive, negative : array-like of shape (n_cells,), default=0
        Number of items of each cell labeled positive, or negative.
    single : bool or array-like of bool of shape (n_cells,), default=True
        Whether all items of a cell are tied. Otherwise they are spread evenly over the cell, and an
        item has on average half of the others of its cell above it.

    Raises
    ------
    ValueError
        If shapes are inconsistent, a count is negative or not finite, or a probability lies outside
        [0, 1].

    Examples
    --------
    Two tied items with the highest score, one labeled positive, above one other:

    >>> from sklearn_spe.metrics import LabelDistribution
    >>> distribution = LabelDistribution(unlabeled=[1, 1], probability=[0.5, 0.2], positive=[1, 0])
    >>> distribution.mean
    array([[1.5, 0.2]])
    """

    unlabeled: np.ndarray
    probability: np.ndarray
    positive: np.ndarray | float = 0.0
    negative: np.ndarray | float = 0.0
    single: np.ndarray | bool = True

    def __post_init__(self):
        probability = np.atleast_2d(np.asarray(self.probability, dtype=float))
        if probability.ndim != 2:
            raise ValueError(
                f"probability must have shape (n_draws, n_cells), got {probability.shape}."
            )
        if not ((probability >= 0.0) & (probability <= 1.0)).all():
            wrong = probability[~((probability >= 0.0) & (probability <= 1.0))][0]
            raise ValueError(f"probability must lie in [0, 1] in every cell, got {wrong}.")
        object.__setattr__(self, "probability", probability)
        n_cells = probability.shape[1]
        for name in ("unlabeled", "positive", "negative"):
            counts = _by_cell(getattr(self, name), name, n_cells, float)
            if not ((counts >= 0.0) & np.isfinite(counts)).all():
                raise ValueError(f"{name} must be counts of items, finite and not negative.")
            object.__setattr__(self, name, counts)
        object.__setattr__(self, "single", _by_cell(self.single, "single", n_cells, bool))
        super().__post_init__()

    @property
    def n_draws(self) -> int:
        return self.probability.shape[0]

    @property
    def n_cells(self) -> int:
        return self.probability.shape[1]

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of items of each cell, (n_cells,)."""
        return self.unlabeled + self.positive + self.negative

    @cached_property
    def counts_above(self) -> np.ndarray:
        """Number of items in strictly higher cells, (n_cells,)."""
        return sum_above(self.counts)

    @cached_property
    def n_items(self) -> float:
        """Number of items."""
        return float(self.counts.sum())

    @cached_property
    def mean(self) -> np.ndarray:
        """The expected number of positives of each cell, of shape (n_draws, n_cells)."""
        return self.positive + self.unlabeled * self.probability

    @cached_property
    def squares(self) -> np.ndarray:
        """The sum of the squared probabilities of a cell's items, (n_draws, n_cells)."""
        return self.positive + self.unlabeled * self.probability**2

    @cached_property
    def item_variance(self) -> np.ndarray:
        """The variance of the label of one unlabeled item, (n_draws, n_cells)."""
        return self.probability * (1.0 - self.probability)

    @cached_property
    def variance(self) -> np.ndarray:
        """The variance of the number of positives of each cell, (n_draws, n_cells)."""
        return self.unlabeled * self.item_variance

    @cached_property
    def n_positive(self) -> np.ndarray:
        """The expected number of positives, of shape (n_draws,)."""
        return self.mean.sum(axis=1)


def sum_above(values) -> np.ndarray:
    """Return the sum over strictly higher cells; cells decrease along the last axis."""
    sums = np.zeros(values.shape)
    np.cumsum(values[..., :-1], axis=-1, out=sums[..., 1:])
    return sums


def sum_below(values) -> np.ndarray:
    """Return the sum over strictly lower cells; cells decrease along the last axis."""
    return sum_above(values[..., ::-1])[..., ::-1]


def _by_cell(values, name, n_cells, dtype) -> np.ndarray:
    values = np.asarray(values, dtype=dtype)
    if values.shape not in ((), (n_cells,)):
        raise ValueError(
            f"{name} must have shape ({n_cells},), one entry for each cell of probability; got "
            f"{values.shape}."
        )
    return np.broadcast_to(values, (n_cells,))
