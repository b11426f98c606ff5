"""The estimator of performance, asked about several classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn import metrics

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.application import main_estimates
from sklearn_spe.metrics import FBeta, TopKAccuracy
from tests.models.data import ClassesProblem
from tests.quick import QUIET

pytestmark = QUIET
NAMES = np.array(["ant", "bee", "cat", "dog"])


@pytest.fixture(scope="module")
def animals(global_random_seed):
    return ClassesProblem.of(global_random_seed)


def performance(animals, y=None, X=None, **parameters):
    mixture = animals.mixture(classes=None)
    y = np.where(animals.partial >= 0, NAMES[animals.labels], None) if y is None else y
    estimator = PerformanceCurveEstimator(mixture, random_state=animals.seed, **parameters)
    return estimator.fit(animals.logits if X is None else X, y)


@pytest.fixture(scope="module")
def fitted(animals):
    return performance(animals, n_points=20)


def test_columns_are_classes_if_labels_name_more_than_two(fitted, animals):
    assert_array_equal(fitted.classes_, NAMES)
    accuracy = fitted.estimate("accuracy")
    low, high = accuracy.interval()
    assert 0.0 <= low < accuracy.value < high <= 1.0
    assert_allclose(
        fitted.estimate("recall").draws,
        np.mean([e.draws for e in fitted.by_category("recall", by="class").estimates], axis=0),
    )
    assert (
        fitted.estimate("f1", pos_label="bee").value
        == fitted.by_category("f1", by="class")["bee"].value
    )
    assert fitted.estimate(TopKAccuracy(3)).value > fitted.estimate("top_k_accuracy").value
    assert fitted.confusion_matrix(normalize="true").value.shape == (4, 4)
    # All items are kept at the end.
    assert_allclose(fitted.curve("accuracy_coverage").draws[:, -1], accuracy.draws)
    text = str(main_estimates(fitted))
    assert "4 classes" in text
    assert "X is read as logits" in text


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda p: p.estimate("accuracy", threshold=0.5), "applies to a single score"),
        (lambda p: p.estimate("brier_score"), "for two classes"),
        (lambda p: p.estimate("prevalence"), "pos_label="),
        (lambda p: p.estimate("nonsense"), "Unknown metric"),
        (lambda p: p.estimate("recall", pos_label="elk"), "elk"),
        (lambda p: p.estimate("recall", average="median"), "average"),
        (lambda p: p.estimate("roc_auc", average="micro"), "average='micro' of 'roc_auc'"),
        (lambda p: p.estimate(TopKAccuracy(4)), "smaller k"),
        (lambda p: p.by_category("accuracy_coverage", by="class"), "Unknown metric"),
        (lambda p: p.curve("roc"), "accuracy_coverage"),
        (lambda p: p.goal_probability(precision=0.5), "against the rest"),
        (lambda p: p.threshold_for(precision=0.5), "against the rest"),
        (lambda p: p.plan(10), "against the rest"),
        (lambda p: p.calibration_curve(), "against the rest"),
        (lambda p: p.of(pos_label="elk"), "elk"),
        (lambda p: p.of(system=2).estimate("recall"), "system=2 is none of"),
        (lambda p: p.of(category=2).estimate("recall"), "requires a fit with category="),
        (lambda p: main_estimates(p, threshold=1.0), "threshold="),
    ],
)
def test_what_has_no_meaning_is_refused(ask, said, fitted):
    with pytest.raises(ValueError, match=said):
        ask(fitted)


def test_what_cannot_be_fitted_is_refused(animals):
    y = NAMES[animals.labels].astype(object)
    fresh = PerformanceCurveEstimator()
    with pytest.raises(ValueError, match="one column for each"):
        fresh.fit(animals.logits[:, :3], y)
    with pytest.raises(ValueError, match="two classes only"):
        fresh.fit(animals.logits, y, inclusion_proba={"ant": 0.5})
    with pytest.raises(ValueError, match="category has 1 missing values"):
        fresh.fit(animals.logits, y, category=np.where(np.arange(400) == 3, None, "a"))


def test_two_classes_take_no_class(animals):
    two = PerformanceCurveEstimator(animals.mixture(classes=None), random_state=0)
    odds = np.exp(animals.logits[:, 0])
    two.fit(odds, np.where(animals.partial < 0, -1, animals.partial == 0))
    with pytest.raises(ValueError, match="more than two classes"):
        two.by_category(by="class")
    with pytest.raises(ValueError, match="one system with more than two classes"):
        two.of(pos_label=1)
    with pytest.raises(ValueError, match="have no usual threshold"):
        two.confusion_matrix()
    with pytest.raises(ValueError, match="more than two classes"):
        two.estimate(FBeta(2.0), threshold=0.0, pos_label=1)


# Items in categories, and items that belong together.
FEW = np.arange(120)
PLACE, HERD = np.array(["zoo", "farm", "wood"])[FEW % 3], FEW // 10


def structured(animals, rows=FEW, y=None, **given):
    """Return a fit of some items with what else is known of them."""
    y = np.where(animals.partial >= 0, NAMES[animals.labels], None) if y is None else y
    mixture = animals.mixture(classes=NAMES, n_draws=60)
    estimator = PerformanceCurveEstimator(mixture, random_state=0)
    return estimator.fit(animals.logits[rows], y[rows], **given)


@pytest.mark.parametrize("several", [False, True])
def test_with_all_labels_categories_have_their_own_numbers(animals, several):
    logits, y = animals.logits[FEW], NAMES[animals.labels[FEW]]
    estimator = PerformanceCurveEstimator(animals.mixture(classes=NAMES, n_draws=20))
    X = {"one": logits, "other": logits[:, ::-1]} if several else logits
    found = estimator.fit(X, y, category=PLACE, groups=HERD)
    assert found.categories_.tolist() == ["farm", "wood", "zoo"]
    for system, step in [("one", 1), ("other", -1)] if several else [(None, 1)]:
        for name in found.categories_:
            own = name == PLACE
            true, said = y[own], logits[own, ::step]
            predicted = NAMES[said.argmax(axis=1)]
            shown = found.of(system=system, category=name)
            want = metrics.accuracy_score(true, predicted)
            assert_allclose(shown.estimate("accuracy").interval(), want)
            want = metrics.average_precision_score(true == "bee", softmax(said, axis=1)[:, 1])
            assert_allclose(shown.estimate("average_precision", pos_label="bee").value, want)
            want = metrics.confusion_matrix(true, predicted, labels=NAMES)
            assert_array_equal(shown.confusion_matrix().value.round(9), want)


def test_categories_are_measured_on_one_set_of_draws(animals):
    found = structured(animals, category=PLACE, groups=HERD)
    total = sum(
        (place == PLACE).mean() * found.of(category=place).estimate("accuracy").draws
        for place in found.categories_
    )
    assert_allclose(total, found.estimate("accuracy").draws)
    change = found.difference("accuracy", "zoo", "farm")
    assert_allclose(change.value, found.by_category("accuracy", reference="farm")["zoo"].value)
    with pytest.raises(ValueError, match="category='sea' is none of 'farm', 'wood', 'zoo'"):
        found.of(category="sea").estimate("accuracy")
    with pytest.raises(ValueError, match="update takes the same groups= as fit"):
        found.update(animals.logits[FEW], NAMES[animals.labels[FEW]], groups=HERD[::-1])
    again = found.update(animals.logits[FEW], NAMES[animals.labels[FEW]], category=PLACE)
    right = animals.labels[FEW] == animals.predicted[FEW]
    assert_allclose(again.estimate("accuracy").value, right.mean())


def test_groups_that_are_right_together_are_worth_one_item_each(animals):
    # Ten items of a herd say as much of further herds as one: the interval is 10 ** .5 as wide.
    predicted = animals.predicted[FEW]
    y = NAMES[np.where(HERD % 2, predicted, (predicted + 1) % 4)]
    alone, together = (
        structured(animals, y=y, **given).estimate("accuracy", target="population").interval()
        for given in ({}, {"groups": HERD})
    )
    assert 2.0 < np.diff(together) / np.diff(alone) < 5.0
