"""Interface of methods: from a pilot to the distribution of the conditional accuracy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._accuracy_curve import subset_accuracies
from .._accuracy_distributions import Distribution
from .._pilot import Pilot


@dataclass(frozen=True)
class Method(ABC):
    """Estimates the distribution of the conditional accuracy. Stateless.

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
    """A method that needs accuracies only, not the scores behind them.

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
        n_classes: Any,
        accuracies: np.ndarray,
        count_weights: np.ndarray,
        rng: np.random.Generator,
    ) -> Distribution:
        """Return the distribution fitted to a curve of accuracies.

        Parameters
        ----------
        n_classes, accuracies, count_weights : ndarray of shape (n_counts,)
            Increasing numbers of classes of at least 2, the average accuracies with them, and the
            weight of each.
        rng : Generator
        """

    def fit(self, pilot: Pilot, rng: np.random.Generator) -> Distribution:
        """Return the distribution fitted to the average accuracies with 2 to all classes."""
        counts = np.arange(2, pilot.n_classes + 1)
        return self.fit_curve(
            counts, subset_accuracies(pilot.histogram)[1:], np.ones(len(counts)), rng
        )
