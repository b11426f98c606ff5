"""Columns that say of which part each item is."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_spe.inputs._groups import Partition


def read(values, n_items=None, what="category"):
    return Partition.read(values, what, len(values) if n_items is None else n_items)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["b", "a", "b"], ["a", "b"]),
        (np.array([3, 1, 3]), [1, 3]),
        ([3.0, 1.0, 3.0], [1.0, 3.0]),
        ([True, False, True], [False, True]),
        ([("x", 2), ("x", 1), ("x", 2)], [("x", 1), ("x", 2)]),
    ],
    ids=str,
)
def test_parts_are_named_in_order_and_found_by_name(values, names):
    parts = read(values)
    assert parts.names.tolist() == names
    assert [parts.names[code] for code in parts.codes] == list(values)
    assert [parts.number_of(name) for name in names] == [0, 1]
    assert parts.members(1).tolist() == [0, 2]
    assert not parts.is_ordered


def test_an_ordered_categorical_keeps_its_order_of_what_is_there():
    pd = pytest.importorskip("pandas")
    months = pd.Categorical(["Mar", "Jan", "Mar"], ["Jan", "Feb", "Mar"], ordered=True)
    for values in (months, pd.Series(months)):
        parts = read(values)
        assert parts.names.tolist() == ["Jan", "Mar"]
        assert parts.codes.tolist() == [1, 0, 1]
        assert parts.is_ordered
    bins = read(pd.cut([0.2, 0.9, 0.1], [0.0, 0.5, 1.0]))
    assert bins.codes.tolist() == [0, 1, 0]
    assert bins.number_of(pd.Interval(0.5, 1.0)) == 1


@pytest.mark.parametrize("missing", [None, np.nan, "pandas"])
def test_missing_values_are_an_error_naming_the_first(missing):
    if missing == "pandas":
        missing = pytest.importorskip("pandas").NA
    for rest in ("a", 1.0):
        values = np.array([rest, rest, missing, rest, missing], dtype=object)
        with pytest.raises(ValueError, match="groups has 2 missing values, the first at row 2"):
            read(values, what="groups")


@pytest.mark.parametrize("number", [0.5, np.inf])
def test_what_is_measured_is_no_part(number):
    with pytest.raises(ValueError, match=rf"got the number {number}\. .*Bin continuous values"):
        read(np.array([1.0, number, 2.0]))


def test_numbers_beside_text_are_an_error():
    with pytest.raises(ValueError, match="category mixes numbers and text"):
        read(["1", 1, "2"])
    with pytest.raises(ValueError, match=r"category must hold names, .* got \[1\]"):
        read([[2], [1], [1]], 3)
    with pytest.raises(ValueError, match="category has several columns of one name"):
        read(pytest.importorskip("pandas").DataFrame([[1, 2]] * 3, columns=["a", "a"]), 3)


@pytest.mark.parametrize(
    "values",
    ["abc", 3, {"a": 1}, {"a", "b", "c"}, iter("abc"), np.dtype(float), np.dtypes.Float64DType],
    ids=type,
)
def test_what_is_no_column_is_an_error(values):
    with pytest.raises(TypeError, match=r"one category for each item, .* column such as frame"):
        read(values, 3)


@pytest.mark.parametrize("asked", ["1", True, 3, np.nan, [1], np.array([1, 2]), None], ids=repr)
def test_what_has_not_the_name_of_a_part_is_none(asked):
    with pytest.raises(ValueError, match=r"category=.* is none of 1, 2\."):
        read([1, 2]).number_of(asked)


def test_a_sparse_column_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"pass category.toarray\(\)"):
        read(sparse.csr_array(np.ones((1, 3))), 3)


def days(n):
    return np.datetime64("2026-01-01") + np.arange(n)


@pytest.mark.parametrize("as_text", [False, True])
def test_unordered_days_are_asked_about(as_text):
    values = np.repeat(days(13), 50)
    values = values.astype(str) if as_text else values
    with pytest.raises(ValueError, match=r"13 different days, such as '2026-01-01.*groups="):
        Partition.read_categories(values, len(values))
    few = values[: 12 * 50]
    assert Partition.read_categories(few, len(few)).n_parts == 12


def test_months_and_ordered_days_are_categories():
    pd = pytest.importorskip("pandas")
    months = np.repeat(np.arange("2024-01", "2026-01", dtype="datetime64[M]"), 5)
    for values in (months.astype("datetime64[D]"), months.astype(str)):
        assert Partition.read_categories(values, len(values)).n_parts == 24
    ordered = pd.Categorical(np.repeat(days(20), 5).astype(str), ordered=True)
    assert Partition.read_categories(ordered, len(ordered)).is_ordered


def test_a_category_of_nearly_every_item_is_asked_about():
    values = np.arange(100) // 2
    assert Partition.read_categories(values, 100).n_parts == 50
    for more in (np.r_[values, 99], np.arange(31)):
        with pytest.raises(ValueError, match="nearly every item would be a separate subgroup"):
            Partition.read_categories(more, len(more))
    assert Partition.read_categories(np.arange(30), 30).n_parts == 30
    # What has been read is not read again, and groups may be as many as they are.
    parts = Partition.read(np.arange(100), "category", 100)
    assert Partition.read_categories(parts, 100) is parts
    assert Partition.read(np.arange(100), "groups", 100).n_parts == 100
