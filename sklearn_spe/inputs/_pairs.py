"""Two columns: both classes of one classifier, or the scores of two systems."""

from __future__ import annotations

import numpy as np

from ._array_like import as_numbers, shape_of
from ._named_scores import NamedScores

__all__ = ["NEARLY_ONE", "ROUNDING", "kind_of_pair", "positive_of_pair", "score_kind_of_pair"]

# Tolerances of rows of probabilities summing to one: accepted, and suspected.
SUM_TOLERANCE, NEARLY_ONE = 1e-6, 1e-2
# Maximum float32 rounding error of a sum of probabilities, or of one minus it.
ROUNDING = 1e-6


def kind_of_pair(X, numbers: np.ndarray, classes=None, known=None) -> str:
    """Return what two columns are: "probabilities", "percent", "logits" or "systems".

    `X` (n_items, 2) is as passed, `numbers` (n_items, 2) has NaN for missing scores, `classes` are
    the user's (unnamed columns are then theirs), `known` are those of the labels (columns may have
    their names). Raise ValueError if it is ambiguous.
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
            "classes, or the scores of two systems? For one classifier pass the classes= of the "
            "columns, such as clf.classes_, or the difference X[:, 1] - X[:, 0]. For two "
            "systems name them: {'old': X[:, 0], 'new': X[:, 1]}, or a data frame."
        )
    if names is not None and not _are_named(names, classes) and not _are_named(names, known):
        return "systems"
    if numbers.min() >= 0.0 and numbers.max() <= 1.0:
        raise ValueError(
            "X has a column in [0, 1] for each of two classes, but rows do not sum to one: they "
            "are neither probabilities nor logits. Pass the column of the positive class; for "
            "two systems use a data frame with column names that differ from the classes."
        )
    return "logits"


def score_kind_of_pair(X, labels, classes=None) -> str | None:
    """Return the score kind of two columns of one classifier; None for other X."""
    if shape_of(X)[1:] != (2,):
        return None
    kind = kind_of_pair(X, as_numbers(X, "X"), classes, labels.classes)
    return {"percent": "probability", "probabilities": "probability", "logits": "log_odds"}.get(
        kind
    )


def positive_of_pair(X, numbers: np.ndarray, kind: str, labels=None, classes=None) -> np.ndarray:
    """Return the scores of the positive class from two columns of one classifier.

    Raise ValueError if classes are not sorted, as unnamed columns are.
    """
    positive, names = 1 if labels is None else labels.positive, _names(X)
    if labels is not None and names is not None and _are_named(names, labels.classes):
        positive = names.index(labels.classes.tolist()[positive])
    elif classes is not None and list(classes) != sorted(classes):
        raise ValueError(
            f"classes={list(classes)!r} are not sorted, but the columns of X must be in sorted "
            "order, like those of predict_proba. Pass X[:, ::-1] and sorted classes."
        )
    if kind == "logits":
        return numbers[:, positive] - numbers[:, 1 - positive]
    return numbers[:, positive] / (100.0 if kind == "percent" else 1.0)


def _names(X) -> list | None:
    """Return the names of two columns; None for the default column names of a frame."""
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
        f"X has two columns {what}, off by up to {off:.3g}: are they probabilities of one "
        "system, or scores of two? For probabilities pass the column of the positive class, "
        "X[:, 1]; for two systems pass their logit."
    )
