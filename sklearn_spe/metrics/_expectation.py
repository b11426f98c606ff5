"""Expectations of metrics when labels are independent draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..inputs._arrays import Floats, FrozenArrays


def ratio(numerator: Floats, denominator: Floats) -> np.ndarray:
    """Divide; NaN where the denominator is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.divide(numerator, denominator)
    # A nonzero number divided by zero is infinite, zero by zero is NaN.
    infinite = np.isinf(quotient)
    return np.where(infinite, np.nan, quotient) if infinite.any() else quotient


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

    >>> from sklearn_spe.metrics._expectation import LabelDistribution
    >>> distribution = LabelDistribution(unlabeled=[1, 1], probability=[0.5, 0.2], positive=[1, 0])
    >>> distribution.mean
    array([[1.5, 0.2]])
    """

    unlabeled: np.ndarray
    probability: np.ndarray
    positive: np.ndarray | float = 0.0
    negative: np.ndarray | float = 0.0
    single: np.ndarray | bool = True

    def __post_init__(self) -> None:
        probability = np.atleast_2d(np.asarray(self.probability, dtype=float))
        if probability.ndim != 2:
            raise ValueError(
                f"probability must have shape (n_draws, n_cells), got {probability.shape}."
            )

        invalid = probability[~((probability >= 0.0) & (probability <= 1.0))]
        if len(invalid):
            raise ValueError(f"probability must lie in [0, 1] in every cell, got {invalid[0]}.")

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


def sum_above(values: np.ndarray) -> np.ndarray:
    """Return the sum over strictly higher cells; cells decrease along the last axis."""
    sums = np.zeros(values.shape)
    np.cumsum(values[..., :-1], axis=-1, out=sums[..., 1:])
    return sums


def sum_below(values: np.ndarray) -> np.ndarray:
    """Return the sum over strictly lower cells; cells decrease along the last axis."""
    return sum_above(values[..., ::-1])[..., ::-1]


def _by_cell(values: ArrayLike, name: str, n_cells: int, dtype: type) -> np.ndarray:
    values = np.asarray(values, dtype=dtype)
    if values.shape not in ((), (n_cells,)):
        raise ValueError(
            f"{name} must have shape ({n_cells},), one entry for each cell of probability; got "
            f"{values.shape}."
        )
    return np.broadcast_to(values, (n_cells,))


@dataclass(frozen=True, eq=False)
class ExpectedRatio:
    r"""A metric :math:`A / T^q` of sums A and T that are multilinear in the labels.

    With a = E[A] and t = E[T], the expectation of the ratio is to second order

    .. math:: E\left[\frac{A}{T^q}\right] \approx \frac{1}{t^q} \left( a
        - q \, \frac{\mathrm{Cov}(A, T)}{t}
        + \frac{q (q + 1)}{2} \, \frac{a \, \mathrm{Var}(T)}{t^2} \right) ,

    and exactly :math:`a / t^q` if T does not depend on the labels. Most metrics have q = 1.

    Both moments are exact. Labels z_i of probability p_i are independent with variance
    v_i = p_i (1 - p_i). A sum that is linear in every label, with products of two at most, is
    :math:`a + \sum_i A_i (z_i - p_i) + \sum_{i<j} A_{ij} (z_i - p_i)(z_j - p_j)`, where
    :math:`A_i = \partial a / \partial p_i`. Its terms are uncorrelated, so
    :math:`\mathrm{Cov}(A, T) = \sum_i v_i A_i T_i + \sum_{i<j} v_i v_j A_{ij} T_{ij}`.

    Parameters
    ----------
    distribution : LabelDistribution
    numerator : ndarray of shape (n_draws,)
        Expectation a of the numerator.
    denominator : float or ndarray of shape (n_draws,)
        Expectation t of the denominator.
    numerator_slope, denominator_slope : float or ndarray that broadcasts to (n_draws, n_cells)
        The derivatives of a and t by the probability of one unlabeled item of each cell.
    numerator_pairs, denominator_pairs : float, default=0.0
        The second derivatives of a and t by the probabilities of two items, equal for all pairs. If
        those of t are zero, those of a are not needed.
    power : float, default=1.0
        The power q: one half for a square root in the denominator.
    """

    distribution: LabelDistribution
    numerator: np.ndarray
    denominator: np.ndarray | float
    numerator_slope: np.ndarray | float
    denominator_slope: np.ndarray | float
    numerator_pairs: float = 0.0
    denominator_pairs: float = 0.0
    power: float = 1.0

    @property
    def plain(self) -> np.ndarray:
        """The ratio of the expectations, of shape (n_draws,); NaN where that is 0 / 0."""
        return ratio(self.numerator, self._divisor)

    @property
    def expectation(self) -> np.ndarray:
        """The expectation of the ratio to second order, of shape (n_draws,)."""
        covariance = self._covariance(self.numerator_slope, self.numerator_pairs)
        variance = self._covariance(self.denominator_slope, self.denominator_pairs)
        q = self.power
        excess = (q + 1.0) / 2.0 * self._quotient * variance - covariance
        # Divide twice: the square of a small number may underflow.
        return self.plain + q * ratio(ratio(excess, self.denominator), self._divisor)

    @property
    def gradient(self) -> np.ndarray:
        """The derivative of the plain ratio by one unlabeled item of each cell.

        Of shape (n_draws, n_cells). Zero in a cell without unlabeled items.
        """
        fall = self.power * self._quotient[:, np.newaxis] * self.denominator_slope
        change = np.where(self.distribution.unlabeled > 0.0, self.numerator_slope - fall, 0.0)
        return ratio(change, np.reshape(self._divisor, (-1, 1)))

    @property
    def _divisor(self) -> np.ndarray | float:
        return self.denominator**self.power

    @property
    def _quotient(self) -> np.ndarray:
        """The ratio a / t, without the power."""
        return ratio(self.numerator, self.denominator)

    def _covariance(self, slope: Floats, pairs: float) -> np.ndarray:
        """Return the covariance of the denominator with a sum of given derivatives."""
        distribution = self.distribution
        product = np.broadcast_to(slope * self.denominator_slope, distribution.variance.shape)
        covariance = np.einsum("ij,ij->i", distribution.variance, product)
        if pairs * self.denominator_pairs != 0.0:
            squares = np.einsum("ij,ij->i", distribution.variance, distribution.item_variance)
            pairs_variance = (distribution.variance.sum(axis=1) ** 2 - squares) / 2.0
            covariance += pairs * self.denominator_pairs * pairs_variance
        return covariance
