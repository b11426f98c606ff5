"""Validation of scores passed as X: one finite number for each item."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from .._documentation import DocumentationLink
from ._array_like import as_numbers, as_vector, shape_of
from ._named_scores import NamedScores
from ._pairs import NEARLY_ONE, ROUNDING, kind_of_pair, positive_of_pair

# Minimum range of scores for values outside [0, 1] to be attributed to rounding.
MIN_RANGE = 1e-2
# Above it, float64 counts cannot be incremented.
MAX_ITEMS = 2.0**53


class ScoreInput(DocumentationLink):
    """Mixin of estimators whose X is one score for each item, and whose y may be missing."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags


def within_unit(scores: np.ndarray) -> np.ndarray:
    """Clip scores to [0, 1] if only rounding moved some outside.

    Unchanged unless all other scores lie in [0, 1]. NaN is kept.
    """
    low = np.fmin.reduce(scores, axis=None, initial=np.inf)
    high = np.fmax.reduce(scores, axis=None, initial=-np.inf)
    is_rounded = low >= -ROUNDING and high <= 1.0 + ROUNDING and high - low >= MIN_RANGE
    return np.clip(scores, 0.0, 1.0) if is_rounded else scores


def check_scores(
    estimator, X, *, reset: bool, labels=None, classes=None, may_miss: bool = False
) -> np.ndarray:
    """Return the scores in `X` as floats, NaN if missing and `may_miss`.

    Two columns belong to the two classes, in the order of `labels` if given. `classes` are the
    user's.
    """
    numbers = as_numbers(X, "X")
    # Sets the column names.
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
                "X has two columns that are not probabilities summing to one. For logits of two "
                "classes pass their difference, X[:, 1] - X[:, 0]; otherwise the column of the "
                "positive class."
            )
        return within_unit(positive_of_pair(X, numbers, kind, labels, classes))
    raise ValueError(
        "X must hold one score for each item, of shape (n_samples,) or (n_samples, 1), or two "
        f"columns of probabilities; got shape {numbers.shape}. Pass the scores of a classifier "
        "(clf.decision_function(X) or clf.predict_proba(X)[:, 1]), not its features."
    )


def holds_systems(X, classes=None, known=None) -> bool:
    """Return whether X has a column for each of several systems.

    `classes` are the user's, `known` those of the labels, (2,) each. Raise ValueError if two
    columns are ambiguous.
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
    """Return the scores of the systems, (n_items, n_systems), and their names.

    NaN marks missing scores; a single system needs `may_miss` for these. Names are column names,
    else numbers. Two columns may be classes: of `labels` or of the user's `classes`.
    """
    X = named_columns(X)
    shape = shape_of(X)
    if len(shape) == 2 and shape[0] == 1 and shape[1] > 2:
        raise ValueError(
            f"X of shape {shape} means one item and {shape[1]} systems; for one score of several "
            "items, pass X.ravel()."
        )
    known = None if labels is None else labels.classes
    if not holds_systems(X, classes, known):
        how = {"labels": labels, "classes": classes, "may_miss": may_miss}
        scores = check_scores(estimator, X, reset=reset, **how)
        return scores[:, np.newaxis], _names_of(X, 1)
    scores = as_numbers(X, "X")
    if _are_shares(scores):
        raise ValueError(
            f"Each row of the {shape[1]} columns of X sums to one, as probabilities of several "
            "classes do, but y names at most two. Pass classes= with the names of all columns, "
            "such as clf.classes_, or the column of the positive class as scores."
        )
    # Sets the names of the systems.
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    scores = check_array(scores, ensure_all_finite=False)
    systems = _names_of(X, scores.shape[1])
    check_there(scores, systems)
    return np.column_stack([within_unit(column) for column in scores.T]), systems


def named_columns(X):
    """Return a mapping from names to scores as columns; anything else unchanged."""
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
    """Raise unless each system has scores, (n_items, n_systems), and all are finite."""
    infinite = np.isinf(scores)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"Scores must be finite, or missing (NaN); got {scores[row, column]} for item {row} "
            f"of system {systems[column]!r}, and {int(infinite.sum())} such values in all. "
            "Replace infinite scores by values slightly beyond all finite ones."
        )
    silent = np.isnan(scores).all(axis=0)
    if len(scores) and silent.any():
        name = systems[int(np.flatnonzero(silent)[0])]
        raise ValueError(
            f"System {name!r} has no score: all {len(scores)} are missing. Leave its column out, "
            "or check how it was read."
        )


def _complete(X) -> np.ndarray:
    """Return the rows without missing scores."""
    return X[~np.isnan(X).any(axis=1)]


def _are_shares(X) -> bool:
    """Return whether every row sums to one, up to rounding."""
    if X.ndim != 2:
        return False
    X = _complete(X)
    if not X.size or not np.isfinite(X).all():
        return False
    return bool(X.min() >= -ROUNDING and np.abs(X.sum(axis=1) - 1.0).max() <= NEARLY_ONE)


def are_percent(X) -> bool:
    """Return whether every row sums to one hundred, up to rounding."""
    return _are_shares(X / 100.0)


def _names_of(X, n_systems: int) -> tuple:
    """Return the column names of a frame, or the column numbers of an array."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != n_systems:
        return tuple(range(n_systems))
    return tuple(columns)


def check_frequencies(sample_weight, n_samples: int) -> np.ndarray:
    """Return frequency weights as floats; None means one for each item."""
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
        raise ValueError("sample_weight is zero everywhere; at least one must be positive.")
    if not weights.sum() <= MAX_ITEMS:
        raise ValueError(
            f"sample_weight counts items, and {weights.sum():.3g} of them exceed 2**53, where "
            "float64 sums lose single items. Divide all weights by a number."
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
