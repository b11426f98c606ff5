"""The score that a classifier gives to each class, for items that it was not trained on."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from ..inputs._numbers import check_choice
from ..inputs._rows import rows_of

__all__ = ["SCORE_METHODS", "held_out_scores", "score_method"]

# Unnormalised ones first: those of a class depend on that class alone. Votes, which tie, last.
SCORE_METHODS = (
    "decision_function",
    "predict_joint_log_proba",
    "predict_log_proba",
    "predict_proba",
)


def score_method(estimator, response_method: str) -> str:
    """Return the method of an estimator that scores classes.

    Raises
    ------
    ValueError
        If `response_method` is not known.
    TypeError
        If the estimator has no such method.
    """
    check_choice(response_method, "response_method", ("auto", *SCORE_METHODS))
    wanted = SCORE_METHODS if response_method == "auto" else (response_method,)
    for method in wanted:
        if hasattr(estimator, method):
            return method
    raise TypeError(
        f"{estimator!r} has no {', no '.join(wanted)}, and so no scores of classes. Pass a "
        f"classifier that has one."
    )


def held_out_scores(estimator, X, y, classes, splits, method: str, n_jobs=None):
    """Score each item by a classifier that was trained on others.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
        Sorted; all that a trained classifier may know.
    splits : list of (train, test)
    method : str
    n_jobs : int, default=None

    Returns
    -------
    scores : ndarray of shape (n_tested, n_classes)
        ``-inf`` for a class without a training item.
    tested : ndarray of shape (n_tested,), dtype=int
        The items.
    """
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_scores_of)(estimator, X, y, classes, train, test, method) for train, test in splits
    )
    return np.concatenate(scores), np.concatenate([test for _, test in splits])


def _scores_of(estimator, X, y, classes, train, test, method) -> np.ndarray:
    fitted = clone(estimator).fit(rows_of(X, train), y[train])
    # Trees and votes are certain at times: the logarithm of 0 is -inf, which ranks last.
    with np.errstate(divide="ignore"):
        found = np.asarray(getattr(fitted, method)(rows_of(X, test)), dtype=float)
    in_pairs = any(
        name.endswith("decision_function_shape") and value == "ovo"
        for name, value in fitted.get_params().items()
    )
    if found.ndim != 2 or found.shape[1] != len(fitted.classes_) or in_pairs:
        raise ValueError(
            f"{method} of {estimator!r} must return a column for each of the "
            f"{len(fitted.classes_)} classes, got shape {found.shape}. Of a classifier that "
            f"compares classes in pairs decision_function_shape='ovr' is needed."
        )
    table = np.full((len(test), len(classes)), -np.inf)
    table[:, np.searchsorted(classes, fitted.classes_)] = found
    return table
