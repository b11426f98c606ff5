"""Numbers of classes that a user asks for."""

from __future__ import annotations

from numbers import Real

import numpy as np

from ..inputs._numbers import check_counts

__all__ = ["check_class_counts"]

# Powers of the next number of classes have a float64.
MOST = 1e300


def check_class_counts(n_classes, most: int | None = None) -> np.ndarray:
    """Return numbers of classes as a vector of whole numbers.

    Parameters
    ----------
    n_classes : int, float that is whole, or array-like of them
    most : int, default=None
        The largest that is allowed.

    Returns
    -------
    counts : ndarray of shape (n_counts,)
        Of integers, unless one is too large to be one.

    Raises
    ------
    TypeError
        If it is no number.
    ValueError
        If there is none, or one is not whole, below 1, or above `most`.
    """
    if isinstance(n_classes, Real) and n_classes == np.inf:
        raise ValueError(
            "n_classes must be finite, got inf; the limit of the accuracy for ever more classes "
            "is the attribute asymptotic_accuracy_."
        )
    counts = np.atleast_1d(check_counts(n_classes, "n_classes"))
    if counts.ndim > 1:
        raise ValueError(f"n_classes must be a number or a vector, got shape {counts.shape}.")
    if not counts.size:
        raise ValueError("n_classes holds no number of classes.")
    if (counts > MOST).any():
        raise ValueError(f"n_classes must be at most {MOST:g}, got {counts.max():g}.")
    if most is not None and (counts > most).any():
        raise ValueError(
            f"n_classes must be at most {most}, the number of columns of scores, got "
            f"{counts.max()}; AccuracyExtrapolator goes beyond."
        )
    return counts
