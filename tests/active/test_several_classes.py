"""Labels chosen for a metric of more than two classes: by predicted class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import confusion_matrix, recall_score

from sklearn_spe import ActiveTestSelector, Goal, PerformanceCurveEstimator
from sklearn_spe.active._class_information import ClassInformation
from sklearn_spe.metrics import ConfusionShare
from tests.quick import QUIET

pytestmark = QUIET
NAMES = np.array(["bird", "cat", "dog", "eel"], dtype=object)
N_ITEMS = 400


@pytest.fixture(scope="module")
def predictions():
    """Return predicted and true classes as codes: a third of what is called eel is dog."""
    rng = np.random.default_rng(0)
    predicted = rng.integers(4, size=N_ITEMS)
    is_wrong = rng.random(N_ITEMS) < np.where(predicted == 3, 0.35, 0.03)
    true = np.where(is_wrong, np.where(predicted == 3, 2, (predicted + 1) % 4), predicted)
    return predicted, true


def selector(metric, **parameters):
    return ActiveTestSelector(metric, n_draws=150, random_state=0, **parameters)


# --- expected information ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def draws():
    """Return a metric and the class of three single items, in equally probable draws."""
    rng = np.random.default_rng(1)
    codes = rng.integers(3, size=(500, 3))
    values = (codes == 2) @ [1.0, 2.0, 0.0] + rng.normal(size=500)
    return values, np.full(500, 1.0 / 500), codes


def shares_of(codes):
    return (codes[:, :, np.newaxis] == np.arange(3)).astype(float)


def test_gains_are_the_variance_that_a_label_explains(draws):
    values, weights, codes = draws
    gains = ClassInformation.of(values, weights, shares_of(codes)).gains
    for item in range(3):
        means = [values[codes[:, item] == k].mean() for k in range(3)]
        explained = np.var(np.array(means)[codes[:, item]])
        assert_allclose(gains[item], explained)


def test_a_known_label_says_nothing_again(draws):
    values, weights, codes = draws
    before = ClassInformation.of(values, weights, shares_of(codes))
    after = before.after(1)
    assert_allclose(after.gains[1], 0.0, atol=1e-12)
    assert_array_equal(after.gains[[0, 2]], before.gains[[0, 2]])


def test_draws_without_a_metric_are_left_out(draws):
    values, weights, codes = draws
    is_undefined = np.arange(500) % 5 == 0
    part = ClassInformation.of(
        values[~is_undefined], weights[~is_undefined], shares_of(codes[~is_undefined])
    )
    undefined = np.where(is_undefined, np.nan, values)
    assert_allclose(ClassInformation.of(undefined, weights, shares_of(codes)).gains, part.gains)
    nothing = ClassInformation.of(np.full(500, np.nan), weights, shares_of(codes))
    assert_array_equal(nothing.gains, np.zeros(3))


# --- selection ---------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", ["sample", "argmax"])
@pytest.mark.parametrize(
    ("metric", "parameters"),
    [(ConfusionShare("dog", "eel"), {}), ("precision", {"pos_label": "eel"})],
    ids=["pair", "precision"],
)
def test_labels_are_of_the_predicted_class_that_tells(predictions, draw, metric, parameters):
    predicted, true = predictions
    y = np.where(np.arange(N_ITEMS) < 40, NAMES[true], None)
    fitted = selector(metric, draw=draw, **parameters).fit(NAMES[predicted], y)
    items = fitted.query(40)
    # A quarter would be at random; a fifth of random draws are even over all items.
    assert np.mean(predicted[items] == 3) > 0.6
    assert_array_equal(y[items], np.full(40, None))


def test_items_of_one_predicted_class_have_one_inclusion_probability(predictions):
    predicted, true = predictions
    y = np.where(np.arange(N_ITEMS) < 40, NAMES[true], None)
    fitted = selector(ConfusionShare("dog", "eel")).fit(NAMES[predicted], y)
    utilities = fitted.utilities_
    for code in range(4):
        free = (predicted == code) & (np.arange(N_ITEMS) >= 40)
        assert len(np.unique(utilities[free])) == 1
    items = fitted.query(10)
    assert (fitted.query_proba_[items] > 0.2 / N_ITEMS).all()


def test_the_estimate_is_that_of_the_same_labels(predictions):
    predicted, true = predictions
    fitted = selector("accuracy").fit(NAMES[predicted])
    for _ in range(2):
        items = fitted.query(20)
        fitted.update(items, NAMES[true[items]])
    labels = np.full(N_ITEMS, None)
    labels[fitted.query_proba_ > 0.0] = NAMES[true[fitted.query_proba_ > 0.0]]
    performance = PerformanceCurveEstimator(n_draws=150, random_state=0)
    expected = performance.fit(NAMES[predicted], labels).estimate("accuracy")
    assert_allclose(fitted.estimate_.interval(), expected.interval(), atol=0.05)
    assert_allclose(fitted.naive_estimate_, np.mean(true == predicted, where=labels != None))  # noqa: E711


def test_all_labels_give_the_truth(predictions):
    predicted, true = predictions
    fitted = selector("recall", pos_label="dog").fit(NAMES[predicted], NAMES[true])
    expected = recall_score(true, predicted, labels=[2], average="macro")
    assert_allclose(fitted.estimate_.value, expected)
    assert_allclose(fitted.naive_estimate_, expected)
    assert fitted.n_left_ == 0


def test_probabilities_of_named_classes_are_read(predictions):
    predicted, true = predictions
    proba = 0.7 * np.eye(4)[predicted] + 0.075
    fitted = selector("accuracy", classes=[0, 1, 2, 3]).fit(proba)
    items = fitted.query(12)
    fitted.update(items, true[items])
    assert_array_equal(fitted.classes_, np.arange(4))
    assert fitted.n_labels_ == 12
    assert fitted.pos_label_ is None
    assert 0.0 < fitted.estimate_.value <= 1.0
    assert len(fitted.to_frame()) == N_ITEMS
    with pytest.raises(ValueError, match="no table stores"):
        ActiveTestSelector.from_frame(fitted.to_frame())


@pytest.mark.parametrize(
    ("metric", "parameters", "arguments", "message"),
    [
        (Goal.of(precision=0.9), {}, {}, "pass a metric"),
        ("recall", {"threshold": 0.5}, {}, "two classes"),
        ("accuracy", {}, {"judges": {"a": np.arange(N_ITEMS) % 2}}, "two classes"),
        ("accuracy", {"label_model": "joint"}, {}, "label_model"),
        ("accuracy", {"interval": "anytime"}, {}, "anytime"),
        (ConfusionShare("cow", "eel"), {}, {}, "'cow'"),
    ],
    ids=["goal", "threshold", "judges", "label_model", "anytime", "class"],
)
def test_what_is_for_two_classes_is_refused(predictions, metric, parameters, arguments, message):
    predicted, _ = predictions
    with pytest.raises(ValueError, match=message):
        selector(metric, **parameters).fit(NAMES[predicted], **arguments)


def test_one_classifier_at_a_time(predictions):
    predicted, true = predictions
    systems = {"new": NAMES[predicted], "old": NAMES[true]}
    with pytest.raises(ValueError, match="one classifier"):
        selector("accuracy").fit(systems)


def test_a_confusion_is_an_entry_of_the_matrix(predictions):
    predicted, true = predictions
    y = np.where(np.arange(N_ITEMS) < 100, NAMES[true], None)
    performance = PerformanceCurveEstimator(n_draws=150, random_state=0)
    performance.fit(NAMES[predicted], y)
    estimate = performance.estimate(ConfusionShare("dog", "eel"))
    matrix = performance.confusion_matrix()
    assert_allclose(N_ITEMS * estimate.value, matrix.value[2, 3])
    assert_allclose(N_ITEMS * np.array(estimate.interval()), np.array(matrix.interval())[:, 2, 3])
    performance.fit(NAMES[predicted], NAMES[true])
    known = performance.estimate(ConfusionShare("dog", "eel")).value
    assert_allclose(N_ITEMS * known, confusion_matrix(true, predicted)[2, 3])
