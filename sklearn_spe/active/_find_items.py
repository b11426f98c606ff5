"""Finding the items that meet a goal in one call, with an oracle that labels batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..goals._goal import Goal
from ..inputs._validation import check_count, shape_of
from ._selector import ActiveTestSelector
from ._stopping import GoalReached


def find_items(
    scores: Any,
    oracle: Callable[[np.ndarray], ArrayLike],
    goal: Goal,
    budget: int,
    *,
    y: Any = None,
    least: float | None = None,
    **parameters: Any,
) -> tuple[np.ndarray, ActiveTestSelector]:
    """Return the items of the best selection that meets a goal, within a budget of labels.

    Labels are requested in batches and spent where they help the goal, until the budget is spent,
    or `least` is reached, or no label can help.

    .. versionadded:: 0.1

    Parameters
    ----------
    scores : array-like of shape (n_items,)
        Larger for positives, unless ``greater_is_positive=False``.
    oracle : callable
        ``oracle(items)`` returns the labels of items, as of indices into `scores`: 1 or 0, or
        missing where it has none. It is called with one batch at a time.
    goal : Goal
        Such as ``Goal.of(precision=0.9)``, or a joint one, ``Goal.of(precision=0.9, recall=0.8)``.
    budget : int
        The number of items that the oracle is asked for, at most.
    y : array-like of shape (n_items,), default=None
        Labels known already, missing or -1 for the others; they cost nothing.
    least : float in [0, 1), default=None
        Stop before the budget is spent, once the metric that the goal leaves open (recall, where
        precision is bounded) is at least this. None spends the budget.
    **parameters
        Of :class:`ActiveTestSelector`, such as ``interval="anytime"`` for a proof by the labels
        alone, `confidence_level`, `batch_size`, `random_state`.

    Returns
    -------
    items : ndarray of shape (n_selected,)
        Indices of the selected items; none if no selection meets the goal.
    selector : ActiveTestSelector
        With the labels: its `goal_probability_`, `estimate_`, `verdict_`, and `evidence` of a
        proof.

    Raises
    ------
    TypeError
        If the goal is not a `Goal`, or the oracle not callable.
    ValueError
        If the oracle returns another number of labels than it was asked for.

    Examples
    --------
    >>> from sklearn_spe import Goal
    >>> from sklearn_spe.active import find_items
    >>> from sklearn_spe.datasets import make_scores
    >>> scores, truth = make_scores(500, random_state=0)
    >>> items, selector = find_items(
    ...     scores, lambda items: truth[items], Goal.of(precision=0.8), budget=60,
    ...     n_draws=100, random_state=0)
    >>> selector.n_labels_, bool(truth[items].mean() >= 0.8)
    (60, True)
    """
    if not isinstance(goal, Goal):
        raise TypeError(f"goal must be a Goal, such as Goal.of(precision=0.9); got {goal!r}.")
    if not callable(oracle):
        raise TypeError(
            f"oracle must be a function that returns the labels of an array of items; got "
            f"{oracle!r}."
        )
    left = check_count(budget, "budget", 0)
    selector = ActiveTestSelector(goal, **parameters).fit(scores, y)

    while left and selector.n_left_:
        stops = least is not None and selector.should_stop(GoalReached(least))
        if stops or any(reason.name == "goal_impossible" for reason in selector.verdict_.reasons):
            break
        items = selector.query(min(selector.batch_size, left, selector.n_left_))
        labels = oracle(items)
        n_labels = shape_of(labels)[:1]
        if n_labels != (len(items),):
            raise ValueError(
                f"The oracle must return one label for each of the {len(items)} items it is asked "
                f"for; got shape {shape_of(labels)}."
            )
        selector.update(items, labels)
        left -= len(items)

    return np.flatnonzero(selector.selected_), selector
