"""Two columns: what one classifier says of both classes, or the scores of two systems."""

from __future__ import annotations

import numpy as np

from ._array_like import as_numbers, shape_of
from ._named_scores import NamedScores

__all__ = ["NEARLY_ONE", "ROUNDING", "kind_of_pair", "positive_of_pair", "score_kind_of_pair"]

# Columns of probabilities sum to one, up to this; and up to that they may be meant to.
SUM_TOLERANCE, NEARLY_ONE = 1e-6, 1e-2
# A float32 leaves [0, 1] by so much at most where it is the sum of probabilities, or one less one.
ROUNDING = 1e-6


def kind_of_pair(X, numbers: np.ndarray, classes=None, known=None) -> str:
    """Return what two columns are: "probabilities", "percent", "logits" or "systems".

    Parameters
    ----------
    X : array-like of shape (n_items, 2)
        As a user passed it, maybe with names of columns.
    numbers : ndarray of shape (n_items, 2)
        NaN where a score is missing: a classifier gives those of both classes, or none.
    classes : array-like of shape (2,), default=None
        Those that a user named: without names of their own the columns are then theirs.
    known : array-like of shape (2,), default=None
        Those that labels name: columns may have their names.

    Raises
    ------
    ValueError
        If it cannot be told.
    """
    missing = np.isnan(numbers)
    numbers = numbers[~missing.any(axis=1)]
    if not len(numbers):
        return "systems"
    for whole, kind in ((1.0, "probabilities"), (100.0, "percent")):
        off = np.abs(numbers.sum(axis=1) / whole - 1.0).max()
        if not np.isfinite(off):
            return "systems"
        if numbers.min() >= -ROUNDING * whole and off <= NEARLY_ONE:
            if off > SUM_TOLERANCE:
                raise ValueError(_nearly(whole, off * whole))
            return kind
    if isinstance(X, NamedScores) or (missing.any(axis=1) & ~missing.all(axis=1)).any():
        return "systems"
    names, are_classes = _names(X), classes is not None and len(classes) == 2
    if names is None and not are_classes:
        raise ValueError(
            "X has two columns without names: are they the logits of one classifier for both "
            "classes, or the scores of two systems? Of one classifier pass classes= of the "
            "columns, such as clf.classes_, or the difference X[:, 1] - X[:, 0]. Of two systems "
            "name them: {'old': X[:, 0], 'new': X[:, 1]}, or a data frame."
        )
    if names is not None and not _are_named(names, classes) and not _are_named(names, known):
        return "systems"
    if numbers.min() >= 0.0 and numbers.max() <= 1.0:
        raise ValueError(
            "X has a column in [0, 1] for each of two classes, and rows do not sum to one: they "
            "are neither probabilities of both nor logits. Pass the column of the positive class; "
            "of two systems name the columns by a data frame, otherwise than the classes."
        )
    return "logits"


def score_kind_of_pair(X, labels, classes=None) -> str | None:
    """Return the kind of the scores that two columns of one classifier state; None of other X."""
    if shape_of(X)[1:] != (2,):
        return None
    kind = kind_of_pair(X, as_numbers(X, "X"), classes, labels.classes)
    return {"percent": "probability", "probabilities": "probability", "logits": "log_odds"}.get(
        kind
    )


def positive_of_pair(X, numbers: np.ndarray, kind: str, labels=None, classes=None) -> np.ndarray:
    """Return the scores of the positive class, of two columns of one classifier.

    Raises
    ------
    ValueError
        If classes are not sorted, by which columns without names are.
    """
    positive, names = 1 if labels is None else labels.positive, _names(X)
    if labels is not None and names is not None and _are_named(names, labels.classes):
        positive = names.index(labels.classes.tolist()[positive])
    elif classes is not None and list(classes) != sorted(classes):
        raise ValueError(
            f"classes={list(classes)!r} are not sorted, and the columns of X stand in sorted "
            f"order, as those of predict_proba do. Pass X[:, ::-1] and sorted classes."
        )
    if kind == "logits":
        return numbers[:, positive] - numbers[:, 1 - positive]
    return numbers[:, positive] / (100.0 if kind == "percent" else 1.0)


def _names(X) -> list | None:
    """Return the names of two columns; a frame that was given none numbers them."""
    columns = getattr(X, "columns", None)
    if columns is None or len(columns) != 2:
        return None
    names = list(columns)
    return None if names == [0, 1] else names


def _are_named(names, classes) -> bool:
    return classes is not None and set(names) == set(np.asarray(classes).tolist())


def _nearly(whole: float, off: float) -> str:
    what = "in [0, 1] whose sums are nearly one" if whole == 1.0 else "whose sums are nearly 100"
    return (
        f"X has two columns {what}, off by up to {off:.3g}: are they probabilities of one system, "
        f"or scores of two? Of probabilities pass the column of the positive class, X[:, 1]; of "
        f"two systems pass their logit."
    )
