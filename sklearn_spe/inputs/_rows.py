"""Rows of a partially labeled data set, in any container."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

__all__ = ["PartlyLabeled", "rows_of"]


@dataclass(frozen=True, eq=False)
class PartlyLabeled:
    """A partially labeled data set."""

    X: object
    codes: np.ndarray  # (n_samples,), indices into `classes`, -1 if unlabeled
    classes: np.ndarray  # (n_classes,)
    sample_weight: np.ndarray | None  # (n_samples,)
    marker: object = -1  # of unlabeled items in later labels
    groups: np.ndarray | None = None  # (n_samples,), groups of dependent rows; None if independent

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
        """The unit of splitting of each row: its group, or the row."""
        return np.arange(len(self)) if self.groups is None else self.groups

    def fit(self, estimator, params: dict, rows):
        """Fit a clone of an estimator to some labeled rows."""
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
