"""The parameter `mixture` of estimators that hold a score mixture."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from .score_mixture import SemisupervisedScoreMixture

__all__ = ["check_agreement", "new_mixture"]


def new_mixture(mixture, *, random_state, **defaults) -> SemisupervisedScoreMixture:
    """Return an unfitted mixture of one's own.

    Parameters
    ----------
    mixture : SemisupervisedScoreMixture or None
        One that is given keeps its parameters, and its `random_state` unless that is None.
    random_state : int
    **defaults
        Parameters of the mixture that None stands for.

    Raises
    ------
    TypeError
        If `mixture` is something else.
    """
    if mixture is None:
        return SemisupervisedScoreMixture(random_state=random_state, **defaults)
    if not isinstance(mixture, SemisupervisedScoreMixture):
        raise TypeError(
            f"mixture must be a SemisupervisedScoreMixture or None, got {mixture!r}. The "
            f"scores of a classifier go into fit(scores, y); families into "
            f"SemisupervisedScoreMixture(negative=, positive=)."
        )
    own = clone(mixture)
    return own if own.random_state is not None else own.set_params(random_state=random_state)


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
