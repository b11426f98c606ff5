"""A model of two parameters: the conditional accuracy is normal on the probit scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import least_squares

from .._distribution import ConditionalAccuracyDistribution, ProbitNormals
from ._method import CurveMethod

__all__ = ["Probit"]

# Beyond these bounds an accuracy with fewer than a million classes is 0 or 1.
LARGEST_MEAN = 10.0
SMALLEST_STD, LARGEST_STD = 0.02, 10.0
# This number of class counts suffices to fit a mean and a standard deviation.
MAX_COUNTS = 60


@dataclass(frozen=True)
class Probit(CurveMethod):
    r"""A normal distribution of :math:`\Phi^{-1}(U)`, fitted by least squares.

    The distribution of U in the limit of many features [1]_.

    References
    ----------
    .. [1] C. Y. Zheng, Y. Benjamini. "Estimating mutual information in high dimensions via
       classification error." 2016.

    Examples
    --------
    If scores carry no information, the accuracy with k classes is 1 / k: U is uniform, and its
    probit standard normal.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import Probit
    >>> n_classes = np.arange(2, 21)
    >>> distribution = Probit().fit_curve(n_classes, 1 / n_classes, np.ones(19),
    ...     np.random.default_rng(0))
    >>> distribution([0.25, 0.5, 0.75]).round(3)
    array([0.25, 0.5 , 0.75])
    >>> distribution.accuracy(np.array([100, 1000])).round(4)
    array([0.01 , 0.001])
    """

    name: ClassVar[str] = "probit"

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the distribution fitted to a curve of accuracies."""
        n_classes, accuracies, count_weights = _thinned(n_classes, accuracies, count_weights)
        scale = np.sqrt(count_weights)

        def residuals(parameters):
            mean, log_std = parameters
            distribution = ProbitNormals(np.array([mean]), float(np.exp(log_std)))
            return (distribution.accuracies(n_classes)[:, 0] - accuracies) * scale

        low = (-LARGEST_MEAN, np.log(SMALLEST_STD))
        high = (LARGEST_MEAN, np.log(LARGEST_STD))
        found = least_squares(residuals, (1.0, 0.0), bounds=(low, high), x_scale=(1.0, 0.5))
        mean, std = found.x[0], float(np.exp(found.x[1]))
        return ConditionalAccuracyDistribution(ProbitNormals(np.array([mean]), std), np.ones(1))


def _thinned(n_classes, accuracies, count_weights):
    """Return the curve at geometrically spaced class counts, with the weights of their ranges."""
    n_classes = np.asarray(n_classes)
    if len(n_classes) <= MAX_COUNTS:
        return n_classes, accuracies, count_weights
    last = len(n_classes) - 1
    kept = np.unique(np.rint(np.geomspace(1, last + 1, MAX_COUNTS)).astype(int)) - 1
    ends = (kept[1:] + kept[:-1] + 1) // 2
    total = np.concatenate([[0.0], np.cumsum(count_weights)])
    stretches = np.diff(total[np.concatenate([[0], ends, [last + 1]])])
    return n_classes[kept], np.asarray(accuracies)[kept], stretches
