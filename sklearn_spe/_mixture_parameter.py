"""The parameter `mixture` of estimators that hold a score mixture."""

from __future__ import annotations

from sklearn.base import clone

from .score_mixture import SemisupervisedScoreMixture

__all__ = ["new_mixture"]


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
