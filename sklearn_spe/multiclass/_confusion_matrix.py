"""Confusion matrix with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import FrozenArrays
from ..inputs._numbers import check_choice
from ..results._bands import percent
from ..results._distributions import WeightedDraws
from ..results._levels import check_level_of

__all__ = ["ConfusionMatrix"]

NORMALIZE = {"true": 2, "pred": 1, "all": (1, 2)}


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(FrozenArrays):
    """Posterior of the counts of items by true and predicted class.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    distribution : WeightedDraws
        Distribution of all entries, row by row.
    confidence_level : float
        The level of `interval` when none is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_spe.multiclass import ConfusionMatrix
    >>> draws = np.array([[[5, 1], [0, 4]], [[4, 2], [0, 4]], [[5, 1], [1, 3]]])
    >>> matrix = ConfusionMatrix.of(draws, np.full(3, 1 / 3), np.array(["cat", "dog"]))
    >>> matrix.value
    array([[5., 1.],
           [0., 4.]])
    >>> lower, upper = matrix.interval(0.3)
    >>> float(lower[0, 0]), float(upper[0, 0])
    (4.55, 5.0)
    """

    classes: np.ndarray
    distribution: WeightedDraws
    confidence_level: float = 0.9

    @classmethod
    def of(cls, counts, weights, classes, normalize=None, confidence_level=0.9) -> ConfusionMatrix:
        """Build the matrix from draws (n_draws, n_classes, n_classes), normalized if asked."""
        if normalize is not None:
            check_choice(normalize, "normalize", NORMALIZE)
            total = counts.sum(axis=NORMALIZE[normalize], keepdims=True)
            # The row of a class without items is zero, as in scikit-learn.
            counts = counts / np.where(total > 0.0, total, 1.0)
        return cls(
            classes, WeightedDraws(counts.reshape(len(counts), -1), weights), confidence_level
        )

    @property
    def value(self) -> np.ndarray:
        """The median of each entry, (n_classes, n_classes), true by predicted class."""
        return self._square(self.distribution.median())

    def mean(self) -> np.ndarray:
        """Return the mean of each entry; means are additive, medians are not."""
        return self._square(self.distribution.mean())

    def interval(self, confidence_level: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the lower and upper ends of the interval of each entry.

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            None uses that of the matrix.
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        lower, upper = self.distribution.interval(
            check_level_of(self.distribution, level, "posterior")
        )
        return self._square(lower), self._square(upper)

    def to_frame(self, confidence_level: float | None = None):
        """Return a pandas DataFrame with one row for each pair of classes.

        The columns are "true", "predicted", "value", "lower" and "upper".

        Parameters
        ----------
        confidence_level : float in (0, 1), default=None
            As in :meth:`interval`.
        """
        import pandas as pd

        lower, upper = self.interval(confidence_level)
        true, predicted = np.meshgrid(self.classes, self.classes, indexing="ij")
        columns = {
            "true": true,
            "predicted": predicted,
            "value": self.value,
            "lower": lower,
            "upper": upper,
        }
        return pd.DataFrame({name: column.ravel() for name, column in columns.items()})

    def _square(self, row) -> np.ndarray:
        return row.reshape(len(self.classes), len(self.classes))

    def __repr__(self) -> str:
        n = len(self.classes)
        return f"ConfusionMatrix({n} classes, {percent(self.confidence_level)} intervals)"
