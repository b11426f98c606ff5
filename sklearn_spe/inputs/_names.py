"""What is asked for by its name, found among what has one: systems, categories, results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral

import numpy as np

from ._array_like import is_missing_value
from ._listed import listed

__all__ = ["may_be_name", "name_error", "place_of_name", "place_of_system"]


def place_of_name(asked, names: Iterable) -> int | None:
    """Return the place of the name that is asked for, whatever it is that is asked for.

    Text, booleans and numbers are told apart, though True == 1; arrays and lists are no names.

    Returns
    -------
    place : int or None
        None if it is none of the names.
    """
    if not may_be_name(asked):
        return None
    return next((place for place, name in enumerate(names) if _is_same(asked, name)), None)


def place_of_system(system, systems: Sequence, said: str = "system") -> int:
    """Return the place of a system that is asked for by its name or number.

    Raises
    ------
    ValueError
        If there is no such system.
    """
    place = place_of_name(system, systems)
    if place is not None:
        return place
    # Where numbers are names they stand for nothing else.
    named = any(isinstance(name, Integral) for name in systems)
    is_number = isinstance(system, Integral) and not isinstance(system, bool)
    if is_number and not named and 0 <= system < len(systems):
        return int(system)
    raise name_error(said, system, systems)


def name_error(said: str, asked, names: Iterable) -> ValueError:
    """Return what is raised where something that is asked for is none of the names."""
    return ValueError(f"{said}={asked!r} is none of {listed(map(repr, names))}.")


def may_be_name(asked) -> bool:
    """Return whether something can be a name: an array or a list, and what is missing, cannot."""
    try:
        hash(asked)
    except (TypeError, ValueError):
        # Memory that can be written to is refused with the latter.
        return False
    return not is_missing_value(asked)


def _is_same(asked, name) -> bool:
    kinds = (str, (bool, np.bool_), tuple)
    if any(isinstance(asked, kind) != isinstance(name, kind) for kind in kinds):
        return False
    try:
        same = asked == name
    except (TypeError, ValueError):
        # A number of the decimal module and one of numpy, say.
        return False
    return isinstance(same, (bool, np.bool_)) and bool(same)
