"""Every way to write a partially labelled y, and every way to write it so that nobody can tell."""

import re

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from sklearn_spe.exceptions import LabelMarkerWarning, ParameterError
from sklearn_spe.inputs._labels import (
    BinaryLabels,
    EncodedLabels,
    check_label_names,
    encode_labels,
    is_unlabeled,
    positive_class,
    read_classes,
)

NAN = float("nan")


def assert_encoded(y, codes, found, **options):
    got = encode_labels(y, **options)
    assert (got[0].tolist(), got[1].tolist()) == (codes, found)


# --- what marks an item that is not labelled ----------------------------------------------


@pytest.mark.parametrize("missing", [-1, -1.0, None, NAN, np.nan, np.float32("nan")], ids=repr)
@pytest.mark.parametrize("classes", [[0, 1], ["ham", "spam"], [False, True]], ids=str)
def test_missing_values_and_minus_one_mark_whatever_the_type_of_the_classes(missing, classes):
    assert_encoded([classes[0], missing, classes[1]], [0, -1, 1], classes)
    assert_encoded(np.array([classes[1], missing, classes[0]], object), [1, -1, 0], classes)


def test_arrays_without_room_for_a_marker_are_fully_labeled():
    assert_encoded(np.array([True, False]), [1, 0], [False, True])
    assert_encoded(np.array([1, 0], np.uint8), [1, 0], [0, 1])
    assert_encoded(np.array(["b", "a"]), [1, 0], ["a", "b"])


@pytest.mark.parametrize(
    ("values", "dtype", "codes", "classes"),
    [
        ([1, 0, None], "Int64", [1, 0, -1], [0, 1]),
        ([1, 0, -1], "Int64", [1, 0, -1], [0, 1]),
        ([1.0, 0.0, None], "Float64", [1, 0, -1], [0, 1]),
        ([True, False, None], "boolean", [1, 0, -1], [False, True]),
        (["b", "a", None], "string", [1, 0, -1], ["a", "b"]),
        (["b", "a", None], "object", [1, 0, -1], ["a", "b"]),
        (["b", "a", None], "category", [1, 0, -1], ["a", "b"]),
        ([1, 0, None], "category", [1, 0, -1], [0, 1]),
        ([1, 0, None], None, [1, 0, -1], [0, 1]),
    ],
)
def test_missing_values_of_pandas_mark(values, dtype, codes, classes):
    pd = pytest.importorskip("pandas")
    series = pd.Series(values, dtype=dtype, index=[7, 8, 9])
    assert_encoded(series, codes, classes)
    assert_encoded(series.to_frame(), codes, classes)


@pytest.mark.parametrize(
    ("values", "classes"), [([1, 0, None], [0, 1]), (["b", "a", None], ["a", "b"])]
)
def test_nulls_of_polars_mark(values, classes):
    pl = pytest.importorskip("polars")
    assert_encoded(pl.Series(values), [1, 0, -1], classes)
    assert_encoded(pl.DataFrame({"y": values}), [1, 0, -1], classes)


# --- another marker ---------------------------------------------------------------------------


def test_unlabeled_label_replaces_minus_one():
    assert_encoded([-1, 9, 1, None], [0, -1, 1, -1], [-1, 1], unlabeled_label=9)
    assert_encoded(["a", "?", "b"], [0, -1, 1], ["a", "b"], unlabeled_label="?")
    assert_encoded(np.array(["a", "?", "b"]), [0, -1, 1], ["a", "b"], unlabeled_label="?")


def test_pandas_na_as_marker_leaves_the_marking_to_missing_values():
    pd = pytest.importorskip("pandas")
    assert_encoded([-1, 1, pd.NA], [0, 1, -1], [-1, 1], unlabeled_label=pd.NA)
    assert_encoded([1, None], [1, -1], [-1, 1], unlabeled_label=pd.NA, classes=[-1, 1])


# --- -1 as a class ----------------------------------------------------------------------------


def test_minus_one_among_classes_is_a_class_and_only_missing_values_mark():
    assert_encoded([-1, 1, NAN, None], [0, 1, -1, -1], [-1, 1], classes=[-1, 1])
    assert_encoded([1, None], [1, -1], [-1, 1], classes=[1, -1])


