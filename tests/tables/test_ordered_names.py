"""The order of parts in a column."""

import pytest

from sklearn_spe.tables._ordered_names import ordered_names


@pytest.mark.parametrize(
    "in_order",
    [
        ["-1", "0.5", "2", "10"],
        ["01", "02", "10"],
        ["2025-11", "2025-12", "2026-01"],
        ["2025-Q4", "2026-Q1"],
        ["2025-W52", "2026-W01"],
        ["2025-12-31", "2026-01-01"],
        ["2026-01-01T09:00", "2026-01-01T10:00"],
    ],
    ids=lambda names: names[0],
)
def test_numbers_and_dates_have_an_order_of_their_own(in_order):
    assert ordered_names([*reversed(in_order), *in_order]) == in_order


@pytest.mark.parametrize(
    "first_come",
    [["low", "high"], ["2026-2", "2026-10", "2026-1"], ["31/12/2025", "01/01/2026"], ["9", "8b"]],
    ids=lambda names: names[0],
)
def test_all_others_stand_as_they_first_come(first_come):
    assert ordered_names([*first_come, *reversed(first_come)]) == first_come
