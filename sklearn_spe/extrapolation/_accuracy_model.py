"""The accuracy for any number of classes: exact up to those that were tried, a law beyond."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._frozen import FrozenArrays
from ._law import Law

__all__ = ["AccuracyModel"]


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyModel(FrozenArrays):
    """An accuracy curve that joins what was measured to what a law says of more classes.

    Attributes
    ----------
    curve : ndarray of shape (n_tried,)
        The average accuracy with 1, 2, ... up to all classes that were tried.
    law : Law
        Of the conditional accuracy.
    """

    curve: np.ndarray
    law: Law

    @property
    def n_tried(self) -> int:
        """How many classes were tried."""
        return len(self.curve)

    def accuracy(self, n_classes) -> np.ndarray:
        r"""Return the accuracy for numbers of classes, falling and in [0, 1].

        Beyond the classes that were tried it is the law's, scaled so that both meet:
        :math:`ATA_{k_1} AGA_k / AGA_{k_1}`.

        Parameters
        ----------
        n_classes : ndarray of shape (n_counts,)
            Whole numbers.
        """
        inside = n_classes <= self.n_tried
        accuracies = np.empty(len(n_classes))
        accuracies[inside] = self.curve[n_classes[inside].astype(np.int64) - 1]
        if not inside.all():
            # Below 0 only for estimates that are no law, of which the verdict tells; above the
            # last of the curve only by a rounding error.
            beyond = np.maximum(self.law.accuracy(n_classes[~inside]), 0.0)
            accuracies[~inside] = np.minimum(self.scale * beyond, self.curve[-1])
        return accuracies

    @property
    def asymptotic_accuracy(self) -> float:
        """The limit of the accuracy for ever more classes."""
        limit = self.scale * max(self.law.always_right, 0.0)
        return min(limit, float(self.curve[-1]))

    @cached_property
    def expected(self) -> float:
        """The accuracy with all classes that were tried, by the law."""
        return float(self.law.accuracy(np.array([self.n_tried]))[0])

    @property
    def scale(self) -> float:
        """The accuracy that was measured with all classes over that of the law."""
        # Whoever is never right with few classes is not with more.
        return float(self.curve[-1]) / self.expected if self.expected > 0.0 else 0.0

    def __repr__(self) -> str:
        return f"AccuracyModel({self.curve[-1]:.3f} with {self.n_tried} classes)"
