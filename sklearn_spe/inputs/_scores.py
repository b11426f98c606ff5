"""Scores that a user passes as X or that a classifier gives, and their direction."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy import special
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import check_array, validate_data

from ..exceptions import ParameterError
from ._frames import read_frame
from ._validation import (
    NamedScores,
    as_numbers,
    as_plain,
    as_vector,
    check_choice,
    check_flag,
    shape_of,
)

# One score or threshold, or several.
Numbers = TypeVar("Numbers", float, np.ndarray)
# Tolerances of rows of probabilities summing to one: accepted, and suspected.
SUM_TOLERANCE, NEARLY_ONE = 1e-6, 1e-2
# Maximum float32 rounding error of a sum of probabilities, or of one minus it.
ROUNDING = 1e-6
# Minimum range of scores for values outside [0, 1] to be attributed to rounding.
MIN_RANGE = 1e-2
# Above it, float64 counts cannot be incremented.
MAX_ITEMS = 2.0**53
# Largest of percentages: at least this, as some probability is near 1.
MIN_PERCENT = 95.0
# Opposite words for flipped scores.
FLIPPED = {
    "above": "below",
    "at or above": "at or below",
    "below": "above",
    "high": "low",
    "higher": "lower",
    "highest": "lowest",
    "low": "high",
    "larger": "smaller",
    "largest": "smallest",
    "lower": "higher",
    "lowest": "highest",
    "smaller": "larger",
}
# Half the spacing of float64 just below 1.
HALF_STEP = 2.0**-54
RESPONSE_METHODS = ("auto", "decision_function", "predict_proba")
# Matrix products depend on the position of a row in their last bits: keep this many of the 53 bits
# of a score, so that equal items have equal scores and thresholds stay valid.
KEPT_BITS = 40
# Tolerance to recognize scores as the log-odds of the probabilities.
AGREEMENT = 1e-6


def kind_of_pair(
    X: Any, numbers: np.ndarray, classes: Any | None = None, known: Any | None = None
) -> str:
    """Return what two columns are: "probabilities", "percent", "logits" or "systems".

    `X` (n_items, 2) is as passed, `numbers` (n_items, 2) has NaN for missing scores, `classes` are
    the user's (unnamed columns are then theirs), `known` are those of the labels (columns may have
    their names). Raise ValueError if it is ambiguous.
    """
    missing = np.isnan(numbers)
    numbers = numbers[~missing.any(axis=1)]
    if not len(numbers):
        return "systems"

    for total, kind in ((1.0, "probabilities"), (100.0, "percent")):
        off = np.abs(numbers.sum(axis=1) / total - 1.0).max()
        if not np.isfinite(off):
            return "systems"

        if numbers.min() >= -ROUNDING * total and off <= NEARLY_ONE:
            if off > SUM_TOLERANCE:
                columns = "in [0, 1] whose sums are nearly one"
                if kind == "percent":
                    columns = "whose sums are nearly 100"
                raise ValueError(
                    f"X has two columns {columns}, "
                    f"off by up to {off * total:.3g}: are they probabilities of one system, or "
                    "scores of two? For probabilities pass the column of the positive class, "
                    "X[:, 1]; for two systems pass their logit."
                )
            return kind

    if isinstance(X, NamedScores) or (missing.any(axis=1) & ~missing.all(axis=1)).any():
        return "systems"

    names = _names(X)
    are_classes = classes is not None and len(classes) == 2
    if names is None and not are_classes:
        raise ParameterError.of(
            "X",
            "has two columns without names: are they the logits of one classifier for both "
            "classes, or the scores of two systems? For one classifier pass the classes= of the "
            "columns, such as clf.classes_, or the difference X[:, 1] - X[:, 0]. For two "
            "systems name them: {'old': X[:, 0], 'new': X[:, 1]}, or a data frame.",
        )

    if names is not None and not _are_named(names, classes) and not _are_named(names, known):
        return "systems"

    if numbers.min() >= 0.0 and numbers.max() <= 1.0:
        raise ParameterError.of(
            "X",
            "has a column in [0, 1] for each of two classes, but rows do not sum to one: they "
            "are neither probabilities nor logits. Pass the column of the positive class; for "
            "two systems use a data frame with column names that differ from the classes.",
        )

    return "logits"


def positive_of_pair(
    X: Any, numbers: np.ndarray, kind: str, labels: Any | None = None, classes: Any | None = None
) -> np.ndarray:
    """Return the scores of the positive class from two columns of one classifier.

    Raise ValueError if classes are not sorted, as unnamed columns are.
    """
    positive = 1 if labels is None else labels.positive
    names = _names(X)
    if labels is not None and names is not None and _are_named(names, labels.classes):
        positive = names.index(labels.classes.tolist()[positive])
    elif classes is not None and list(classes) != sorted(classes):
        raise ParameterError(
            f"classes={list(classes)!r} are not sorted, but the columns of X must be in sorted "
            "order, like those of predict_proba. Pass X[:, ::-1] and sorted classes.",
            parameter="classes",
        )

    if kind == "logits":
        return numbers[:, positive] - numbers[:, 1 - positive]
    return numbers[:, positive] / (100.0 if kind == "percent" else 1.0)


def _names(X: Any) -> list[Any] | None:
    """Return the names of two columns; None for the default column names of a frame."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != 2:
        return None
    names = list(columns)
    return None if names == [0, 1] else names


