"""A decision is taken where the scores say it, and the answer says where; else it is asked for."""

import numpy as np
import pytest
from scipy import special
from sklearn import metrics
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
)
from sklearn_spe.estimators._performance import performance_of
from tests.quick import EXPERTS, QUIET

pytestmark = QUIET
N = 120
DECISIONS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
    "accuracy": metrics.accuracy_score,
}


def mixture(experts=EXPERTS, **parameters):
    quick = {"experts": experts, "n_draws": 60, "random_state": 0, **parameters}
    return SemisupervisedScoreMixture("norm", "norm", **quick)


@pytest.fixture
def margins(global_random_seed):
    """Return margins, and all labels."""
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, rng.random(N - 2) < 0.4].astype(int)
    return 3.0 * labels - 1.5 + rng.normal(size=N), labels


KINDS = {
    "probabilities": (special.expit, "auto", 0.5, True, EXPERTS),
    "declared probabilities": (lambda s: s - s.min() == 0.0, "probability", 0.5, False, EXPERTS),
    "log-odds": (lambda s: s, "log_odds", 0.0, False, EXPERTS),
    "margins": (lambda s: s, "margin", 0.0, True, None),
    "real numbers": (lambda s: s, "auto", 0.0, False, EXPERTS),
    "percentages": (lambda s: 100.0 * special.expit(3.0 * s), "auto", 50.0, True, EXPERTS),
}


@pytest.mark.parametrize(
    ("flip", "kind", "expected", "greater", "experts"), KINDS.values(), ids=KINDS
)
def test_scores_that_say_it(margins, flip, kind, expected, greater, experts):
    scores, labels = np.asarray(flip(margins[0]), dtype=float), margins[1]
    said = mixture(score_kind=kind, experts=experts, greater_is_positive=greater)
    performance = PerformanceCurveEstimator(said).fit(scores, labels)
    called = scores >= expected if greater else scores <= expected
    for name, metric in DECISIONS.items():
        estimate = performance.estimate(name)
        assert estimate.threshold == expected
        assert f"at threshold {expected:g} = " in repr(estimate)
        assert estimate.value == pytest.approx(metric(labels, called))
    assert performance.estimate("f1", threshold=scores.max()).threshold == scores.max()
    assert performance.estimate("roc_auc").threshold is None


SILENT = {
    "distances": lambda s: 4.0 + s - s.min(),
    "tail probabilities": lambda s: 0.5 + 0.5 * special.expit(s),
    "shares of ranks": lambda s: (np.argsort(np.argsort(s)) + 1.0) / len(s),
    "scaled to the unit interval": lambda s: (s - s.min()) / np.ptp(s),
}


@pytest.mark.parametrize("flip", SILENT.values(), ids=SILENT)
def test_scores_that_do_not_say_it_are_asked_about(margins, flip):
    scores, labels = flip(margins[0]), margins[1]
    performance = PerformanceCurveEstimator(mixture()).fit(scores, labels)
    assert performance.default_threshold_ is None
    for ask in (performance.estimate, lambda name: performance.plan(0, name)):
        with pytest.raises(ValueError, match=r"'f1' is a metric of decisions.*pass threshold="):
            ask("f1")


def items(seed):
    rng = np.random.default_rng(seed)
    labels = np.r_[0, 1, rng.random(N - 2) < 0.4].astype(int)
    return 1.5 * labels[:, np.newaxis] + rng.normal(size=(N, 2)), labels


CLASSIFIERS = {
    "log-odds": (LogisticRegression(), "auto", 0.0, 0),
    "probabilities": (LogisticRegression(), "predict_proba", 0.5, 1),
    "margins": (LinearSVC(), "auto", 0.0, 1),
}


@pytest.mark.parametrize(
    ("inside", "method", "expected", "pos_label"), CLASSIFIERS.values(), ids=CLASSIFIERS
)
def test_a_classifier_decides_as_it_predicts(
    inside, method, expected, pos_label, global_random_seed
):
    inside = clone(inside).fit(*items(global_random_seed))
    X, labels = items(global_random_seed + 100)
    performance = (
        SemisupervisedCalibratedClassifier(
            FrozenEstimator(inside),
            mixture=mixture(),
            response_method=method,
            pos_label=pos_label,
            random_state=0,
        )
        .fit(X, labels)
        .performance_
    )
    for name, metric in DECISIONS.items():
        options = {} if name == "accuracy" else {"pos_label": pos_label}
        estimate = performance.estimate(name)
        assert estimate.value == pytest.approx(metric(labels, inside.predict(X), **options))
        assert (estimate.threshold, estimate.pos_label) == (expected, pos_label)


def test_an_outlier_detector_decides_as_it_predicts(global_random_seed):
    X, labels = items(global_random_seed)
    signs = np.where(labels == 1, -1, 1).astype(float)
    forest = IsolationForest(n_estimators=10, contamination=0.3, random_state=0).fit(X)
    fitted = SemisupervisedCalibratedClassifier(
        FrozenEstimator(forest), mixture=mixture(), pos_label=-1, random_state=0
    )
    # Of 120 items one has no label, so that no -1 is in doubt.
    fitted.fit(X, np.where(np.arange(N) == 0, np.nan, signs))
    expected = metrics.recall_score(signs[1:], forest.predict(X)[1:], pos_label=-1)
    assert fitted.performance_.estimate("recall").value == pytest.approx(expected, abs=2 / 20)


def test_a_promised_threshold_is_where_its_classifier_decides(global_random_seed):
    X, labels = items(global_random_seed)
    inside = FrozenEstimator(LogisticRegression().fit(*items(global_random_seed + 100)))
    promised = SemisupervisedThresholdClassifier(
        inside, recall=0.5, confidence_level=0.5, mixture=mixture(), random_state=0
    ).fit(X, labels)
    estimate = promised.performance_.estimate("f1")
    assert estimate.value == pytest.approx(metrics.f1_score(labels, promised.predict(X)))
    assert estimate.threshold == pytest.approx(promised.threshold_)


# --- what is possible instead ---------------------------------------------------------------


def test_the_accuracy_of_many_classes_is_a_prevalence(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    labels = np.r_[0, 1, 2, rng.integers(3, size=N - 3)]
    X = 2.0 * np.eye(3)[labels] + rng.normal(size=(N, 3))
    inside = LogisticRegression().fit(X, labels)
    X = X + rng.normal(size=X.shape)
    fitted = SemisupervisedCalibratedClassifier(
        FrozenEstimator(inside), mixture=mixture(experts=None), random_state=0
    ).fit(X, labels)
    # How often the most probable class is right.
    right = (inside.predict(X) == labels).astype(float)
    performance = PerformanceCurveEstimator(mixture())
    performance.fit(inside.predict_proba(X).max(axis=1), right)
    accuracy = metrics.accuracy_score(labels, inside.predict(X))
    assert performance.estimate("prevalence").value == pytest.approx(accuracy)
    assert fitted.estimate("accuracy").value == pytest.approx(accuracy)


def test_two_columns_are_probabilities_even_of_votes(margins):
    votes = np.clip(np.round(special.expit(margins[0]) * 10.0) / 10.0, 0.0, 1.0)
    votes[:2] = 0.0, 1.0
    both = np.column_stack([1.0 - votes, votes])
    performance = PerformanceCurveEstimator(mixture(experts=None)).fit(both, margins[1])
    assert performance.default_threshold_ == 0.5
    again = performance_of(performance.mixture_)
    assert again.default_threshold_ == 0.5
