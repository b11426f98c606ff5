"""The accuracy for any number of classes: exact up to the pilot's, extrapolated beyond."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from .._arrays import FrozenArrays
from ._distribution import Distribution

__all__ = ["AccuracyModel", "fewer_classes"]

# Represents an unlimited number of classes.
VERY_MANY = 1e15
# Ratio of neighboring numbers of classes at which a curve is evaluated.
GRID_RATIO = 1.25


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyModel(FrozenArrays):
    """An accuracy curve: measured up to the pilot's classes, from a distribution beyond."""

    curve: np.ndarray  # (n_tried,); average accuracy with 1, 2, ... up to all classes of the pilot
    distribution: Distribution  # of the conditional accuracy
    # Slope of the correction on the logit scale by log(n_classes); 0 for marginal classifiers.
    drift: float = 0.0

    @property
    def n_tried(self) -> int:
        """Number of classes in the pilot."""
        return len(self.curve)

    def accuracy(self, n_classes) -> np.ndarray:
        r"""Return the accuracy for numbers of classes, decreasing and in [0, 1].

        Beyond the pilot's classes it is that of the distribution, scaled for continuity:
        :math:`ATA_{k_1} AGA_k / AGA_{k_1}`.
        """
        inside = n_classes <= self.n_tried
        accuracies = np.empty(len(n_classes))
        accuracies[inside] = self.curve[n_classes[inside].astype(np.int64) - 1]
        if not inside.all():
            accuracies[~inside] = self._decreasing_beyond(n_classes[~inside])
        return accuracies

    @property
    def asymptotic_accuracy(self) -> float:
        """The limit of the accuracy as the number of classes increases."""
        if self.drift:
            return float(self.accuracy(np.array([VERY_MANY]))[0])
        limit = self.scale * max(self.distribution.always_right, 0.0)
        return min(limit, float(self.curve[-1]))

    @cached_property
    def expected(self) -> float:
        """The accuracy with all classes of the pilot, by the distribution."""
        return float(self.distribution.accuracy(np.array([self.n_tried]))[0])

    @property
    def scale(self) -> float:
        """The measured accuracy with all classes over that of the distribution."""
        # An item that is never right with few classes is never right with more.
        return float(self.curve[-1]) / self.expected if self.expected > 0.0 else 0.0

    def _decreasing_beyond(self, n_classes) -> np.ndarray:
        accuracies = self._beyond(n_classes)
        if self.drift <= 0.0:
            return accuracies
        grid, before = fewer_classes(n_classes)
        lowest = np.minimum.accumulate(self._beyond(np.maximum(grid, self.n_tried)))
        return np.minimum(accuracies, lowest[before])

    def _beyond(self, n_classes) -> np.ndarray:
        # Below 0 only for invalid distributions, which the verdict reports; above the end of the
        # curve only by rounding.
        accuracies = self.scale * np.maximum(self.distribution.accuracy(n_classes), 0.0)
        accuracies = np.minimum(accuracies, self.curve[-1])
        if not self.drift:
            return accuracies
        drift = self.drift * np.log(n_classes / self.n_tried)
        return special.expit(special.logit(accuracies) + drift)

    def __repr__(self) -> str:
        return f"AccuracyModel({self.curve[-1]:.3f} with {self.n_tried} classes)"


def fewer_classes(n_classes) -> tuple[np.ndarray, np.ndarray]:
    """Return a grid of class counts, and for each given one the last that is not larger.

    The grid does not depend on the request, so that the results do not either.
    """
    n_steps = np.log(float(n_classes.max())) / np.log(GRID_RATIO)
    grid = np.unique(np.floor(GRID_RATIO ** np.arange(n_steps + 1.0)))
    return grid, np.searchsorted(grid, n_classes, side="right") - 1