def _are_named(names: list[Hashable], classes: Any) -> bool:
    return classes is not None and set(names) == set(np.asarray(classes).tolist())


class ScoreInput:
    """Mixin of estimators whose X is one score for each item, and whose y may be missing."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # the estimator has them
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = False
        return tags


def look_like_percent(low: float, high: float) -> bool:
    """Return whether scores from `low` to `high` are taken for shares of a hundred."""
    return low >= 0.0 and MIN_PERCENT < high <= 100.0


def within_unit(scores: np.ndarray) -> np.ndarray:
    """Clip scores to [0, 1] if only rounding moved some outside.

    Unchanged unless all other scores lie in [0, 1]. NaN is kept.
    """
    low = np.fmin.reduce(scores, axis=None, initial=np.inf)
    high = np.fmax.reduce(scores, axis=None, initial=-np.inf)
    is_rounded = low >= -ROUNDING and high <= 1.0 + ROUNDING and high - low >= MIN_RANGE
    return np.clip(scores, 0.0, 1.0) if is_rounded else scores


def read_scores(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    labels: Any | None = None,
    classes: Any | None = None,
    may_miss: bool = False,
) -> tuple[np.ndarray, str | None]:
    """Return the scores in `X` as floats, and their kind if two columns of X reveal it.

    NaN marks missing scores if these are allowed. Two columns belong to the two classes, in the
    order of `labels` if given. `classes` are the user's.
    """
    X = read_frame(X, "X")
    numbers, names = read_columns(estimator, X, reset=reset)
    if may_miss and numbers.ndim <= 2 and numbers.size == len(numbers):
        check_there(numbers.reshape(-1, 1), names)
    else:
        _check_finite(numbers)

    if numbers.shape[1:] in ((), (1,)):
        return within_unit(numbers.reshape(-1)), None

    if numbers.shape[1:] != (2,):
        raise ParameterError.of(
            "X",
            "must hold one score for each item, of shape (n_samples,) or (n_samples, 1), or two "
            f"columns of probabilities; got shape {numbers.shape}. Pass the scores of a classifier "
            "(clf.decision_function(X) or clf.predict_proba(X)[:, 1]), not its features.",
        )

    kind = kind_of_pair(X, numbers, classes, None if labels is None else labels.classes)
    if kind == "systems":
        raise ParameterError.of(
            "X",
            "has two columns that are not probabilities summing to one. For logits of two "
            "classes pass their difference, X[:, 1] - X[:, 0]; otherwise the column of the "
            "positive class.",
        )

    scores = within_unit(positive_of_pair(X, numbers, kind, labels, classes))
    return scores, "log_odds" if kind == "logits" else "probability"


def single_scores(values: Any, name: str) -> np.ndarray:
    """Return one score of each item, (n_items,), as float32 or float64, NaN if missing.

    Two columns of probabilities that sum to one, or 100, are those of both classes, as in
    `read_scores`. Raise ParameterError for other columns.
    """
    values = read_frame(values, name)
    plain = as_plain(values, name)
    numbers = plain if plain.dtype == np.float32 else as_numbers(values, name)
    if numbers.shape[1:] in ((), (1,)):
        return numbers.reshape(-1)

    is_pair = numbers.shape[1:] == (2,)
    kind = kind_of_pair(NamedScores.of(numbers, [0, 1]), numbers) if is_pair else "systems"
    missing = np.isnan(numbers)
    if kind == "systems" and not (is_pair and missing.all()):
        raise ParameterError.of(
            name,
            f"must hold one score for each item, of shape (n_items,); got {numbers.shape}.",
            "Pass the column of the positive class, clf.predict_proba(X)[:, 1]; count several "
            "systems in a histogram each.",
        )

    if (missing[:, 0] != missing[:, 1]).any():
        raise ParameterError.of(
            name, "has rows with one of two probabilities: pass the column of the positive class."
        )

    return numbers[:, 1] / (100.0 if kind == "percent" else 1.0)


def read_columns(estimator: Any, X: Any, *, reset: bool) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Return the numbers in X, which may be infinite or missing (NaN), and the column names.

    These are column numbers of an array. The estimator stores or compares the names.
    """
    X = read_frame(X, "X")
    numbers = as_numbers(X, "X")
    native = getattr(X, "native", X)
    validate_data(estimator, native, reset=reset, skip_check_array=True, ensure_2d=False)
    numbers = check_array(numbers, ensure_2d=False, ensure_all_finite=False, estimator=estimator)
    return numbers, _names_of(X, 1 if numbers.ndim == 1 else numbers.shape[1])


