"""Probabilities or logits of several classes, by one or several classifiers, as they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from ..inputs._arrays import FrozenArrays
from ..inputs._scores import are_percent, within_unit
from ..inputs._validation import as_numbers, as_plain, check_features, shape_of, unmasked

# Tolerance for rounded probabilities, whose rows must sum to one.
ROUNDING = 0.01


@dataclass(frozen=True, eq=False)
class ClassScores(FrozenArrays):
    """Probabilities or logits of several classes."""

    scores: np.ndarray  # (n_items, n_classes), as passed
    read_as: str  # {"probabilities", "logits"}

    @classmethod
    def read(cls, X, classes: np.ndarray) -> ClassScores:
        """Validate one column for each class.

        Rows that sum to one are probabilities; anything else is treated as logits. Raise ValueError
        for a wrong number of columns, values that are not finite, rows in [0, 1] that do not sum to
        one, or columns of predicted classes.
        """
        check_features(X, "X")
        scores = as_numbers(X, "X")
        names = classes.tolist()
        if scores.ndim != 2 or scores.shape[1] != len(names):
            class_names = ", ".join(map(repr, names[:6])) + (", ..." if len(names) > 6 else "")
            raise ValueError(
                f"X has shape {scores.shape}, and y and classes= name {len(names)} classes "
                f"({class_names}): for several classes X must hold one column for each, in sorted "
                "order. Pass classes= with the names of all columns, such as clf.classes_; a "
                "class that is unknown to the classifier needs a column of zeros."
            )

        columns = list(getattr(X, "columns", names))
        if columns != names and set(columns) == set(names):
            scores = scores[:, [columns.index(name) for name in names]]

        not_finite = ~np.isfinite(scores)
        if not_finite.any():
            row, column = np.argwhere(not_finite)[0].tolist()
            raise ValueError(
                f"Scores must be finite; got {scores[row, column]} in row {row} and column "
                f"{column}, and {int(not_finite.sum())} such values in all. Pass probabilities in "
                "place of their logs, or drop these items and their labels."
            )

        _check_no_predictions(scores, classes)
        scores = within_unit(_shares(scores))
        return cls(scores, _kind(scores))

    @classmethod
    def of_predictions(cls, predicted: np.ndarray, n_classes: int) -> ClassScores:
        """Return class indices as probabilities that are zero or one, (n_items, n_classes)."""
        scores = np.zeros((len(predicted), n_classes))
        scores[np.arange(len(predicted)), predicted] = 1.0
        return cls(scores, "probabilities")

    @property
    def has_confidence(self) -> bool:
        """Whether some prediction is more certain than another."""
        return bool(np.ptp(self.error_log_odds) > 0.0)

    @property
    def has_second_class(self) -> bool:
        """Whether some item has probability on another class than the predicted one."""
        return bool((np.isfinite(self.log_proba).sum(axis=1) > 1).any())

    def take(self, items: np.ndarray) -> ClassScores:
        """Return the scores of some items."""
        return replace(self, scores=self.scores[items])

    @cached_property
    def log_proba(self) -> np.ndarray:
        """Log probabilities; -inf where a probability is zero."""
        if self.read_as == "logits":
            return self.scores - special.logsumexp(self.scores, axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            return np.log(self.scores / self.scores.sum(axis=1, keepdims=True))

    @property
    def proba(self) -> np.ndarray:
        """Probabilities, as passed if the scores are probabilities."""
        return self.scores if self.read_as == "probabilities" else np.exp(self.log_proba)

    @cached_property
    def ranked_by(self) -> np.ndarray:
        """One-vs-rest scores that rank the items, (n_items, n_classes).

        Probabilities as passed, or the log-odds of logits, whose softmax would tie many items at 1.
        """
        if self.read_as == "probabilities":
            return self.scores
        log_odds = np.empty_like(self.log_proba)
        is_other = np.arange(log_odds.shape[1]) != self.predicted[:, np.newaxis]
        # Only a predicted class can have all of the probability.
        log_odds[is_other] = self.log_proba[is_other] - np.log1p(-np.exp(self.log_proba[is_other]))
        log_odds[~is_other] = -self.error_log_odds
        return log_odds

    @cached_property
    def predicted(self) -> np.ndarray:
        """The most probable class of each item, the first of ties, as `argmax`."""
        return np.argmax(self.scores, axis=1)

    @cached_property
    def log_others(self) -> np.ndarray:
        """Log probabilities of the classes that are not predicted, (1, n_items, n_classes).

        The predicted class has -inf.
        """
        return log_others(self.log_proba, self.predicted)[np.newaxis]

    @cached_property
    def error_log_odds(self) -> np.ndarray:
        """Log-odds that the predicted class is wrong, by the classifier's own probabilities.

        From the sum of the other probabilities, as one minus the largest loses its digits near 1.
        Where all others are zero, half the smallest positive sum is used; if they are for all
        items, as of predictions without probabilities, the log-odds are zero.
        """
        # Sort first, so that rows with the same numbers are tied.
        increasing = np.sort(self.scores, axis=1)
        others = increasing[:, :-1]
        top = increasing[:, -1]

        if self.read_as == "logits":
            error_log_odds = special.logsumexp(others, axis=1) - top
        else:
            with np.errstate(divide="ignore"):
                error_log_odds = np.log(others.sum(axis=1)) - np.log(top)

        is_finite = error_log_odds > -np.inf
        if not is_finite.any():
            # A constant has no information on any item.
            return np.zeros(len(error_log_odds))

        return np.where(is_finite, error_log_odds, error_log_odds[is_finite].min() - np.log(2.0))


def log_others(log_proba: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Return log probabilities of all classes but the given ones, which have -inf.

    Relative to the most probable other class; uniform if all others are zero.
    """
    rows = np.arange(len(predicted))
    relative = log_proba.copy()
    relative[rows, predicted] = -np.inf
    largest = relative.max(axis=1, keepdims=True)
    relative = np.where(np.isneginf(largest), 0.0, relative - np.maximum(largest, -1e300))
    relative[rows, predicted] = -np.inf
    return relative


