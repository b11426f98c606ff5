"""The scores that a user passes as X: one finite number an item."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from .._documentation import DocumentationLink
from ._array_like import as_numbers, as_vector, shape_of
from ._named_scores import NamedScores
from ._pairs import NEARLY_ONE, ROUNDING, kind_of_pair, positive_of_pair

# Scores whose range is smaller have not been moved out of [0, 1] by rounding.
LEAST_RANGE = 1e-2
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


def within_unit(scores: np.ndarray) -> np.ndarray:
    """Return scores of which those that rounding moved out of [0, 1] are 0 and 1 again.

    They are left alone unless all others lie in [0, 1]. NaN stays.
    """
    low = np.fmin.reduce(scores, axis=None, initial=np.inf)
    high = np.fmax.reduce(scores, axis=None, initial=-np.inf)
    is_rounded = low >= -ROUNDING and high <= 1.0 + ROUNDING and high - low >= LEAST_RANGE
    return np.clip(scores, 0.0, 1.0) if is_rounded else scores


def check_scores(
    estimator, X, *, reset: bool, labels=None, classes=None, may_miss: bool = False
) -> np.ndarray:
    """Return the scores in `X` as a float vector; NaN where one is missing, if they may be.

    Two columns are those of both classes: of `labels`, if they are known, and in their order.
    `classes` are those that a user named.
    """
    numbers = as_numbers(X, "X")
    # For the names of columns.
    validate_data(estimator, X, reset=reset, skip_check_array=True, ensure_2d=False)
    numbers = check_array(numbers, ensure_2d=False, ensure_all_finite=False, estimator=estimator)
    if may_miss and numbers.ndim <= 2 and numbers.size == len(numbers):
        check_there(numbers.reshape(-1, 1), _names_of(X, 1))
    else:
        _check_finite(numbers)
    if numbers.ndim == 1:
        return within_unit(numbers)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        return within_unit(numbers[:, 0])
    if numbers.ndim == 2 and numbers.shape[1] == 2:
        kind = kind_of_pair(X, numbers, classes, None if labels is None else labels.classes)
        if kind == "systems":
            raise ValueError(
                "X has two columns that are not probabilities summing to one. Of logits of two "
                "classes pass their difference, X[:, 1] - X[:, 0]; of scores of which one column "
                "is that of the positive class, that column."
            )
        return within_unit(positive_of_pair(X, numbers, kind, labels, classes))
    raise ValueError(
        f"X must hold one score an item, of shape (n_samples,) or (n_samples, 1), or two columns "
        f"of probabilities; got shape {numbers.shape}. Pass the scores of a classifier "
        f"(clf.decision_function(X) or clf.predict_proba(X)[:, 1]), not its features."
    )


def holds_systems(X, classes=None, known=None) -> bool:
    """Return whether X has a column for each of several systems.

    Parameters
    ----------
    X : array-like, or mapping from names of systems to scores
    classes : array-like of shape (2,), default=None
        Those that a user named.
    known : array-like of shape (2,), default=None
        Those that labels name.

    Raises
    ------
    ValueError
        If it cannot be told whether two columns are of one system or scores of two.
    """
    if isinstance(X, Mapping):
        return bool(X)
    shape = shape_of(X)
    if len(shape) != 2 or shape[1] < 2:
        return False
    if shape[1] > 2 or not shape[0]:
        return True
    return kind_of_pair(X, as_numbers(X, "X"), classes, known) == "systems"


def check_systems(
    estimator, X, *, reset: bool, labels=None, classes=None, may_miss: bool = False
) -> tuple[np.ndarray, tuple]:
    """Return the scores of one or several systems, and what these are called.

    Parameters
    ----------
    estimator : estimator
    X : array-like
    reset : bool
    labels : BinaryLabels, default=None
        How labels are written: two columns may be of their classes.
    classes : array-like of shape (2,), default=None
        Those that a user named.
    may_miss : bool, default=False
        Whether one system by itself may miss scores; several may in any case.

    Returns
    -------
    scores : ndarray of shape (n_items, n_systems)
        NaN where a system gave none.
    systems : tuple
        The names of the columns, if they have any, else their numbers.
    """
    X = named_columns(X)
    shape = shape_of(X)
    if len(shape) == 2 and shape[0] == 1 and shape[1] > 2:
        raise ValueError(
            f"X of shape {shape} is one item and {shape[1]} systems; if these are scores of as "
            f"many items, pass X.ravel()."
        )
    known = None if labels is None else labels.classes
    if not holds_systems(X, classes, known):
        how = {"labels": labels, "classes": classes, "may_miss": may_miss}
        scores = check_scores(estimator, X, reset=reset, **how)
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
    return np.column_stack([within_unit(column) for column in scores.T]), systems


def named_columns(X):
    """Return a mapping from names to the scores of systems as columns; anything else as it is."""
    if not isinstance(X, Mapping):
        return X
    columns = [as_numbers(values, f"X[{name!r}]") for name, values in X.items()]
    shapes = {column.shape for column in columns}
    if len(shapes) != 1 or len(columns[0].shape) != 1:
        raise ValueError(
            f"X maps the name of each system to its scores of the same items, of shape (n_items,); "
            f"got shapes {sorted(shapes)}."
        )
    return NamedScores.of(np.column_stack(columns), list(X))


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
    return bool(X.min() >= -ROUNDING and np.abs(X.sum(axis=1) - 1.0).max() <= NEARLY_ONE)


def are_percent(X) -> bool:
    """Return whether every row divides a hundred among its columns, be it in rounded numbers."""
    return _are_shares(X / 100.0)


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
