"""Scores of two classes, drawn from any two families."""

from __future__ import annotations

import numpy as np

from ..families._registry import as_family
from ..inputs._array_like import as_numbers
from ..inputs._numbers import check_count, check_number
from ..inputs._random_state import seed_entropy, spawn

__all__ = ["make_scores"]


def make_scores(
    n_samples=1000,
    *,
    prevalence=0.3,
    negative="norm",
    positive="norm",
    negative_values=(0.0, 1.0),
    positive_values=(2.0, 1.0),
    random_state=None,
):
    """Draw scores and labels from any two families.

    Parameters
    ----------
    n_samples : int, default=1000
    prevalence : float in [0, 1], default=0.3
        The probability that an item is positive.
    negative, positive : str or Family, default="norm"
        The families of the scores of both classes.
    negative_values, positive_values : sequence of float, default=(0.0, 1.0) and (2.0, 1.0)
        Mean and standard deviation of each class, and the shapes of families that have any.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    scores : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_samples,), dtype=int64
        0 and 1.

    Raises
    ------
    ValueError
        If a family is unknown, or its values are too many, too few or out of bounds.

    Examples
    --------
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, labels = make_scores(
    ...     5, negative="gamma", negative_values=(1.0, 0.5), random_state=0
    ... )
    >>> scores.shape, labels.tolist()
    ((5,), [0, 1, 1, 1, 0])
    """
    check_count(n_samples, "n_samples")
    prevalence = check_number(prevalence, "prevalence", "[0, 1]")
    negative, positive = as_family(negative), as_family(positive)
    negative_values = _check_values("negative_values", negative, negative_values)
    positive_values = _check_values("positive_values", positive, positive_values)
    rng = spawn(seed_entropy(random_state))
    labels = (rng.random(n_samples) < prevalence).astype(np.int64)
    scores = negative.rvs(rng, n_samples, *negative_values)
    positives = labels == 1
    scores[positives] = positive.rvs(rng, int(positives.sum()), *positive_values)
    return scores, labels


def _check_values(name, family, values) -> list[float]:
    parameters, given = family.parameters, as_numbers(values, name)
    if given.shape != (len(parameters),):
        raise ValueError(
            f"{name} must hold {', '.join(p.name for p in parameters)} of {family.name!r}; got "
            f"{values!r}."
        )
    values = given.tolist()
    for parameter, value in zip(parameters, values, strict=True):
        if not parameter.lower < value < parameter.upper:
            raise ValueError(
                f"{name}: {parameter.name} of {family.name!r} must lie in ({parameter.lower:g}, "
                f"{parameter.upper:g}), got {value!r}."
            )
    return values
