"""The parameter `mixture` of estimators that contain a score mixture."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..inputs._array_like import as_plain, is_missing_value
from ._score_mixture import SemisupervisedScoreMixture
from ._score_model import NOT_FITTED

__all__ = ["agreed", "check_agrees", "check_score_mixture", "new_mixture"]

# Parameters that both the mixture and the estimator containing it have.
SHARED = ("n_draws", "n_jobs", "classes", "pos_label", "greater_is_positive")
# Parameters that do not change a fitted mixture.
OF_THE_FIT = ("n_draws", "classes", "greater_is_positive", "random_state")


def new_mixture(mixture, *, random_state, holder=None) -> SemisupervisedScoreMixture:
    """Return an unfitted copy of the mixture."""
    if mixture is None:
        shared = {} if holder is None else {name: getattr(holder, name) for name in SHARED}
        return SemisupervisedScoreMixture(random_state=random_state, **shared)
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"mixture must be a SemisupervisedScoreMixture or None, got {mixture!r}. Pass the "
            "scores of a classifier to fit(scores, y), and families to "
            "SemisupervisedScoreMixture(negative=, positive=)."
        )
    try:
        own = clone(mixture)
    except TypeError as error:
        raise TypeError(
            f"mixture has a parameter that cannot be copied ({error}): pass lists, arrays, "
            f"numbers and estimators."
        ) from error
    if holder is not None:
        own.set_params(**agreed(mixture, holder))
    return own if own.random_state is not None else own.set_params(random_state=random_state)


def check_score_mixture(mixture) -> None:
    """Raise unless the mixture is fitted."""
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"A fitted SemisupervisedScoreMixture is needed, got {mixture!r:.200}. A fitted "
            "PerformanceCurveEstimator needs none for its own methods; a fit with several "
            "systems, categories, groups, judges or classes has no mixture of scores."
        )
    check_is_fitted(mixture, "model_", msg=NOT_FITTED)


def given_by(estimator, names=SHARED) -> dict:
    """Return the parameters of an estimator that differ from their defaults.

    A default that was passed explicitly cannot be distinguished from one that was not.
    """
    values = {name: getattr(estimator, name) for name in names}
    kind: Any = type(estimator)
    return {
        name: value
        for name, value in values.items()
        if contradicts(name, value, _default(kind, name))
    }


def agreed(mixture, holder, names=SHARED) -> dict:
    """Return the values of shared parameters that the containing estimator sets."""
    said, own = given_by(holder, names), given_by(mixture, names)
    for name, value in said.items():
        if contradicts(name, own.get(name, value), value):
            raise ValueError(
                f"{name} is {value!r} in {type(holder).__name__} and {own[name]!r} in its "
                "mixture: pass it to only one of them."
            )
    return said


def check_agrees(mixture, holder) -> None:
    """Raise if the containing estimator sets parameters that contradict a fitted mixture."""
    for name, value in given_by(holder, OF_THE_FIT).items():
        if contradicts(name, getattr(mixture, name), value):
            raise ValueError(
                f"{name}={value!r} contradicts the fitted mixture, which has "
                f"{getattr(mixture, name)!r}: leave it out, or fit again."
            )


def contradicts(name: str, value, other) -> bool:
    """Return whether two values of a parameter differ; classes compare as sets."""
    return _in_order(name, value) != _in_order(name, other)


@cache
def _default(kind, name):
    # A subclass may lack some parameters in its signature.
    declared = (signature(base).parameters.get(name) for base in kind.__mro__)
    return next(parameter.default for parameter in declared if parameter is not None)


def _in_order(name, value) -> list:
    several = np.iterable(value) and not isinstance(value, (str, bytes))
    values = np.ravel(as_plain(value, name) if several else value).tolist()
    # A missing value equals nothing, itself included.
    return sorted(((repr(v),) if is_missing_value(v) else [v] for v in values), key=str)
