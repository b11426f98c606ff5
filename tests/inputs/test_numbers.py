from collections import deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sklearn_spe.inputs._validation import (
    as_features,
    as_numbers,
    as_tuple,
    as_vector,
    check_count,
    check_counts,
    check_draws,
    check_features,
    check_file_name,
    check_flag,
    check_jobs,
    check_number,
    check_schema_version,
)


@pytest.mark.parametrize("value", [1, 7, np.int32(3), np.uint8(200)])
def test_whole_numbers_pass_as_ints(value):
    assert check_count(value, "n") == value
    assert type(check_count(value, "n")) is int


@pytest.mark.parametrize(
    "value", [True, 1.0, "3", None, np.array([2]), np.timedelta64(3, "D")], ids=repr
)
def test_what_is_no_whole_number_is_named(value):
    with pytest.raises(TypeError, match="n_draws must be a whole number, got"):
        check_count(value, "n_draws")


def test_too_small_and_too_large_a_count_is_named():
    with pytest.raises(ValueError, match="n_points must be at least 2, got 1"):
        check_count(1, "n_points", 2)
    assert check_count(2**53, "n_points") == 2**53
    with pytest.raises(ValueError, match=r"n_points must be at most 2\*\*53, got 9007199254740993"):
        check_count(2**53 + 1, "n_points")


def test_an_interval_needs_ten_draws():
    assert check_draws(np.int64(10)) == 10
    with pytest.raises(ValueError, match=r"n_draws must be at least 10, got 9: .*n_draws=1000"):
        check_draws(9)


@pytest.mark.parametrize("n_jobs", [None, 1, -1, np.int64(2), 2**15, -(2**15)])
def test_numbers_of_workers_are_those_of_joblib(n_jobs):
    check_jobs(n_jobs)


@pytest.mark.parametrize(
    ("n_jobs", "error", "says"),
    [
        (True, TypeError, "n_jobs must be None or a whole number, got True"),
        (2.0, TypeError, r"n_jobs must be None or a whole number, got 2\.0"),
        (0, ValueError, "-1 for all processors, .*; got 0"),
        (-(2**15) - 1, ValueError, "a number of workers from 1 to 32768, .*; got -32769"),
    ],
)
def test_other_numbers_of_workers_are_refused(n_jobs, error, says):
    with pytest.raises(error, match=says):
        check_jobs(n_jobs)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (3, np.int64),
        ([1, 2.0], np.int64),
        (np.array([[1], [2]], dtype=np.uint8), np.int64),
        (pd.Series([4.0, 5.0]), np.int64),
        # What int64 does not hold stays a float.
        ([1.0, 2.0**63], np.float64),
    ],
    ids=repr,
)
def test_counts_keep_their_shape_and_value(values, dtype):
    counts = check_counts(values, "counts")
    assert counts.dtype == dtype
    assert np.array_equal(counts, np.asarray(values))


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        ([1, 2.5], ValueError, r"counts must be whole numbers of at least 1, got 2\.5"),
        ([[1], [0]], ValueError, "at least 1, got 0"),
        ([np.inf], ValueError, "at least 1, got inf"),
        (np.nan, ValueError, "at least 1, got nan"),
        ([[1], [1, 2]], ValueError, "counts has rows of different length"),
        (["1"], TypeError, r"counts must be a whole number or a list of them; got \['1'\]"),
        (None, TypeError, "a list of them; got None"),
    ],
)
def test_what_are_no_counts_is_named(values, error, says):
    with pytest.raises(error, match=says):
        check_counts(values, "counts")


@pytest.mark.parametrize("value", [1, 0, "False", None, np.array([True])], ids=repr)
def test_a_flag_is_a_boolean(value):
    assert check_flag(np.True_, "ref_line") is True
    with pytest.raises(TypeError, match="ref_line must be True or False, got"):
        check_flag(value, "ref_line")


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


@pytest.mark.parametrize("value", [True, "0.5", None, 1j, np.timedelta64(3, "D")])
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


# --- numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [1, 2.5],
        (1, 2.5),
        np.array([1, 2.5], dtype=np.float32),
        np.array([1, 2.5], dtype=object),
        [Decimal(1), Decimal("2.5")],
        np.ma.array([1, 2.5], mask=False),
    ],
    ids=["list", "tuple", "float32", "objects", "decimals", "nothing masked"],
)
def test_numbers_in_any_form_are_numbers(values):
    numbers = as_numbers(values, "X")
    assert numbers.dtype == np.float64
    assert numbers.tolist() == [1.0, 2.5]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_missing_numbers_of_a_table_are_nan(library):
    series = pytest.importorskip(library).Series
    assert np.array_equal(as_numbers(series([1.5, None, 2.0]), "X"), [1.5, np.nan, 2.0], True)


def test_missing_whole_numbers_of_pandas_are_nan():
    pd = pytest.importorskip("pandas")
    whole = pd.Series([1, None, 2], dtype="Int64")
    assert np.array_equal(as_numbers(whole, "X"), [1.0, np.nan, 2.0], equal_nan=True)


