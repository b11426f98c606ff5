"""Normal classes that are classified by their training points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from .._arrays import row_tiles
from ..inputs._numbers import check_choice, check_count, check_number
from ._conditional_accuracy import TrueDistribution
from ._distance_distributions import nearest_centroid_distribution, nearest_of_several_distribution
from ._recognition_task import RecognitionTask, check_draw

__all__ = ["GaussianClasses"]


@dataclass(frozen=True)
class GaussianClasses(RecognitionTask):
    """Normal classes that are classified by their training points.

    The mean of a class is a standard normal point; its training points and test points are
    normal around that mean, with standard deviation `noise` in each feature.

    Parameters
    ----------
    n_features : int, default=10
    noise : float, default=0.5
        The standard deviation, in each feature, of the points within a class. Between classes
        it is 1.
    n_train : int, default=1
        Number of training points of each class.
    rule : {"nearest_neighbor", "linear_discriminant"}, default="nearest_neighbor"
        The score of a class. For "nearest_neighbor", minus the squared distance of the test point x
        to the nearest training point of the class. By "linear_discriminant", ``(x @ m - m @ m / 2)
        / noise**2`` where m is the mean of the training points: the covariance within classes is
        known, the means are estimated. It ranks classes like the nearest mean.

    Notes
    -----
    The truth has the same precision for both rules and any number of training points. The first
    call of `accuracy` or `distribution` takes a fraction of a second, the others far less. With the
    nearest of several training points it takes seconds if `noise` is above 20.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.datasets import GaussianClasses
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

    def __post_init__(self):
        check_count(self.n_features, "n_features")
        check_number(self.noise, "noise", "(0, inf)")
        check_count(self.n_train, "n_train")
        check_choice(self.rule, "rule", _RULES)

    def draw(self, n_classes, n_test, rng) -> tuple[np.ndarray, np.ndarray]:
        """Return the scores of `n_test` items of each class, and the column of their class.

        Both rules draw the same points.

        Parameters
        ----------
        n_classes : int
            At least 2.
        n_test : int
        rng : numpy.random.Generator

        Returns
        -------
        scores : ndarray of shape (n_classes * n_test, n_classes)
        labels : ndarray of shape (n_classes * n_test,), dtype=int64
        """
        check_draw(n_classes, n_test)
        means = rng.standard_normal((n_classes, self.n_features))
        # One set of training points after the other, each with one point per class.
        training = means + self.noise * rng.standard_normal((self.n_train, *means.shape))
        labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_test)
        points = means[labels] + self.noise * rng.standard_normal((len(labels), self.n_features))
        scores = np.empty((len(labels), n_classes))
        score = _RULES[self.rule](training, self.noise)
        for rows in row_tiles(*scores.shape):
            scores[rows] = score(points[rows])
        return scores, labels

    def make_distribution(self) -> TrueDistribution:
        """Return the distribution of the conditional accuracy of a test point."""
        within = self.noise**2
        if self.rule == "nearest_neighbor" and self.n_train > 1:
            return nearest_of_several_distribution(self.n_features, self.noise, self.n_train)
        return nearest_centroid_distribution(
            self.n_features, 1.0 + within, 1.0 + within / self.n_train, 1.0
        )


def _nearest_neighbor(training, noise):
    """Return the function that scores test points for all classes."""

    def scores(points):
        nearest = cdist(points, training[0], "sqeuclidean")
        for others in training[1:]:
            np.minimum(nearest, cdist(points, others, "sqeuclidean"), out=nearest)
        return -nearest

    return scores


def _linear_discriminant(training, noise):
    """Return the function that scores test points for all classes."""
    means = training.mean(axis=0)
    slopes, intercepts = means.T / noise**2, 0.5 * np.sum(means**2, axis=1) / noise**2

    def scores(points):
        return points @ slopes - intercepts

    return scores


_RULES = {"nearest_neighbor": _nearest_neighbor, "linear_discriminant": _linear_discriminant}
