"""The moment method of the paper: splines or powers, fitted to average accuracies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...inputs._numbers import check_choice, check_count, check_flag
from .._distribution import Powers, Ramps
from ._least_squares import LeastSquares
from ._method import CurveMethod

__all__ = ["Moment"]

# The distance of the geometric knots from 1: 1 - 1 / k for a million classes.
NEAREST_GAP = 1e-6


@dataclass(frozen=True)
class Moment(CurveMethod):
    """Non-negative linear splines on the average accuracies: the method of the paper [1]_.

    The distribution function of the conditional accuracy is modeled as a non-negative combination
    of basis functions, and is increasing; with splines it is convex too.

    Parameters
    ----------
    basis : {"spline", "polynomial"}, default="spline"
        Linear splines, or powers of u.
    n_basis : int, default=200
        The number of splines, or the highest degree.
    knots : {"geometric", "uniform"}, default="geometric"
        The spacing of the knots of splines: geometric in their distance from 1, or even as in the
        paper, which takes 10,000 of them.
    constrained : bool, default=True
        Whether the function stays below 1 at u = 1. The paper's does not: accuracies may then be
        negative.

    See Also
    --------
    ClassExReg : The same with normal distributions on the probit scale, with smaller errors far
    out.

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    If scores carry no information, the accuracy with k classes is 1 / k: U is uniform.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import Moment
    >>> n_classes = np.arange(2, 21)
    >>> distribution = Moment().fit_curve(n_classes, 1 / n_classes, np.ones(19),
    ...     np.random.default_rng(0))
    >>> distribution.accuracy(np.array([100, 1000])).round(6)
    array([0.01 , 0.001])

    An option is passed with the method:

    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.datasets import make_recognition_scores
    >>> X, y = make_recognition_scores(50, random_state=0)
    >>> powers = Moment(basis="polynomial", n_basis=20)
    >>> extrapolator = AccuracyExtrapolator(powers, n_bootstrap=0).fit(X, y)
    >>> extrapolator.D_(1.0)
    1.0
    """

    name: ClassVar[str] = "moment"

    basis: str = "spline"
    n_basis: int = 200
    knots: str = "geometric"
    constrained: bool = True

    def __post_init__(self):
        check_choice(self.basis, "basis", ("spline", "polynomial"))
        check_choice(self.knots, "knots", ("geometric", "uniform"))
        check_count(self.n_basis, "n_basis")
        check_flag(self.constrained, "constrained")

    def fit_curve(self, n_classes, accuracies, count_weights, rng):
        """Return the distribution fitted to a curve of accuracies."""
        fit = LeastSquares(
            self._components(), n_classes, count_weights, constrained=self.constrained
        )
        return fit.closest(accuracies)

    def _components(self):
        if self.basis == "polynomial":
            return Powers(np.arange(1.0, self.n_basis + 1))
        if self.knots == "uniform":
            return Ramps(1.0 - np.arange(self.n_basis) / self.n_basis)
        return Ramps(np.geomspace(1.0, NEAREST_GAP, self.n_basis))
