"""Dates in cells: how they are written, in which order, and in which month or week they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

# Units of time that dates are grouped by.
UNITS = ("year", "quarter", "month", "week", "day")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# A time may follow.
TIME = r",?(?:[T ].*)?"
FORMS = tuple(
    re.compile(form)
    for form in (
        # 2026-02-03, 20260203
        rf"(?P<y>\d{{4}})([-./])(?P<m>\d{{1,2}})\2(?P<d>\d{{1,2}}){TIME}",
        rf"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d){TIME}",
        # 3.2.2026, 03.02.26
        rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){TIME}",
        rf"(?P<d>\d\d)\.(?P<m>\d\d)\.(?P<y>\d\d){TIME}",
        # 3 Feb 2026, 03-Feb-2026, Feb 3, 2026
        rf"(?P<d>\d{{1,2}})\.?[- ](?P<m>[A-Za-z]{{3,9}})\.?[- ](?P<y>\d{{4}}){TIME}",
        rf"(?P<m>[A-Za-z]{{3,9}})\.? (?P<d>\d{{1,2}}),? (?P<y>\d{{4}}){TIME}",
        # 3/2/2026, 2-3-2026, 3/2/26: other cells of the column show which one is the day.
        rf"(?P<a>\d{{1,2}})([-/])(?P<b>\d{{1,2}})\2(?P<y>\d{{4}}){TIME}",
        rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>\d\d){TIME}",
        # 2026-2, 2/2026, Feb 2026
        r"(?P<y>(?:19|20)\d\d)[-./](?P<m>0?[1-9]|1[0-2])",
        r"(?P<m>0?[1-9]|1[0-2])[-./](?P<y>(?:19|20)\d\d)",
        r"(?P<m>[A-Za-z]{3,9})\.?[- ](?P<y>(?:19|20)\d\d)",
    )
)
# Years, months, days, quarters and weeks, the largest first: 2026-03, 2026-Q1, 2026-W07.
SORTED = re.compile(r"\d{4}(-?[QW]\d{1,2}|[-./]\d\d)([-./]\d\d)?([T ].*)?")


@dataclass(frozen=True)
class CellDate:
    """A date as a cell holds it."""

    first: date  # the first day of the month, where the cell holds no day
    has_day: bool = True
    # With the month before the day, in forms in which either may stand first.
    other: date | None = None

    @classmethod
    def of(cls, text: str) -> CellDate | None:
        """Return the date in a cell, the day first where the order is open; None for other text."""
        text = text.strip()
        for form in FORMS:
            if match := form.fullmatch(text):
                return cls._of_parts(match.groupdict())
        return None

    @classmethod
    def _of_parts(cls, parts: dict[str, str]) -> CellDate | None:
        year = int(parts["y"]) + (2000 if len(parts["y"]) == 2 else 0)
        if "a" in parts:
            a = int(parts["a"])
            b = int(parts["b"])
            day_first = _day(year, b, a)
            month_first = _day(year, a, b)
            if day_first is None:
                return None if month_first is None else cls(month_first, other=month_first)
            return cls(day_first, other=month_first)
        first = _day(year, _month(parts["m"]), int(parts.get("d", 1)))
        return None if first is None else cls(first, "d" in parts)


def _month(text: str) -> int:
    """Return the number of a month; 0 if it is none."""
    if text.isdigit():
        return int(text)
    return next((n for n, name in enumerate(MONTHS, 1) if text[:3].lower() == name), 0)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _period_of(day: date, unit: str) -> str:
    """Return the name of the year, quarter, month, ISO week or day; names sort in their order."""
    text = day.isoformat()
    names = {
        "year": f"{day.year}",
        "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
        "month": text.rpartition("-")[0],
        "week": "{}-W{:02}".format(*day.isocalendar()),
        "day": text,
    }
    return names[unit]


def periods_in(cells: Iterable[str], unit: str, column: str) -> dict[str, str | None]:
    """Return the period of each distinct cell, None where it holds none.

    Raises if all dates may have the day or the month first; `column` is its name in messages.
    """
    dates = {cell: CellDate.of(cell) for cell in dict.fromkeys(cells)}
    month_first = _is_month_first(dates, column)
    periods: dict[str, str | None] = {}
    for cell, cell_date in dates.items():
        if cell_date is None or (unit in ("week", "day") and not cell_date.has_day):
            periods[cell] = None
        else:
            periods[cell] = _period_of(
                cell_date.other if month_first and cell_date.other else cell_date.first, unit
            )
    return periods


def _is_month_first(dates: dict[str, CellDate | None], column: str) -> bool:
    """Return whether dates with slashes or dashes have the month first, by the unambiguous ones."""
    open_dates = {
        cell: numbers
        for cell, cell_date in dates.items()
        if cell_date is not None and (numbers := _two_numbers(cell)) is not None
    }
    day_first = any(a > 12 for a, _ in open_dates.values())
    month_first = any(b > 12 for _, b in open_dates.values())
    if open_dates and day_first == month_first:
        example = repr(next(iter(open_dates)))
        evidence = "some one way and some the other" if day_first else "and no cell shows which"
        raise ValueError(
            f"Dates in column {column}, such as {example}, may have the day or the month first, "
            f"{evidence}: write them with the year first, as 2026-02-03."
        )

    return month_first


def _two_numbers(cell: str) -> tuple[int, int] | None:
    match = re.match(r"(\d{1,2})[-/](\d{1,2})[-/]\d", cell.strip())
    return None if match is None else (int(match[1]), int(match[2]))


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
    return all(cell_date is not None and cell_date.has_day for cell_date in map(CellDate.of, names))


def are_in_no_order(names: Iterable[str]) -> bool:
    """Return whether all names are dates that `ordered_names` does not sort."""
    distinct = list(dict.fromkeys(names))
    if any(CellDate.of(name) is None for name in distinct):
        return False
    return not (_are_in_order_of_time(distinct) or all(map(str.isdigit, distinct)))


def _are_in_order_of_time(distinct: list[str]) -> bool:
    # Text of one length, the largest unit first.
    return all(map(SORTED.fullmatch, distinct)) and len(set(map(len, distinct))) == 1
