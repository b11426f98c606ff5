"""Accuracies that fall exponentially with the number of classes: one rate, or many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize

from sklearn_spe.extrapolation import CurveMethod

# A rate is -log U. The smallest says of a million classes that they are hardly ever confused.
RATES = np.concatenate([[0.0], np.geomspace(1e-7, 10.0, 200)])


@dataclass(frozen=True)
class SumOfExponentials:
    r"""The curve :math:`\sum_l \beta_l e^{-a_l (k - 1)}`.

    Attributes
    ----------
    rates, weights : ndarray of shape (n_terms,)
    """

    rates: np.ndarray
    weights: np.ndarray

    def accuracy(self, n_classes):
        """Return the curve at numbers of classes."""
        return _powers(n_classes, self.rates) @ self.weights


@dataclass(frozen=True)
class Exponential(CurveMethod):
    """One exponential through 1 at one class: U is the same for all items."""

    name: ClassVar[str] = "exponential"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the exponential that is closest to a curve of accuracies."""

        def loss(log_rate):
            fitted = _powers(n_classes, np.exp([log_rate]))[:, 0]
            return count_weights @ (fitted - accuracies) ** 2

        # One bounded search finds a local minimum: begin near the best of the grid.
        best = np.log(min(RATES[1:], key=lambda rate: loss(np.log(rate))))
        bounds = (best - 0.2, best + 0.2)
        rate = np.exp(optimize.minimize_scalar(loss, bounds=bounds, method="bounded").x)
        return SumOfExponentials(np.array([rate]), np.ones(1))


@dataclass(frozen=True)
class ExponentialMixture(CurveMethod):
    """Non-negative least squares on exponentials of many rates: discrete -log U."""

    name: ClassVar[str] = "exponential_mixture"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the sum of exponentials that is closest to a curve of accuracies."""
        # With one class everyone is right.
        counts = np.concatenate([[1], n_classes])
        scale = np.sqrt(np.concatenate([[1.0], count_weights]))
        targets = np.concatenate([[1.0], accuracies])
        table = _powers(counts, RATES) * scale[:, np.newaxis]
        weights, _ = optimize.nnls(table, targets * scale, maxiter=30 * len(RATES))
        return SumOfExponentials(RATES, weights)


def _powers(n_classes, rates):
    """Return exponentials, of shape (n_counts, n_rates)."""
    return np.exp(-np.outer(np.asarray(n_classes, dtype=float) - 1.0, rates))
