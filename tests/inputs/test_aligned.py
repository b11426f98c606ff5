"""Rows of pandas are paired by their index, where two of them have one."""

import numpy as np
import pytest

from sklearn_spe.inputs._validation import check_aligned, check_aligned_with, check_labels_of


def test_one_index_or_none_is_no_contradiction():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"score": [0.3, 0.1, 0.2]}, index=list("cab"))
    check_aligned(X=X, y=pd.Series([1, 0, 1], index=list("cab")), sample_weight=None)
    check_aligned(X=X, y=np.array([1, 0, 1]), sample_weight=[1, 1, 1])
    # An index may name rows twice, and have several levels.
    levels = pd.MultiIndex.from_tuples([("a", 0), ("a", 0), ("b", 1)])
    check_aligned(X=X.set_index(levels), y=pd.Series([1, 0, 1], index=levels))
    # Lengths are checked by others.
    check_aligned(X=X, y=pd.Series([1, 0]))


@pytest.mark.parametrize(
    ("index", "how"),
    [
        (["a", "b", "c"], "the same index in another order: row 0 is 'c' in X but 'a' in y"),
        (["c", "a", "d"], "different indexes: row 2 is 'b' in X but 'd' in y"),
        (None, "different indexes: row 0 is 'c' in X but 0 in y"),
    ],
)
def test_another_index_is_refused_with_both_remedies(index, how):
    pd = pytest.importorskip("pandas")
    X = pd.Series([0.3, 0.1, 0.2], index=list("cab"))
    with pytest.raises(ValueError, match=rf"{how}.*y\.reindex\(X\.index\).*y\.to_numpy\(\)"):
        check_aligned(X=X, y=pd.Series([1, 0, 1], index=index))


def test_an_index_may_miss_a_label():
    pd = pytest.importorskip("pandas")
    X = pd.Series([0.3, 0.1], index=pd.Index([pd.NA, 1], dtype=object))
    check_aligned(X=X, y=X.copy())
    with pytest.raises(ValueError, match="different indexes: row 0 is <NA> in X but 2 in y"):
        check_aligned(X=X, y=pd.Series([0, 1], index=pd.Index([2, 1], dtype=object)))


def test_each_of_several_inputs_is_compared():
    pd = pytest.importorskip("pandas")
    X, category = pd.Series([1.0, 2.0]), pd.Series(["a", "b"], index=[1, 0])
    with pytest.raises(ValueError, match="X and category have the same index in another order"):
        check_aligned(X=X, y=[0, 1], category=category)


def test_what_is_given_later_has_the_index_of_the_fit():
    pd = pytest.importorskip("pandas")
    X, y = pd.Series([1.0, 2.0], index=["a", "b"]), pd.Series([0, 1], index=["b", "a"])
    # A fit to an array had none.
    check_aligned_with(None, "X", y=y)
    check_aligned_with(X.index, "X", y=y.reindex(X.index), sample_weight=[1.0, 1.0])
    message = "X and y have the same index in another order: row 0 is 'a' in X but 'b' in y"
    with pytest.raises(ValueError, match=message):
        check_aligned_with(X.index, "X", y=y)
    # The columns of a mapping are compared one by one.
    with pytest.raises(ValueError, match=r"X and of_rows\['age'\] have the same index"):
        check_aligned_with(X.index, "X", of_rows={"sex": y.to_numpy(), "age": y})


ITEMS = [2, 0]


@pytest.mark.parametrize(
    ("index", "of_items"),
    [
        (["b", "a"], ["a", "c", "b"]),
        (ITEMS, ["a", "c", "b"]),
        (ITEMS, None),
        # The default index names no items.
        ([0, 1], ["a", "c", "b"]),
        (["x", "y"], None),
    ],
    ids=str,
)
def test_labels_have_the_index_of_their_items_their_numbers_or_none(index, of_items):
    pd = pytest.importorskip("pandas")
    labels = pd.Series([1, 0], index=index)
    of_items = None if of_items is None else pd.Index(of_items)
    check_labels_of(ITEMS, labels, of_items)
    # Without an index, with other lengths or names of items: not compared here.
    for items, values in ((ITEMS, [1, 0]), ([2], labels), (["b", "a"], labels[::-1])):
        check_labels_of(items, values, of_items)


@pytest.mark.parametrize(
    ("index", "of_items", "says"),
    [
        (["a", "b"], ["a", "c", "b"], "row 0 is 'a' in labels, but item 2 is 'b'"),
        (["b", "d"], ["a", "c", "b"], "row 1 is 'd' in labels, but item 0 is 'a'"),
        (ITEMS[::-1], None, "row 0 is 0 in labels, but item 2 is 2"),
    ],
)
def test_labels_of_other_items_or_in_another_order_are_refused(index, of_items, says):
    pd = pytest.importorskip("pandas")
    labels = pd.Series([1, 0], index=index)
    of_items = None if of_items is None else pd.Index(of_items)
    with pytest.raises(ValueError, match=rf"{says}\. If .*labels\.to_numpy\(\)"):
        check_labels_of(ITEMS, labels, of_items)
