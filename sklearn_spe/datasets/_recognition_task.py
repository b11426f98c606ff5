"""Interface of recognition tasks: classes that are drawn, and their expected accuracy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from ..inputs._numbers import check_count, check_counts
from ._conditional_accuracy import TrueDistribution

__all__ = ["RecognitionTask"]


@dataclass(frozen=True)
class RecognitionTask(ABC):
    """Classes drawn independently from one distribution, and a rule that scores each separately.

    The rule is marginal: the score of a class depends on its own training points and on the test
    point only. The average accuracy is then determined by the distribution of the conditional
    accuracy U of a test point, the probability that its true class scores higher than a class drawn
    at random (sections 4.1 and 4.2 of [1]_): with k classes the average accuracy is E[U^(k - 1)].

    A new task is one file with a frozen dataclass that has the methods `draw` and
    `make_distribution`, and one entry in `RECOGNITION_TASKS`.

    References
    ----------
    .. [1] C. Zheng, R. Achanta, Y. Benjamini. "Extrapolating expected accuracies for
       recognition tasks." 2017.

    Examples
    --------
    >>> from sklearn_spe.datasets import RECOGNITION_TASKS, RecognitionTask
    >>> list(RECOGNITION_TASKS)
    ['gaussian', 'bivariate_normal']
    >>> task = RECOGNITION_TASKS["gaussian"](noise=0.5)
    >>> isinstance(task, RecognitionTask), task.accuracy(1)
    (True, 1.0)
    """

    @abstractmethod
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
            Larger for more likely.
        labels : ndarray of shape (n_classes * n_test,), dtype=int64
        """

    @abstractmethod
    def make_distribution(self) -> TrueDistribution:
        """Return the distribution of the conditional accuracy of a test point."""

    def accuracy(self, n_classes):
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
            Of the same shape.

        Raises
        ------
        TypeError
            If a number of classes is not a number.
        ValueError
            If it is not whole, or below 1.
        """
        counts = check_counts(n_classes, "n_classes")
        return _like_input(self._distribution.moments(counts - 1.0))

    def distribution(self, u):
        """Return the probability that the conditional accuracy is at most `u`, by quadrature.

        The error is below 1e-7.

        Parameters
        ----------
        u : float or array-like of float
            In [0, 1].

        Returns
        -------
        probability : float or ndarray
            Of the same shape.

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

    def __getstate__(self):
        # Without the cached distribution, which is large and fast to compute.
        return {field.name: getattr(self, field.name) for field in fields(self)}


def check_draw(n_classes, n_test) -> None:
    """Raise unless there are at least two classes, with at least one test item each."""
    check_count(n_classes, "n_classes", 2)
    check_count(n_test, "n_test")


def _like_input(values):
    """Return a number for a number, whose array has no axes."""
    return values if np.ndim(values) else float(values)
