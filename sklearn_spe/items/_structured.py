"""Items that several systems describe, in categories, in groups: what tables of them have alike."""

from __future__ import annotations

import numpy as np

from ..inputs._names import place_of_system
from ..inputs._partition import Partition
from ._clusters import Clusters

__all__ = ["Structured", "read_structure"]


class Structured:
    """Mixin of tables of items.

    Attributes
    ----------
    systems : tuple
        What each is called: the name of its column, or its number.
    category : Partition or None
        The subgroups.
    clusters : Clusters or None
        The groups of items that belong together.
    """

    systems: tuple
    category: Partition | None
    clusters: Clusters | None

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def names_of_categories(self) -> np.ndarray | None:
        """The names of the subgroups; None where there are none."""
        return None if self.category is None else self.category.names

    def number_of(self, system) -> int:
        """Return the number of a system that is asked for by name or number.

        Raises
        ------
        ValueError
            If there is no such system, or several and none is named.
        """
        if system is not None:
            return place_of_system(system, self.systems)
        if self.n_systems == 1:
            return 0
        known = ", ".join(map(repr, self.systems))
        raise ValueError(
            f"There are {self.n_systems} systems: say which by system=, one of {known}; "
            f"of(system=...) answers for one."
        )

    def part_of(self, category) -> int | None:
        """Return the number of a category that is asked for by name; None stands for all.

        Raises
        ------
        ValueError
            If there are no categories, or no such one.
        """
        if category is None:
            return None
        if self.category is None:
            raise ValueError(f"category={category!r}, and fit was given no category=.")
        return self.category.number_of(category)

    def items_of(self, part: int | None) -> np.ndarray | None:
        """Return the items of a category, by its number; None stands for all."""
        if part is None or self.category is None:
            return None
        return self.category.members(part)

    def check_same_structure(self, other: Structured) -> None:
        """Raise if another table says other categories or groups than this; it may say none."""
        for what, name in (("category", "category"), ("groups", "clusters")):
            own, given = getattr(self, name), getattr(other, name)
            if given is not None and not given.is_same(own):
                how = "fit was given none" if own is None else "this one differs"
                raise ValueError(
                    f"update takes the {what}= of fit again, or none, and {how}: call fit for "
                    f"other ones."
                )


def read_structure(category, groups, rows, n_rows: int) -> tuple[Partition | None, Clusters | None]:
    """Return the category and the cluster of each item, given those of the rows of X."""
    if category is not None:
        category = Partition.read(category, "category", n_rows).take(rows)
    if groups is None:
        return category, None
    groups = Partition.read(groups, "groups", n_rows)
    return category, Clusters(groups.codes[rows], groups.n_parts)
