"""Truncated enumerations for messages."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["MAX_NAMED", "listed"]

# Maximum number of named things.
MAX_NAMED = 10


def listed(things: Iterable, n: int | None = None, most: int = MAX_NAMED) -> str:
    """Return the first of `n` things, and the number of the others."""
    things = [str(thing) for thing in things]
    more = (len(things) if n is None else n) - most
    named = ", ".join(things[:most])
    return named if more <= 0 else f"{named} and {more:,} more"
