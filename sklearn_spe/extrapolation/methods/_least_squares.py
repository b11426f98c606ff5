"""Mixtures of components fitted to measured average accuracies by least squares."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from .._distribution import Components, ConditionalAccuracyDistribution

__all__ = ["LeastSquares"]

# The weight of the constraint on the sum, relative to the other rows.
SUM_ROW = 1e3


class LeastSquares:
    r"""Weights of components by non-negative least squares (eq. 10 to 13 of the paper).

    Minimizes :math:`\sum_k v_k ((1 - ATA_k) - \sum_l \beta_l H_{l, k})^2`, where :math:`H_{l, k} =
    1 - E_l[U^{k - 1}]`, for any number of curves at the same numbers of classes.
    """

    def __init__(self, components: Components, n_classes, count_weights=None, *, constrained=True):
        self.components = components
        self.constrained = constrained
        # On the scale of the row that holds the sum.
        self._scale = 1.0
        if count_weights is not None:
            self._scale = np.sqrt(count_weights / np.mean(count_weights))
        moments = ((1.0 - components.accuracies(n_classes)).T * self._scale).T
        self._basis = None
        if len(moments) > moments.shape[1]:
            # No more rows than columns are needed.
            self._basis, moments = np.linalg.qr(moments)
        if constrained:
            # The weight at U = 1, which causes no error.
            moments = np.column_stack([moments, np.zeros(len(moments))])
            moments = np.vstack([moments, np.full(moments.shape[1], SUM_ROW)])
        self._moments = moments

    def closest(self, accuracies) -> ConditionalAccuracyDistribution:
        """Return the mixture that is closest to a curve."""
        errors = (1.0 - np.asarray(accuracies)) * self._scale
        if self._basis is not None:
            errors = self._basis.T @ errors
        if self.constrained:
            errors = np.append(errors, SUM_ROW)
        weights, _ = nnls(self._moments, errors, maxiter=30 * self._moments.shape[1])
        if self.constrained:
            weights = weights[:-1] / max(1.0, weights[:-1].sum())
        found = weights > 0.0
        # Without errors no component is needed; a distribution has at least one.
        found[0] |= not found.any()
        return ConditionalAccuracyDistribution(self.components.picked(found), weights[found])