BIG = 2**53 + 1


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        (None, TypeError, "must be an array.*got None"),
        (3.0, TypeError, r"must be an array.*got 3\.0"),
        ("abc", TypeError, "must be an array.*got 'abc'"),
        ({"a": 1.0}, TypeError, "must be an array.*got {'a'"),
        (sparse.eye(3).tocsr(), TypeError, r"sparse matrix.*X\.toarray"),
        ([[1.0], [2.0, 3.0]], ValueError, "rows of different length"),
        (np.ma.array([1.0, 2.0], mask=[True, False]), ValueError, "masked.*Drop.*fill"),
        ([np.ma.array([1.0, 2.0], mask=[True, False])], ValueError, "masked.*Drop.*fill"),
        (np.array([1j, 2.0]), ValueError, "Complex data not supported"),
        (np.array([1j, 2.0], dtype=object), ValueError, "Complex data not supported"),
        (["0.5", "0.7"], ValueError, r"the text '0\.5'.*to_numeric"),
        ([0.5, "0.7"], ValueError, r"the text '0\.[57]'.*to_numeric"),
        (np.array([0.5, "x"], dtype=object), ValueError, "the text 'x'"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), TypeError, "must hold numbers, got dty"),
        ([{"a": 1}, 2.0], TypeError, "must hold numbers: .*dict"),
        (np.array([BIG, 1]), ValueError, f"whole number {BIG}.*rankdata"),
        (np.array([BIG, 1], dtype=np.uint64), ValueError, f"whole number {BIG}"),
        (np.array([-BIG, 1]), ValueError, f"whole number -{BIG}"),
        (np.array([np.iinfo(np.int64).min, 1]), ValueError, "whole number -9223372036854775808"),
        ([BIG, 0.5], ValueError, f"whole number {BIG}"),
        ([10 * 2**64, 1], ValueError, f"whole number {10 * 2**64}"),
        ([Fraction(10**400, 3)], ValueError, "numbers of float64: .*too large"),
    ],
)
def test_what_would_be_converted_to_something_else_is_refused(values, error, says):
    with pytest.raises(error, match=says):
        as_numbers(values, "X")


def test_whole_numbers_that_float64_holds_are_kept():
    assert as_numbers(np.array([2**53, -(2**53)]), "X").tolist() == [2.0**53, -(2.0**53)]
    # A float says itself how exact it is.
    assert as_numbers([1e300, 2.0], "X").tolist() == [1e300, 2.0]


def test_whole_numbers_beside_floats_of_a_frame_are_seen():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=f"whole number {BIG}"):
        as_numbers(pd.DataFrame({"a": [BIG, 1], "b": [0.5, 0.5]}), "X")


def test_a_vector_has_an_entry_for_each_item():
    with pytest.raises(ValueError, match=r"weight must have shape \(3,\).*got \(2,\)"):
        as_vector([1.0, 2.0], "weight", 3)


# --- lists, features and files -----------------------------------------------------------


@pytest.mark.parametrize(
    "values", [["a", "b"], ("a", "b"), np.array(["a", "b"]), pd.Series(["a", "b"]), deque("ab")]
)
def test_a_list_in_any_form_is_a_tuple(values):
    assert as_tuple(values, "names", "names") == ("a", "b")


@pytest.mark.parametrize(
    "values", ["ab", b"ab", {"a": 1}, {"a", "b"}, 3, np.array("a"), np.float64(1.0), tuple]
)
def test_what_is_no_list_is_named(values):
    with pytest.raises(TypeError, match="names must be a list of curves; got "):
        as_tuple(values, "names", "curves")


def test_a_table_is_no_list():
    table = pytest.importorskip("polars").DataFrame({"a": [1, 2], "b": [3, 4]})
    assert as_tuple(table[["a"]], "names", "curves") == (1, 2)
    with pytest.raises(TypeError, match="names must be a list of curves; got "):
        as_tuple(table, "names", "curves")


def test_features_are_finite_rows():
    assert as_features([1, 2], 2).tolist() == [[1.0], [2.0]]
    assert as_features([[1, 2]], 1).tolist() == [[1.0, 2.0]]
    for values in ([1, 2, 3], np.ones((2, 1, 1))):
        with pytest.raises(ValueError, match=r"features must have shape \(2, n_features\), got"):
            as_features(values, 2)
    with pytest.raises(ValueError, match="features must be finite; impute missing values"):
        as_features([1.0, np.nan], 2)


class Rows:
    """What numpy converts, and has no shape."""

    def __array__(self, dtype=None, copy=None):
        return np.ones((2, 1))


@pytest.mark.parametrize("X", [Rows(), [[1], [2]], ["a text", "another"], sparse.eye_array(2)])
def test_features_that_only_the_classifier_reads_have_rows(X):
    check_features(X, "X")


@pytest.mark.parametrize(
    ("X", "error", "says"),
    [
        *((X, TypeError, "X must hold a row for each item; got") for X in (3, "ab", {"a": 1})),
        (np.array(3.0), TypeError, r"X must hold a row for each item; got array\(3\.\)"),
        (np.ndarray, TypeError, "X must hold a row for each item; got"),
        ([], ValueError, "X holds no row"),
        (np.ones((2, 0)), ValueError, r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1"),
        (np.array([[1j]]), ValueError, "Complex data not supported: X has values of type complex"),
        (np.ma.array([[1.0]], mask=True), ValueError, r"X is a masked array, .* X\.filled"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, "X has several columns of one"),
    ],
)
def test_what_has_no_row_or_no_feature_is_refused(X, error, says):
    with pytest.raises(error, match=says):
        check_features(X, "X")


def test_files_have_names():
    for path in ("t.csv", Path("folder") / "t.csv"):
        check_file_name(path)
    for path in ("", "/", "a\0b"):
        with pytest.raises(ValueError, match="path must be the name of a file, got"):
            check_file_name(path)
    for path in (3, b"t.csv", None):
        with pytest.raises(TypeError, match="path must be the name of a file, got"):
            check_file_name(path)
