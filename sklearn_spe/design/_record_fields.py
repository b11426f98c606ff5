"""The fields of a record of evidence, all checked before any of them is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..goals._goal import Goal
from ..inputs._validation import is_number

# The field with the number of items.
N_ITEMS = "fixed.n_items"
# Where there is nothing for a label that was not drawn by weights.
DRAW = "draws[]"
# The largest number of characters of a salt.
MAX_TEXT = 1000
# A float has no larger numbers, and a file may.
LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True)
class Field:
    """The numbers in a field of a record."""

    low: float = -LARGEST
    high: float = LARGEST  # the last one that is allowed
    is_whole: bool = False
    is_optional: bool = False  # whether a number may be missing
    # Of a list: how many, the field that says it, or ""; None for a single number.
    length: int | str | None = None
    is_index: bool = False  # whether they are different items, numbered from 0

    def check(self, value: Any, name: str, whole: Mapping[str, Any]) -> None:
        """Raise unless a field of the record `whole` holds such numbers."""
        values = [value] if self.length is None else value
        if not isinstance(values, list):
            raise wrong_field(name, "a list of numbers", value)
        n = _n_of(whole, self.length) if isinstance(self.length, str) else self.length
        if self.length and len(values) != n:
            raise wrong_field(name, f"a list of {n:,} numbers", f"{len(values):,}")

        high = _n_of(whole, N_ITEMS) - 1 if self.is_index else self.high
        kind = Integral if self.is_whole else Real
        for number in values:
            if number is None and self.is_optional:
                continue
            if not is_number(number, kind) or not abs(number) <= LARGEST:
                needed = "whole numbers" if self.is_whole else "finite numbers"
                raise wrong_field(name, needed, number)
            if not self.low <= number <= high:
                raise wrong_field(name, f"numbers from {self.low:g} to {high:g}", number)
        if self.is_index and len(set(values)) < len(values):
            raise wrong_field(name, "each item once", "one of them twice")


def _n_of(whole: Mapping[str, Any], path: str) -> int:
    """Return a number of items, or how many a list has."""
    value: Any = whole
    for name in path.split(".") if path else ():
        value = value[name]
    return value if is_number(value) else len(value)


def wrong_field(name: str, needed: str, value: Any) -> ValueError:
    return ValueError(
        f"The evidence must have {needed} in {name!r}, got {str(value)[:40]}: ask for the original "
        "file."
    )


def check_object(
    value: Any, fields: Mapping[str, Any], names: Iterable[str], path: str, whole: Mapping[str, Any]
) -> None:
    """Raise unless an object has these fields and no others, in the order of the table."""
    if not isinstance(value, Mapping):
        raise wrong_field(path, "an object", value)
    unknown = set(names) - fields.keys()
    if unknown:
        raise ValueError(f"The evidence has an unknown field: {str(min(unknown))[:40]!r}.")
    for name, content in fields.items():
        if name not in value:
            raise ValueError(f"The evidence lacks {name!r}: ask for a complete file.")
        _check(value[name], content, f"{path}{name}", whole)


def _check(value: Any, content: Any, name: str, whole: Mapping[str, Any]) -> None:
    """Raise unless a value is of the type in the table: numbers, an object, a list or others."""
    if isinstance(content, Field):
        content.check(value, name, whole)
    elif name == DRAW and value is None:
        return
    elif isinstance(content, dict):
        check_object(value, content, value, f"{name}.", whole)
    elif isinstance(content, list):
        if not isinstance(value, list):
            raise wrong_field(name, "a list", value)
        if name == "draws" and len(value) != len(whole["labels"]["items"]):
            raise wrong_field(name, "as many as labels", len(value))
        for item in value:
            _check(item, content[0], f"{name}[]", whole)
    else:
        content(value)


def check_salt(value: Any) -> None:
    """Raise unless a value is a text of limited length."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise wrong_field("salt", f"a text of at most {MAX_TEXT} characters", value)


def check_salt_or_nothing(value: Any) -> None:
    """Raise unless a value is a salt, or missing."""
    if value is not None:
        check_salt(value)


def check_columns(value: Any) -> None:
    """Raise unless a value names the columns of scores and labels of a table, if there is one."""
    names = ("score", "label", "pos_label", "smaller_is_positive")
    is_complete = isinstance(value, Mapping) and sorted(value) == sorted(names)
    if value is not None and not (
        is_complete
        and isinstance(value["score"], str)
        and isinstance(value["label"], str)
        and isinstance(value["pos_label"], str | int | float)
        and isinstance(value["smaller_is_positive"], bool)
    ):
        raise wrong_field("columns", "the names of columns", value)


def goal_in(value: Any) -> Goal:
    """Return the goal of a record; raise if it is none."""
    bounds = value.values() if isinstance(value, dict) else ()
    numbers = [end for ends in bounds if isinstance(ends, list) for end in ends if end is not None]
    if len(numbers) < len(bounds) or not all(map(is_number, numbers)) or not numbers:
        raise wrong_field("goal", "two numbers or nulls for each metric", value)
    try:
        return Goal.of(**{name: tuple(ends) for name, ends in value.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"The evidence has no goal: {str(error)[:200]}") from None
