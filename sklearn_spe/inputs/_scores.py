"""The scores that a user passes as X: one finite number an item."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from .._documentation import DocumentationLink
from ._array_like import as_numbers, as_vector, shape_of

# Columns of probabilities sum to one, up to this; and up to that they may be meant to.
SUM_TOLERANCE, NEARLY_ONE = 1e-6, 1e-2
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


def check_scores(
    estimator, X, *, reset: bool, positive: int = 1, may_miss: bool = False
) -> np.ndarray:
    """Return the scores in `X` as a float vector; NaN where one is missing, if they may be."""
    numbers = as_numbers(X, "X")
    # For the names of columns.
    validate_data(estimator, X, reset=reset, skip_check_array=True, ensure_2d=False)
    X = check_array(numbers, ensure_2d=False, ensure_all_finite=False, estimator=estimator)
    if may_miss and X.ndim <= 2 and X.size == len(X):
        check_there(X.reshape(-1, 1), _names_of(X, 1))
    else:
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


def holds_systems(X) -> bool:
    """Return whether X has a column for each of several systems.

    Raises
    ------
    ValueError
        If it cannot be told whether two columns are probabilities of one system or scores of two.
    """
    shape = shape_of(X)
    if len(shape) != 2 or shape[1] < 2:
        return False
    if shape[1] > 2 or not shape[0]:
        return True
    # Rows without a missing score tell.
    X = _complete(as_numbers(X, "X"))
    off = np.abs(X.sum(axis=1) - 1.0).max(initial=0.0)
    if not len(X) or not np.isfinite(off) or X.min() < 0.0 or off > NEARLY_ONE:
        return True
    if off > SUM_TOLERANCE:
        raise ValueError(
            f"X has two columns in [0, 1] whose sums are nearly one, off by up to {off:.3g}: are "
            f"they probabilities of one system, or scores of two? Of probabilities pass the "
            f"column of the positive class, X[:, 1]; of two systems pass their logit."
        )
    return False


def check_systems(
    estimator, X, *, reset: bool, positive: int = 1, may_miss: bool = False
) -> tuple[np.ndarray, tuple]:
    """Return the scores of one or several systems, and what these are called.

    Parameters
    ----------
    estimator : estimator
    X : array-like
    reset : bool
    positive : int, default=1
        Of two columns of probabilities that of the positive class.
    may_miss : bool, default=False
        Whether one system by itself may miss scores; several may in any case.

    Returns
    -------
    scores : ndarray of shape (n_items, n_systems)
        NaN where a system gave none.
    systems : tuple
        The names of the columns, if they have any, else their numbers.
    """
    shape = shape_of(X)
    if len(shape) == 2 and shape[0] == 1 and shape[1] > 2:
        raise ValueError(
            f"X of shape {shape} is one item and {shape[1]} systems; if these are scores of as "
            f"many items, pass X.ravel()."
        )
    if not holds_systems(X):
        scores = check_scores(estimator, X, reset=reset, positive=positive, may_miss=may_miss)
        return scores[:, np.newaxis], _names_of(X, 1)
    scores = as_numbers(X, "X")
    if _are_shares(scores):
        raise ValueError(
            f"Each row of the {shape[1]} columns of X sums to one: they are probabilities of as "
            f"many classes, and y names two at most. Pass classes= with the names of all columns, "
            f"such as clf.classes_, or the column of the positive class as scores."
        )
    # For the names of the systems.
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    scores = check_array(scores, ensure_all_finite=False)
    systems = _names_of(X, scores.shape[1])
    check_there(scores, systems)
    return scores, systems


def check_there(scores, systems) -> None:
    """Raise unless each system, of (n_items, n_systems), has scores, and all are finite."""
    infinite = np.isinf(scores)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"Scores must be finite, or missing (NaN); got {scores[row, column]} for item {row} of "
            f"system {systems[column]!r}, and {int(infinite.sum())} such values in all. Give what "
            f"was infinite a score a little beyond all finite ones."
        )
    silent = np.isnan(scores).all(axis=0)
    if len(scores) and silent.any():
        name = systems[int(np.flatnonzero(silent)[0])]
        raise ValueError(
            f"System {name!r} has no score at all: all {len(scores)} are missing. Leave its column "
            f"out, or see why nothing was read."
        )


def _complete(X) -> np.ndarray:
    """Return the rows in which no score is missing."""
    return X[~np.isnan(X).any(axis=1)]


def _are_shares(X) -> bool:
    """Return whether every row divides one among its columns, be it in rounded numbers."""
    if X.ndim != 2:
        return False
    X = _complete(X)
    if not X.size or not np.isfinite(X).all():
        return False
    return bool(X.min() >= 0.0 and np.abs(X.sum(axis=1) - 1.0).max() <= NEARLY_ONE)


def _names_of(X, n_systems: int) -> tuple:
    """Return the names of the columns of a frame, or the numbers of those of an array."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != n_systems:
        return tuple(range(n_systems))
    return tuple(columns)


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
