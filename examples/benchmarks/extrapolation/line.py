"""Classes on a line: the bivariate normal problem of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from clouds import Drawn

from sklearn_spe.extrapolation import BivariateNormalClasses


@dataclass(frozen=True)
class Line:
    """One problem: labels and test items are correlated normal numbers.

    Attributes
    ----------
    name : str
    correlation : float
    """

    name: str
    correlation: float

    def draw(self, n_classes, n_items, rng) -> Drawn:
        """Draw classes with a number of test items each.

        As `BivariateNormalClasses` does, which keeps the items to itself.
        """
        y = rng.standard_normal(n_classes)
        labels = np.repeat(np.arange(n_classes), n_items)
        variance = 1.0 - self.correlation**2
        steps = np.sqrt(variance) * rng.standard_normal(len(labels))
        points = self.correlation * y[labels] + steps
        scores = -((points[:, np.newaxis] - self.correlation * y) ** 2) / (2.0 * variance)
        scores -= 0.5 * np.log(2.0 * np.pi * variance)
        return Drawn(scores, labels, points, y)

    def truth(self, n_classes, cache: Path | None = None) -> np.ndarray:
        """Return the average accuracy with these numbers of classes, which is exact."""
        return self._task.accuracy(np.asarray(n_classes))

    def known_accuracy(self, drawn, n_classes, rng) -> np.ndarray:
        """Return the mean of U^(k - 1) over the very items that were drawn."""
        u = self._task.conditional_accuracy(drawn.points, drawn.centers[drawn.labels])
        return (u ** (np.asarray(n_classes)[:, np.newaxis] - 1.0)).mean(axis=1)

    @property
    def _task(self):
        return BivariateNormalClasses(self.correlation)
