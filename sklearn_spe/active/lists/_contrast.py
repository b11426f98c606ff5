"""Two systems, or two categories of one system, whose difference is asked about."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...exceptions import ParameterError
from ...inputs._arrays import FrozenArrays
from ...inputs._validation import may_be_name, place_of_name, place_of_system
from ._ranked_lists import ListItems, RankedLists

NO_SIDE = -1


@dataclass(frozen=True, eq=False)
class Contrast(FrozenArrays):
    """The difference of the means over the lists of two sides."""

    names: tuple[Hashable, Hashable]
    places: tuple[int, int]  # among the systems, or the categories
    of_systems: bool  # else of two categories
    weights: np.ndarray  # (n_lists,); with which the values of lists sum to the difference
    # (n_rows,), of int; 0 or 1 where a row is of one side, -1 where it is of none. The label of a
    # row that two systems have scored is of both: it is 0.
    side: np.ndarray

    @classmethod
    def of(cls, ranked_lists: RankedLists, pair: Sequence[Hashable]) -> Contrast:
        """Return the contrast of two systems or categories by name; raise if a name is unknown."""
        of_systems = ranked_lists.n_systems > 1
        if not of_systems and ranked_lists.n_groups < 2:
            raise without_parts(pair)
        first, second = pair
        if of_systems:
            places = [place_of_system(name, ranked_lists.names) for name in (first, second)]
            place_of_list = ranked_lists.system
        else:
            places = [place_of_category(name, ranked_lists) for name in (first, second)]
            place_of_list = ranked_lists.list_group
        if places[0] == places[1]:
            raise ParameterError.of("compare", f"must name two different parts, got {pair!r}.")

        weights = np.zeros(len(ranked_lists.lists))
        side = np.full(ranked_lists.n_rows, NO_SIDE)
        for number, place in enumerate(places):
            is_of_side = place_of_list == place
            weights[is_of_side] = (1.0, -1.0)[number] / np.count_nonzero(is_of_side)
            for index in np.flatnonzero(is_of_side):
                side[ranked_lists.lists[index].rows] = 0 if of_systems else number
        return cls((first, second), (places[0], places[1]), of_systems, weights, side)

    @property
    def rows(self) -> np.ndarray:
        """The rows whose labels count, increasing."""
        return np.flatnonzero(self.side != NO_SIDE)

    def side_of_items(self, items: ListItems) -> np.ndarray:
        """Return the side of each item, (n_items,), of int; -1 for those that do not count."""
        sides = np.full(len(items.places), NO_SIDE)
        rows = np.flatnonzero((items.item >= 0) & (self.side != NO_SIDE))
        sides[items.item[rows]] = self.side[rows]
        return sides

    def total(self, values: np.ndarray) -> np.ndarray:
        """Return the difference of values of lists, (..., n_lists); NaN where one is undefined."""
        counted = self.weights != 0.0
        return values[..., counted] @ self.weights[counted]


def place_of_category(name: Hashable, ranked_lists: RankedLists) -> int:
    """Return the index of a category; names that were read from a file are text."""
    names = ranked_lists.category.names
    place = place_of_name(name, names)
    if place is None:
        place = place_of_name(str(name), list(map(str, names)))
    return ranked_lists.category.number_of(name) if place is None else place


def checked_pair(pair: Any) -> tuple[Hashable, Hashable] | None:
    """Return two names, or None."""
    if pair is None:
        return None
    is_row = isinstance(pair, list | tuple) or (isinstance(pair, np.ndarray) and pair.ndim == 1)
    if not is_row or len(pair) != 2 or not all(may_be_name(name) for name in pair):
        raise ParameterError.of(
            "compare",
            f"must be the names of two systems, or of two categories of one system; got {pair!r}.",
        )
    first, second = (name.item() if isinstance(name, np.generic) else name for name in pair)
    return first, second


def without_parts(pair: Any) -> ParameterError:
    """Return the error of a pool that has no parts to compare."""
    return ParameterError.of(
        "compare",
        f"is {pair!r}, and there are neither several systems nor several categories: pass X with "
        "a column for each system, or category= with average='macro'.",
    )
