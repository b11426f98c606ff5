"""A classifier whose threshold keeps a promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_score, recall_score
from sklearn.model_selection import FixedThresholdClassifier, StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.datasets import make_scores
from sklearn_spe.exceptions import UnreachableGoalError
from tests.calibration.data import (
    EXPERTS,
    FAST,
    LABELS,
    PARTIAL,
    QUIET,
    TRAINED,
    X,
    make_items,
)
from tests.threshold.data import promising

pytestmark = QUIET
GOAL = {"precision": 0.6, "confidence_level": 0.7}


def missing(codes):
    """Mark items that are not labelled by NaN: next to one class alone -1 could be another."""
    return np.where(PARTIAL < 0, np.nan, codes)


@pytest.fixture(scope="module")
def fitted():
    return promising(FrozenEstimator(TRAINED), EXPERTS, **GOAL).fit(X, PARTIAL)


# --- a classifier that is fitted already ------------------------------------------------------


@pytest.mark.parametrize(
    ("classifier", "method", "kind"),
    [
        (TRAINED, "decision_function", "log_odds"),
        (LinearSVC().fit(*make_items(100, random_state=3)), "decision_function", "margin"),
        (GaussianNB().fit(*make_items(100, random_state=3)), "predict_proba", "auto"),
    ],
    ids=["log-odds", "margin", "probabilities"],
)
def test_the_threshold_is_that_of_the_performance_of_its_scores(classifier, method, kind):
    promised = promising(FrozenEstimator(classifier), EXPERTS, **GOAL).fit(X, PARTIAL)
    scores = getattr(classifier, method)(X)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    mixture = clone(EXPERTS).set_params(score_kind=kind)
    performance = PerformanceCurveEstimator(mixture, random_state=0).fit(scores, PARTIAL)
    threshold = performance.threshold_for(**GOAL)
    assert_allclose(promised.threshold_, threshold, rtol=1e-9)
    (probability,) = performance.goal_probability(precision=0.6, thresholds=[threshold]).value
    assert_allclose(promised.goal_probability_, probability, rtol=1e-9)
    assert promised.goal_probability_ >= 0.7
    assert promised.goal_ == {"precision": 0.6}
    assert promised.verdict_ == performance.verdict_
    ours = promised.performance_.estimate("average_precision").draws
    assert_allclose(ours, performance.estimate("average_precision").draws, rtol=1e-6)


def test_items_at_the_threshold_and_above_are_called_positive(fitted):
    scores = TRAINED.decision_function(X)
    # The threshold is a score of the sample, up to rounding to forty bits.
    at = np.abs(scores - fitted.threshold_) < 1e-9
    assert at.sum() == 1
    called = (scores > fitted.threshold_) | at
    assert fitted.predict(X).tolist() == called.astype(int).tolist()
    assert 0 < called.sum() < 120
    # A row is decided alike whatever stands beside it.
    assert [int(fitted.predict(X[[i]])[0]) for i in range(120)] == fitted.predict(X).tolist()


def test_what_else_the_classifier_says_is_passed_on(fitted):
    assert np.array_equal(fitted.predict_proba(X), TRAINED.predict_proba(X))
    assert np.array_equal(fitted.decision_function(X), TRAINED.decision_function(X))
    assert fitted.estimator_.estimator is TRAINED
    margins = promising(FrozenEstimator(LinearSVC().fit(X, LABELS)))
    assert not hasattr(margins, "predict_proba")
    assert hasattr(margins, "decision_function")
    assert not hasattr(promising(GaussianNB()), "decision_function")


def test_with_all_labels_the_promise_is_a_fact():
    promised = promising(FrozenEstimator(TRAINED), precision=0.8).fit(X, LABELS)
    assert promised.goal_probability_ == 1.0
    assert precision_score(LABELS, promised.predict(X)) >= 0.8
    reached = [
        recall_score(LABELS, TRAINED.decision_function(X) >= t - 1e-9)
        for t in TRAINED.decision_function(X)
        if precision_score(LABELS, TRAINED.decision_function(X) >= t - 1e-9) >= 0.8
    ]
    assert recall_score(LABELS, promised.predict(X)) == max(reached)


def test_several_goals_hold_together_and_pairs_are_bounds():
    goal = {"recall": (0.5, 0.95), "false_positive_rate": 0.4, "confidence_level": 0.5}
    promised = promising(FrozenEstimator(TRAINED), **goal).fit(X, PARTIAL)
    assert promised.goal_ == {"recall": (0.5, 0.95), "false_positive_rate": 0.4}
    again = promised.performance_.goal_probability(
        recall=(0.5, 0.95), false_positive_rate=0.4, thresholds=[promised.threshold_]
    )
    assert promised.goal_probability_ == again.value[0]


def test_what_is_preferred_and_for_whom_is_handed_on():
    for target in ("sample", "population"):
        for prefer in (None, "accuracy", "precision"):
            promised = promising(
                FrozenEstimator(TRAINED), recall=0.5, confidence_level=0.5, prefer=prefer,
                target=target,
            ).fit(X, PARTIAL)  # fmt: skip
            assert promised.performance_.target == target
            expected = promised.performance_.threshold_for(
                recall=0.5, confidence_level=0.5, prefer=prefer
            )
            assert_allclose(promised.threshold_, expected, rtol=1e-11)
            assert promised.threshold_ < expected


def test_a_promise_out_of_reach_is_an_error_that_names_the_best():
    hopeless = promising(
        FrozenEstimator(TRAINED), precision=0.99, recall=0.99, confidence_level=0.99
    )
    with pytest.raises(
        UnreachableGoalError, match=r"No threshold meets precision >= 0.99 and"
    ) as e:
        hopeless.fit(X, PARTIAL)
    assert 0.0 <= e.value.best_probability < 0.99
    assert not hasattr(hopeless, "threshold_")


# --- the positive class -----------------------------------------------------------------------


def test_the_first_class_may_be_the_positive_one():
    first = promising(FrozenEstimator(TRAINED), pos_label=0, **GOAL).fit(X, PARTIAL)
    scores = TRAINED.decision_function(X)
    mixture = clone(FAST).set_params(greater_is_positive=False)
    performance = PerformanceCurveEstimator(mixture, random_state=0)
    performance.fit(scores, missing(PARTIAL == 0))
    # As in FixedThresholdClassifier the scores are those of the positive class.
    assert_allclose(first.threshold_, -performance.threshold_for(**GOAL), rtol=1e-9)
    assert first.predict(X).tolist() == np.where(-scores >= first.threshold_, 0, 1).tolist()
    assert first.pos_label_ == 0
    first.set_params(pos_label=1)
    assert first.predict(X).tolist() == np.where(-scores >= first.threshold_, 0, 1).tolist()


@pytest.mark.parametrize("pos_label", [0, 1])
@pytest.mark.parametrize("response_method", ["decision_function", "predict_proba"])
def test_scikit_learn_decides_alike_by_the_same_threshold(pos_label, response_method):
    promised = promising(
        FrozenEstimator(TRAINED), pos_label=pos_label, response_method=response_method, **GOAL
    ).fit(X, PARTIAL)
    fixed = FixedThresholdClassifier(
        FrozenEstimator(TRAINED),
        threshold=promised.threshold_,
        pos_label=pos_label,
        response_method=response_method,
    ).fit(X, LABELS)
    assert fixed.predict(X).tolist() == promised.predict(X).tolist()


def test_one_is_the_positive_class_unless_told_otherwise():
    default, named = (
        promising(FrozenEstimator(TRAINED), pos_label=pos_label, **GOAL).fit(X, PARTIAL)
        for pos_label in (None, 1)
    )
    assert default.threshold_ == named.threshold_
    names = np.array(["ham", "spam"])
    classifier = LogisticRegression().fit(X, names[LABELS])
    y = np.where(PARTIAL < 0, None, names[LABELS])
    ham = promising(
        FrozenEstimator(classifier), pos_label="ham", precision=0.85, confidence_level=0.6
    ).fit(X, y)
    assert set(ham.predict(X)) == {"ham", "spam"}
    assert ham.performance_.estimate("prevalence").value > 0.5


@pytest.mark.parametrize("pos_label", [-1, 1])
@pytest.mark.parametrize("is_frozen", [True, False])
def test_outliers_are_found_with_a_promise(pos_label, is_frozen):
    rng = np.random.default_rng(0)
    rows, outliers = rng.normal(size=(300, 2)), np.arange(300) < 45
    rows[outliers] *= 6.0
    signs = np.where(outliers, -1.0, 1.0)
    y = np.where(np.arange(300) % 3 == 0, signs, np.nan)
    forest = IsolationForest(n_estimators=20, random_state=0)
    inside = FrozenEstimator(clone(forest).fit(rows)) if is_frozen else forest
    promised = promising(inside, recall=0.5, confidence_level=0.8, pos_label=pos_label)
    promised.fit(rows, y)
    scores = clone(forest).fit(rows).decision_function(rows)
    called = pos_label * scores >= promised.threshold_
    assert promised.predict(rows).tolist() == np.where(called, pos_label, -pos_label).tolist()
    # All labels judge the detector: its own fit takes none.
    assert promised.performance_.posterior_.sample.n_labeled == 100
    assert recall_score(signs, promised.predict(rows), pos_label=pos_label) > 0.4


# --- a classifier that is fitted here ---------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.3, 0.5])
@pytest.mark.parametrize("seed", [0, 2**40 + 1])
def test_a_part_of_the_labels_fits_the_classifier_and_the_others_judge_it(fraction, seed):
    promised = promising(LogisticRegression(), validation_fraction=fraction, random_state=seed).fit(
        X, PARTIAL
    )
    labeled = np.flatnonzero(PARTIAL >= 0)
    split = StratifiedShuffleSplit(1, test_size=fraction, random_state=seed % 2**32)
    ((train, held_out),) = split.split(labeled, PARTIAL[labeled])
    train, held_out = np.sort(labeled[train]), np.sort(labeled[held_out])
    classifier = LogisticRegression().fit(X[train], LABELS[train])
    assert np.array_equal(promised.estimator_.coef_, classifier.coef_)
    scored = np.sort(np.r_[held_out, np.flatnonzero(PARTIAL < 0)])
    mixture = clone(FAST).set_params(score_kind="log_odds")
    alone = PerformanceCurveEstimator(mixture, random_state=seed).fit(
        classifier.decision_function(X[scored]), PARTIAL[scored]
    )
    expected = alone.threshold_for(f1=0.3, confidence_level=0.5)
    assert_allclose(promised.threshold_, expected, rtol=1e-9)
    assert promised.performance_.posterior_.sample.n_labeled == len(held_out)


def test_a_class_with_one_label_is_trained_on():
    y = np.where(PARTIAL == 1, -1, PARTIAL)
    y[np.flatnonzero(PARTIAL == 1)[0]] = 1
    promised = promising(LogisticRegression(), f1=0.05, confidence_level=0.05).fit(X, y)
    sample = promised.performance_.posterior_.sample
    assert sample.positive.sum() == 0
    assert 0 < sample.negative.sum() < (y == 0).sum()
    assert promised.estimator_.classes_.tolist() == [0, 1]


# --- what it is for ---------------------------------------------------------------------------


class Score(ClassifierMixin, BaseEstimator):
    """A classifier of one feature, which is its score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.slow
@pytest.mark.parametrize("pos_label", [1, 0])
def test_a_promise_is_broken_as_seldom_as_it_says(pos_label):
    n_sets, level = 200, 0.8
    inside = FrozenEstimator(Score().fit(None, [0, 1]))
    # Scores are two normals, as the model has it.
    mixture = SemisupervisedScoreMixture("norm", "norm", n_draws=200, experts=None)
    goal = {"precision": 0.75} if pos_label == 1 else {"precision": 0.93}
    broken = []
    for seed in range(n_sets):
        scores, labels = make_scores(300, random_state=1000 + seed)
        y = np.where(np.arange(300) < 60, labels, -1)
        promised = promising(
            inside, mixture, confidence_level=level, pos_label=pos_label, random_state=seed, **goal
        ).fit(scores.reshape(-1, 1), y)
        called = promised.predict(scores.reshape(-1, 1))
        reached = precision_score(labels, called, pos_label=pos_label)
        broken.append(reached < goal["precision"])
    # The threshold is the most useful one: it keeps the promise with hardly more than asked for.
    tolerance = 3.0 * np.sqrt(level * (1.0 - level) / n_sets)
    assert abs(np.mean(broken) - (1.0 - level)) < tolerance
