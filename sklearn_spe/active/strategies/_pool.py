"""What a strategy sees: the items of a pool, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._expected_information import ExpectedInformation
    from .._goal_information import GoalInformation
    from .._proof_information import ProofInformation
    from ..boards._board_information import BoardInformation

__all__ = ["Pool", "ranks_from_top"]


def ranks_from_top(scores, counts=None) -> np.ndarray:
    """Return the place of each item, 1 for the largest score; ties share the mean of theirs.

    So do the items that a row stands for, where `counts` says how many they are.

    The order of the items says nothing: a file may be sorted by what is not to be known.
    """
    _, tie, n = np.unique(-scores, return_inverse=True, return_counts=True)
    n = n if counts is None else np.bincount(tie, counts)
    return (np.cumsum(n) - (n - 1) / 2.0)[tie]


@dataclass(frozen=True, eq=False)
class Pool:
    """Items of which some are labelled, as a strategy sees them.

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        Larger for positives.
    codes : ndarray of shape (n_items,)
        1 for positives, 0 for negatives, -1 for items without a label.
    free : ndarray of bool of shape (n_items,)
        Which items may be drawn: neither labelled nor asked for.
    ranks : ndarray of shape (n_items,)
        As `ranks_from_top` returns them.
    probability : ndarray of shape (n_items,) or None
        That each item is positive.
    before : ndarray of shape (n_items,) or None
        The same, before any label was seen.
    category : ndarray of shape (n_items,) or None
        The number of the category of each item.
    groups : ndarray of shape (n_items,), of int, or None
        The number of the group of each item: items that belong together.
    above : ndarray of bool of shape (n_items,) or None
        Which items the decision calls positive, for a metric that is a ratio of sums.
    terms : tuple of ndarray of shape (2, 2), or None
        What an item adds to its numerator and denominator, ``[z, above]``.
    information : ExpectedInformation, another of its kind, or None
        What a label would tell, by cells of scores.
    cells : ndarray of shape (n_items,) or None
        The cell of each item.
    change : ndarray of shape (n_items,) or None
        How far its label is expected to move the estimate.
    counts : ndarray of shape (n_items,)
        1, unless items that nobody can tell apart yet are one: then how many they are. Whatever
        else is said is said of each of them.
    """

    scores: np.ndarray
    codes: np.ndarray
    free: np.ndarray
    ranks: np.ndarray
    probability: np.ndarray | None = None
    before: np.ndarray | None = None
    category: np.ndarray | None = None
    groups: np.ndarray | None = None
    above: np.ndarray | None = None
    terms: tuple[np.ndarray, np.ndarray] | None = None
    information: (
        ExpectedInformation | GoalInformation | ProofInformation | BoardInformation | None
    ) = None
    cells: np.ndarray | None = None
    change: np.ndarray | None = None
    # Those given, else ones: never None once the pool is made.
    counts: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self):
        if self.counts is None:
            object.__setattr__(self, "counts", np.ones(len(self.scores)))

    @property
    def n_items(self) -> int:
        return len(self.scores)

    @cached_property
    def n_labeled(self) -> int:
        """How many items are labelled, or will be."""
        return int(np.count_nonzero(~self.free))

    @property
    def freshness(self) -> np.ndarray:
        """What the next label of each item's group is worth to others, the first one being 1.

        Where labels of a group agree as much as an intraclass correlation of .3 says, n of them
        are worth about 1 + 1/2 + ... + 1/n of as many groups.
        """
        if self.groups is None:
            return np.ones(self.n_items)
        n_asked = np.bincount(self.groups[~self.free], minlength=int(self.groups.max()) + 1)
        return 1.0 / (1.0 + n_asked)[self.groups]

    def after(self, item: int) -> Pool:
        """Return the pool once the label of one item is asked for, and not yet known."""
        information = self.information
        if information is not None:
            # What has the expected information has cells.
            information = information.after(int(np.asarray(self.cells)[item]))
        if self.counts[item] > 1:
            return replace(self._with_one_of(item), information=information)
        free = self.free.copy()
        free[item] = False
        return replace(self, free=free, information=information)

    def _with_one_of(self, item: int) -> Pool:
        """Return the pool with one of several items by itself, the last one, and not free."""
        of_items: dict[str, Any] = {
            field.name: np.append(value, value[item])
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        of_items["counts"][[item, -1]] = self.counts[item] - 1, 1
        of_items["free"][-1] = False
        return replace(self, **of_items)