def holds_systems(X: Any, classes: Any | None = None, known: Any | None = None) -> bool:
    """Return whether X has a column for each of several systems.

    `classes` are the user's, `known` those of the labels, (2,) each. Raise ValueError if two
    columns are ambiguous.
    """
    X = read_frame(X, "X")
    if isinstance(X, Mapping):
        return bool(X)
    shape = shape_of(X)
    if len(shape) != 2 or shape[1] < 2:
        return False
    if shape[1] > 2 or not shape[0]:
        return True
    return kind_of_pair(X, as_numbers(X, "X"), classes, known) == "systems"


def check_systems(
    estimator: Any,
    X: Any,
    *,
    reset: bool,
    labels: Any | None = None,
    classes: Any | None = None,
    may_miss: bool = False,
) -> tuple[np.ndarray, tuple[Any, ...]]:
    """Return the scores of the systems, (n_items, n_systems), and their names.

    NaN marks missing scores; a single system needs `may_miss` for these. Names are column names,
    else numbers. Two columns may be classes: of `labels` or of the user's `classes`.
    """
    X = named_columns(read_frame(X, "X"))
    shape = shape_of(X)
    if len(shape) == 2 and shape[0] == 1 and shape[1] > 2:
        raise ParameterError.of(
            "X",
            f"of shape {shape} means one item and {shape[1]} systems; for one score of several "
            "items, pass X.ravel().",
        )

    known = None if labels is None else labels.classes
    if not holds_systems(X, classes, known):
        scores, _ = read_scores(
            estimator, X, reset=reset, labels=labels, classes=classes, may_miss=may_miss
        )
        return scores[:, np.newaxis], _names_of(X, 1)

    scores, systems = read_columns(estimator, X, reset=reset)
    if _are_shares(scores):
        raise ValueError(
            f"Each row of the {shape[1]} columns of X sums to one, as probabilities of several "
            "classes do, but y names at most two. Pass classes= with the names of all columns, "
            "such as clf.classes_, or the column of the positive class as scores."
        )

    check_there(scores, systems)
    return np.column_stack([within_unit(column) for column in scores.T]), systems


def named_columns(X: Any):
    """Return a mapping from names to scores as columns; anything else unchanged."""
    if not isinstance(X, Mapping):
        return X
    columns = [as_numbers(values, f"X[{name!r}]") for name, values in X.items()]
    shapes = {column.shape for column in columns}
    if len(shapes) != 1 or len(columns[0].shape) != 1:
        raise ParameterError.of(
            "X",
            f"maps the name of each system to its scores of the same items, of shape (n_items,); "
            f"got shapes {sorted(shapes)}.",
        )
    return NamedScores.of(np.column_stack(columns), list(X))


def check_there(scores: np.ndarray, systems: Sequence[Any]) -> None:
    """Raise unless each system has scores, (n_items, n_systems), and all are finite."""
    infinite = np.isinf(scores)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"Scores must be finite, or missing (NaN); got {scores[row, column]} for item {row} "
            f"of system {systems[column]!r}, and {int(infinite.sum())} such values in all. "
            "Replace infinite scores by values slightly beyond all finite ones."
        )

    is_empty = np.isnan(scores).all(axis=0)
    if len(scores) and is_empty.any():
        name = systems[int(np.flatnonzero(is_empty)[0])]
        raise ValueError(
            f"System {name!r} has no score: all {len(scores)} are missing. Leave its column out, "
            "or check how it was read."
        )


def _are_shares(X: np.ndarray) -> bool:
    """Return whether every row sums to one, up to rounding."""
    X = X[~np.isnan(X).any(axis=1)]
    if not X.size or not np.isfinite(X).all():
        return False
    return bool(X.min() >= -ROUNDING and np.abs(X.sum(axis=1) - 1.0).max() <= NEARLY_ONE)


