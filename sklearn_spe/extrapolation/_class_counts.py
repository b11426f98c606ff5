"""Numbers of classes that a user asks for."""

from __future__ import annotations

import numpy as np

__all__ = ["check_class_counts"]


def check_class_counts(n_classes, most: int | None = None) -> np.ndarray:
    """Return numbers of classes as a vector of whole numbers.

    Parameters
    ----------
    n_classes : int, float that is whole, or array-like of them
    most : int, default=None
        The largest that is allowed.

    Returns
    -------
    counts : ndarray of shape (n_counts,), dtype=int64

    Raises
    ------
    TypeError
        If it is no number.
    ValueError
        If one is not whole, below 1, or above `most`.
    """
    counts = np.asarray(n_classes)
    if counts.dtype.kind not in "iuf" or counts.ndim > 1:
        raise TypeError(
            f"n_classes must be a number of classes, or a sequence of them; got {n_classes!r}."
        )
    counts = np.atleast_1d(counts)
    if np.isposinf(counts.astype(float)).any():
        raise ValueError(
            "n_classes must be finite, got inf; the limit of the accuracy for ever more classes "
            "is the attribute asymptotic_accuracy_."
        )
    wrong = ~((counts >= 1) & (counts == np.floor(counts)))
    if wrong.any():
        raise ValueError(f"n_classes must be whole numbers of at least 1, got {counts[wrong][0]}.")
    if most is not None and (counts > most).any():
        raise ValueError(
            f"n_classes must be at most {most}, the number of columns of scores, got "
            f"{counts.max()}; AccuracyExtrapolator goes beyond."
        )
    return counts.astype(np.int64)
