"""Outcomes, features, classes, predictions and counts: what is read as what, or refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import MeanEstimator, ScoreHistogram
from sklearn_spe.data._class_scores import ClassScores, classifiers_of, read_class_scores
from sklearn_spe.data._counted_rows import check_not_several, check_source, rows_of_histograms
from sklearn_spe.data._features import MAX_LEVELS, ItemFeatures
from sklearn_spe.data._item_data import check_known_positives, read_known_positives
from sklearn_spe.data._kinds import check_classes, check_label_shift, is_by_class, kind_of
from sklearn_spe.data._outcomes import (
    check_in_range,
    is_rate,
    read_label_range,
    read_outcomes,
    read_proxies,
)
from sklearn_spe.data._predicted_classes import PredictedClasses

NAN = np.nan
THREE = np.array([0, 1, 2])
BOTH = (-np.inf, np.inf)


# --- outcomes ----------------------------------------------------------------------------


def test_outcomes_are_a_column_of_numbers():
    assert read_outcomes([[1.0], [NAN]]).tolist()[0] == 1.0
    # Where there are negative numbers, -1 is one.
    assert read_outcomes([-1.0, -1.0, -2.0]).tolist() == [-1.0, -1.0, -2.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        ([], "empty"),
        (np.ones((2, 2)), "shape"),
        ([1.0, np.inf], "index 1"),
        ([-1.0, -1.0, 3.0], "mark missing labels by NaN"),
    ],
)
def test_labels_that_are_no_numbers_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_outcomes(y)


@pytest.mark.parametrize(
    ("y", "label_range", "expected"),
    [
        ([0, 1, 1], BOTH, True),
        ([1, 1, 1], BOTH, False),
        ([True, True], BOTH, True),
        ([1, 1], (0.0, 1.0), True),
        ([1, 1], (0.0, 5.0), False),
        ([0, 2], BOTH, False),
        ([NAN, NAN], BOTH, False),
    ],
)
def test_labels_of_zero_and_one_are_a_rate_if_they_can_be_nothing_else(y, label_range, expected):
    assert is_rate(y, np.array(y, dtype=float), label_range) is expected


def test_a_range_of_labels_holds_them():
    assert read_label_range(None) == BOTH
    assert read_label_range((1, 5)) == (1.0, 5.0)
    for wrong, error in (("15", TypeError), ((1, 2, 3), TypeError), ((5, 1), ValueError)):
        with pytest.raises(error, match="label_range"):
            read_label_range(wrong)
    check_in_range(np.array([1.0, NAN, 5.0]), (1.0, 5.0))
    with pytest.raises(ValueError, match="6 at index 1"):
        check_in_range(np.array([1.0, 6.0]), (1.0, 5.0))


@pytest.mark.parametrize(
    ("proxies", "message"),
    [
        ([[1.0], [2.0]], "same number of items"),
        ([1.0, np.inf, 2.0], "finite numbers"),
        ([NAN, NAN, NAN], "no values"),
        ([2.0, 2.0, 2.0], "constant, 2"),
        ([NAN, 1.0, 2.0], "missing for all labeled"),
    ],
)
def test_a_proxy_that_says_nothing_of_the_labels_is_refused(proxies, message):
    with pytest.raises(ValueError, match=message):
        read_proxies(MeanEstimator(), np.array(proxies), np.array([1.0, NAN, NAN]))


def test_proxies_are_columns_and_none_are_needed():
    outcomes = np.array([1.0, NAN, NAN])
    assert read_proxies(MeanEstimator(), None, outcomes)[1].shape == (3, 0)
    _, values = read_proxies(MeanEstimator(), np.array([1.0, 2.0, 3.0]), outcomes)
    assert values.tolist() == [[1.0], [2.0], [3.0]]


# --- features ----------------------------------------------------------------------------


def test_levels_of_a_feature_depend_on_its_order_alone(global_random_seed):
    numbers = np.random.default_rng(global_random_seed).normal(size=400)
    features = ItemFeatures.read({"length": numbers, "its cube": numbers**3}, 400)
    assert features.names == ("length", "its cube")
    assert np.array_equal(features.levels[:, 0], features.levels[:, 1])
    assert np.bincount(features.levels[:, 0]).tolist() == [400 // MAX_LEVELS] * MAX_LEVELS
    # Standardized over the items.
    assert_allclose(features.values.mean(axis=0), 0.0, atol=1e-12)
    assert_allclose(features.values.std(axis=0), 1.0)
    assert features.informative == [0, 1]
    assert features.take(np.arange(3)).levels.shape == (3, 2)
    assert features.is_same(ItemFeatures.read({"length": numbers, "its cube": numbers}, 400))
    assert not features.is_same(None)


def test_features_are_read_from_columns_arrays_and_frames():
    numbers = np.arange(16.0)
    expected = ItemFeatures.read(numbers, 16).levels
    by_name = ItemFeatures.read(pd.Series(numbers, name="length"), 16)
    assert by_name.names == ("length",)
    for features in (numbers[:, np.newaxis], pd.DataFrame({"length": numbers})):
        assert np.array_equal(ItemFeatures.read(features, 16).levels, expected)
    missing = ItemFeatures.read(np.full(16, NAN), 16)
    assert missing.informative == []
    assert set(missing.levels.ravel()) == {-1}


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({}, "no column"),
        ({"length": [1.0, 2.0]}, "for each of 3 items"),
        ({"length": [1.0, 2.0, np.inf]}, "1 infinite"),
        (np.ones((3, 2, 2)), "shape"),
    ],
)
def test_features_that_are_no_columns_of_numbers_are_refused(features, message):
    with pytest.raises(ValueError, match=message):
        ItemFeatures.read(features, 3)


# --- classes -----------------------------------------------------------------------------


def test_logits_and_their_softmax_are_one_classifier(global_random_seed):
    logits = np.random.default_rng(global_random_seed).normal(size=(50, 3))
    of_logits = ClassScores.read(logits, THREE)
    proba = special.softmax(logits, axis=1)
    of_proba = ClassScores.read(proba, THREE)
    assert (of_logits.read_as, of_proba.read_as) == ("logits", "probabilities")
    assert_allclose(of_logits.proba, proba)
    assert_allclose(of_logits.log_proba, of_proba.log_proba)
    assert_allclose(of_logits.error_log_odds, of_proba.error_log_odds)
    assert np.array_equal(of_logits.predicted, proba.argmax(axis=1))
    assert_allclose(of_logits.ranked_by, special.logit(proba))
    assert np.array_equal(of_proba.ranked_by, proba)
    # Rows that sum to 100 are percent.
    assert_allclose(ClassScores.read(100.0 * proba, THREE).proba, proba)


def test_columns_of_a_frame_are_found_by_the_names_of_the_classes():
    proba = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    frame = pd.DataFrame(proba[:, ::-1], columns=[2, 1, 0])
    assert_allclose(ClassScores.read(frame, THREE).proba, proba)


def test_predictions_have_no_confidence_and_no_second_class():
    predictions = ClassScores.of_predictions(np.array([0, 2, 1]), 3)
    assert predictions.predicted.tolist() == [0, 2, 1]
    assert not predictions.has_confidence
    assert not predictions.has_second_class
    assert predictions.take(np.array([1])).predicted.tolist() == [2]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 2)), "one column for each"),
        (np.array([[0.2, 0.3, NAN]]), "must be finite"),
        (np.array([[0.2, 0.3, 0.1]]), "do not sum to one"),
        (np.array([[0, 1, 2], [1, 1, 2]]), "predicted classes"),
    ],
)
def test_columns_that_are_no_scores_of_classes_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        ClassScores.read(X, THREE)


def test_several_classifiers_are_a_mapping_a_list_or_an_array():
    proba = np.full((4, 3), 1.0 / 3.0)
    parameters = SimpleNamespace(classes=None, pos_label=None, greater_is_positive=True)
    assert list(classifiers_of([proba, proba])) == [0, 1]
    assert list(classifiers_of(np.stack([proba, proba], axis=1))) == [0, 1]
    assert classifiers_of(proba) is proba
    names, scores = read_class_scores(parameters, {"a": proba, "b": proba}, THREE, 4)
    assert names == ("a", "b")
    assert len(scores) == 2
    assert read_class_scores(parameters, proba, THREE, 4)[0] == (0,)

    for X, classes, n_items, message in (
        ({}, THREE, 4, "empty mapping"),
        ({"a": proba}, THREE[:2], 4, "more than two"),
        ({"a": proba[:, :2]}, THREE, 4, "System 'a'"),
        (proba, THREE, 5, "same length"),
    ):
        with pytest.raises(ValueError, match=message):
            read_class_scores(parameters, X, classes, n_items)
    for changed, message in (
        ({"classes": [2, 1, 0]}, "not sorted"),
        ({"pos_label": 1}, "is for two classes"),
        ({"greater_is_positive": False}, "Pass -X"),
    ):
        other = SimpleNamespace(**{**vars(parameters), **changed})
        with pytest.raises(ValueError, match=message):
            read_class_scores(other, proba, THREE, 4)


# --- predicted classes -------------------------------------------------------------------


def test_text_is_predicted_classes_and_joins_the_labels():
    X = np.array(["cat", "dog", "cat"])
    found = PredictedClasses.found_in(X, None, -1)
    assert found.are_text
    classes = found.classes_with(np.array(["bird", -1, -1], dtype=object))
    assert classes.tolist() == ["bird", "cat", "dog"]
    assert found.are_of(classes)
    assert found.scores(classes)[0].predicted.tolist() == [1, 2, 1]
    # Raters give the classes of the labels.
    assert PredictedClasses.found_in(None, X, -1).classes_with(None) is None
    with pytest.raises(ValueError, match="not among the classes"):
        found.scores(classes[:2])
    with pytest.raises(ValueError, match="1 of 3 rows"):
        PredictedClasses.found_in(np.array(["cat", "dog", None], dtype=object), None, -1).scores(
            classes
        )


def test_whole_numbers_are_classes_where_all_of_them_are():
    assert PredictedClasses.found_in(np.array([0, 1, 2]), None, -1).are_of(THREE)
    assert not PredictedClasses.found_in(np.array([0, 1, 1]), None, -1).are_of(THREE[:2])
    assert not PredictedClasses.found_in(np.array([0.5, 1.0]), None, -1).are_of(THREE)
    assert not PredictedClasses.found_in(np.array([0, 1]), None, -1).are_of(np.array(list("abc")))
    with pytest.raises(ValueError, match="7 is not"):
        PredictedClasses.found_in(np.array([0, 1, 7]), None, -1).are_of(THREE)


def test_columns_of_numbers_are_scores_of_classes_and_no_predictions():
    assert PredictedClasses.found_in(np.ones((4, 3)), None, -1) is None
    assert PredictedClasses.found_in({"a": np.ones((4, 3))}, None, -1) is None
    assert PredictedClasses.found_in(None, None, -1) is None
    by_name = PredictedClasses.found_in({"a": [0, 1], "b": [1, 2]}, None, -1)
    assert by_name.systems == ("a", "b")
    frame = pd.DataFrame({"a": ["x", "y"]})
    assert PredictedClasses.found_in(frame, None, -1).systems == (0,)
    assert PredictedClasses.found_in(None, frame, -1).systems == ("a",)


# --- kinds of data -----------------------------------------------------------------------


def test_arguments_imply_the_kind_of_data():
    scores, table = np.ones(4), np.ones((4, 3))
    assert kind_of(scores) == "pool"
    assert kind_of(scores, has_structure=True) == "items"
    assert kind_of({"a": scores, "b": scores}) == "items"
    assert kind_of(table) == "items"
    assert kind_of(table, n_classes=3) == kind_of({"a": table}) == "classes"
    assert kind_of(table, n_classes=3, by_class=True) == "class_shift"
    assert kind_of(scores, by_class=True) == "label_shift"


def test_what_a_kind_does_not_support_is_refused():
    assert is_by_class("by_class")
    assert not is_by_class(np.ones(2))
    with pytest.raises(ValueError, match="must be 'by_class'"):
        is_by_class("by class")
    check_classes("by_class", None, None, None)
    for arguments in (([0.5], None, None, None), (None, 3, None, None), (None, None, [1], None)):
        with pytest.raises(ValueError, match="two classes only"):
            check_classes(*arguments)
    check_label_shift(np.ones(2), None, category=None)
    for X, judges, others in (
        (np.ones(2), None, {"category": ["a"]}),
        (None, None, {}),
        (np.ones(2), [1, 1], {}),
        ({"a": np.ones(2)}, None, {}),
    ):
        with pytest.raises(ValueError, match="by_class"):
            check_label_shift(X, judges, **others)


# --- known totals and counts -------------------------------------------------------------


def test_a_known_number_of_positives_is_a_number_or_a_range():
    assert read_known_positives(None) is None
    assert read_known_positives(3) == (3.0, 3.0)
    assert read_known_positives((2, 5)) == (2.0, 5.0)
    for wrong in ((5, 2), (1.5, 2), (1, 2, 3)):
        with pytest.raises(ValueError, match="known_positives"):
            read_known_positives(wrong)


def test_labels_must_not_contradict_a_known_number_of_positives():
    codes, ones = np.array([1, 1, 0, -1]), np.ones(4)
    for total in (None, (2.0, 2.0), (3.0, 3.0), (0.0, 9.0)):
        check_known_positives(total, codes, ones)
    with pytest.raises(ValueError, match="2 items are labeled positive"):
        check_known_positives((1.0, 1.0), codes, ones)
    with pytest.raises(ValueError, match="1 are labeled negative"):
        check_known_positives((4.0, 5.0), codes, ones)
    with pytest.raises(ValueError, match="fractions"):
        check_known_positives((2.0, 2.0), codes, ones / 2.0)


def test_histograms_by_name_are_the_rows_of_all(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=(2, 300))
    parts = [ScoreHistogram("identity").update(row).with_labels(row[:2], [0, 1]) for row in scores]
    rows = rows_of_histograms({"a": parts[0], "b": parts[1]}, may_be_several=True)
    assert rows.sample_weight.sum() == 600
    assert sorted(set(rows.category)) == ["a", "b"]
    assert rows_of_histograms(parts[0], may_be_several=False).sample_weight.sum() == 300
    assert rows_of_histograms(scores[0], may_be_several=True) is None

    check_not_several(parts[0])
    check_source(None, None)
    check_source(parts[0].source, parts[0].source)
    with pytest.raises(TypeError, match="single histogram"):
        check_not_several({"a": parts[0]})
    with pytest.raises(ValueError, match="other scores"):
        check_source(parts[0].source, parts[1].source)
    with pytest.raises(ValueError, match="this is a histogram"):
        check_source(None, parts[0].source)
    for X, several, others, message in (
        ({"a": parts[0]}, False, {}, "pass their sum"),
        ({"a": parts[0], "b": scores[1]}, True, {}, "'b' to ndarray"),
        (parts[0], True, {"y": [1]}, "includes labels"),
        (parts[0], True, {"category": ["a"]}, "does not support category="),
        (parts[0], True, {"groups": ["a"]}, "requires single items"),
    ):
        with pytest.raises(TypeError, match=message):
            rows_of_histograms(X, may_be_several=several, **others)