def are_percent(X: np.ndarray) -> bool:
    """Return whether every row sums to one hundred, up to rounding."""
    return _are_shares(X / 100.0)


def _names_of(X: Any, n_systems: int) -> tuple[Any, ...]:
    """Return the column names of a frame, or the column numbers of an array."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != n_systems:
        return tuple(range(n_systems))
    return tuple(columns)


def check_weights(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Return weights as floats, not all zero; None means one for each item."""
    if sample_weight is None:
        return np.ones(n_samples)

    weights = as_vector(sample_weight, "sample_weight", n_samples)
    invalid = ~(np.isfinite(weights) & (weights >= 0.0))
    if invalid.any():
        index = int(np.flatnonzero(invalid)[0])
        raise ParameterError.of(
            "sample_weight",
            f"must be finite and not negative; got {weights[index]} at index {index}.",
        )

    if not weights.any():
        raise ParameterError.of(
            "sample_weight", "is zero everywhere; at least one must be positive."
        )

    return weights


def check_frequencies(sample_weight: Any, n_samples: int) -> np.ndarray:
    """Return frequency weights, which are counts of items, as `check_weights`."""
    weights = check_weights(sample_weight, n_samples)
    if not weights.sum() <= MAX_ITEMS:
        raise ParameterError.of(
            "sample_weight",
            f"counts items, and {weights.sum():.3g} of them exceed 2**53, where "
            "float64 sums lose single items. Divide all weights by a number.",
        )
    return weights


def _check_finite(X: np.ndarray) -> None:
    not_finite = ~np.isfinite(X)
    if not_finite.any():
        index = np.argwhere(not_finite)[0].tolist()
        raise ValueError(
            f"Scores must be finite; got {X[tuple(index)]} at index {index[0]} and "
            f"{int(not_finite.sum())} such values in all. Drop these items, or give them a "
            "finite score, such as a rank, together with their labels."
        )


def check_direction(greater_is_positive: Any) -> bool:
    """Return whether larger scores mean positive; raise unless it is a boolean."""
    return check_flag(greater_is_positive, "greater_is_positive")


@dataclass(frozen=True)
class ScoreDirection:
    """The flip after which larger scores mean positive; it is its own inverse.

    Attributes
    ----------
    greater_is_positive : bool
        False if smaller scores mean positive, as for most outlier detectors.
    total : float
        Sum of a score and its flipped value: 1 for scores in [0, 1] and 100 for percentages, which
        stay there, else 0.
    """

    greater_is_positive: bool = True
    total: float = 0.0

    @classmethod
    def of(
        cls, scores: np.ndarray, greater_is_positive: bool, whole: float | None = None
    ) -> ScoreDirection:
        """Return the direction of these scores, of which `whole` is the largest, if it is known.

        Raises
        ------
        TypeError
            If `greater_is_positive` is not a boolean.
        """
        check_direction(greater_is_positive)
        if greater_is_positive or not len(scores):
            return cls(bool(greater_is_positive))
        low = float(scores.min())
        high = float(scores.max())
        if low >= 0.0 and high <= 1.0:
            return cls(False, 1.0)
        is_percent = look_like_percent(low, high) or (low >= 0.0 and high <= (whole or 0.0))
        return cls(False, 100.0 if is_percent else 0.0)

    def reversed(self) -> ScoreDirection:
        """Return the opposite direction, with the sum 0."""
        return ScoreDirection(not self.greater_is_positive)

    def flip(self, scores: Numbers) -> Numbers:
        """Flip scores or thresholds, or flip them back."""
        if self.greater_is_positive:
            return scores
        flipped: Numbers = self.total - scores
        return flipped

    def word(self, word: str) -> str:
        """Return the word for "higher", "below", ... on the user's scale."""
        return word if self.greater_is_positive else FLIPPED.get(word, word)

    def flip_threshold(self, threshold: float) -> float:
        """Return a threshold on the user's scale that selects the same items.

        Tiny scores all flip to 1: the threshold is the largest of them.
        """
        flipped = self.flip(threshold)
        if self.greater_is_positive or not self.total:
            return flipped
        # Scores that round to the flipped threshold lie up to here, or just below.
        above = flipped + self.total * HALF_STEP
        return above if self.flip(above) >= threshold else float(np.nextafter(above, 0.0))


