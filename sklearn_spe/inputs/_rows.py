"""Rows of a data set of which a few are labelled, in whatever holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

__all__ = ["PartlyLabeled", "rows_of"]


@dataclass(frozen=True, eq=False)
class PartlyLabeled:
    """A data set of which a few rows are labelled.

    Attributes
    ----------
    X : array-like of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,)
        An index into `classes`, or -1 where a row is not labelled.
    classes : ndarray of shape (n_classes,)
    sample_weight : ndarray of shape (n_samples,) or None
    marker : object
        What marks an item without a label, where labels come later.
    groups : ndarray of shape (n_samples,) or None
        Which rows belong together; None if they are independent.
    """

    X: object
    codes: np.ndarray
    classes: np.ndarray
    sample_weight: np.ndarray | None
    marker: object = -1
    groups: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows) -> PartlyLabeled:
        """Return some of the rows."""
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        groups = None if self.groups is None else self.groups[rows]
        X, codes = rows_of(self.X, rows), self.codes[rows]
        return PartlyLabeled(X, codes, self.classes, weights, self.marker, groups)

    @property
    def parts(self) -> np.ndarray:
        """What is trained on as a whole or not at all: the group of each row, or the row."""
        return np.arange(len(self)) if self.groups is None else self.groups

    def fit(self, estimator, params: dict, rows):
        """Fit a clone of an estimator to some rows, all of them labelled."""
        cut = {
            name: rows_of(value, rows) if self._is_of_rows(value) else value
            for name, value in params.items()
        }
        labels = self.classes[self.codes[rows]]
        return clone(estimator).fit(rows_of(self.X, rows), labels, **cut)

    def _is_of_rows(self, value) -> bool:
        if isinstance(value, (str, bytes, dict)):
            return False
        if not hasattr(value, "shape"):
            return hasattr(value, "__len__") and len(value) == len(self)
        return value.shape[:1] == (len(self),)


def rows_of(X, rows):
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows]
    return X[rows]
