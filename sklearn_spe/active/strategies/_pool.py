"""The input of a strategy: the items of a pool, and their predictions."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .._expected_information import ExpectedInformation
    from .._goal_information import GoalInformation
    from .._proof_information import ProofInformation
    from ..lists._list_information import ListInformation

__all__ = ["Pool", "ranks_from_top"]


def ranks_from_top(scores, counts=None) -> np.ndarray:
    """Return the rank of each item, 1 for the largest score; ties share their mean rank.

    So do the items that a row represents, where `counts` are their numbers.

    The order of the items is not used: a file may be sorted by the label.
    """
    _, tie, n = np.unique(-scores, return_inverse=True, return_counts=True)
    n = n if counts is None else np.bincount(tie, counts)
    return (np.cumsum(n) - (n - 1) / 2.0)[tie]


@dataclass(frozen=True, eq=False)
class Pool:
    """Items of which some are labeled, as a strategy sees them.

    Attributes
    ----------
    scores : ndarray of shape (n_items,)
        Larger for positives.
    codes : ndarray of shape (n_items,)
        1 for positives, 0 for negatives, -1 for items without a label.
    free : ndarray of bool of shape (n_items,)
        Which items may be drawn: neither labeled nor pending.
    ranks : ndarray of shape (n_items,)
        As `ranks_from_top` returns them.
    probability : ndarray of shape (n_items,) or None
        P(y = 1) of each item.
    before : ndarray of shape (n_items,) or None
        The same, before any label.
    category : ndarray of shape (n_items,) or None
        The index of the category of each item.
    groups : ndarray of shape (n_items,), of int, or None
        The index of the group of each item: items that belong together.
    above : ndarray of bool of shape (n_items,) or None
        Which items are classified as positive, for a metric that is a ratio of sums.
    terms : tuple of ndarray of shape (2, 2), or None
        Contribution of an item to its numerator and denominator, ``[z, above]``.
    information : ExpectedInformation, another of its kind, or None
        Expected information of a label, by cells of scores.
    cells : ndarray of shape (n_items,) or None
        The cell of each item.
    change : ndarray of shape (n_items,) or None
        Expected change of the estimate by its label.
    counts : ndarray of shape (n_items,)
        Number of exchangeable items that each represents; other fields refer to a single one.
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
        ExpectedInformation | GoalInformation | ProofInformation | ListInformation | None
    ) = None
    cells: np.ndarray | None = None
    change: np.ndarray | None = None
    # The given counts, else ones: never None after initialization.
    counts: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self):
        if self.counts is None:
            object.__setattr__(self, "counts", np.ones(len(self.scores)))

    @property
    def n_items(self) -> int:
        return len(self.scores)

    @cached_property
    def n_labeled(self) -> int:
        """Number of labeled or pending items."""
        return int(np.count_nonzero(~self.free))

    @property
    def freshness(self) -> np.ndarray:
        """Value of the next label of each item's group relative to a first label.

        With an intraclass correlation of .3, n labels of one group are worth about 1 + 1/2 + ... +
        1/n labels of different groups.
        """
        if self.groups is None:
            return np.ones(self.n_items)
        n_asked = np.bincount(self.groups[~self.free], minlength=int(self.groups.max()) + 1)
        return 1.0 / (1.0 + n_asked)[self.groups]

    def after(self, item: int) -> Pool:
        """Return the pool with the label of one item pending."""
        information = self.information
        if information is not None:
            # Cells exist whenever the expected information does.
            information = information.after(int(np.asarray(self.cells)[item]))
        if self.counts[item] > 1:
            return replace(self._with_one_of(item), information=information)
        free = self.free.copy()
        free[item] = False
        return replace(self, free=free, information=information)

    def _with_one_of(self, item: int) -> Pool:
        """Return the pool with one item of a row separated, as the last one, not free."""
        of_items: dict[str, Any] = {
            field.name: np.append(value, value[item])
            for field in fields(self)
            if isinstance(value := getattr(self, field.name), np.ndarray)
        }
        of_items["counts"][[item, -1]] = self.counts[item] - 1, 1
        of_items["free"][-1] = False
        return replace(self, **of_items)
