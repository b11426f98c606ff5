"""The board of a pool of scores: one list for each system and category."""

from __future__ import annotations

import numpy as np

from ...curves._question import Question
from ...metrics._precision_at_k import PrecisionAtK
from ._board import Board
from ._members import members_of
from ._ranked_list import RankedList

__all__ = ["score_board"]


def score_board(question: Question, scores, noisy, category, features, threshold=None, names=None):
    """Return the lists of a pool, and which of its items stand in them.

    Parameters
    ----------
    question : Question
        With a metric of a ranking, or of a threshold.
    scores : ndarray of shape (n_items, n_systems)
        Larger for positives.
    noisy : ndarray of shape (n_items,) or None
    category : ndarray of shape (n_items,), of int, or None
        The number of the category of each item.
    features : ndarray of shape (n_items, n_features) or None
    threshold : float, default=None
        On the scale of `scores`.
    names : ndarray of shape (n_groups,), default=None
        Of the categories.

    Returns
    -------
    board : Board
    places : ndarray of shape (n_entries,)
        The item of each entry: all items, or those that are among the k highest of a list.

    Raises
    ------
    ValueError
        If a category has fewer than k items.
    """
    n_items, n_systems = scores.shape
    group = np.zeros(n_items, dtype=np.intp) if category is None else category
    n_groups = int(group.max()) + 1
    members = members_of(group, n_groups)
    if isinstance(question.metric, PrecisionAtK):
        chosen = [
            [_highest(scores[own, m], own, question.metric.k, name) for m in range(n_systems)]
            for name, own in zip(_of_categories(names, n_groups), members, strict=True)
        ]
        members = [np.unique(np.concatenate(tops)) for tops in chosen]
    else:
        chosen = [[own] * n_systems for own in members]
    places = np.sort(np.concatenate(members))
    lists = [
        RankedList.ranked(
            question.metric,
            np.searchsorted(places, chosen[c][m]),
            scores[chosen[c][m], m],
            m,
            c,
            threshold=threshold,
        )
        for m in range(n_systems)
        for c in range(n_groups)
    ]
    board = Board(
        scores[places],
        None if noisy is None else noisy[places],
        group[places],
        n_groups,
        None if features is None else features[places],
        tuple(lists),
    )
    return board, places


def _of_categories(names, n_groups: int) -> list[str]:
    """Return how each category is called in a message."""
    if names is None:
        return ["the pool"] * n_groups
    return [f"the category {name!r}" for name in names.tolist()]


def _highest(scores, items, k: int, where: str):
    """Return the items of the k highest scores, with all that tie with the last of them."""
    if len(items) < k:
        raise ValueError(
            f"precision_at_k is asked for the k={k} highest items, and {where} has {len(items)}; "
            f"pass PrecisionAtK(k) with a smaller k, or leave that category out."
        )
    return items[scores >= np.partition(scores, -k)[-k]]
