"""Recognition tasks with a known accuracy for any number of classes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.spatial.distance import cdist

from ..inputs._arrays import row_tiles
from ..inputs._validation import (
    check_choice,
    check_count,
    check_counts,
    check_number,
)
from ._recognition_truth import (
    TrueDistribution,
    nearest_centroid_distribution,
    nearest_of_several_distribution,
)

# Rules that score a test point for each class.
RULES = ("nearest_neighbor", "linear_discriminant")


@dataclass(frozen=True)
class RecognitionTask(ABC):
    """Classes drawn independently from one distribution, and a rule that scores each separately.

    The rule is marginal: the score of a class depends only on its own training points and on the
    test point. The conditional accuracy U of a test point is the probability that its true class
    scores higher than a class drawn at random. Its distribution determines the average accuracy
    with k classes, E[U^(k - 1)] (sections 4.1 and 4.2 of [1]_).

    A new task is one file with a frozen dataclass that has the methods `_draw_points` and
    `make_distribution`, and one entry in `RECOGNITION_TASKS`.

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> from sklearn_spe.extrapolation._recognition_scores import RECOGNITION_TASKS, RecognitionTask
    >>> list(RECOGNITION_TASKS)
    ['gaussian', 'bivariate_normal']
    >>> task = RECOGNITION_TASKS["gaussian"](noise=0.5)
    >>> isinstance(task, RecognitionTask), task.accuracy(1)
    (True, 1.0)
    """

    def draw(
        self, n_classes: int, n_test: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of `n_test` items of each class, and the column of their class.

        Parameters
        ----------
        n_classes : int
            At least 2.
        n_test : int
        rng : numpy.random.Generator

        Returns
        -------
        scores : ndarray of shape (n_classes * n_test, n_classes)
            Larger for more likely.
        labels : ndarray of shape (n_classes * n_test,), dtype=int64
        """
        check_count(n_classes, "n_classes", 2)
        check_count(n_test, "n_test")
        labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_test)
        points, score = self._draw_points(n_classes, labels, rng)
        scores = np.empty((len(labels), n_classes))
        for tile in row_tiles(*scores.shape):
            scores[tile] = score(points[tile])
        return scores, labels

    @abstractmethod
    def _draw_points(
        self, n_classes: int, labels: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return a test point for each label, and the function that scores points.

        The function takes points and returns the scores of all classes, (n_points, n_classes).
        """

    @abstractmethod
    def make_distribution(self) -> TrueDistribution:
        """Return the distribution of the conditional accuracy of a test point."""

    def accuracy(self, n_classes: ArrayLike) -> Any:
        """Return the average accuracy for a number of classes, by quadrature.

        The average is over the classes, their training points and their test points. The
        relative error is below 1e-7 for up to a million classes.

        Parameters
        ----------
        n_classes : int or array-like of int
            At least 1.

        Returns
        -------
        accuracy : float or ndarray
            The result, of the same shape as the argument.

        Raises
        ------
        TypeError
            If a number of classes is not a number.
        ValueError
            If a number of classes is not whole, or below 1.
        """
        counts = check_counts(n_classes, "n_classes")
        return _like_input(self._distribution.moments(counts - 1.0))

    def distribution(self, u: np.ndarray) -> Any:
        """Return the probability that the conditional accuracy is at most `u`, by quadrature.

        The error is below 1e-7.

        Parameters
        ----------
        u : float or array-like of float
            In [0, 1].

        Returns
        -------
        probability : float or ndarray
            The result, of the same shape as the argument.

        Raises
        ------
        ValueError
            If a value lies outside of [0, 1] or is NaN.
        """
        u = np.asarray(u, dtype=float)
        if not ((u >= 0.0) & (u <= 1.0)).all():
            raise ValueError(f"u must lie in [0, 1], got {u}.")
        return _like_input(self._distribution.cdf(u))

    @cached_property
    def _distribution(self) -> TrueDistribution:
        return self.make_distribution()

    def __getstate__(self) -> dict[str, Any]:
        # Without the cached distribution, which is large and fast to compute.
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _like_input(values: np.ndarray) -> Any:
    """Return a number for a number, whose array has no axes."""
    return values if np.ndim(values) else float(values)


@dataclass(frozen=True)
class BivariateNormalClasses(RecognitionTask):
    """Classes on a line, with the Bayes rule as classifier (section 4.1 of [1]_).

    The label y of a class is standard normal. A test point x of that class is normal with mean
    ``correlation * y`` and variance ``1 - correlation**2``. The score of a class is its log density
    at the test point, log p(x | y). No model is trained.

    .. versionadded:: 0.1

    Parameters
    ----------
    correlation : float in (0, 1), default=0.7
        The correlation of label and test point. A larger correlation separates the classes better.

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import BivariateNormalClasses
    >>> task = BivariateNormalClasses(correlation=0.9)
    >>> scores, labels = task.draw(3, 2, np.random.default_rng(0))
    >>> scores.shape, labels.tolist()
    ((6, 3), [0, 0, 1, 1, 2, 2])
    >>> task.accuracy([1, 2, 10]).round(4)
    array([1.    , 0.8088, 0.3301])
    >>> round(task.distribution(0.5), 4)
    0.057
    """

    correlation: float = 0.7

    def __post_init__(self) -> None:
        check_number(self.correlation, "correlation", "(0, 1)")

    def _draw_points(
        self, n_classes: int, labels: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return test points, and the function that returns log densities."""
        variance = 1.0 - self.correlation**2
        centers = self.correlation * rng.standard_normal(n_classes)
        points = centers[labels] + math.sqrt(variance) * rng.standard_normal(len(labels))
        log_constant = 0.5 * math.log(2.0 * math.pi * variance)
        return points, lambda x: -0.5 * (x[:, np.newaxis] - centers) ** 2 / variance - log_constant

    def conditional_accuracy(self, x: ArrayLike, y: Any) -> np.ndarray:
        """Return the probability that class `y` scores higher at `x` than a random class.

        Let d be the distance between x and ``correlation * y``. The probability is
        ``1 - Phi((x + d) / correlation) + Phi((x - d) / correlation)``. Section 4.1 of the paper
        has its complement, the probability that the random class scores higher.

        Parameters
        ----------
        x : array-like
            Test points.
        y : array-like
            Labels of the classes, of a shape that broadcasts.

        Returns
        -------
        probability : ndarray
        """
        x = np.asarray(x, dtype=float)
        y = np.asarray(y, dtype=float)
        distance = np.abs(self.correlation * y - x)
        # The sum of both tails keeps the relative precision of small probabilities.
        return special.ndtr((x - distance) / self.correlation) + special.ndtr(
            -(x + distance) / self.correlation
        )

    def make_distribution(self) -> TrueDistribution:
        """Return the distribution of the conditional accuracy of a test point."""
        # Log densities rank classes by the distance to their centers.
        shared = self.correlation**2
        return nearest_centroid_distribution(1, 1.0, shared, shared)


@dataclass(frozen=True)
class GaussianClasses(RecognitionTask):
    """Normal classes that are classified by their training points.

    The mean of a class is a standard normal point. Its training and test points are normal around
    that mean, with standard deviation `noise` in each feature.

    .. versionadded:: 0.1

    Parameters
    ----------
    n_features : int, default=10
    noise : float, default=0.5
        The standard deviation of the points within a class, in each feature. The standard deviation
        between classes is 1.
    n_train : int, default=1
        Number of training points of each class.
    rule : {"nearest_neighbor", "linear_discriminant"}, default="nearest_neighbor"
        The score of a class for the test point x. "nearest_neighbor" is minus the squared distance
        to the nearest training point of the class. "linear_discriminant" is
        ``(x @ m - m @ m / 2) / noise**2``, where m is the mean of the training points and the
        covariance is known. It ranks classes by the distance to m.

    Notes
    -----
    `accuracy` and `distribution` are equally precise for both rules and any number of training
    points. The first call takes a fraction of a second, or seconds for "nearest_neighbor" with
    several training points and `noise` above 20. Later calls are much faster.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.extrapolation import GaussianClasses
    >>> task = GaussianClasses(noise=0.5, n_train=3, rule="linear_discriminant")
    >>> scores, labels = task.draw(100, 1, np.random.default_rng(0))
    >>> float((scores.argmax(axis=1) == labels).mean())
    0.91
    >>> round(task.accuracy(100), 3), round(task.accuracy(10_000), 3)
    (0.893, 0.359)
    """

    n_features: int = 10
    noise: float = 0.5
    n_train: int = 1
    rule: str = "nearest_neighbor"

    def __post_init__(self) -> None:
        check_count(self.n_features, "n_features")
        check_number(self.noise, "noise", "(0, inf)")
        check_count(self.n_train, "n_train")
        check_choice(self.rule, "rule", RULES)

    def _draw_points(
        self, n_classes: int, labels: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """Return test points and the rule; both rules draw the same points."""
        means = rng.standard_normal((n_classes, self.n_features))
        # One set of training points after the other, each with one point per class.
        training = means + self.noise * rng.standard_normal((self.n_train, *means.shape))
        points = means[labels] + self.noise * rng.standard_normal((len(labels), self.n_features))
        if self.rule == "nearest_neighbor":
            return points, _nearest_neighbor(training)
        return points, _linear_discriminant(training, self.noise)

    def make_distribution(self) -> TrueDistribution:
        """Return the distribution of the conditional accuracy of a test point."""
        within = self.noise**2
        if self.rule == "nearest_neighbor" and self.n_train > 1:
            return nearest_of_several_distribution(self.n_features, self.noise, self.n_train)
        return nearest_centroid_distribution(
            self.n_features, 1.0 + within, 1.0 + within / self.n_train, 1.0
        )


def _nearest_neighbor(training: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that scores test points for all classes."""
    return lambda points: (
        -reduce(np.minimum, (cdist(points, others, "sqeuclidean") for others in training))
    )


def _linear_discriminant(training: np.ndarray, noise: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that scores test points for all classes."""
    means = training.mean(axis=0)
    slopes = means.T / noise**2
    intercepts = 0.5 * np.sum(means**2, axis=1) / noise**2
    return lambda points: points @ slopes - intercepts