# --- classes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([], [0, 1]),
        ([None, -1], [0, 1]),
        ([0, None], [0, 1]),
        ([0, -1], [0, 1]),
        ([1, 1], [0, 1]),
        ([True, None], [False, True]),
        ([False], [False, True]),
    ],
    ids=str,
)
def test_convention_names_the_class_that_y_never_shows(y, classes):
    assert encode_labels(y)[1].tolist() == classes


@pytest.mark.parametrize("only", [2, "spam"])
def test_one_class_without_a_conventional_other_needs_classes(only):
    with pytest.raises(ValueError, match=f"have the class {only!r}, .* pass classes="):
        encode_labels([only, None])


def test_a_label_outside_the_given_classes_is_an_error():
    with pytest.raises(ValueError, match=r"y holds \['eggs'\], not among classes=\['ham'"):
        encode_labels(["eggs", "ham"], classes=["ham", "spam"])
    with pytest.raises(ValueError, match="not among classes"):
        encode_labels(["1", "0"], classes=[0, 1])


def test_three_classes_are_encoded_but_have_no_positive_one():
    assert_encoded([2, 0, 1, -1], [2, 0, 1, -1], [0, 1, 2])
    with pytest.raises(ValueError, match=r"Two classes are needed, got 3: \[0, 1, 2\]"):
        BinaryLabels.learn([2, 0, 1, -1])


# --- what cannot be told apart ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "kinds"),
    [
        ([0, "a", None], "numbers and strings"),
        ([True, 1, 0], "booleans and numbers"),
        ([True, "True"], "booleans and strings"),
    ],
)
def test_mixed_types_are_an_error(y, kinds):
    with pytest.raises(TypeError, match=f"mix {kinds}"):
        encode_labels(y)


@pytest.mark.parametrize("marker", [0, 1])
def test_what_marks_is_no_class_by_convention(marker):
    y = [1 - marker, marker, marker]
    with pytest.raises(ValueError, match=f"have the class {1 - marker}, .* pass classes="):
        BinaryLabels.learn(y, unlabeled_label=marker)
    labels, codes = BinaryLabels.read([2, marker, 3], pos_label=3, unlabeled_label=marker)
    assert (labels.classes.tolist(), codes.tolist()) == ([2, 3], [0, -1, 1])


@pytest.mark.parametrize(
    "y", [[b"a", b"b"], np.array([b"a"]), [(1, 2), 3], np.array([1j]), np.array(["2020"], "M8[Y]")]
)
def test_other_types_are_an_error(y):
    with pytest.raises(TypeError, match="A label must be a number, a string or a boolean"):
        encode_labels(y)


@pytest.mark.parametrize("y", [[[0, 1]], np.zeros((2, 2))], ids=str)
def test_labels_are_one_column(y):
    with pytest.raises(ValueError, match=r"Labels must have shape \(n_samples,\)"):
        encode_labels(np.asarray(y))


# --- the positive class -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "pos_label", "positive"),
    [
        ([0, 1], None, 1),
        ([0.0, 1.0], None, 1),
        ([-1, 1], None, 1),
        ([False, True], None, 1),
        ([0, 1], 0, 0),
        ([0, 1], 1.0, 1),
        ([1, 2], 1, 0),
        (["a", "b"], "a", 0),
        (["a", "b"], "b", 1),
    ],
)
def test_pos_label_names_the_positive_class_and_one_is_the_default(classes, pos_label, positive):
    assert positive_class(np.array(classes), pos_label) == positive
    # scikit-learn follows the same rule: a perfect ranking has a last precision of one.
    y_true = np.array(classes)
    y_score = np.where(np.arange(2) == positive, 1.0, 0.0)
    precision, _, _ = precision_recall_curve(y_true, y_score, pos_label=pos_label)
    assert precision.tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize("classes", [["a", "b"], [1, 2], [0, 2], ["0", "1"]], ids=str)
def test_other_classes_need_pos_label_as_in_scikit_learn(classes):
    with pytest.raises(ValueError, match="pos_label is not specified"):
        precision_recall_curve(np.array(classes), np.array([0.0, 1.0]))
    with pytest.raises(
        ValueError, match="pos_label is not specified: pass one of them as pos_label=, such as"
    ):
        positive_class(np.array(classes))


