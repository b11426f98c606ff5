"""Kinds of data: how arguments of `fit` imply one, and the arguments that each supports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..exceptions import ParameterError
from ..inputs._scores import holds_systems
from ..inputs._validation import shape_of

# The kinds of data, each with a fit of its own: one column of scores; items with columns of several
# systems, categories, groups or raters; columns of several classes; labels that are no classes but
# numbers whose mean is asked about; one column of scores with labels that were chosen by class.
POOL, ITEMS, CLASSES, OUTCOMES = "pool", "items", "classes", "outcomes"
LABEL_SHIFT, CLASS_SHIFT = "label_shift", "class_shift"
# The value of `inclusion_proba` of labels that were chosen by class, with unknown shares.
BY_CLASS = "by_class"


def is_by_class(inclusion_proba: Any) -> bool:
    """Return whether labels were chosen by class; raise if another word is given for this."""
    if not isinstance(inclusion_proba, str):
        return False
    if inclusion_proba != BY_CLASS:
        raise ParameterError.of(
            "inclusion_proba",
            f"must be {BY_CLASS!r}, a mapping from each class to its labeled share, or the "
            f"probability of each item to be labeled; got {inclusion_proba!r}.",
        )
    return True


def kind_of(
    X: Any,
    classes: Any = None,
    n_classes: int = 2,
    *,
    has_structure: bool = False,
    by_class: bool = False,
) -> str:
    """Return the kind of data: the only place where a kind of fit is chosen.

    Parameters
    ----------
    X : array-like or mapping
    classes : sequence, default=None
        Those that the user names.
    n_classes : int, default=2
        The number of classes of the labels.
    has_structure : bool, default=False
        Whether items have a category, a group, raters or features.
    by_class : bool, default=False
        Whether labels were chosen by class.
    """
    if isinstance(X, Mapping):
        # With two classes each system has one column.
        has_classes = not X or any(len(shape_of(columns)) != 1 for columns in X.values())
    else:
        shape = shape_of(X)
        has_classes = n_classes > 2 and len(shape) == 2 and shape[1] > 1
    if has_classes:
        return CLASS_SHIFT if by_class else CLASSES
    if by_class:
        return LABEL_SHIFT
    return ITEMS if holds_systems(X, classes) or has_structure else POOL


def check_classes(inclusion_proba: Any, known_positives: Any, judges: Any, features: Any) -> None:
    """Raise if an argument is given that data of several classes do not support."""
    for name, value, argument in (
        ("inclusion_proba", None if is_by_class(inclusion_proba) else inclusion_proba, ""),
        ("known_positives", known_positives, ""),
        ("judges", judges, ", judges=..."),
        ("features", features, ", features=..."),
    ):
        if value is not None:
            raise ValueError(
                f"{name}= is supported for two classes only: leave it out, or fit whether the "
                f"predicted class is right, fit(X.max(axis=1), y == predicted{argument}), with "
                "missing labels kept missing."
            )


def check_label_shift(X: Any, judges: Any, **others: Any) -> None:
    """Raise if an argument is given that labels chosen by class do not support, or no score."""
    for name, value in others.items():
        if value is not None:
            raise ParameterError(
                f"inclusion_proba={BY_CLASS!r} does not support {name}=: leave it out. To "
                "estimate a category, pass the labeled items and its unlabeled items.",
                parameter="inclusion_proba",
            )

    has_scores = X is not None
    if has_scores == (judges is not None):
        both = "both X and judges are given" if has_scores else "neither X nor judges is given"
        raise ParameterError(
            f"inclusion_proba={BY_CLASS!r} needs one score of each item, but {both}. Pass either.",
            parameter="inclusion_proba",
        )
    if isinstance(X, Mapping):
        raise ParameterError(
            f"inclusion_proba={BY_CLASS!r} supports one column of scores, but X is a mapping of "
            f"{len(X)}. Fit each system separately.",
            parameter="inclusion_proba",
        )