@dataclass(frozen=True)
class Response:
    """How to obtain the scores of a classifier.

    Attributes
    ----------
    method : {"decision_function", "predict_proba"}
    n_classes : int
    positive : int, default=1
        With two classes, the one with larger scores.
    """

    method: str
    n_classes: int
    positive: int = 1

    @classmethod
    def of(
        cls, estimator: Any, response_method: str, n_classes: int, positive: int = 1
    ) -> Response:
        """Choose the method of an estimator, fitted or not.

        "auto" uses `decision_function`, else `predict_proba`, as `CalibratedClassifierCV` does:
        margins have no ties at probabilities 0 and 1. With more than two classes the order is
        reversed: columns of probabilities are one-vs-rest scores, those of a decision function need
        not be.

        Raises
        ------
        TypeError
            If the estimator has no such method.
        """
        check_choice(response_method, "response_method", RESPONSE_METHODS)
        methods: tuple[str, ...] = ("decision_function", "predict_proba")

        if response_method != "auto":
            methods = (response_method,)
        elif n_classes > 2:
            methods = methods[::-1]

        for method in methods:
            if hasattr(estimator, method):
                return cls(method, n_classes, positive)

        raise TypeError(
            f"{estimator!r} has no {' and no '.join(methods)}, and so no scores. Pass a "
            "classifier that has one, or response_method='auto'; pass existing scores to "
            "PerformanceCurveEstimator or SemisupervisedScoreMixture."
        )

    @property
    def scored_classes(self) -> list[int]:
        """The classes of the score columns: all, or with two classes the positive one."""
        return [self.positive] if self.n_classes == 2 else list(range(self.n_classes))

    @property
    def threshold(self) -> float:
        """Decision threshold of `predict`, for two classes or an outlier detector."""
        return 0.5 if self.method == "predict_proba" else 0.0

    def scores(self, estimator: Any, X: Any) -> np.ndarray:
        """Return one column of scores for each scored class.

        Parameters
        ----------
        estimator : fitted estimator
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples, n_columns)
        """
        return _rounded(self.raw_scores(estimator, X))

    def raw_scores(self, estimator: Any, X: Any) -> np.ndarray:
        """Return the same scores without rounding."""
        scores = np.asarray(getattr(estimator, self.method)(X), dtype=float)
        if self.n_classes == 2:
            return self._of_two(scores)
        if scores.ndim != 2 or scores.shape[1] != self.n_classes:
            raise ValueError(
                f"{self.method} of {estimator!r} must return one column for each of the "
                f"{self.n_classes} classes, got shape {scores.shape}. For a one-vs-one "
                "classifier use decision_function_shape='ovr' or predict_proba."
            )
        return scores

    def _of_two(self, scores: np.ndarray) -> np.ndarray:
        """Return the column of the positive class."""
        if scores.ndim == 2 and scores.shape[1] == 2:
            return scores[:, [self.positive]]
        if scores.ndim > 1 and scores.shape[1] != 1:
            raise ValueError(
                f"{self.method} must return one column of scores for two classes, or one for "
                f"each; got shape {scores.shape}."
            )
        scores = scores.reshape(-1, 1)
        return scores if self.positive else -scores

    def score_kind(self, estimator: Any, X: Any, scores: np.ndarray) -> str:
        """Return the kind of the scores: "log_odds", "margin" or "auto".

        Scores equal to the log-odds of the estimator's probabilities are log-odds; scores of a
        classifier without probabilities are margins.
        """
        if self.method == "predict_proba" or is_outlier_detector(estimator):
            return "auto"
        if not hasattr(estimator, "predict_proba"):
            return "margin"
        if self.n_classes > 2:
            return "auto"

        probabilities = replace(self, method="predict_proba").scores(estimator, X)
        return (
            "log_odds"
            if np.abs(special.expit(scores) - probabilities).max() < AGREEMENT
            else "auto"
        )


def lower_edge(score: float) -> float:
    """Return the lower end of the scores that are rounded to this one."""
    mantissa, exponent = np.frexp(score)
    return float(np.ldexp(np.ldexp(mantissa, KEPT_BITS) - 0.5, exponent - KEPT_BITS))


def known_classes(estimator: Any) -> np.ndarray | None:
    """Return the classes of a fitted classifier or of an outlier detector, else None."""
    if is_outlier_detector(estimator):
        return np.array([-1, 1])
    return getattr(estimator, "classes_", None)


def _rounded(scores: np.ndarray) -> np.ndarray:
    mantissa, exponent = np.frexp(scores)
    return np.ldexp(np.round(np.ldexp(mantissa, KEPT_BITS)), exponent - KEPT_BITS)
