"""Some rows of whatever holds items: arrays, sparse matrices, data frames, lists."""

from __future__ import annotations

__all__ = ["fit_rows", "rows_of"]


def rows_of(X, rows):
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows]
    return X[rows]


def fit_rows(estimator, X, y, params: dict, rows):
    """Fit an estimator to some rows, with the parameters that have one entry a row cut too."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    cut = {
        name: rows_of(value, rows)
        if not isinstance(value, str) and hasattr(value, "__len__") and len(value) == n_samples
        else value
        for name, value in params.items()
    }
    return estimator.fit(rows_of(X, rows), y[rows], **cut)
