"""Dates in cells, and the order of the names in a column."""

from datetime import date, timedelta

import pytest

from sklearn_spe.application.tables._dates import (
    UNITS,
    CellDate,
    are_days,
    are_in_no_order,
    ordered_names,
    periods_in,
)


@pytest.mark.parametrize(
    "in_order",
    [
        ["-1", "0.5", "2", "10"],
        ["01", "02", "10"],
        ["2025-11", "2025-12", "2026-01"],
        ["2025-Q4", "2026-Q1"],
        ["2025-W52", "2026-W01"],
        ["2025-12-31", "2026-01-01"],
        ["2025/12/31", "2026/01/01"],
        ["2026-01-01T09:00", "2026-01-01T10:00"],
    ],
    ids=lambda names: names[0],
)
def test_numbers_and_dates_have_an_order_of_their_own(in_order):
    assert ordered_names([*reversed(in_order), *in_order]) == in_order


DAYS = [
    ["2026-02-03", "2026-02-04T10:00:00"],
    ["20260203", "19991231"],
    ["03.02.2026", "4.2.2026"],
    ["31/12/2025", "1/2/26"],
    ["2026/2/3", "2026.02.03 10:00"],
    ["03.02.26", "04.02.26"],
]


@pytest.mark.parametrize("names", DAYS, ids=lambda names: names[0])
def test_days_are_recognized(names):
    assert are_days(names)


@pytest.mark.parametrize(
    ("names", "in_no_order"),
    [
        (["31/12/2025", "01/01/2026"], True),
        (["03.02.2026", "04.02.2026"], True),
        (["2026-2", "2026-10"], True),
        (["02.2026", "10.2026"], True),
        (["2026.02", "2026.10"], False),
        (["2026/02/03", "2026/10/01"], False),
        (["0.2019", "12.3456"], False),
        (["02/2026", "10/2026"], True),
        (["2026-02-03", "2026-02-04 10:00"], True),
        (["2026-02-03", "2026-02-04"], False),
        (["2026-02", "2026-10"], False),
        (["20260203", "20260204"], False),
        (["Jan", "Feb"], False),
        (["low", "high"], False),
        (["1.5", "2.5"], False),
    ],
)
def test_dates_that_text_leaves_unordered(names, in_no_order):
    assert are_in_no_order(names) == in_no_order


WRITTEN = {
    "%Y-%m-%d": False,
    "%Y/%m/%d %H:%M": False,
    "%Y%m%d": False,
    "%d.%m.%Y": False,
    "%d.%m.%y": False,
    "%d/%m/%Y": False,
    "%m/%d/%Y": True,
    "%d-%m-%Y": False,
    "%m/%d/%y": True,
    "%d %b %Y": False,
    "%d-%b-%Y": False,
    "%B %d, %Y": False,
}
DATES = [date(2023, 12, 25) + timedelta(days=5 * i) for i in range(80)]


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("unit", UNITS)
def test_a_date_is_in_the_period_that_the_calendar_says(form, unit):
    written = {day.strftime(form): day for day in DATES}
    found = periods_in(written, unit, "'day'")
    named = {
        "year": lambda day: day.strftime("%Y"),
        "quarter": lambda day: f"{day.year}-Q{[1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4][day.month - 1]}",
        "month": lambda day: day.strftime("%Y-%m"),
        "week": lambda day: day.strftime("%G-W%V"),
        "day": lambda day: day.strftime("%Y-%m-%d"),
    }
    assert found == {text: named[unit](day) for text, day in written.items()}
    # Names sort in the order of time.
    assert sorted(set(found.values())) == list(dict.fromkeys(map(named[unit], DATES)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1/2/2026", "3/4/2026"], "may have the day or the month first, and no cell shows which"),
        (["25/2/2026", "3/14/2026"], "some one way and some the other"),
    ],
)
def test_the_day_or_the_month_first_is_not_guessed(cells, message):
    with pytest.raises(ValueError, match=message):
        periods_in(cells, "month", "'day'")


def test_what_is_no_date_or_has_no_day_is_in_no_period():
    cells = ["2026-02", "2/2026", "Feb 2026", "31.2.2026", "soon", "2026-02-03"]
    months = ["2026-02", "2026-02", "2026-02", None, None, "2026-02"]
    assert list(periods_in(cells, "month", "'day'").values()) == months
    weeks = [None, None, None, None, None, "2026-W06"]
    assert list(periods_in(cells, "week", "'day'").values()) == weeks
    assert CellDate.of("29.02.2024").first == date(2024, 2, 29)
    assert CellDate.of("29.02.2023") is None
