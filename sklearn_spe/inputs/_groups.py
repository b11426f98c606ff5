"""Partitions of items into categories and groups."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from scipy import special

from ..exceptions import ParameterError, ParameterTypeError
from ._arrays import FrozenArrays
from ._frames import OrderedColumn, read_column
from ._validation import as_objects, as_plain, is_missing, may_be_name, name_error, place_of_name

# The argument whose parts are groups of dependent items; the name of their random effect.
GROUPS = "groups"
# More different days than this are asked about, unless they are ordered; and more categories than
# this, if there are fewer than two items for each.
MAX_DAYS, MAX_CATEGORIES = 12, 30
# A day as text, maybe with a time.
DAY = re.compile(r"(\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})([T ].*)?", re.DOTALL)
# A t interval needs at least this many groups.
MIN_GROUPS = 4


@dataclass(frozen=True, eq=False)
class Partition(FrozenArrays):
    """The part of each item."""

    names: np.ndarray  # (n_parts,), sorted, or in the order of an ordered categorical
    codes: np.ndarray  # (n_items,), indices into `names`
    what: str  # name of the argument
    is_ordered: bool = False  # whether parts are ordered, like months

    @classmethod
    def read(cls, values: Any, what: str, n_items: int) -> Partition:
        """Validate a column with the part of each item; a Partition is returned unchanged.

        Raise ValueError if the length is wrong, a value is missing, numbers are not integers, or
        types are mixed.
        """
        if isinstance(values, Partition):
            return values

        values = read_column(values, what)
        ordered = ordered_categories(values)
        plain = _plain(values, what)
        if plain.shape != (n_items,):
            raise ParameterError.of(
                what,
                f"must have shape ({n_items},), one {_one(what)} for each item, got {plain.shape}.",
            )

        missing = is_missing(plain)
        if missing.any():
            raise ParameterError.of(
                what,
                f"has {int(missing.sum())} missing values, the first at row "
                f"{int(np.argmax(missing))}; give each item a {_one(what)}.",
            )

        if plain.dtype.kind == "f" and not _are_whole(plain).all():
            fraction = plain[~_are_whole(plain)][0]
            raise ParameterError.of(
                what,
                f"must hold names, text or integers; got the number {fraction}. Bin "
                "continuous values first, as by pandas.cut.",
            )

        try:
            names, codes = np.unique(plain, return_inverse=True)
        except TypeError:
            raise ParameterError.of(what, "mixes numbers and text; use one of them.") from None

        # Numbers and text always can.
        if names.dtype == object and not all(map(may_be_name, names.tolist())):
            raise ParameterError.of(what, f"must hold names, text or integers; got {names[0]!r}.")

        parts = cls(names, codes, what)
        return parts if ordered is None else parts.in_order(ordered)

    @classmethod
    def read_categories(cls, values: Any, n_items: int) -> Partition:
        """Validate the category of each item, as `read`; a Partition is returned unchanged.

        Raise ValueError if unordered categories are days, or nearly every item is one of its own.
        """
        parts = cls.read(values, "category", n_items)
        if not isinstance(values, Partition):
            _check_categories(parts.names.tolist(), n_items, is_ordered=parts.is_ordered)
        return parts

    @classmethod
    def numbered(cls, codes: np.ndarray, n_parts: int | None = None) -> Partition:
        """Return categories that are named by their numbers."""
        names = np.arange(int(codes.max()) + 1 if n_parts is None else n_parts)
        return cls(names, codes, "category")

    def in_order(self, names: Iterable[Any]) -> Partition:
        """Return the same parts in a given order, which may include empty parts."""
        unordered = self.names.tolist()
        present = np.array([name for name in names if name in set(unordered)], dtype=object)
        code_of = {name: k for k, name in enumerate(present.tolist())}
        codes = np.array([code_of[name] for name in unordered], dtype=np.intp)[self.codes]
        return replace(self, names=present, codes=codes, is_ordered=True)

    @property
    def n_parts(self) -> int:
        return len(self.names)

    def take(self, rows: np.ndarray) -> Partition:
        """Return the parts of some items; empty parts are kept."""
        return replace(self, codes=self.codes[rows])

    def is_same(self, other: Partition | None) -> bool:
        """Return whether both partitions of the items are equal."""
        if other is None:
            return False
        # No question names a group. Lists: numpy cannot compare structured arrays with other types.
        same_names = self.what == GROUPS or self.names.tolist() == other.names.tolist()
        return same_names and np.array_equal(self.codes, other.codes)

    def bootstrap(self, rng: np.random.Generator, n: int, rows: np.ndarray | slice) -> np.ndarray:
        r"""Draw weights of some items, constant within a part, (n, n_rows).

        Parts are groups of dependent items, such as patients or videos, and the population consists
        of further ones. It is simulated by a Bayesian bootstrap of groups with Dirichlet weights of
        concentration :math:`\alpha = \{(C - 1) / q^2 - 1\} / C` each, :math:`q = t_{.95, C - 1} /
        z_{.95}`, for the C groups among these items: their mean then has the spread of a t
        interval, not of a normal one.
        """
        n_present = len(np.unique(self.codes[rows]))
        shape = n, self.n_parts
        return rng.standard_gamma(concentration_of(n_present), shape)[:, self.codes[rows]]

    def members(self, part: int) -> np.ndarray:
        """Return the items of a part."""
        return np.flatnonzero(self.codes == part)

    def number_of(self, name: Any) -> int:
        """Return the index of a part by name."""
        number = place_of_name(name, self.names)
        if number is None:
            raise name_error(self.what, name, self.names.tolist())
        return number


def _check_categories(names: list[Hashable], n_items: int, *, is_ordered: bool) -> None:
    """Raise if unordered categories are days, or nearly every item has a different category."""
    n = len(names)
    if n > MAX_DAYS and not is_ordered and _are_days(names):
        raise ParameterError.of(
            "category",
            f"holds {n:,} different days, such as {str(names[0])!r}, and each would be a separate "
            "subgroup.",
            "Pass months as an ordered categorical, such as pandas.Categorical(days.dt.strftime("
            "'%Y-%m'), ordered=True); or pass groups= instead if items of one day are not "
            "independent.",
        )

    if n > MAX_CATEGORIES and n_items < 2 * n:
        raise ParameterError.of(
            "category",
            f"names {n:,} categories of {n_items:,} items: nearly every item would be a separate "
            "subgroup.",
            "Pass a column with fewer, such as months as an ordered categorical; or pass groups= "
            "instead if items of the same name belong together.",
        )


def _are_days(names: list[Any]) -> bool:
    """Return whether names are days; only first days of months represent months."""
    if all(isinstance(name, date) for name in names):
        return not all(_is_start_of_month(name) for name in names)
    return all(isinstance(name, str) and DAY.fullmatch(name.strip()) for name in names)


def _is_start_of_month(day: date) -> bool:
    is_midnight = not isinstance(day, datetime) or (day.hour, day.minute, day.second) == (0, 0, 0)
    return day.day == 1 and is_midnight


def _one(what: str) -> str:
    return {"category": "category", "groups": "group"}.get(what, what)


def _plain(values: Any, what: str) -> np.ndarray:
    is_single = isinstance(values, (str, bytes, Mapping, Set, np.dtype, type))
    if is_single or not hasattr(values, "__len__"):
        raise ParameterTypeError.of(
            what,
            f"must hold one {_one(what)} for each item, in a list, an array or a column "
            f"such as frame['country']; got {values!r}.",
        )

    # Mixed numbers and text would become text.
    # A sparse array, which is rejected, has only a dtype.
    is_array = hasattr(values, "__array__") or hasattr(values, "dtype")
    plain = as_plain(values if is_array else as_objects(values), what)

    # numpy converts finer times to numbers on item access.
    return plain.astype("datetime64[us]") if plain.dtype.kind == "M" else plain


def _are_whole(numbers: np.ndarray) -> np.ndarray:
    return np.isfinite(numbers) & (numbers == np.round(numbers))


def ordered_categories(values: Any) -> list[Any] | None:
    """Return the categories of an ordered categorical column in order, else None."""
    if isinstance(values, OrderedColumn):
        return values.categories
    dtype: Any = getattr(values, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", False) else None


def concentration_of(n_groups: int) -> float:
    """Return the Dirichlet concentration for a number of groups."""
    n = max(n_groups, MIN_GROUPS)
    q = special.stdtrit(n - 1, 0.95) / special.ndtri(0.95)
    return float(((n - 1) / q**2 - 1.0) / n)
