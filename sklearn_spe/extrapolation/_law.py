"""The law of the conditional accuracy: what every method estimates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ._components import Components

__all__ = ["ConditionalAccuracyLaw", "Law", "LawMixture"]


# Lower accuracies, and higher ones, are told apart no more.
LEAST = 1e-3
# A sum of many weights is off by less.
ROUNDING = 1e-12


class Law(ABC):
    r"""The law of the conditional accuracy U of a random item of a random class.

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
    >>> from sklearn_spe.datasets import make_recognition_scores
    >>> from sklearn_spe.extrapolation import Law
    >>> X, y = make_recognition_scores(50, n_test=4, random_state=0)
    >>> law = AccuracyExtrapolator(n_bootstrap=0, random_state=0).fit(X, y).D_
    >>> isinstance(law, Law)
    True
    >>> u = (np.arange(2000) + 0.5) / 2000
    >>> bool(np.isclose(law.accuracy(np.array([2]))[0], 1 - law(u).mean(), atol=1e-3))
    True
    """

    @property
    @abstractmethod
    def always_right(self) -> float:
        """The probability that U = 1: the limit of the accuracy for ever more classes."""

    @abstractmethod
    def accuracy(self, n_classes) -> np.ndarray:
        """Return the average accuracy for each number of classes.

        Parameters
        ----------
        n_classes : ndarray of shape (n_counts,)
        """

    def disagreement(self, n_classes) -> np.ndarray:
        """Return how far apart the parts of a blend are: a standard deviation of logits."""
        return np.zeros(len(n_classes))

    @abstractmethod
    def _below(self, points) -> np.ndarray:
        """Return the distribution function at a vector of points below 1."""

    def __call__(self, u):
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
class ConditionalAccuracyLaw(Law, FrozenArrays):
    """A mixture of components; what their weights leave to one is at U = 1.

    Attributes
    ----------
    components : Components
    weights : ndarray of shape (n_components,)
        Not negative, of sum at most one.
    """

    components: Components
    weights: np.ndarray

    @property
    def always_right(self) -> float:
        """The probability that U = 1; negative if the weights were not constrained."""
        left = 1.0 - float(self.weights.sum())
        at_one = float(np.sum(self.weights * self.components.always_right))
        return at_one + (left if abs(left) > ROUNDING else 0.0)

    def accuracy(self, n_classes) -> np.ndarray:
        """Return the average accuracy for each number of classes."""
        # From the errors: what the weights leave to one never errs.
        return 1.0 - (1.0 - self.components.accuracies(n_classes)) @ self.weights

    def _below(self, points):
        return self.components.distribution(points) @ self.weights


@dataclass(frozen=True)
class LawMixture(Law):
    """A weighted mean of laws.

    Attributes
    ----------
    laws : tuple of Law
    weights : tuple of float
        Of sum one.
    """

    laws: tuple[Law, ...]
    weights: tuple[float, ...]

    @property
    def always_right(self) -> float:
        """The probability that U = 1."""
        return self._mean([law.always_right for law in self.laws])

    def accuracy(self, n_classes) -> np.ndarray:
        """Return the average accuracy for each number of classes."""
        return self._mean([law.accuracy(n_classes) for law in self.laws])

    def disagreement(self, n_classes) -> np.ndarray:
        """Return the weighted standard deviation of the logits of the parts' accuracies."""
        parts = [np.clip(law.accuracy(n_classes), LEAST, 1.0 - LEAST) for law in self.laws]
        places = [special.logit(part) for part in parts]
        mean = self._mean(places)
        return np.sqrt(self._mean([(place - mean) ** 2 for place in places]))

    def _below(self, points):
        return self._mean([law(points) for law in self.laws])

    def _mean(self, values):
        return sum(w * value for w, value in zip(self.weights, values, strict=True))
