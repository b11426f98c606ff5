"""The order of parts that a column names: of numbers and dates their own, else that of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["ordered_names"]

# Years, months, days, quarters and weeks, the largest first: 2026-03, 2026-Q1, 2026-W07.
DATE = re.compile(r"\d{4}(-?[QW]\d{1,2}|-\d\d)(-\d\d)?([T ].*)?")


def ordered_names(names: Iterable[str]) -> list[str]:
    """Return each name once, in the order that names have.

    Numbers are in the order of their size, dates that begin with the year in that of time, and all
    others as they first come.
    """
    distinct = list(dict.fromkeys(names))
    try:
        return sorted(distinct, key=lambda name: (float(name), name))
    except ValueError:
        pass
    # Text of one length, the largest unit first, is in the order of time.
    if all(map(DATE.fullmatch, distinct)) and len(set(map(len, distinct))) == 1:
        return sorted(distinct)
    return distinct
