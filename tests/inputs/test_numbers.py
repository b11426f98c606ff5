from fractions import Fraction

import numpy as np
import pytest

from sklearn_spe.inputs._validation import check_count, check_number, check_schema_version


@pytest.mark.parametrize("value", [1, 7, np.int32(3), np.uint8(200)])
def test_whole_numbers_pass_as_ints(value):
    assert check_count(value, "n") == value
    assert type(check_count(value, "n")) is int


@pytest.mark.parametrize("value", [True, 1.0, "3", None, np.array([2])])
def test_what_is_no_whole_number_is_named(value):
    with pytest.raises(TypeError, match="n_draws must be a whole number, got"):
        check_count(value, "n_draws")


def test_too_small_a_count_is_named():
    with pytest.raises(ValueError, match="n_points must be at least 2, got 1"):
        check_count(1, "n_points", 2)


@pytest.mark.parametrize(
    ("interval", "inside", "outside"),
    [
        ("(0, 1)", [1e-9, 0.5], [0.0, 1.0, -1]),
        ("(0, 1]", [1e-9, 1], [0, 1.1]),
        ("[0, 1]", [0, 1, np.float32(0.5)], [-1e-9, 1.1]),
        ("[0, inf)", [0.0, 1e300], [-1, np.inf]),
        ("[0, 1e6]", [np.float16(0.5), Fraction(1, 4), 10**6], [np.float16(-1.0), 10**400]),
        ("(-inf, inf)", [0, -1e300], [np.inf, -np.inf]),
    ],
)
def test_numbers_lie_inside_their_interval_and_nan_in_none(interval, inside, outside):
    for value in inside:
        assert check_number(value, "x", interval) == value
    for value in (*outside, np.nan):
        with pytest.raises(ValueError, match=r"x must lie in"):
            check_number(value, "x", interval)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j])
def test_what_is_no_number_is_named(value):
    with pytest.raises(TypeError, match="level must be a number in"):
        check_number(value, "level", "(0, 1)")


@pytest.mark.parametrize("version", [2, 3, np.int64(3)])
def test_schema_versions_in_the_range_are_read(version):
    check_schema_version(version, "It", 2, 3, "write it again")


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (None, "It has the schema version 1, .* reads versions 2 to 3: write it again"),
        (1, "It has the schema version 1, .* reads versions 2 to 3: write it again"),
        (4, "It has the schema version 4, .* reads versions 2 to 3: update sklearn-spe"),
        (True, "schema version True, which is not a whole number"),
        ("3", "schema version '3', which is not a whole number"),
    ],
)
def test_other_schema_versions_are_refused_with_the_remedy(version, message):
    with pytest.raises(ValueError, match=message):
        check_schema_version(version, "It", 2, 3, "write it again")
