"""The scores that a user passes as X: one finite number an item."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from .._documentation import DocumentationLink
from ._array_like import as_numbers, as_vector

# Beyond it a float64 that counts does not change when one is added.
MOST_ITEMS = 2.0**53


class ScoreInput(DocumentationLink):
    """Mixin of estimators whose X is one score an item, and whose y may be missing."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags


def check_scores(estimator, X, *, reset: bool, positive: int = 1) -> np.ndarray:
    """Return the scores in `X` as a float vector."""
    numbers = as_numbers(X, "X")
    # For the names of columns.
    validate_data(estimator, X, reset=reset, skip_check_array=True, ensure_2d=False)
    X = check_array(numbers, ensure_2d=False, ensure_all_finite=False, estimator=estimator)
    _check_finite(X)
    if X.ndim == 1:
        return X
    if X.ndim == 2 and X.shape[1] == 1:
        return X[:, 0]
    if X.ndim == 2 and X.shape[1] == 2:
        if np.abs(X.sum(axis=1) - 1.0).max() > 1e-6 or X.min() < 0.0:
            raise ValueError(
                "X has two columns that are not probabilities summing to one. Of logits of two "
                "classes pass their difference, X[:, 1] - X[:, 0]; of scores of which one column "
                "is that of the positive class, that column."
            )
        return X[:, positive]
    raise ValueError(
        f"X must hold one score an item, of shape (n_samples,) or (n_samples, 1), or two columns "
        f"of probabilities; got shape {X.shape}. Pass the scores of a classifier "
        f"(clf.decision_function(X) or clf.predict_proba(X)[:, 1]), not its features."
    )


def check_frequencies(sample_weight, n_samples: int) -> np.ndarray:
    """Return frequency weights as a float vector; None counts every item once."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = as_vector(sample_weight, "sample_weight", n_samples)
    wrong = ~(np.isfinite(weights) & (weights >= 0.0))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"sample_weight counts items and must be finite and not negative; got {weights[at]} "
            f"at index {at}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero everywhere; at least one item must count.")
    if not weights.sum() <= MOST_ITEMS:
        raise ValueError(
            f"sample_weight counts items, and {weights.sum():.3g} of them are more than 2**53: "
            f"sums of float64 would lose single ones. Divide all weights by a number."
        )
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
