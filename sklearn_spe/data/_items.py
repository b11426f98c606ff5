"""Items with scores, labels and structure: the base class of item data and of the rows of a fit."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..inputs._arrays import FrozenArrays
from ..inputs._groups import Partition
from ..inputs._raters import Judges
from ..inputs._scores import ScoreDirection
from ..inputs._validation import place_of_system
from ._features import ItemFeatures
from ._inclusion import Inclusion
from ._kinds import POOL


@dataclass(frozen=True, eq=False, kw_only=True)
class Items(FrozenArrays):
    """Items with the scores of one or several systems, labels and structure.

    An item may count for several, which are equal or, if there are many, similar to it.
    """

    kind: str = POOL  # of the data: one of those in `_kinds`
    systems: tuple[Hashable, ...]  # name or number of each system
    # (n_items, n_systems), NaN if missing; with several classes a tuple of `ClassScores`
    scores: Any
    codes: np.ndarray  # (n_items,): 1 and 0, or indices of several classes; -1 if unlabeled
    # (n_items,), for how many items each counts; None if each is one
    counts: np.ndarray | None = None
    row_numbers: np.ndarray | None = None  # (n_items,), the row of X of each item; None: in order
    n_rows: int  # number of rows of X, rows of weight zero included
    labels: Any = None  # `BinaryLabels`; None for several classes
    score_directions: tuple[ScoreDirection, ...] = ()  # of each system
    category: Partition | None = None  # the subgroups
    groups: Partition | None = None  # the groups of dependent items
    judges: Judges | None = None  # the raters, which are not evaluated as systems
    features: ItemFeatures | None = None  # by which raters may err
    inclusion: Inclusion = Inclusion()  # inclusion model of the labels
    # (n_rows,), inclusion probability of each row of X, if they are known
    inclusion_proba: np.ndarray | None = None
    source: Any = None  # identifies the data of binned items; else None
    has_scores: bool = True  # False of labels alone, whose score is a constant
    is_consensus: bool = False  # whether the score is the consensus of several judges

    # fields with an entry for each item
    of_each_item: ClassVar[tuple[str, ...]] = (
        "scores",
        "codes",
        "category",
        "groups",
        "judges",
        "features",
        "counts",
    )

    @classmethod
    def sharing(cls, items: Items, **others: Any) -> Self:
        """Return items with the fields of other ones, unless they are given."""
        shared = {field.name: getattr(items, field.name) for field in fields(Items)}
        return cls(**{**shared, **others})

    def take(self, items: np.ndarray | slice) -> Self:
        """Return the items at given indices, which may repeat."""
        of_items = {name: _taken(getattr(self, name), items) for name in self.of_each_item}
        return replace(self, row_numbers=self.rows[items], **of_items)

    @property
    def n_items(self) -> int:
        return len(self.codes)

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of X of each item, (n_items,)."""
        return np.arange(self.n_items) if self.row_numbers is None else self.row_numbers

    @cached_property
    def weights(self) -> np.ndarray:
        """Number of items that each represents, (n_items,)."""
        return np.ones(self.n_items) if self.counts is None else self.counts

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def names_of_categories(self) -> np.ndarray | None:
        """Names of the subgroups, None without categories."""
        return None if self.category is None else self.category.names

    def number_of(self, system: Any) -> int:
        """Return the index of a system; raise if it is unknown, or needed and not given."""
        if system is not None:
            return place_of_system(system, self.systems)
        if self.n_systems == 1:
            return 0
        known = ", ".join(map(repr, self.systems))
        raise ValueError(
            f"There are {self.n_systems} systems: choose one of {known} by system=, or use "
            "of(system=...)."
        )

    def part_of(self, category: Any) -> int | None:
        """Return the index of a category (None for all); raise if it is unknown."""
        if category is None:
            return None
        if self.category is None:
            raise ValueError(f"category={category!r} requires a fit with category=.")
        return self.category.number_of(category)

    def items_of(self, part: int | None) -> Any:
        """Return the items of a category by its index; a slice of all for None."""
        if part is None or self.category is None:
            return slice(None)
        return self.category.members(part)

    def check_same_structure(self, other: Items) -> None:
        """Raise if another table has other categories or groups; it may have none."""
        for parameter in ("category", "groups"):
            before = getattr(self, parameter)
            after = getattr(other, parameter)
            if after is not None and not after.is_same(before):
                difference = "fit was given none" if before is None else "this one differs"
                raise ValueError(
                    f"update takes the same {parameter}= as fit, or none, but {difference}: call "
                    "fit for other ones."
                )


def _taken(part: Any, items: np.ndarray | slice):
    """Return a field of a table for some items: an array, a part, or a tuple of these."""
    if isinstance(part, tuple):
        return tuple(_taken(column, items) for column in part)
    if isinstance(part, np.ndarray):
        return part[items]
    return None if part is None else part.take(items)
