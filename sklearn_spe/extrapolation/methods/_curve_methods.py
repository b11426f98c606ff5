"""The interface of methods, and those that read accuracies: moments, expected ranks, probit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.optimize import least_squares, nnls

from ...inputs._validation import check_choice, check_count, check_flag
from .._accuracy_curve import subset_accuracies
from .._accuracy_distributions import (
    Components,
    ConditionalAccuracyDistribution,
    Distribution,
    Powers,
    ProbitNormals,
    Ramps,
)
from .._pilot import Pilot

# The weight of the constraint on the sum, relative to the other rows.
SUM_ROW = 1e3
BANDWIDTHS = np.arange(1, 11) / 10.0
N_SUBSAMPLES = 20
# The distance of the geometric knots from 1: 1 - 1 / k for a million classes.
NEAREST_GAP = 1e-6
# Beyond these bounds an accuracy with fewer than a million classes is 0 or 1.
LARGEST_MEAN = 10.0
SMALLEST_STD = 0.02
LARGEST_STD = 10.0
# This number of class counts suffices to fit a mean and a standard deviation.
MAX_COUNTS = 60


@dataclass(frozen=True)
class Method(ABC):
    """Base class of estimators of the distribution of the conditional accuracy.

    .. versionadded:: 0.1

    Attributes
    ----------
    name : str
        The key in `METHODS`.

    See Also
    --------
    CurveMethod : A method that needs accuracies only.

    Examples
    --------
    >>> from sklearn_spe.extrapolation import Method
    >>> from sklearn_spe.extrapolation.methods._registry import METHODS
    >>> issubclass(METHODS["kde"], Method), METHODS["kde"].name
    (True, 'kde')
    """

    name: ClassVar[str]

    @abstractmethod
    def fit(self, pilot: Pilot, rng: np.random.Generator) -> Distribution:
        """Return the distribution estimated from the scores of a pilot.

        Parameters
        ----------
        pilot : Pilot
        rng : Generator
        """


@dataclass(frozen=True)
class CurveMethod(Method):
    """Base class of methods that need average accuracies only, not scores.

    .. versionadded:: 0.1

    Examples
    --------
    >>> from sklearn_spe.extrapolation import CurveMethod
    >>> from sklearn_spe.extrapolation.methods._registry import METHODS
    >>> issubclass(METHODS["probit"], CurveMethod), issubclass(METHODS["kde"], CurveMethod)
    (True, False)
    """

    @abstractmethod
    def fit_curve(
        self,
        n_classes: np.ndarray,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> Distribution:
        """Return the distribution fitted to a curve of accuracies.

        Parameters
        ----------
        n_classes, accuracies, count_weights : ndarray of shape (n_counts,)
            Increasing numbers of classes, at least 2, the average accuracy for each number, and its
            weight.
        rng : Generator
        """

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> Distribution:
        """Return the distribution fitted to the average accuracies with 2 to all classes."""
        counts = np.arange(2, pilot.n_classes + 1)
        return self.fit_curve(
            counts, subset_accuracies(pilot.histogram)[1:], np.ones(len(counts)), rng
        )


class LeastSquares:
    r"""Weights of components by non-negative least squares (eq. 10 to 13 of the paper).

    Minimizes :math:`\sum_k v_k ((1 - ATA_k) - \sum_l \beta_l H_{l, k})^2`, where :math:`H_{l, k} =
    1 - E_l[U^{k - 1}]`, for any number of curves at the same numbers of classes.
    """

    def __init__(
        self,
        components: Components,
        n_classes: np.ndarray,
        count_weights: np.ndarray | None = None,
        *,
        constrained: bool = True,
    ) -> None:
        self.components = components
        self.constrained = constrained

        # On the scale of the row that holds the sum.
        self._scale = 1.0
        if count_weights is not None:
            self._scale = np.sqrt(count_weights / np.mean(count_weights))

        moments = ((1.0 - components.accuracies(n_classes)).T * self._scale).T
        self._basis: np.ndarray | None = None
        if len(moments) > moments.shape[1]:
            # No more rows than columns are needed.
            self._basis, moments = np.linalg.qr(moments)

        if constrained:
            # The weight at U = 1, which causes no error.
            moments = np.column_stack([moments, np.zeros(len(moments))])
            moments = np.vstack([moments, np.full(moments.shape[1], SUM_ROW)])

        self._moments = moments

    def closest(self, accuracies: npt.ArrayLike) -> ConditionalAccuracyDistribution:
        """Return the mixture that is closest to a curve."""
        errors = (1.0 - np.asarray(accuracies)) * self._scale
        if self._basis is not None:
            errors = self._basis.T @ errors
        if self.constrained:
            errors = np.append(errors, SUM_ROW)

        weights, _ = nnls(self._moments, errors, maxiter=30 * self._moments.shape[1])
        if self.constrained:
            weights = weights[:-1] / max(1.0, weights[:-1].sum())

        is_used = weights > 0.0
        # Without errors no component is needed; a distribution has at least one.
        is_used[0] |= not is_used.any()
        return ConditionalAccuracyDistribution(self.components.picked(is_used), weights[is_used])


@dataclass(frozen=True)
class ClassExReg(CurveMethod):
    r"""Normal distributions of :math:`\Phi^{-1}(U)` on a grid, by non-negative least squares [1]_.

    The width of the distributions, which is also the spacing of their means, is the one that best
    predicts the accuracy with all classes from random halves of them; for accuracies alone, the
    last one from those with up to half as many classes.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for large
       multi-class problems." Journal of Machine Learning Research 19, 2018.

    Examples
    --------
    If scores carry no information, the accuracy with k classes is 1 / k.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation.methods._curve_methods import ClassExReg
    >>> n_classes = np.arange(2, 21)
    >>> distribution = ClassExReg().fit_curve(
    ...     n_classes, 1 / n_classes, np.ones(19), np.random.default_rng(0)
    ... )
    >>> distribution.accuracy(np.array([100, 1000])).round(3)
    array([0.01 , 0.001])
    """

    name: ClassVar[str] = "classexreg"

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> Distribution:
        """Return the distribution fitted to the average accuracies with 2 to all classes."""
        curve = subset_accuracies(pilot.histogram)
        counts = np.arange(2, pilot.n_classes + 1)
        n_half = pilot.n_classes // 2

        # Curves of random halves of the classes.
        curves = []
        sample = pilot.thinned()
        for _ in range(N_SUBSAMPLES if n_half > 1 else 0):
            times = np.zeros(pilot.n_classes, dtype=int)
            times[rng.permutation(pilot.n_classes)[:n_half]] = 1
            if times[sample.columns].any():
                curves.append(subset_accuracies(sample.with_classes(times).histogram)[1:])

        bandwidth = _best_bandwidth(counts[: n_half - 1], curves, None, counts[-1], curve[-1])
        return _least_squares(bandwidth, counts, None, counts[-1]).closest(curve[1:])

    def fit_curve(
        self,
        n_classes: np.ndarray,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> Distribution:
        """Return the distribution fitted to a curve of accuracies."""
        largest = n_classes[-1]
        lower = n_classes <= largest / 2
        curves = [accuracies[lower]] if lower.any() else []
        bandwidth = _best_bandwidth(
            n_classes[lower], curves, count_weights[lower], largest, accuracies[-1]
        )
        return _least_squares(bandwidth, n_classes, count_weights, largest).closest(accuracies)


def _best_bandwidth(
    n_classes: np.ndarray,
    curves: list[np.ndarray],
    count_weights: np.ndarray | None,
    largest: int,
    truth: float,
) -> float:
    """Return the bandwidth with which curves best predict the accuracy with `largest` classes."""
    if not curves:
        return float(BANDWIDTHS[-1])
    losses = np.zeros(len(BANDWIDTHS))
    for i, bandwidth in enumerate(BANDWIDTHS):
        fit = _least_squares(bandwidth, n_classes, count_weights, n_classes[-1])
        for curve in curves:
            predicted = fit.closest(curve).accuracy(np.array([largest]))[0]
            losses[i] += (predicted - truth) ** 2
    return float(BANDWIDTHS[np.argmin(losses)])


def _least_squares(
    bandwidth: float, n_classes: np.ndarray, count_weights: np.ndarray | None, largest: int
) -> LeastSquares:
    # A mean beyond this wins almost surely among this number of classes.
    reach = -special.ndtri(1.0 / float(largest) ** 2)
    means = np.arange(-reach, reach + bandwidth, bandwidth)
    return LeastSquares(ProbitNormals(means, float(bandwidth)), n_classes, count_weights)


@dataclass(frozen=True)
class Moment(CurveMethod):
    """Non-negative linear splines on the average accuracies: the method of the paper [1]_.

    The distribution function of the conditional accuracy is a non-negative combination of basis
    functions. It is increasing, and with splines also convex.

    .. versionadded:: 0.1

    Parameters
    ----------
    basis : {"spline", "polynomial"}, default="spline"
        Linear splines, or powers of u.
    n_basis : int, default=200
        The number of splines, or the highest degree.
    knots : {"geometric", "uniform"}, default="geometric"
        The spacing of the knots of splines: geometric in the distance from 1, or uniform as in
        [1]_, which uses 10,000 knots.
    constrained : bool, default=True
        Whether the function stays below 1 at u = 1. In [1]_ it is unconstrained, so accuracies
        may be negative.

    See Also
    --------
    ClassExReg : Normal components on the probit scale, more accurate far beyond the pilot.

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
    >>> from sklearn_spe.extrapolation import make_recognition_scores
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

    def __post_init__(self) -> None:
        check_choice(self.basis, "basis", ("spline", "polynomial"))
        check_choice(self.knots, "knots", ("geometric", "uniform"))
        check_count(self.n_basis, "n_basis")
        check_flag(self.constrained, "constrained")

    def fit_curve(
        self,
        n_classes: np.ndarray,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> Distribution:
        """Return the distribution fitted to a curve of accuracies."""
        fit = LeastSquares(
            self._components(), n_classes, count_weights, constrained=self.constrained
        )
        return fit.closest(accuracies)

    def _components(self) -> Components:
        if self.basis == "polynomial":
            return Powers(np.arange(1.0, self.n_basis + 1))
        if self.knots == "uniform":
            return Ramps(1.0 - np.arange(self.n_basis) / self.n_basis)
        return Ramps(np.geomspace(1.0, NEAREST_GAP, self.n_basis))


@dataclass(frozen=True)
class Probit(CurveMethod):
    r"""A normal distribution of :math:`\Phi^{-1}(U)`, fitted by least squares.

    The distribution of U in the limit of many features [1]_.

    .. versionadded:: 0.1

    References
    ----------
    .. [1] C. Y. Zheng, Y. Benjamini. "Estimating mutual information in high dimensions via
       classification error." 2016.

    Examples
    --------
    If scores carry no information, the accuracy with k classes is 1 / k: U is uniform, and its
    probit standard normal.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation.methods._curve_methods import Probit
    >>> n_classes = np.arange(2, 21)
    >>> distribution = Probit().fit_curve(n_classes, 1 / n_classes, np.ones(19),
    ...     np.random.default_rng(0))
    >>> distribution([0.25, 0.5, 0.75]).round(3)
    array([0.25, 0.5 , 0.75])
    >>> distribution.accuracy(np.array([100, 1000])).round(4)
    array([0.01 , 0.001])
    """

    name: ClassVar[str] = "probit"

    def fit_curve(
        self,
        n_classes: np.ndarray,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> ConditionalAccuracyDistribution:
        """Return the distribution of U: the accuracy with k classes is the mean U ** (k - 1)."""
        n_classes, accuracies, count_weights = _thinned(n_classes, accuracies, count_weights)
        scale = np.sqrt(count_weights)

        def residuals(parameters: np.ndarray) -> np.ndarray:
            mean, log_std = parameters
            distribution = ProbitNormals(np.array([mean]), float(np.exp(log_std)))
            return (distribution.accuracies(n_classes)[:, 0] - accuracies) * scale

        low = (-LARGEST_MEAN, np.log(SMALLEST_STD))
        high = (LARGEST_MEAN, np.log(LARGEST_STD))
        optimum = least_squares(residuals, (1.0, 0.0), bounds=(low, high), x_scale=(1.0, 0.5))
        mean = optimum.x[0]
        std = float(np.exp(optimum.x[1]))
        return ConditionalAccuracyDistribution(ProbitNormals(np.array([mean]), std), np.ones(1))


def _thinned(
    n_classes: np.ndarray, accuracies: np.ndarray, count_weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the curve at geometrically spaced class counts, with the weights of their ranges."""
    n_classes = np.asarray(n_classes)
    if len(n_classes) <= MAX_COUNTS:
        return n_classes, accuracies, count_weights

    last = len(n_classes) - 1
    points = np.unique(np.rint(np.geomspace(1, last + 1, MAX_COUNTS)).astype(int)) - 1

    ends = (points[1:] + points[:-1] + 1) // 2
    total = np.concatenate([[0.0], np.cumsum(count_weights)])
    stretches = np.diff(total[np.concatenate([[0], ends, [last + 1]])])
    return n_classes[points], np.asarray(accuracies)[points], stretches
