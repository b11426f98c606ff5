"""Predicted classes without probabilities."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics import confusion_matrix

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.exceptions import ParameterError
from sklearn_spe.metrics import TopKAccuracy
from tests.quick import QUIET

pytestmark = QUIET
NAMES = np.array(["fail", "partial", "pass"], dtype=object)
N_ITEMS = 240


def performance(n_draws=100, **parameters):
    return PerformanceCurveEstimator(n_draws=n_draws, random_state=0, **parameters)


@pytest.fixture(scope="module")
def verdicts():
    """Return predicted and true classes as codes, and which of these are labeled."""
    rng = np.random.default_rng(0)
    true = rng.integers(3, size=N_ITEMS)
    predicted = np.where(rng.random(N_ITEMS) < 0.8, true, rng.integers(3, size=N_ITEMS))
    return predicted, true, np.arange(N_ITEMS) < 60


def values_of(fitted):
    return [fitted.estimate("accuracy").value, *fitted.confusion_matrix().value.ravel()]


@pytest.mark.slow
def test_names_numbers_and_probabilities_of_one_are_the_same_predictions(verdicts):
    predicted, true, is_labeled = verdicts
    labels = np.where(is_labeled, NAMES[true], None)
    codes = np.where(is_labeled, true, -1)
    expected = values_of(performance(classes=[0, 1, 2]).fit(np.eye(3)[predicted], codes))
    ways = [
        performance().fit(NAMES[predicted], labels),
        performance().fit(NAMES[predicted].tolist(), labels),
        performance().fit(pd.DataFrame({"verdict": NAMES[predicted]}), labels),
        performance().fit(pd.Series(NAMES[predicted], dtype="category"), labels),
        performance().fit(None, labels, judges={"judge": NAMES[predicted]}),
        performance().fit(None, labels, judges=pd.DataFrame({"judge": NAMES[predicted]})),
        performance().fit(predicted, codes),
        performance().fit(predicted[:, np.newaxis].astype(float), codes),
    ]
    for fitted in ways:
        assert_allclose(values_of(fitted), expected)


def test_all_labels_give_the_confusion_matrix(verdicts):
    predicted, true, _ = verdicts
    fitted = performance().fit(NAMES[predicted], NAMES[true])
    assert_array_equal(fitted.classes_, NAMES)
    assert_allclose(fitted.confusion_matrix().value, confusion_matrix(true, predicted))


def test_each_predicted_class_follows_its_labels(verdicts):
    # Half of what is called partial is fail, and the other verdicts are right.
    predicted = np.repeat([0, 1, 2], 400)
    true = np.where((predicted == 1) & (np.arange(1200) % 2 == 0), 0, predicted)
    labeled = np.random.default_rng(1).permutation(1200)[:150]
    codes = np.full(1200, -1)
    codes[labeled] = true[labeled]
    fitted = performance(n_draws=1000).fit(predicted, codes)
    low, high = fitted.confusion_matrix().interval(0.9)
    # As its labels alone: what is known, and of the others a share with half a label on each side.
    labels = true[labeled][predicted[labeled] == 1]
    n_wrong = np.sum(labels == 0)
    shares = stats.beta.ppf([0.05, 0.95], n_wrong + 0.5, len(labels) - n_wrong + 0.5)
    expected = n_wrong + (400 - len(labels)) * shares
    assert_allclose([low[0, 1], high[0, 1]], expected, atol=25.0)
    assert fitted.estimate("precision", pos_label=1).interval(0.99)[1] < 0.8
    assert fitted.estimate("precision", pos_label=0).value > 0.9
    assert "one_score" not in {reason.name for reason in fitted.verdict_.reasons}


@pytest.mark.slow
def test_several_classifiers_and_their_structure(verdicts):
    predicted, true, is_labeled = verdicts
    labels = np.where(is_labeled, NAMES[true], None)
    worse = (predicted + (np.arange(N_ITEMS) % 4 == 0)) % 3
    systems = {"good": NAMES[predicted], "bad": NAMES[worse]}
    fitted = performance().fit(systems, labels)
    assert fitted.systems_ == ("good", "bad")
    assert fitted.difference("accuracy", "good", "bad").value > 0.0
    of_judges = performance().fit(None, labels, judges=systems)
    for name in systems:
        one, other = (each.of(system=name).estimate("accuracy") for each in (fitted, of_judges))
        assert_allclose(one.value, other.value)

    country = np.where(np.arange(N_ITEMS) % 2, "ES", "FR")
    by_country = performance().fit(NAMES[predicted], labels, category=country)
    assert by_country.by_category("accuracy").names == ("ES", "FR")


@pytest.mark.parametrize(
    ("change", "parameters", "message"),
    [
        (lambda names, y: (np.where(np.arange(N_ITEMS) == 5, None, names), y), {}, "index 5"),
        (lambda names, y: (names, y), {"classes": ["fail", "pass", "none"]}, "'partial'"),
        (lambda names, y: (np.arange(N_ITEMS) % 4, np.arange(N_ITEMS) % 3), {}, "3 is not"),
        (lambda names, y: (names, y), {"pos_label": "pass"}, "for two classes"),
    ],
    ids=["missing", "unknown", "number", "pos_label"],
)
def test_what_cannot_be_a_prediction_is_refused(verdicts, change, parameters, message):
    predicted, true, _ = verdicts
    labels = NAMES[true]
    if "classes" in parameters:
        labels = np.where(labels == "partial", None, labels)
    X, y = change(NAMES[predicted], labels)
    with pytest.raises(ValueError, match=message):
        performance(**parameters).fit(X, y)


def test_a_class_that_comes_second_is_not_known(verdicts):
    predicted, true, is_labeled = verdicts
    fitted = performance().fit(predicted, np.where(is_labeled, true, -1))
    with pytest.raises(ValueError, match="which class comes after"):
        fitted.estimate(TopKAccuracy(2))
    of_first = fitted.estimate(TopKAccuracy(1)).value
    assert_allclose(of_first, fitted.estimate("accuracy").value)


def test_two_classes_of_text_are_no_scores():
    with pytest.raises(ParameterError, match="must hold numbers"):
        performance(pos_label="yes").fit(["yes", "no"] * 20, ["yes", "no"] * 20)
