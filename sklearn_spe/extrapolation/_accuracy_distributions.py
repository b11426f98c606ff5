"""The distribution of the conditional accuracy and its components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._validation import check_count, check_counts

# Accuracies outside these bounds are not distinguished.
MINIMUM = 1e-3
# Rounding error of a sum of many weights.
ROUNDING = 1e-12
# The probits of the values of U among which the posterior of an item is found.
ITEM_PROBITS = np.arange(-8.0, 8.001, 0.02)


class Distribution(ABC):
    r"""The distribution of the conditional accuracy U of a random item of a random class.

    U is the probability that a random wrong class scores below the true one. The average
    accuracy with k classes is :math:`E[U^{k - 1}]` (theorem 4.1 of [1]_).

    References
    ----------
    .. [1] C. Y. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    With two classes the accuracy is the mean of U, and so the area above its distribution
    function.

    >>> import numpy as np
    >>> from sklearn_spe import AccuracyExtrapolator
    >>> from sklearn_spe.extrapolation import make_recognition_scores
    >>> from sklearn_spe.extrapolation._accuracy_distributions import Distribution
    >>> X, y = make_recognition_scores(50, n_test=4, random_state=0)
    >>> distribution = AccuracyExtrapolator(n_bootstrap=0, random_state=0).fit(X, y).D_
    >>> isinstance(distribution, Distribution)
    True
    >>> u = (np.arange(2000) + 0.5) / 2000
    >>> bool(np.isclose(distribution.accuracy(np.array([2]))[0], 1 - distribution(u).mean(),
    ...     atol=1e-3))
    True
    """

    @property
    @abstractmethod
    def always_right(self) -> float:
        """The probability that U = 1, which is the limit of the accuracy for many classes."""

    def accuracy(self, n_classes: ArrayLike, top: int = 1) -> Any:
        r"""Return the average accuracy with each number of classes.

        An item is right if fewer than t = `top` of the k - 1 wrong classes outscore its true class.
        The accuracy is :math:`E[U^{k - 1}]` for t = 1, and in general :math:`E[I_U(k - t, t)]` with
        the regularized incomplete beta function I.

        Parameters
        ----------
        n_classes : int or array-like of shape (n_counts,)
        top : int, default=1

        Returns
        -------
        accuracy : float or ndarray of shape (n_counts,)
        """
        counts = np.atleast_1d(check_counts(n_classes, "n_classes"))
        check_count(top, "top")
        accuracies = self._accuracies(counts, top)
        return accuracies if np.ndim(n_classes) else float(accuracies[0])

    def disagreement(self, n_classes: np.ndarray, top: int = 1) -> np.ndarray:
        """Return the standard deviation of the logits over the parts of a blend."""
        return np.zeros(len(n_classes))

    def accuracies_by_wins(self, n_wrong: int, n_classes: np.ndarray, top: int = 1) -> np.ndarray:
        r"""Return the accuracy of an item with 0, 1, ... `n_wrong` wins, given these wins.

        If the true class of an item outscores w of the n wrong classes (w wins), its U has the
        density :math:`u^w (1 - u)^{n - w} d\bar D(u)`, up to a factor. The accuracy is NaN for wins
        that have probability 0 under the distribution.

        Parameters
        ----------
        n_wrong : int
            The number of wrong classes with which the item was compared.
        n_classes : ndarray of shape (n_counts,)
            Numbers of newly drawn classes.
        top : int, default=1

        Returns
        -------
        accuracies : ndarray of shape (n_wrong + 1, n_counts)
        """
        # The prior of U on a grid, from the distribution function between the points.
        midpoints = (ITEM_PROBITS[1:] + ITEM_PROBITS[:-1]) / 2.0
        between = np.atleast_1d(self(special.ndtr(midpoints)))
        below = np.concatenate([[0.0], between, [1.0]])
        masses = np.maximum(np.diff(below), 0.0)

        # The last value stands for all above it, items that are always right among them.
        log_values = np.append(special.log_ndtr(ITEM_PROBITS[:-1]), 0.0)
        log_misses = np.append(special.log_ndtr(-ITEM_PROBITS[:-1]), -np.inf)
        correct = correct_shares(log_values, n_classes, top)

        accuracies = np.empty((n_wrong + 1, len(n_classes)))
        wins = np.arange(n_wrong + 1.0)
        with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
            log_masses = np.log(masses)
            for tile in row_tiles(n_wrong + 1, len(log_values) * 4):
                # The posterior of U given the wins, which are binomial.
                n_won = wins[tile, np.newaxis]
                n_lost = n_wrong - n_won
                log_lost = np.where(n_lost > 0.0, n_lost * log_misses, 0.0)
                log_joint = n_won * log_values + log_lost + log_masses
                largest = log_joint.max(axis=1, keepdims=True)
                posterior = np.exp(log_joint - largest)
                total = posterior.sum(axis=1, keepdims=True)
                accuracies[tile] = posterior @ correct.T / total
        return accuracies

    @abstractmethod
    def _accuracies(self, n_classes: np.ndarray, top: int) -> np.ndarray:
        """Return the average accuracy for a vector of numbers of classes."""

    @abstractmethod
    def _below(self, points: np.ndarray) -> np.ndarray:
        """Return the distribution function at a vector of points below 1."""

    def __call__(self, u: ArrayLike) -> Any:
        r"""Return the distribution function, :math:`\bar D(u) = P(U \le u)`.

        Parameters
        ----------
        u : float or array-like of shape (n_points,)
            In [0, 1].

        Returns
        -------
        probability : float or ndarray of shape (n_points,)
        """
        points = np.atleast_1d(np.asarray(u, dtype=float))
        if not ((points >= 0.0) & (points <= 1.0)).all():
            raise ValueError(f"u must lie in [0, 1], got {u!r}.")
        below = np.where(points == 1.0, max(1.0, 1.0 - self.always_right), self._below(points))
        return below if np.ndim(u) else float(below[0])


@dataclass(frozen=True, eq=False)
class ConditionalAccuracyDistribution(Distribution, FrozenArrays):
    """A mixture of components, with the remaining weight at conditional accuracy U = 1.

    .. versionadded:: 0.1

    Attributes
    ----------
    components : Components
    weights : ndarray of shape (n_components,)
        Nonnegative weights with a sum of at most one.

    Examples
    --------
    Two of ten items are always right; for the others U is uniform.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import ConditionalAccuracyDistribution, Powers
    >>> distribution = ConditionalAccuracyDistribution(Powers(np.ones(1)), np.array([0.8]))
    >>> distribution.accuracy(np.array([2, 5])).round(6), round(distribution.always_right, 6)
    (array([0.6 , 0.36]), 0.2)
    """

    components: Components
    weights: np.ndarray

    @property
    def always_right(self) -> float:
        """The probability that U = 1; negative if the weights were not constrained."""
        remainder = 1.0 - float(self.weights.sum())
        at_one = float(np.sum(self.weights * self.components.always_right))
        return at_one + (remainder if abs(remainder) > ROUNDING else 0.0)

    def _accuracies(self, n_classes: np.ndarray, top: int) -> np.ndarray:
        # Computed from the errors: the remaining weight has none.
        return 1.0 - (1.0 - self.components.accuracies(n_classes, top)) @ self.weights

    def _below(self, points: np.ndarray) -> np.ndarray:
        return self.components.distribution(points) @ self.weights


@dataclass(frozen=True)
class DistributionMixture(Distribution):
    """A weighted mixture of distributions."""

    distributions: tuple[Distribution, ...]
    weights: tuple[float, ...]  # summing to one

    @property
    def always_right(self) -> float:
        """The probability that U = 1."""
        return self._mean([distribution.always_right for distribution in self.distributions])

    def _accuracies(self, n_classes: np.ndarray, top: int) -> np.ndarray:
        return self._mean([part._accuracies(n_classes, top) for part in self.distributions])

    def disagreement(self, n_classes: np.ndarray, top: int = 1) -> np.ndarray:
        """Return the weighted standard deviation of the logits of the parts' accuracies."""
        parts = [
            np.clip(distribution.accuracy(n_classes, top), MINIMUM, 1.0 - MINIMUM)
            for distribution in self.distributions
        ]
        logits = [special.logit(part) for part in parts]
        mean = self._mean(logits)
        return np.sqrt(self._mean([(logit - mean) ** 2 for logit in logits]))

    def _below(self, points: np.ndarray) -> np.ndarray:
        return self._mean([distribution(points) for distribution in self.distributions])

    def _mean(self, values: Sequence[Any]) -> Any:
        return sum(w * value for w, value in zip(self.weights, values, strict=True))


