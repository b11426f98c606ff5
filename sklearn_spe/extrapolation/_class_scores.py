"""The score that a classifier gives to each class."""

from __future__ import annotations

from .._numbers import check_choice

__all__ = ["SCORE_METHODS", "score_method"]

# Unnormalised ones first: those of a class depend on that class alone.
SCORE_METHODS = ("decision_function", "predict_joint_log_proba", "predict_log_proba")


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
