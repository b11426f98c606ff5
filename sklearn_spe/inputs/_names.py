"""Lookup of systems, categories and results by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np

from ._array_like import is_missing_value
from ._listed import listed

__all__ = ["may_be_name", "name_error", "place_of_name", "place_of_system"]


def place_of_name(asked, names: Iterable) -> int | None:
    """Return the position of a name; None if it is unknown.

    Text, booleans and numbers are distinguished, although True == 1; arrays and lists are not
    names.
    """
    if not may_be_name(asked):
        return None
    return next((place for place, name in enumerate(names) if _is_same(asked, name)), None)


def place_of_system(system, systems: Sequence, said: str = "system") -> int:
    """Return the position of a system, given by name or number; raise if unknown."""
    place = place_of_name(system, systems)
    if place is not None:
        return place
    # If names are numbers, numbers are not positions.
    named = any(isinstance(name, Integral) for name in systems)
    is_number = isinstance(system, Integral) and not isinstance(system, bool)
    if is_number and not named and 0 <= system < len(systems):
        return int(system)
    raise name_error(said, system, systems)


def name_error(said: str, asked, names: Iterable) -> ValueError:
    """Return the error for an unknown name."""
    return ValueError(f"{said}={asked!r} is none of {listed(map(repr, names))}.")


def may_be_name(asked) -> bool:
    """Return whether something can be a name: not an array, a list or a missing value."""
    try:
        hash(asked)
    except (TypeError, ValueError):
        # This also rejects writeable buffers.
        return False
    return not is_missing_value(asked)


def _is_same(asked, name) -> bool:
    kinds = (str, (bool, np.bool_), tuple)
    if any(isinstance(asked, kind) != isinstance(name, kind) for kind in kinds):
        return False
    try:
        same = asked == name
    except (TypeError, ValueError):
        # For example Decimal and numpy numbers.
        return False
    return isinstance(same, (bool, np.bool_)) and bool(same)