class Components(FrozenArrays, ABC):
    r"""Simple distributions of the conditional accuracy, to be used in mixtures.

    Each component is defined by its distribution function and its moments :math:`E[U^{k - 1}]`, the
    average accuracies with k classes.
    """

    def picked(self, chosen: np.ndarray) -> Self:
        """Return some of the components, along the first field; a mask or an index array."""
        name = fields(self)[0].name
        return replace(self, **{name: getattr(self, name)[chosen]})

    @property
    def always_right(self) -> np.ndarray:
        """The probability that U = 1 under each component."""
        return np.zeros(1)

    @abstractmethod
    def accuracies(self, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""

    @abstractmethod
    def distribution(self, u: ArrayLike) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""


@dataclass(frozen=True, eq=False)
class Ramps(Components):
    r"""The linear splines :math:`(u - t)_+` of the paper: U is uniform between t and 1.

    A spline is that distribution function times 1 - t; the moments (eq. 13) are those of a uniform
    variable.

    Attributes
    ----------
    gaps : ndarray of shape (n_components,)
        1 - t, in (0, 1]: knots near 1 are exact.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation._accuracy_distributions import Ramps
    >>> Ramps(np.array([1.0, 0.5])).accuracies(np.array([2]))
    array([[0.5 , 0.75]])
    """

    gaps: np.ndarray

    def accuracies(self, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        k = np.asarray(n_classes, dtype=float)[:, np.newaxis]
        if top > 1:
            more = np.maximum(k, top + 1.0)
            inside = special.betainc(top, more - top, self.gaps)
            missing = top / more * special.betainc(top + 1.0, more - top, self.gaps) / self.gaps
            return np.where(k > top, 1.0 - inside + missing, 1.0)
        with np.errstate(divide="ignore"):
            powers = -np.expm1(k * np.log1p(-self.gaps))
        return powers / (k * self.gaps)

    def distribution(self, u: ArrayLike) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        missing = 1.0 - np.asarray(u, dtype=float)[:, np.newaxis]
        return np.clip(1.0 - missing / self.gaps, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Powers(Components):
    """Components with distribution functions that are powers of u: U is Beta(degree, 1).

    .. versionadded:: 0.1

    Attributes
    ----------
    degrees : ndarray of shape (n_components,)

    Examples
    --------
    For a uniform variable, and for the larger of two:

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import Powers
    >>> Powers(np.array([1.0, 2.0])).accuracies(np.array([3])).round(6)
    array([[0.333333, 0.5     ]])
    """

    degrees: np.ndarray

    def accuracies(self, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
        """Return the average accuracies of each component.

        Parameters
        ----------
        n_classes : ndarray of shape (n_counts,)
        top : int, default=1
            An item is right if its class is among the first `top`.

        Returns
        -------
        accuracies : ndarray of shape (n_counts, n_components)
        """
        k = np.asarray(n_classes, dtype=float)[:, np.newaxis]
        if top > 1:
            missed = np.ones((len(k), len(self.degrees)))
            for n_above in range(1, top + 1):
                others = np.maximum(k - n_above, 0.0)
                missed *= others / (others + self.degrees)
            return 1.0 - missed
        return self.degrees / (self.degrees + k - 1.0)

    def distribution(self, u: ArrayLike) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        return np.asarray(u, dtype=float)[:, np.newaxis] ** self.degrees


@dataclass(frozen=True, eq=False)
class Points(Components):
    """Single values of U.

    Attributes
    ----------
    log_values : ndarray of shape (n_components,)
        Their logarithms, which are exact near U = 1; ``-inf`` for U = 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation._accuracy_distributions import Points
    >>> Points(np.log([0.5, 0.9])).accuracies(np.array([3])).round(6)
    array([[0.25, 0.81]])
    """

    log_values: np.ndarray

    # Grid step of merged values on the probit scale.
    SPACING: ClassVar[float] = 0.01
    RANGE: ClassVar[tuple[float, float]] = (-8.0, 9.0)

    @classmethod
    def gathered(cls, probits: np.ndarray, weights: np.ndarray) -> tuple[Points, np.ndarray]:
        """Return fewer points that represent many, and their weights.

        Each value is split between its neighbors on a grid of the probit scale, which preserves the
        mean.

        Parameters
        ----------
        probits, weights : ndarray of shape (n_values,)
        """
        low, high = cls.RANGE
        cells = (np.clip(probits, low, high) - low) / cls.SPACING
        left = np.floor(cells).astype(int)
        share = cells - left
        n_nodes = round((high - low) / cls.SPACING) + 2

        total = np.bincount(left, weights * (1.0 - share), minlength=n_nodes)
        total += np.bincount(left + 1, weights * share, minlength=n_nodes)
        occupied = np.flatnonzero(total)
        return cls(special.log_ndtr(low + cls.SPACING * occupied)), total[occupied]

    @property
    def always_right(self) -> np.ndarray:
        """Whether a value is 1."""
        return (self.log_values == 0.0).astype(float)

    def accuracies(self, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        return correct_shares(self.log_values, n_classes, top)

    def distribution(self, u: ArrayLike) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        return (np.exp(self.log_values) <= np.asarray(u)[:, np.newaxis]).astype(float)


@dataclass(frozen=True, eq=False)
class ProbitNormals(Components):
    r"""Distributions under which :math:`\Phi^{-1}(U)` is normal.

    Attributes
    ----------
    means : ndarray of shape (n_components,)
    std : float
        The common standard deviation.

    Examples
    --------
    With mean 0 and variance 1, U is uniform: with three classes the accuracy is 1/3.

    >>> import numpy as np
    >>> from sklearn_spe.extrapolation._accuracy_distributions import ProbitNormals
    >>> ProbitNormals(np.zeros(1), 1.0).accuracies(np.array([3])).round(6)
    array([[0.333333]])
    """

    means: np.ndarray
    std: float

    # The trapezoidal rule converges exponentially once its step resolves both the normal density
    # and the power of U, which increases from 0 to 1 within about 1 / sqrt(2 log k).
    STEPS_A_STD: ClassVar[float] = 4.0
    WIDEST_STEP: ClassVar[float] = 0.05
    REACH: ClassVar[float] = 8.0

    def accuracies(self, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
        """Return the average accuracies, of shape (n_counts, n_components)."""
        step = min(self.std / self.STEPS_A_STD, self.WIDEST_STEP)
        reach = self.REACH * self.std
        nodes = np.arange(self.means.min() - reach, self.means.max() + reach + step, step)
        with np.errstate(under="ignore"):
            density = np.exp(-0.5 * ((nodes[:, np.newaxis] - self.means) / self.std) ** 2)
            density /= density.sum(axis=0)
            return correct_shares(special.log_ndtr(nodes), n_classes, top) @ density

    def distribution(self, u: ArrayLike) -> np.ndarray:
        """Return the distribution functions at `u`, of shape (n_points, n_components)."""
        z = special.ndtri(np.asarray(u, dtype=float))[:, np.newaxis]
        return special.ndtr((z - self.means) / self.std)


def correct_shares(log_values: np.ndarray, n_classes: ArrayLike, top: int = 1) -> np.ndarray:
    """Return the probability that fewer than `top` of k - 1 classes win against values of U.

    For `top` = 1 it is the value to the power k - 1, where 0 to the 0 is 1.

    Parameters
    ----------
    log_values : ndarray of shape (n_values,)
    n_classes : ndarray of shape (n_counts,)
    top : int

    Returns
    -------
    shares : ndarray of shape (n_counts, n_values)
    """
    if top > 1:
        k = np.asarray(n_classes, dtype=float)[:, np.newaxis]
        # From 1 - U, which is exact near U = 1.
        within = special.betaincc(top, np.maximum(k - top, 1.0), -np.expm1(log_values))
        return np.where(k > top, within, 1.0)

    exponents = np.asarray(n_classes, dtype=float)[:, np.newaxis] - 1.0
    with np.errstate(invalid="ignore", under="ignore"):
        return np.where(exponents == 0.0, 1.0, np.exp(exponents * log_values))
