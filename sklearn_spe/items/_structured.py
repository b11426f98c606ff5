"""Base of tables of items with several systems, categories and groups."""

from __future__ import annotations

import numpy as np

from ..inputs._names import place_of_system
from ..inputs._partition import Partition
from ._clusters import Clusters

__all__ = ["Structured", "read_structure"]


class Structured:
    """Mixin of tables of items."""

    systems: tuple  # name or number of each system's column
    category: Partition | None  # the subgroups
    clusters: Clusters | None  # the groups of dependent items

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def names_of_categories(self) -> np.ndarray | None:
        """Names of the subgroups, None without categories."""
        return None if self.category is None else self.category.names

    def number_of(self, system) -> int:
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

    def part_of(self, category) -> int | None:
        """Return the index of a category (None for all); raise if it is unknown."""
        if category is None:
            return None
        if self.category is None:
            raise ValueError(f"category={category!r} requires a fit with category=.")
        return self.category.number_of(category)

    def items_of(self, part: int | None) -> np.ndarray | None:
        """Return the items of a category by its index; None for all."""
        if part is None or self.category is None:
            return None
        return self.category.members(part)

    def check_same_structure(self, other: Structured) -> None:
        """Raise if another table has other categories or groups; it may have none."""
        for what, name in (("category", "category"), ("groups", "clusters")):
            own, given = getattr(self, name), getattr(other, name)
            if given is not None and not given.is_same(own):
                how = "fit was given none" if own is None else "this one differs"
                raise ValueError(
                    f"update takes the same {what}= as fit, or none, but {how}: call fit for "
                    "other ones."
                )


def read_structure(category, groups, rows, n_rows: int) -> tuple[Partition | None, Clusters | None]:
    """Return the category and cluster of each item from those of the rows of X."""
    if category is not None:
        category = Partition.read(category, "category", n_rows).take(rows)
    if groups is None:
        return category, None
    groups = Partition.read(groups, "groups", n_rows)
    return category, Clusters(groups.codes[rows], groups.n_parts)
