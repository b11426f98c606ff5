"""A decision is taken where the scores say it, and the answer says where; else it is asked for."""

import numpy as np
import pytest
from scipy import special
from sklearn import metrics
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from sklearn_spe import (
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
)
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
