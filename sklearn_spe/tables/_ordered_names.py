"""The order of categories: by number or date, else that of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["are_days", "are_in_no_order", "ordered_names"]

# Years, months, days, quarters and weeks, the largest first: 2026-03, 2026-Q1, 2026-W07.
DATE = re.compile(r"\d{4}(-?[QW]\d{1,2}|[-./]\d\d)([-./]\d\d)?([T ].*)?")
# Days, the year first or last: 2026-02-03, 20260203, 3/2/2026, 03.02.26; with or without a time.
DAY = re.compile(
    r"(\d{4}([-./])\d{1,2}\2\d{1,2}|(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    r"|\d{1,2}([-./])\d{1,2}\6\d{4}|\d\d([-./])\d\d\7\d\d|\d{1,2}/\d{1,2}/\d\d),?([T ].*)?"
)
# Months: 2026-2, 2/2026.
MONTH = re.compile(r"(19|20)\d\d[-./](0?[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-./](19|20)\d\d")


def ordered_names(names: Iterable[str]) -> list[str]:
    """Return the distinct names in order.

    Numbers and dates that begin with the year are sorted, all others are in order of appearance.
    """
    distinct = list(dict.fromkeys(names))
    try:
        return sorted(distinct, key=lambda name: (float(name), name))
    except ValueError:
        pass
    return sorted(distinct) if _are_in_order_of_time(distinct) else distinct


def are_days(names: Iterable[str]) -> bool:
    """Return whether all names are dates with a day."""
    return all(map(DAY.fullmatch, names))


def are_in_no_order(names: Iterable[str]) -> bool:
    """Return whether all names are dates that `ordered_names` does not sort."""
    distinct = list(dict.fromkeys(names))
    if not all(DAY.fullmatch(name) or MONTH.fullmatch(name) for name in distinct):
        return False
    return not (_are_in_order_of_time(distinct) or all(map(str.isdigit, distinct)))


def _are_in_order_of_time(distinct: list[str]) -> bool:
    # Text of one length, the largest unit first.
    return all(map(DATE.fullmatch, distinct)) and len(set(map(len, distinct))) == 1
