"""Bivariate normal labels and features, and the Bayes rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import row_tiles
from ..inputs._numbers import check_number
from ._conditional_accuracy import TrueDistribution
from ._distance_distributions import nearest_centroid_distribution
from ._recognition_task import RecognitionTask, check_draw

__all__ = ["BivariateNormalClasses"]


@dataclass(frozen=True)
class BivariateNormalClasses(RecognitionTask):
    """Classes on a line, with the Bayes rule as classifier (section 4.1 of [1]_).

    The label y of a class is standard normal; a test point x of that class is normal with mean
    ``correlation * y`` and variance ``1 - correlation**2``. The score of a class is its log density
    at the test point, log p(x | y). Nothing is trained.

    Parameters
    ----------
    correlation : float in (0, 1), default=0.7
        The correlation of label and test point. Classes are better separated if it is larger.

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.datasets import BivariateNormalClasses
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

    def __post_init__(self):
        check_number(self.correlation, "correlation", "(0, 1)")

    def draw(self, n_classes, n_test, rng) -> tuple[np.ndarray, np.ndarray]:
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
            Log densities.
        labels : ndarray of shape (n_classes * n_test,), dtype=int64
        """
        check_draw(n_classes, n_test)
        variance = 1.0 - self.correlation**2
        centres = self.correlation * rng.standard_normal(n_classes)
        labels = np.repeat(np.arange(n_classes, dtype=np.int64), n_test)
        points = centres[labels] + math.sqrt(variance) * rng.standard_normal(len(labels))
        scores = np.empty((len(labels), n_classes))
        for rows in row_tiles(*scores.shape):
            steps = points[rows, np.newaxis] - centres
            scores[rows] = -0.5 * steps**2 / variance
        scores -= 0.5 * math.log(2.0 * math.pi * variance)
        return scores, labels

    def conditional_accuracy(self, x, y) -> np.ndarray:
        """Return the probability that class `y` scores higher at `x` than a random class.

        Where d is the distance between x and ``correlation * y``, this is
        ``1 - Phi((x + d) / correlation) + Phi((x - d) / correlation)``. Section 4.1 of the paper
        prints its complement, the probability that the random class scores higher.

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
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
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