def _shares(scores: np.ndarray) -> np.ndarray:
    """Return percentages, whose rows sum to 100, as shares; anything else unchanged."""
    return scores / 100.0 if are_percent(scores) else scores


def _kind(scores: np.ndarray) -> str:
    """Return the kind of the scores: probabilities if rows sum to one, else logits."""
    if scores.min() < 0.0 or scores.max() > 1.0 + ROUNDING:
        return "logits"
    sums = scores.sum(axis=1)
    off = int(np.argmax(np.abs(sums - 1.0)))
    if abs(sums[off] - 1.0) > ROUNDING:
        raise ValueError(
            f"X lies in [0, 1] like probabilities, but its rows do not sum to one: row {off} "
            f"sums to {sums[off]:.6g}. Pass X / X.sum(axis=1, keepdims=True) if they are "
            "unnormalized shares; log(X / (1 - X)), as logits, if they are one-vs-rest."
        )
    return "probabilities"


def classifiers_of(X: Any) -> Any:
    """Return the class scores of several classifiers as a mapping from numbers; others unchanged.

    They are an array of shape (n_items, n_systems, n_classes), or a list of one for each.
    """
    if isinstance(X, (list, tuple)) and all(len(getattr(part, "shape", ())) == 2 for part in X):
        return dict(enumerate(X)) if X else X
    shape = shape_of(X)
    if len(shape) == 3 and shape[2] > 1:
        return dict(enumerate(np.moveaxis(as_plain(unmasked(X), "X"), 1, 0)))
    return X


def read_class_scores(
    parameters, X, classes: np.ndarray, n_items: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the names of the classifiers, and the scores of each.

    X is of one classifier, or a mapping from names to those of several; `classes` are those of the
    labels, `n_items` is the number of labels.
    """
    is_mapping = isinstance(X, Mapping)
    if is_mapping and not X:
        raise ValueError(
            "X is an empty mapping: pass {name: array of shape (n_samples, n_classes)} with the "
            "probabilities or logits of each classifier."
        )

    check_parameters(parameters, classes)
    _check_sorted(parameters, classes)
    if is_mapping and len(classes) < 3:
        raise ValueError(
            f"X has {len(X)} systems with a column for each class, which is for more than two "
            f"classes, but y and classes= name {len(classes)}. For two classes pass the scores of "
            "all systems as columns, such as pandas.DataFrame({name: proba[:, 1] for name, proba "
            "in X.items()}), or X[:, :, 1] of an array."
        )

    # A single classifier has the number 0.
    systems = dict(X) if is_mapping else {0: X}
    scores = []

    for name, columns in systems.items():
        try:
            scores.append(ClassScores.read(columns, classes))
        except (TypeError, ValueError) as error:
            if not is_mapping:
                raise
            raise type(error)(f"System {name!r}: {error}") from error

        if n_items != len(scores[-1].scores):
            raise ValueError(
                f"X{f'[{name!r}]' if is_mapping else ''} and y must have the same length, got "
                f"{len(scores[-1].scores)} rows and {n_items} labels; mark unlabeled items by -1, "
                "NaN or None."
            )

    return tuple(systems), tuple(scores)


def _check_sorted(parameters, classes: np.ndarray) -> None:
    """Raise unless classes are in the order of the columns."""
    class_names = parameters.classes
    if class_names is not None and list(np.asarray(class_names).tolist()) != classes.tolist():
        raise ValueError(
            f"classes={list(class_names)!r} are not sorted, but the columns of X must be in sorted "
            "order, like those of predict_proba. Pass X[:, np.argsort(classes)] and sorted "
            "classes."
        )


def check_parameters(parameters, classes: np.ndarray) -> None:
    """Raise if parameters are for two classes."""
    if parameters.pos_label is not None:
        raise ValueError(
            f"pos_label={parameters.pos_label!r} is for two classes, but {len(classes)} are "
            "given: leave it out, and use estimate(..., pos_label=) for one of them."
        )

    if not parameters.greater_is_positive:
        raise ValueError(
            "greater_is_positive=False is for one score per item; with several classes the "
            "largest probability or logit is that of the predicted class. Pass -X."
        )


def _check_no_predictions(scores: np.ndarray, classes: np.ndarray) -> None:
    """Raise if columns may be predicted classes of models, not scores of classes."""
    if classes.dtype.kind not in "iuf" or not np.isin(scores, classes).all():
        return
    # Votes have the same sum in each row.
    if np.ptp(scores.sum(axis=1)) == 0.0:
        return
    n_columns = scores.shape[1]
    raise ValueError(
        f"X holds class labels only, in {n_columns} columns for {n_columns} classes: the predicted "
        "classes of as many models, or scores? Pass predictions by model, such as "
        "{'first': X[:, 0], 'second': X[:, 1]}, and scores as probabilities."
    )
