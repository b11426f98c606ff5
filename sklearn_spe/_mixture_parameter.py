"""The parameter `mixture` of estimators that hold a score mixture."""

from __future__ import annotations

from inspect import signature

import numpy as np
from sklearn.base import clone

from .score_mixture import SemisupervisedScoreMixture

__all__ = ["check_agreement", "given_by", "new_mixture"]

# What a mixture and the estimator that holds it may both say.
SHARED = ("n_draws", "n_jobs")


def new_mixture(mixture, *, random_state, holder=None) -> SemisupervisedScoreMixture:
    """Return an unfitted mixture of one's own.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture or None
        One that is given keeps its parameters, and its `random_state` unless that is None.
    random_state : int
    holder : estimator, default=None
        Its `n_draws` and `n_jobs` are those of the mixture, unless the mixture has been given its
        own; see `given_by`.

    Raises
    ------
    TypeError
        If `mixture` is something else.
    ValueError
        If both were given and differ.
    """
    if mixture is None:
        shared = {} if holder is None else {name: getattr(holder, name) for name in SHARED}
        return SemisupervisedScoreMixture(random_state=random_state, **shared)
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"mixture must be a SemisupervisedScoreMixture or None, got {mixture!r}. The "
            f"scores of a classifier go into fit(scores, y); families into "
            f"SemisupervisedScoreMixture(negative=, positive=)."
        )
    own = clone(mixture)
    if holder is not None:
        own.set_params(**_agreed(mixture, holder))
    return own if own.random_state is not None else own.set_params(random_state=random_state)


def given_by(estimator, names=SHARED) -> dict:
    """Return those parameters of an estimator that are not the defaults of its signature.

    Nobody can tell a default that was given from one that was not.
    """
    defaults = signature(type(estimator)).parameters
    values = {name: getattr(estimator, name) for name in names}
    return {name: value for name, value in values.items() if value != defaults[name].default}


def _agreed(mixture, holder) -> dict:
    """Return what the holder says of parameters that both have.

    Raises
    ------
    ValueError
        If the mixture says something else.
    """
    said, own = given_by(holder), given_by(mixture)
    for name, value in said.items():
        if own.get(name, value) != value:
            raise ValueError(
                f"{name} is {value!r} in {type(holder).__name__} and {own[name]!r} in the mixture "
                f"that it holds: pass it to one of them."
            )
    return said


def check_agreement(mixture, said: dict) -> dict:
    """Return what is said here about labels and not yet by a mixture, `classes` and `pos_label`.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture
    said : dict of str to object
        Values of parameters; None says nothing.

    Raises
    ------
    ValueError
        If the mixture says something else.
    """
    said = {name: value for name, value in said.items() if value is not None}
    for name, value in said.items():
        own = getattr(mixture, name)
        if own is not None and _as_set(own) != _as_set(value):
            raise ValueError(
                f"{name}={value!r} is given here, and the mixture says {name}={own!r}: which one "
                f"is meant? Leave one of them out."
            )
    return said


def _as_set(value):
    return frozenset(np.ravel(value).tolist())
