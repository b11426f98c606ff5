"""The scores that a user passes as X: one finite number an item."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import validate_data

from ._documentation import DocumentationLink


class ScoreInput(DocumentationLink):
    """Mixin of estimators whose X is one score an item, and whose y may be missing."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags


def check_scores(estimator, X, *, reset: bool, positive: int = 1) -> np.ndarray:
    """Return the scores in `X` as a float vector.

    Parameters
    ----------
    estimator : estimator
        The estimator on whose behalf `X` is checked.
    X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
        Scores, larger for positives. Two columns must be probabilities that sum
        to one, as `predict_proba` returns them; that of the positive class is used.
    reset : bool
        Whether this is `fit`. As in other estimators of one score, the number of columns is
        not stored: one column of probabilities and two of them say the same.
    positive : int, default=1
        The column of the positive class among two.

    Returns
    -------
    scores : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If `X` is empty, has more columns, or holds NaN or infinite values.
    """
    X = validate_data(
        estimator, X, reset=reset, ensure_2d=False, dtype=np.float64, ensure_all_finite=False
    )
    _check_finite(X)
    if X.ndim == 1:
        return X
    if X.ndim == 2 and X.shape[1] == 1:
        return X[:, 0]
    if X.ndim == 2 and X.shape[1] == 2:
        if np.abs(X.sum(axis=1) - 1.0).max() > 1e-6 or X.min() < 0.0:
            raise ValueError(
                "X has two columns that are not probabilities summing to one; pass the one "
                "column of scores, X[:, 1] for example."
            )
        return X[:, positive]
    raise ValueError(
        f"X must hold one score an item, of shape (n_samples,) or (n_samples, 1), or two columns "
        f"of probabilities; got shape {X.shape}. Pass the scores of a classifier "
        f"(clf.decision_function(X) or clf.predict_proba(X)[:, 1]), not its features."
    )


def check_frequencies(sample_weight, n_samples: int) -> np.ndarray:
    """Return frequency weights as a float vector; None counts every item once.

    Raises
    ------
    ValueError
        If the length is wrong, a weight is negative or not finite, or all are zero.
    """
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), one weight a score; got "
            f"{weights.shape}."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"sample_weight counts items and must be finite and not negative; got {weights[at]} "
            f"at index {at}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero everywhere; at least one item must count.")
    return weights


def _check_finite(X) -> None:
    wrong = ~np.isfinite(X)
    if wrong.any():
        at = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"Scores must be finite; got {X[tuple(at)]} at index {at[0]} and {int(wrong.sum())} "
            f"such values in all. Drop these items, or give them a finite score (a rank, say) "
            f"together with their labels."
        )
