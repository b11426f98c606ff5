"""A pilot: the scores of all tested classes, and the true class of each item."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from ..inference._draws import effective_size
from ..inputs._arrays import FrozenArrays, row_tiles
from ..inputs._frames import read_column, read_frame
from ..inputs._labels import is_unlabeled
from ..inputs._scores import check_weights
from ..inputs._validation import as_numbers, as_plain, check_aligned, check_choice

AVERAGES = ("macro", "micro")
# Estimates of few parameters need no more scores, and no more items.
MAX_SCORES = 1 << 21
MAX_ITEMS = 3000
MIN_ITEMS = 100


@dataclass(frozen=True, eq=False)
class Pilot(FrozenArrays):
    """The scores of test items for all classes of a pilot."""

    scores: np.ndarray  # (n_items, n_classes); larger for more likely; -inf is allowed
    columns: np.ndarray  # (n_items,); the column of each item's true class
    weights: np.ndarray  # (n_items,); summing to one
    classes: np.ndarray | None = None  # (n_classes,) or None; the class of each column

    @classmethod
    def of(
        cls,
        scores: Any,
        y: Any,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        average: str = "macro",
        name: str = "classes",
    ) -> Pilot:
        """Validate the input, and find the column of each item's class.

        Without `classes`, the classes are the column names of a data frame, if `y` has no others;
        else the sorted classes of `y`. `name` is that of `classes` in messages.
        """
        check_choice(average, "average", AVERAGES)
        scores = read_frame(scores, "X")
        y = read_column(y, "y")
        sample_weight = read_column(sample_weight, "sample_weight")
        check_aligned(X=scores, y=y, sample_weight=sample_weight)
        y = check_classes(y)

        # Of any type, unlike feature_names_in_.
        names = np.asarray(getattr(scores, "columns", ()))
        scores = check_score_table(scores)
        if len(scores) != len(y) == scores.shape[1]:
            raise ValueError(
                f"Scores must have a row for each of the {len(y)} items and a column for each "
                f"class, got shape {scores.shape}: transpose them, X.T."
            )
        check_consistent_length(scores, y)

        weights = check_weights(sample_weight, len(y))
        if classes is None and len(names) and np.isin(y, names).all():
            classes = names
        classes = classes_of_columns(y, scores.shape[1], classes, name)
        columns = columns_of(y, classes, name)
        weights = _item_weights(columns, scores.shape[1], weights, average)

        # Items without weight, which have no class to be averaged over, are left out.
        has_weight = weights > 0.0
        if not has_weight.all():
            scores = scores[has_weight]
            columns = columns[has_weight]
            weights = weights[has_weight]
        return cls(scores, columns, weights, classes)

    @property
    def n_classes(self) -> int:
        """Number of classes in the pilot."""
        return self.scores.shape[1]

    @property
    def n_wrong(self) -> int:
        """Number of wrong classes of each item."""
        return self.n_classes - 1

    @cached_property
    def wins_and_ties(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of wrong classes with a smaller and with an equal score, for each item."""
        return count_wins(self.scores, self.columns)

    @cached_property
    def histogram(self) -> np.ndarray:
        """The share of the items with 0, 1, ..., `n_wrong` wins, ties in expectation."""
        return wins_histogram(*self.wins_and_ties, self.weights, self.n_wrong)

    @property
    def effective_items(self) -> float:
        """The effective number of items."""
        return effective_size(self.weights)

    @property
    def n_errors(self) -> float:
        """Number of misclassified items among all classes, ties broken at random.

        With weights, their effective number.
        """
        wins, ties = self.wins_and_ties
        correct = np.where(wins + ties == self.n_wrong, 1.0 / (ties + 1.0), 0.0)
        return float(self.effective_items * (self.weights @ (1.0 - correct)))

    def items(self, rows: np.ndarray) -> Pilot:
        """Return the pilot of some of the items; `rows` is an index array."""
        weights = self.weights[rows]
        return Pilot(self.scores[rows], self.columns[rows], weights / weights.sum(), self.classes)

    def thinned(self) -> Pilot:
        """Return a subsample of the items that is sufficient to estimate few parameters."""
        n_items = min(MAX_ITEMS, max(MAX_SCORES // self.n_classes, MIN_ITEMS))
        if len(self.columns) <= n_items:
            return self
        # A fixed random choice: regularly ordered classes must not be missed.
        order = np.random.default_rng(0).permutation(len(self.columns))
        return self.items(np.sort(order[:n_items]))

    def with_classes(self, times: np.ndarray) -> Pilot:
        """Return the pilot of resampled classes, each as often as in `times`.

        A repeated class is repeated with its items, but only once as a column: a second column with
        the same scores would tie with the true class of its own items.
        """
        classes = np.flatnonzero(times)
        rows = np.flatnonzero(times[self.columns])
        new_column = np.cumsum(times > 0) - 1
        weights = self.weights[rows] * times[self.columns[rows]]
        return Pilot(
            self.scores[np.ix_(rows, classes)],
            new_column[self.columns[rows]],
            weights / weights.sum(),
        )


def check_classes(y: Any) -> np.ndarray:
    """Return classes, one per item, with none missing."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: pass the true "
            "class of every item."
        )
    # No class equals this object: only missing values are found.
    missing = is_unlabeled(y, unlabeled_label=object())
    if missing.any():
        raise ValueError(
            f"y must hold the class of every item; {missing.sum()} of {len(missing)} are missing. "
            f"Leave these items out."
        )

    plain = as_plain(y, "y")
    if plain.dtype.kind == "V":
        raise TypeError(f"y must hold classes, got dtype {plain.dtype}: pass one of its fields.")

    column = column_or_1d(plain, warn=True)
    if column.dtype.kind == "O":
        try:
            np.sort(column)
        except TypeError as error:
            raise TypeError(
                "y mixes classes that cannot be sorted, such as text and numbers: use one type "
                f"({error})."
            ) from error
    return column


def check_score_table(scores: Any) -> np.ndarray:
    """Return scores as a matrix of floats with ``-inf``, but without NaN and ``+inf``."""
    plain = as_plain(scores, "y_score")
    # Tables are large: float32 is kept.
    scores = plain if plain.dtype == np.float32 else as_numbers(scores, "y_score")
    scores = check_array(
        scores, dtype=(np.float64, np.float32), ensure_all_finite=False, input_name="y_score"
    )
    if scores.shape[1] < 2:
        raise ValueError(
            f"Scores must have a column for each of at least two classes, got 1 feature(s), shape "
            f"{scores.shape}; for a classifier of two classes pass both columns of predict_proba."
        )

    # The sum is NaN or +inf if a score is, and much faster than an elementwise check.
    with np.errstate(invalid="ignore", over="ignore"):
        suspicious = not np.isfinite(scores.sum())
    if suspicious:
        for name, is_invalid in (("NaN", np.isnan(scores)), ("+inf", np.isposinf(scores))):
            if is_invalid.any():
                row, column = np.argwhere(is_invalid)[0]
                raise ValueError(
                    f"Scores must be numbers or -inf, got {name} in row {row}, column {column}. "
                    f"-inf means an excluded class; leave out items without a score."
                )
    return scores


def classes_of_columns(
    y: np.ndarray,
    n_columns: int,
    classes: npt.ArrayLike | None = None,
    name: str = "classes",
) -> np.ndarray:
    """Return the class of each column."""
    if classes is None:
        observed = np.unique(y)
        if len(observed) != n_columns:
            raise ValueError(
                f"y holds {len(observed)} classes, but there are {n_columns} columns of scores: "
                f"pass {name}= with the class of each column, such as the classifier's classes_, "
                f"or np.arange({n_columns}) if y holds the numbers of columns."
            )
        return observed

    classes = np.asarray(column_or_1d(classes))
    if len(classes) != n_columns:
        raise ValueError(
            f"{name} must name the class of each of the {n_columns} columns of scores, got "
            f"{len(classes)}."
        )
    if len(np.unique(classes)) != n_columns:
        raise ValueError(f"{name} must be distinct, one class a column.")
    return classes


def columns_of(y: npt.ArrayLike, classes: np.ndarray, name: str = "classes") -> np.ndarray:
    """Return the column of each label."""
    order = np.argsort(classes, kind="stable")
    rank = np.minimum(np.searchsorted(classes, y, sorter=order), len(classes) - 1)
    columns = order[rank]
    is_unknown = classes[columns] != y
    if np.any(is_unknown):
        raise ValueError(
            f"y holds {np.asarray(y)[is_unknown][0]!r}, which is not the class of any column; "
            f"{name}= must have the class of every column."
        )
    return columns


def _item_weights(
    columns: np.ndarray, n_classes: int, weights: np.ndarray, average: str
) -> np.ndarray:
    """Return the weights of items, of equal sum in each class for the macro average."""
    if average == "macro":
        of_class = np.bincount(columns, weights, minlength=n_classes)[columns]
        # Equal weights per class are kept to the last bit.
        if (of_class != of_class[0]).any():
            weights = np.divide(weights, of_class, out=np.zeros_like(weights), where=of_class > 0.0)
    return weights / weights.sum()


def count_wins(scores: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the wrong classes with a score below that of the true class, and equal to it."""
    n_items, n_classes = scores.shape
    true = np.take_along_axis(scores, columns[:, np.newaxis], axis=1)
    wins = np.empty(n_items, dtype=np.int64)
    ties = np.empty(n_items, dtype=np.int64)
    for rows in row_tiles(n_items, n_classes):
        wins[rows] = np.count_nonzero(scores[rows] < true[rows], axis=1)
        # The true class ties with itself.
        ties[rows] = np.count_nonzero(scores[rows] == true[rows], axis=1) - 1
    return wins, ties


def wins_histogram(
    wins: np.ndarray, ties: np.ndarray, weights: np.ndarray, n_wrong: int
) -> np.ndarray:
    """Return the share of the items with 0, 1, ..., `n_wrong` wins, ties in expectation.

    Among t classes with equal scores a random one comes first: the true class then wins against w,
    w + 1, ... or w + t classes, each with probability 1 / (t + 1). The histogram determines the
    average accuracies.
    """
    untied = ties == 0
    histogram = np.bincount(wins[untied], weights[untied], minlength=n_wrong + 1)
    if untied.all():
        return histogram

    # Each tied item adds the same share to a run of bins: mark where runs begin and end.
    share = (weights / (ties + 1.0))[~untied]
    wins = wins[~untied]
    ties = ties[~untied]
    marks = np.bincount(wins, share, minlength=n_wrong + 2)
    marks -= np.bincount(wins + ties + 1, share, minlength=n_wrong + 2)
    return np.maximum(histogram + np.cumsum(marks[:-1]), 0.0)
