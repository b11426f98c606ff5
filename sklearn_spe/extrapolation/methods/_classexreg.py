"""ClassExReg: a mixture of narrow normal distributions on the probit scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from .._distribution import ProbitNormals
from .._rank_curve import subset_accuracies
from ._least_squares import LeastSquares
from ._method import CurveMethod

__all__ = ["ClassExReg"]

BANDWIDTHS = np.arange(1, 11) / 10.0
N_SUBSAMPLES = 20


@dataclass(frozen=True)
class ClassExReg(CurveMethod):
    r"""Normal distributions of :math:`\Phi^{-1}(U)` on a grid, by non-negative least squares [1]_.

    The width of the distributions, which is also the spacing of their means, is the one that best
    predicts the accuracy with all classes from random halves of them; for accuracies alone, the
    last one from those with up to half as many classes.

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for large
       multi-class problems." Journal of Machine Learning Research 19, 2018.

    Examples
    --------
    If scores carry no information, the accuracy with k classes is 1 / k.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import ClassExReg
    >>> n_classes = np.arange(2, 21)
    >>> distribution = ClassExReg().fit_curve(
    ...     n_classes, 1 / n_classes, np.ones(19), np.random.default_rng(0)
    ... )
    >>> distribution.accuracy(np.array([100, 1000])).round(3)
    array([0.01 , 0.001])
    """

    name: ClassVar[str] = "classexreg"

    def fit(self, pilot, rng):
        """Return the distribution fitted to the average accuracies with 2 to all classes."""
        curve = subset_accuracies(pilot.histogram)
        counts = np.arange(2, pilot.n_classes + 1)
        half = pilot.n_classes // 2
        curves = []
        few = pilot.thinned()
        for _ in range(N_SUBSAMPLES if half > 1 else 0):
            times = np.zeros(pilot.n_classes, dtype=int)
            times[rng.permutation(pilot.n_classes)[:half]] = 1
            if times[few.columns].any():
                curves.append(subset_accuracies(few.with_classes(times).histogram)[1:])
        bandwidth = _best_bandwidth(counts[: half - 1], curves, None, counts[-1], curve[-1])
        return _least_squares(bandwidth, counts, None, counts[-1]).closest(curve[1:])

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the distribution fitted to a curve of accuracies."""
        most = n_classes[-1]
        lower = n_classes <= most / 2
        curves = [accuracies[lower]] if lower.any() else []
        bandwidth = _best_bandwidth(
            n_classes[lower], curves, count_weights[lower], most, accuracies[-1]
        )
        return _least_squares(bandwidth, n_classes, count_weights, most).closest(accuracies)


def _best_bandwidth(n_classes, curves, count_weights, most, truth) -> float:
    """Return the bandwidth with which curves best predict the accuracy with `most` classes."""
    if not curves:
        return float(BANDWIDTHS[-1])
    losses = np.zeros(len(BANDWIDTHS))
    for i, bandwidth in enumerate(BANDWIDTHS):
        fit = _least_squares(bandwidth, n_classes, count_weights, n_classes[-1])
        for curve in curves:
            losses[i] += (fit.closest(curve).accuracy(np.array([most]))[0] - truth) ** 2
    return float(BANDWIDTHS[np.argmin(losses)])


def _least_squares(bandwidth, n_classes, count_weights, most) -> LeastSquares:
    # A mean beyond this wins almost surely among this number of classes.
    reach = -special.ndtri(1.0 / float(most) ** 2)
    means = np.arange(-reach, reach + bandwidth, bandwidth)
    return LeastSquares(ProbitNormals(means, float(bandwidth)), n_classes, count_weights)
