"""Which class is positive, and that every answer names it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from sklearn_spe.application import main_estimates
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.exceptions import UnreachableGoalError
from sklearn_spe.families import BetaPrior
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
NAMES = np.array(["fraud", "ok"])
N = 120


def items(rng):
    codes = (rng.random(N) < 0.6).astype(int)
    codes[:4] = 0, 1, 0, 1
    return codes[:, np.newaxis] * 1.5 + rng.normal(size=(N, 2)), codes


def mixture(**parameters):
    parameters = {"experts": EXPERTS, "n_draws": 60, **parameters}
    return SemisupervisedScoreMixture("norm", "norm", random_state=0, **parameters)


@pytest.fixture
def data(global_random_seed):
    """Return items, a frozen classifier of fraud, and labels of which a third is known."""
    rng = np.random.default_rng(global_random_seed)
    frozen = FrozenEstimator(LogisticRegression().fit((t := items(rng))[0], NAMES[t[1]]))
    X, codes = items(rng)
    return X, NAMES[codes], np.where(np.arange(N) < N // 3, NAMES[codes], None), frozen


def promising(estimator, goal=0.2, **parameters):
    return SemisupervisedThresholdClassifier(
        estimator,
        precision=goal,
        confidence_level=0.5,
        mixture=mixture(),
        random_state=0,
        **parameters,
    )


def calibrated(estimator, model=None, **parameters):
    model = model or mixture()
    return SemisupervisedCalibratedClassifier(
        estimator, mixture=model, random_state=0, **parameters
    )


# --- who names it ---------------------------------------------------------------------------


def test_a_guarantee_is_about_the_second_class_unless_the_first_is_named(data):
    X, _, y, frozen = data
    for given, name in ((None, "ok"), ("ok", "ok"), ("fraud", "fraud")):
        promised = promising(frozen, pos_label=given).fit(X, y)
        fixed = FixedThresholdClassifier(
            frozen,
            threshold=promised.threshold_,
            pos_label=given,
            response_method=promised.response_.method,
        )
        assert promised.predict(X).tolist() == fixed.fit(X, y == "ok").predict(X).tolist()
        assert promised.pos_label_ == promised.performance_.pos_label_ == name
        assert promised.performance_.classes_.tolist() == ["fraud", "ok"]
        labeled = y[: N // 3]
        known = promised.performance_.posterior_.sample.positive.sum()
        assert known == (labeled == name).sum()


def test_probabilities_need_no_name_and_questions_do(data):
    X, _, y, frozen = data
    fitted = calibrated(frozen).fit(X, y)
    assert fitted.predict_proba(X).shape == (N, 2)
    assert not hasattr(fitted, "performance_")
    for ask in (fitted.estimate, fitted.curve):
        with pytest.raises(ValueError, match="pos_label is not specified"):
            ask()
    with pytest.raises(AttributeError, match="pos_label is not specified"):
        _ = fitted.performance_
    for name in NAMES:
        assert fitted.estimate("roc_auc", pos_label=name).pos_label == name
        named = clone(fitted).set_params(pos_label=name).fit(X, y)
        assert named.performance_.pos_label_ == named.estimate().pos_label == name
        assert named.performance_.classes_.tolist() == ["fraud", "ok"]


def test_the_name_does_not_turn_probabilities_around(data):
    X, truth, _, frozen = data
    for name in NAMES:
        # All labels: both directions agree on who is who.
        fitted = calibrated(frozen, pos_label=name).fit(X, truth)
        assert np.mean(fitted.predict(X) == truth) > 0.6
        low, high = fitted.predict_proba_interval(X)
        assert ((low <= fitted.predict_proba(X)) & (fitted.predict_proba(X) <= high)).mean() > 0.9


def test_a_prior_of_the_prevalence_is_about_a_class_with_a_name(data):
    X, _, y, frozen = data
    rare = mixture(prevalence_prior=BetaPrior.from_interval(0.01, 0.05))
    with pytest.raises(ValueError, match="pos_label is not specified"):
        calibrated(frozen, rare).fit(X, y)
    calibrated(frozen, rare, pos_label="fraud").fit(X, y)


def test_an_outlier_detector_does_not_say_whose_performance_is_wanted(data):
    X, truth, *_ = data
    y = np.where(np.arange(N) < N // 3, np.where(truth == "ok", 1, -1), np.nan)
    forest = IsolationForest(n_estimators=10, random_state=0)
    for inside in (forest, FrozenEstimator(clone(forest).fit(X))):
        with pytest.raises(ValueError, match="pos_label=-1 for outliers, or pos_label=1"):
            promising(inside).fit(X, y)
        fitted = calibrated(inside).fit(X, y)
        with pytest.raises(ValueError, match="pos_label=-1 for outliers"):
            fitted.estimate("prevalence")
        shares = [fitted.estimate("prevalence", pos_label=label).value for label in (-1, 1)]
        assert sum(shares) == pytest.approx(1.0, abs=0.05)
        outliers = promising(inside, goal=0.05, pos_label=-1).fit(X, y)
        assert outliers.performance_.estimate("prevalence").pos_label == -1


def test_more_classes_have_no_positive_one(data):
    X, truth, _, _ = data
    three = np.where(np.arange(N) % 3 == 0, "new", truth)
    with pytest.raises(ValueError, match="Two classes are needed, got 3"):
        calibrated(LogisticRegression(), pos_label="ok", cv=2).fit(X, three)


# --- classes= and pos_label= of the performance ---------------------------------------------


def test_the_performance_takes_the_names_itself(data):
    X, _, y, frozen = data
    scores = frozen.decision_function(X)
    names = {"classes": ["ok", "fraud"], "pos_label": "ok"}
    here = PerformanceCurveEstimator(mixture(), **names, random_state=0)
    there = PerformanceCurveEstimator(mixture(**names), random_state=0)
    only = np.where(y == "ok", y, None)
    draws = [p.fit(scores, only).estimate("average_precision").draws for p in (here, there)]
    assert np.array_equal(*draws)
    assert here.mixture.classes is None
    assert here.classes_.tolist() == ["fraud", "ok"]


@pytest.mark.parametrize(
    ("name", "here", "there"),
    [("pos_label", "ok", "fraud"), ("classes", ["fraud", "ok"], ["fine", "fraud"])],
)
def test_two_names_for_one_thing_are_both_said(data, name, here, there):
    X, _, y, frozen = data
    said = mixture(**{name: there})
    message = rf"{name} is .*{here[-1]}.* in \w+ and .*{there[-1]}.* in its mixture"
    with pytest.raises(ValueError, match=message):
        PerformanceCurveEstimator(said, **{name: here}).fit(X[:, 0], y)
    for make in (SemisupervisedCalibratedClassifier, SemisupervisedThresholdClassifier):
        goal = {"f1": 0.3} if make is SemisupervisedThresholdClassifier else {}
        with pytest.raises(ValueError, match=message):
            make(frozen, mixture=said, **{name: here}, **goal).fit(X, y)
    # Said twice is no contradiction, in whatever order.
    again = {name: here[::-1] if name == "classes" else here}
    both = PerformanceCurveEstimator(mixture(**again), **{"pos_label": "ok", name: here})
    assert both.fit(X[:, 0], y).pos_label_ == "ok"


# --- the other class ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [{}, {"experts": None}, {"method": "em", "experts": None}], ids=str
)
@pytest.mark.parametrize("greater", [True, False])
def test_the_same_draws_know_the_other_class(data, model, greater):
    X, _, y, frozen = data
    # With ties.
    scores = np.round(frozen.decision_function(X), 1)
    fitted = mixture(pos_label="ok", greater_is_positive=greater, **model).fit(scores, y)
    ok, fraud = (performance_of(fitted, pos_label=n) for n in (None, "fraud"))
    assert (ok.pos_label_, fraud.pos_label_) == ("ok", "fraud")
    # At a score itself both classes would claim the items that have it.
    between = float(np.unique(scores)[N // 4]) + 0.05
    for mine, other in (("recall", "specificity"), ("specificity", "recall"), ("accuracy",) * 2):
        of_ok = ok.estimate(mine, threshold=between, target="population").draws
        of_fraud = fraud.estimate(other, threshold=between, target="population").draws
        assert_allclose(of_fraud, of_ok, rtol=1e-9, atol=1e-12)
    for metric, flip in (("roc_auc", lambda v: v), ("prevalence", lambda v: 1.0 - v)):
        of_ok, of_fraud = (p.estimate(metric, target="population") for p in (ok, fraud))
        assert_allclose(of_fraud.draws, flip(of_ok.draws), rtol=1e-9, atol=1e-12)
    curve = fraud.curve("roc", target="population")
    assert (np.diff(curve.draws, axis=1) >= -1e-12).all()


def test_of_known_labels_the_other_class_is_what_scikit_learn_says(data):
    X, truth, _, frozen = data
    scores = np.round(frozen.decision_function(X), 1)
    fitted = mixture(pos_label="ok").fit(scores, truth)
    fraud = performance_of(fitted, pos_label="fraud")
    expected = metrics.average_precision_score(truth == "fraud", -scores)
    assert fraud.estimate("average_precision").value == pytest.approx(expected)
    at = float(np.median(scores))
    expected = metrics.precision_score(
        truth, np.where(scores <= at, "fraud", "ok"), pos_label="fraud"
    )
    assert fraud.estimate("precision", threshold=at).value == pytest.approx(expected)
    assert fraud.score(scores, truth) == pytest.approx(0.0, abs=1e-12)


def test_a_summary_counts_the_labels_of_each_class(data):
    X, _, y, frozen = data
    fitted = mixture(pos_label="ok").fit(frozen.decision_function(X), y)
    n_ok, n_fraud = (np.count_nonzero(y == name) for name in ("ok", "fraud"))
    for name, said in (
        ("ok", f"{n_ok} of class ok, {n_fraud} of class fraud"),
        ("fraud", f"{n_fraud} of class fraud, {n_ok} of class ok"),
    ):
        performance = performance_of(fitted, pos_label=name)
        assert said in main_estimates(performance).remarks[1]


def test_the_other_class_learns_on(data):
    X, truth, y, frozen = data
    scores = frozen.decision_function(X)
    fraud = performance_of(mixture(pos_label="ok").fit(scores, y), pos_label="fraud")
    fraud.update(scores, truth)
    assert fraud.estimate("prevalence").value == pytest.approx(np.mean(truth == "fraud"))


# --- what answers say -----------------------------------------------------------------------


def test_every_answer_names_the_class(data):
    X, _, y, frozen = data
    performance = PerformanceCurveEstimator(mixture(), pos_label="fraud")
    performance.fit(-frozen.decision_function(X), y)
    answers = [
        performance.estimate("roc_auc"),
        performance.estimate("precision", threshold=0.0),
        performance.estimate("precision", recall=0.5),
        performance.estimate(metrics.roc_auc_score),
        performance.curve(),
        performance.curve().at(0.5),
        performance.curve("f1"),
        performance.goal_probability(f1=0.5),
        performance.calibration_curve(n_bins=3),
        performance.mixture_.prevalence_,
    ]
    for answer in answers:
        assert answer.pos_label == "fraud"
        assert " of 'fraud'" in repr(answer)
    assert repr(answers[1]).startswith("ScalarEstimate(precision of 'fraud' at threshold 0 = ")
    with pytest.raises(
        UnreachableGoalError, match=r"precision >= 0.99.*\('fraud' is the positive class\)"
    ) as e:
        performance.threshold_for(precision=0.99, recall=0.99)
    assert e.value.pos_label == "fraud"


def test_one_goes_without_saying(data):
    X, truth, _, frozen = data
    y = np.where(np.arange(N) < N // 3, truth == "fraud", -1)
    fitted = PerformanceCurveEstimator(mixture()).fit(-frozen.decision_function(X), y)
    assert fitted.estimate("roc_auc").pos_label == 1
    assert repr(fitted.estimate("roc_auc")).startswith("ScalarEstimate(roc_auc = ")
