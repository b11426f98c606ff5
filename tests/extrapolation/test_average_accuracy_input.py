"""What may be passed to `average_accuracy_curve`: labels, numbers of classes, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import average_accuracy_curve
from tests.extrapolation.pilots import counted_curve, tied_scores

# One table: it stands in the lists of cases below, and what is asked of it is how it is read.
SCORES, Y = tied_scores(6, 15, 0)
CURVE = average_accuracy_curve(Y, SCORES)


# --- labels -----------------------------------------------------------------------------------


def test_a_class_without_items_shifts_no_column():
    kept = Y != 2
    curve = average_accuracy_curve(Y[kept], SCORES[kept], labels=np.arange(6))
    # Items of class 2 have weight 0.
    weighted = average_accuracy_curve(Y, SCORES, sample_weight=kept.astype(float))
    assert_allclose(curve, weighted, rtol=1e-13)
    # Its column is a wrong class like any other.
    expected = counted_curve(SCORES[kept], Y[kept])
    assert_allclose(curve, expected, rtol=0.0, atol=1e-12)


def test_permuted_labels_name_permuted_columns():
    order = np.random.default_rng(1).permutation(6)
    assert_allclose(average_accuracy_curve(Y, SCORES[:, order], labels=order), CURVE, rtol=1e-13)
    # The permutation is one that matters.
    assert abs(average_accuracy_curve(Y, SCORES[:, order]) - CURVE).max() > 1e-3


@pytest.mark.parametrize(
    "names",
    [
        ["f", "e", "d", "c", "b", "a"],
        np.array(["f", "e", "d", "c", "b", "a"], dtype=object),
        [10, 7, 5, 3, 2, 1],
        [0.5, 0.25, -1.0, -2.0, -3.0, -4.0],
    ],
    ids=["str", "object", "int", "float"],
)
def test_classes_have_any_names(names):
    y = np.asarray(names)[Y]
    assert_array_equal(average_accuracy_curve(y, SCORES, labels=names), CURVE)
    # Without labels the columns are the sorted classes.
    order = np.argsort(names)
    assert_array_equal(average_accuracy_curve(y, SCORES[:, order]), CURVE)


def test_two_classes_may_be_true_and_false():
    curve = average_accuracy_curve([False, True, True], [[2.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert_allclose(curve, [1.0, 3.0 / 4.0], rtol=1e-15)


# --- numbers of classes -----------------------------------------------------------------------


def test_a_number_gets_a_number_and_several_get_an_array():
    single = average_accuracy_curve(Y, SCORES, n_classes=3)
    assert type(single) is float
    assert single == CURVE[2]
    for one in (np.int32(3), np.array(3), 3.0):
        assert average_accuracy_curve(Y, SCORES, n_classes=one) == CURVE[2]
    several = average_accuracy_curve(Y, SCORES, n_classes=[6, 1, 3, 3])
    assert_array_equal(several, CURVE[[5, 0, 2, 2]])
    assert_array_equal(average_accuracy_curve(Y, SCORES, n_classes=[4]), CURVE[[3]])
    assert CURVE.shape == (6,)
    with pytest.raises(ValueError, match="must not be empty"):
        average_accuracy_curve(Y, SCORES, n_classes=[])


@pytest.mark.parametrize(
    ("n_classes", "error", "message"),
    [
        (0, ValueError, "n_classes must be whole numbers of at least 1, got 0"),
        (-3, ValueError, "at least 1, got -3"),
        (1.5, ValueError, "whole numbers of at least 1, got 1.5"),
        (np.nan, ValueError, "whole numbers of at least 1, got nan"),
        (np.inf, ValueError, "n_classes must be finite, got inf"),
        (-np.inf, ValueError, "got -inf"),
        ([2, 0, 3], ValueError, "got 0"),
        (7, ValueError, "at most 6, the number of columns of scores, got 7; AccuracyExtrapolator"),
        ([1, 7], ValueError, "got 7"),
        (1e300, ValueError, "at most 6"),
        ("a", TypeError, r"n_classes must be a .*number, or .*; got 'a'"),
        (True, TypeError, "got True"),
        (2j, TypeError, "got 2j"),
        ([[1, 2]], ValueError, "n_classes must be a number or a vector"),
    ],
)
def test_numbers_of_classes_that_there_are_not_are_named(n_classes, error, message):
    with pytest.raises(error, match=message):
        average_accuracy_curve(Y, SCORES, n_classes=n_classes)


# --- errors -----------------------------------------------------------------------------------


def with_value(value):
    scores = SCORES.copy()
    scores[4, 2] = value
    return scores


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, r"\+inf")])
def test_scores_that_are_none_are_named_with_their_place(value, name, dtype):
    with pytest.raises(ValueError, match=f"got {name} in row 4, column 2"):
        average_accuracy_curve(Y, with_value(value).astype(dtype))


def test_scores_whose_sum_overflows_are_scores():
    scores = np.where(SCORES > 2.0, 1e308, SCORES)
    assert (scores[0] > 1e307).sum() > 1
    ranks = np.where(SCORES > 2.0, 10.0, SCORES)
    assert_array_equal(average_accuracy_curve(Y, scores), average_accuracy_curve(Y, ranks))


@pytest.mark.parametrize(
    ("y", "scores", "options", "message"),
    [
        (Y, SCORES.T, {}, r"a row for each of the 15 items .* got shape \(6, 15\): .* X\.T"),
        (Y[:7], SCORES, {}, "inconsistent numbers of samples"),
        (Y, SCORES[:, :1], {}, r"at least two classes, got 1 .* \(15, 1\); .* both columns"),
        (Y, SCORES[:, 0], {}, "Expected 2D array, got 1D array"),
        (Y[:, np.newaxis] + np.eye(15, 2, dtype=int), SCORES, {}, r"1d array|shape"),
        (Y[Y != 2], SCORES[Y != 2], {}, r"y holds 5 classes, but there are 6 columns .* labels="),
        (Y + 1, SCORES, {"labels": np.arange(6)}, "y holds .*6.* not the class of any column"),
        (Y - 1, SCORES, {"labels": np.arange(6)}, "y holds .*-1.* not the class of any column"),
        (Y + 0.5, SCORES, {"labels": np.arange(6)}, "not the class of any column"),
        (Y.astype(str), SCORES, {"labels": np.arange(6)}, "not the class of any column"),
        (Y, SCORES, {"labels": np.arange(6).astype(str)}, "not the class of any column"),
        (Y, SCORES, {"labels": np.arange(5)}, "each of the 6 columns of scores, got 5"),
        (Y, SCORES, {"labels": np.arange(7)}, "each of the 6 columns of scores, got 7"),
        (Y, SCORES, {"labels": [0, 1, 2, 3, 4, 4]}, "labels must be distinct"),
        (Y, SCORES, {"sample_weight": np.ones(14)}, "sample_weight must"),
        (Y, SCORES, {"sample_weight": -np.eye(15)[0] + 1e-3}, "sample_weight must be finite"),
        (Y, SCORES, {"sample_weight": np.zeros(15)}, "at least one must be positive"),
        (Y, SCORES, {"sample_weight": np.full(15, np.nan)}, "sample_weight must be finite"),
        (Y, SCORES, {"sample_weight": np.full(15, np.inf)}, "sample_weight must be finite"),
        (Y, SCORES, {"average": "weighted"}, "average must be one of macro, micro; got 'weighted'"),
        (Y, SCORES, {"average": None}, "average must be one of macro, micro; got None"),
    ],
)
def test_what_does_not_fit_together_is_named(y, scores, options, message):
    with pytest.raises(ValueError, match=message):
        average_accuracy_curve(y, scores, **options)


def test_an_item_that_does_not_count_may_be_of_any_class_but_of_no_strange_one():
    weights = np.ones(15)
    weights[0] = 0.0
    y = Y.copy()
    y[0] = 9
    with pytest.raises(ValueError, match="not the class of any column"):
        average_accuracy_curve(y, SCORES, labels=np.arange(6), sample_weight=weights)
