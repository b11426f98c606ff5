"""Items in parts: categories that are asked about, groups that belong together."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import FrozenArrays
from ._array_like import as_plain, is_missing
from ._names import may_be_name, name_error, place_of_name

__all__ = ["Partition", "ordered_categories"]


@dataclass(frozen=True, eq=False)
class Partition(FrozenArrays):
    """The part of each item.

    Attributes
    ----------
    names : ndarray of shape (n_parts,)
        Sorted; of an ordered categorical in its order.
    codes : ndarray of shape (n_items,), of int
        An index into `names`.
    what : str
        What the parts are called: the name of the argument.
    is_ordered : bool
        Whether neighbouring parts are neighbours, as months are.
    """

    names: np.ndarray
    codes: np.ndarray
    what: str
    is_ordered: bool = False

    @classmethod
    def read(cls, values, what: str, n_items: int) -> Partition:
        """Read a column that names the part of each item; what is read already stays as it is.

        Raises
        ------
        ValueError
            If its length is wrong, a value is missing, numbers are not whole, or types are mixed.
        """
        if isinstance(values, Partition):
            return values
        ordered = ordered_categories(values)
        plain = _plain(values, what)
        if plain.shape != (n_items,):
            raise ValueError(
                f"{what} must have shape ({n_items},), one {_one(what)} an item, got {plain.shape}."
            )
        missing = is_missing(plain)
        if missing.any():
            raise ValueError(
                f"{what} has {int(missing.sum())} missing values, the first at row "
                f"{int(np.argmax(missing))}; give each item a {_one(what)}."
            )
        if plain.dtype.kind == "f" and not _are_whole(plain).all():
            wrong = plain[~_are_whole(plain)][0]
            raise ValueError(
                f"{what} must name parts, by text or whole numbers; got the number {wrong}. Of "
                f"something that is measured make bins first, as pandas.cut does."
            )
        try:
            names, codes = np.unique(plain, return_inverse=True)
        except TypeError:
            raise ValueError(f"{what} mixes numbers and text; use one of them.") from None
        if not all(map(may_be_name, names.tolist())):
            raise ValueError(f"{what} must name parts, by text or whole numbers; got {names[0]!r}.")
        parts = cls(names, codes, what)
        return parts if ordered is None else parts.in_order(ordered)

    def in_order(self, names) -> Partition:
        """Return the same parts in an order; it may name others, of which there is nothing."""
        there = self.names.tolist()
        present = np.array([name for name in names if name in set(there)], dtype=object)
        place = {name: k for k, name in enumerate(present.tolist())}
        codes = np.array([place[name] for name in there], dtype=np.intp)[self.codes]
        return replace(self, names=present, codes=codes, is_ordered=True)

    @property
    def n_parts(self) -> int:
        return len(self.names)

    def take(self, rows) -> Partition:
        """Return the parts of some items, of which all parts stay."""
        return replace(self, codes=self.codes[rows])

    def is_same(self, other: Partition | None) -> bool:
        """Return whether items are divided in the same way."""
        if other is None:
            return False
        # Lists: numpy compares no records with names of another kind.
        same_names = self.names.tolist() == other.names.tolist()
        return same_names and np.array_equal(self.codes, other.codes)

    def members(self, part: int) -> np.ndarray:
        """Return the items of a part."""
        return np.flatnonzero(self.codes == part)

    def number_of(self, name) -> int:
        """Return the number of a part that is asked for by name."""
        number = place_of_name(name, self.names)
        if number is None:
            raise name_error(self.what, name, self.names.tolist())
        return number


def _one(what: str) -> str:
    return {"category": "category", "groups": "group"}.get(what, what)


def _plain(values, what: str) -> np.ndarray:
    is_one = isinstance(values, (str, bytes, Mapping, Set, np.dtype, type))
    if is_one or not hasattr(values, "__len__"):
        raise TypeError(
            f"{what} must hold one {_one(what)} an item, in a list, an array or a column such as "
            f"frame['country']; got {values!r}."
        )
    # Numbers beside text would become text.
    # A sparse array, which is refused, has a dtype alone.
    is_array = hasattr(values, "__array__") or hasattr(values, "dtype")
    plain = as_plain(values if is_array else _objects(values), what)
    # Of finer ones numpy makes numbers when they are asked for one by one.
    return plain.astype("datetime64[us]") if plain.dtype.kind == "M" else plain


def _are_whole(numbers) -> np.ndarray:
    return np.isfinite(numbers) & (numbers == np.round(numbers))


def _objects(values) -> np.ndarray:
    # One an item, though items be lists of one length.
    return np.fromiter(values, dtype=object, count=len(values))


def ordered_categories(values) -> list | None:
    """Return the categories of an ordered categorical of pandas in their order, else None."""
    dtype: Any = getattr(values, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", False) else None
