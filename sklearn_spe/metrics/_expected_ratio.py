"""Expectation of a ratio of two sums over items with random labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._division import ratio
from ._label_distribution import LabelDistribution


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
    :math:`A_i = \partial a / \partial p_i`. Its terms are uncorrelated, so that
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

    def _covariance(self, slope, pairs) -> np.ndarray:
        """Return the covariance of the denominator with a sum of given derivatives."""
        distribution = self.distribution
        product = np.broadcast_to(slope * self.denominator_slope, distribution.variance.shape)
        covariance = np.einsum("ij,ij->i", distribution.variance, product)
        if pairs * self.denominator_pairs != 0.0:
            squares = np.einsum("ij,ij->i", distribution.variance, distribution.item_variance)
            of_pairs = (distribution.variance.sum(axis=1) ** 2 - squares) / 2.0
            covariance += pairs * self.denominator_pairs * of_pairs
        return covariance