@pytest.mark.parametrize("pos_label", [2, "1", "b"])
def test_pos_label_must_be_one_of_the_classes(pos_label):
    with pytest.raises(ValueError, match="is not one of the classes"):
        positive_class(np.array([0, 1]), pos_label)


# --- both directions ------------------------------------------------------------------------------


def test_codes_say_one_for_positives_wherever_they_sort():
    labels = BinaryLabels.learn(["ham", "spam", None], pos_label="ham")
    assert labels.codes(["spam", None, "ham"], 3).tolist() == [0, -1, 1]
    assert labels.decode([0, 1]).tolist() == ["spam", "ham"]
    assert labels.names() == ("spam", "ham")
    assert labels.columns([0.9], [0.1]).tolist() == [[0.1, 0.9]]


def test_decoding_inverts_encoding():
    y = np.array([3, 7, 7, 3])
    labels = BinaryLabels.learn(y, pos_label=3)
    assert labels.decode(labels.codes(y, 4)).tolist() == y.tolist()


def test_held_out_labels_need_not_name_both_classes():
    labels = BinaryLabels.learn([0, 1])
    assert labels.codes([1, -1], 2).tolist() == [1, -1]
    assert labels.codes([True, None], 2).tolist() == [1, -1]


def test_no_y_means_nothing_is_labeled():
    labels = BinaryLabels.learn(None)
    assert labels.classes.tolist() == [0, 1]
    assert labels.codes(None, 3).tolist() == [-1, -1, -1]


def test_a_wrong_length_is_an_error():
    with pytest.raises(ValueError, match="same length, got 3 scores and 2 labels"):
        BinaryLabels.learn([0, 1]).codes([0, 1], 3)


@pytest.mark.parametrize("name", ["unknown", "?", "Unlabelled", "-1"])
def test_a_class_whose_name_marks_something_unknown_is_reported(name):
    y = np.array(["ham", name, "spam"], dtype=object)
    with pytest.warns(LabelMarkerWarning, match="is treated as a class"):
        _, classes = encode_labels(y)
    assert name in classes
    # Said to be a class, or to be the marker, it is one.
    assert encode_labels(y, classes=sorted(y))[0].min() == 0
    assert encode_labels(y, unlabeled_label=name)[1].tolist() == ["ham", "spam"]


@pytest.mark.parametrize("dtype", [object, str])
def test_an_empty_text_is_no_label(dtype):
    y = np.array(["ham", "", "spam", ""], dtype=dtype)
    codes, classes = encode_labels(y)
    assert codes.tolist() == [0, -1, 1, -1]
    assert classes.tolist() == ["ham", "spam"]
    assert is_unlabeled(y).tolist() == [False, True, False, True]
    assert encode_labels(y, unlabeled_label="")[0].tolist() == codes.tolist()
    # Said to be a class, it is one.
    assert encode_labels(y, classes=["", "ham", "spam"])[0].tolist() == [1, 0, 2, 0]


def test_numbers_beside_missing_values_are_named_as_they_were_written():
    labels = BinaryLabels.learn([1.0, np.nan, 0.0])
    assert labels.names() == ("0", "1")


@pytest.mark.parametrize("names", [[0, 1], [False, True], ["ham", "spam"], [0.0, 1.0]], ids=str)
def test_a_masked_label_is_not_labeled(names):
    labels = np.array(names)[[0, 1, 1, 0]]
    known = np.array([True, True, False, False])
    masked = np.ma.array(labels, mask=~known)
    codes, classes = encode_labels(masked)
    expected, _ = encode_labels(np.where(known, labels.astype(object), None))
    assert codes.tolist() == expected.tolist()
    assert classes.tolist() == names
    assert is_unlabeled(masked).tolist() == (~known).tolist()


@pytest.mark.parametrize("read", [encode_labels, is_unlabeled])
def test_a_class_is_no_list(read):
    with pytest.raises(TypeError, match="must be a number, a string or a boolean"):
        read([1, 0, -1], classes=[[0], [1, 2]])


@pytest.mark.parametrize("several", [[0, 1], np.array([1]), (1,)], ids=repr)
def test_an_array_is_no_single_label(several):
    with pytest.raises(TypeError, match="pos_label must be a single label"):
        positive_class(np.array([0, 1]), several)
    with pytest.raises(TypeError, match="unlabeled_label must be a single label"):
        encode_labels([0, 1], unlabeled_label=several)
    with pytest.raises(TypeError, match="pos_label must be a single label"):
        check_label_names(None, several, -1)


@pytest.mark.parametrize("pos_label", [0, 1.0, "spam", False, np.int8(1)])
def test_a_positive_class_may_be_named_before_any_label(pos_label):
    check_label_names(None, None, -1)
    check_label_names(None, pos_label, -1)


@pytest.mark.parametrize("pos_label", [b"a", np.nan, 1j, np.datetime64("2026-01-01")], ids=repr)
def test_what_is_no_class_is_no_positive_one(pos_label):
    with pytest.raises(TypeError, match="pos_label must be a class, which is a number, a string"):
        check_label_names(None, pos_label, -1)


@pytest.mark.parametrize("marker", [-1, "?"])
def test_the_marker_is_no_positive_class_unless_it_is_a_class(marker):
    with pytest.raises(
        ParameterError, match=rf"pos_label is {re.escape(repr(marker))}, .*If it is a class, "
    ):
        check_label_names(None, marker, marker)
    check_label_names([marker, 1], marker, marker)


@pytest.mark.parametrize("y", [[1, -1], np.array([1.0, -1.0]), [1, -1, None]], ids=repr)
def test_one_and_minus_one_alone_are_asked_about_once(y):
    with pytest.raises(ParameterError, match=r"y holds 1 and -1 only: .* pass classes=\[0, 1\]"):
        encode_labels(y)
    assert encode_labels(y, classes=[0, 1])[0][:2].tolist() == [1, -1]
    # Earlier labels of these items have named the classes, and so that -1 marks.
    for before in (EncodedLabels.read([0, 1, -1]), BinaryLabels.learn([0, 1, -1])):
        read = EncodedLabels.read(y, before=before)
        assert (read.codes[:2].tolist(), read.classes.tolist()) == ([1, -1], [0, 1])
        assert read.decode(read.codes[:1]).tolist() == [1]


def test_two_markers_are_asked_about_unless_classes_are_named():
    y = [0, 1, -1, None]
    with pytest.raises(ParameterError, match=r"y has missing values and -1: .* Pass classes="):
        is_unlabeled(y)
    assert is_unlabeled(y, classes=[0, 1]).tolist() == [False, False, True, True]
    assert is_unlabeled(y, classes=[-1, 0, 1]).tolist() == [False, False, False, True]


@pytest.mark.parametrize("y", [np.array([0, 1, -1]), np.array([True, False]), np.array([0.0, 1.0])])
def test_numbers_are_never_a_marker_that_is_text(y):
    assert not is_unlabeled(y, unlabeled_label="?").any()


def test_another_positive_class_exchanges_the_codes():
    labels = BinaryLabels.learn(["ham", "spam"], pos_label="spam")
    assert labels.with_positive(None) is labels
    other = labels.with_positive("ham")
    assert (labels.pos_label, other.pos_label) == ("spam", "ham")
    assert other.codes(["ham", None, "spam"]).tolist() == [1, -1, 0]


class Tensor:
    """A column that numpy converts, as of a library of tensors."""

    def __array__(self, dtype=None, copy=None):
        return np.array([[1], [0], [-1]])


def test_labels_and_classes_may_be_one_column_of_an_array():
    assert_encoded(Tensor(), [1, 0, -1], [0, 1])
    assert_encoded(np.array([[1], [0], [-1]]), [1, 0, -1], [0, 1])
    assert read_classes(np.array([["b"], ["a"]])).tolist() == ["a", "b"]
    for column in ([[[1]], [[0]]], np.ones((3, 2))):
        with pytest.raises(ValueError, match=r"Labels must have shape \(n_samples,\), got"):
            read_classes(np.asarray(column))


@pytest.mark.parametrize(("y", "is_share"), [([0.5, 1.0, 0.0], True), ([0.5, 2.0], False)])
def test_numbers_between_classes_are_shares_or_scores(y, is_share):
    message = r"label type: continuous\. Labels must be classes, got the number 0\.5"
    with pytest.raises(ParameterError, match=message) as error:
        encode_labels(y)
    assert ("MeanEstimator(label_range=(0, 1))" in str(error.value)) == is_share
