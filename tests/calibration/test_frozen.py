"""A classifier that is fitted already: its scores get a meaning, and nothing else happens."""

import warnings

import numpy as np
import pytest
from joblib import parallel_backend
from numpy.testing import assert_allclose
from scipy import special
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_spe import PerformanceCurveEstimator, SemisupervisedScoreMixture
from sklearn_spe.exceptions import UnidentifiedWarning
from tests.calibration.data import (
    EXPERTS,
    FAST,
    LABELS,
    PARTIAL,
    QUIET,
    TRAINED,
    X,
    calibrated,
    make_items,
)

pytestmark = QUIET
BOTH_KINDS = pytest.mark.parametrize("mixture", [FAST, EXPERTS], ids=["bare", "experts"])


@pytest.fixture(scope="module")
def fitted():
    return calibrated(FrozenEstimator(TRAINED), EXPERTS).fit(X, PARTIAL)


# --- what the probabilities are ---------------------------------------------------------------


def response_and_kind():
    forest = RandomForestClassifier(20, random_state=0)
    items = make_items(100, random_state=3)
    return {
        "log-odds": (TRAINED, "decision_function", "log_odds"),
        "margin": (LinearSVC().fit(*items), "decision_function", "margin"),
        "naive Bayes": (GaussianNB().fit(*items), "predict_proba", "auto"),
        "votes": (forest.fit(*items), "predict_proba", "auto"),
    }


@BOTH_KINDS
@pytest.mark.parametrize("name", response_and_kind())
def test_the_probabilities_are_those_of_a_mixture_of_the_scores(mixture, name):
    classifier, method, kind = response_and_kind()[name]
    scores = getattr(classifier, method)(X)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    alone = clone(mixture).set_params(score_kind=kind).fit(scores, PARTIAL)
    fitted = calibrated(FrozenEstimator(classifier), mixture).fit(X, PARTIAL)
    # Scores are rounded to forty bits.
    assert_allclose(fitted.predict_proba(X), alone.predict_proba(scores), rtol=1e-6)
    assert fitted.verdict_ == alone.verdict_


def test_scores_are_log_odds_only_if_they_are_those_of_the_probabilities():
    def kind_of(classifier, **parameters):
        fitted = calibrated(FrozenEstimator(classifier), EXPERTS, **parameters).fit(X, PARTIAL)
        (pair,) = fitted.calibrated_classifiers_
        return pair.mixtures[0].score_kind

    class Doubled(LogisticRegression):
        def decision_function(self, X):
            return 2.0 * super().decision_function(X)

        def predict_proba(self, X):
            return np.column_stack([special.expit(-self._own(X)), special.expit(self._own(X))])

        def _own(self, X):
            return super().decision_function(X)

    assert kind_of(TRAINED) == "log_odds"
    assert kind_of(TRAINED, response_method="predict_proba") == "auto"
    assert kind_of(Doubled().fit(*make_items(100, random_state=3))) == "auto"


def test_the_kind_of_scores_that_a_mixture_was_told_is_kept():
    told = clone(EXPERTS).set_params(score_kind="margin")
    fitted = calibrated(FrozenEstimator(TRAINED), told).fit(X, PARTIAL)
    assert fitted.calibrated_classifiers_[0].mixtures[0].score_kind == "margin"
    assert not hasattr(told, "posterior_")


def test_scores_may_come_from_probabilities():
    own = calibrated(FrozenEstimator(TRAINED), response_method="predict_proba").fit(X, PARTIAL)
    scores = TRAINED.predict_proba(X)[:, 1]
    alone = clone(FAST).fit(scores, PARTIAL)
    assert_allclose(own.predict_proba(X), alone.predict_proba(scores), rtol=1e-6)


def test_the_default_mixture_has_the_seed_of_the_estimator():
    fitted = calibrated(FrozenEstimator(TRAINED), None, random_state=3).fit(X, PARTIAL)
    scores = TRAINED.decision_function(X)
    alone = SemisupervisedScoreMixture(score_kind="log_odds", random_state=3).fit(scores, PARTIAL)
    assert_allclose(fitted.predict_proba(X), alone.predict_proba(scores), rtol=1e-6)


def test_probabilities_sum_to_one_and_decide(fitted):
    probabilities = fitted.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert probabilities.min() >= 0.0
    assert fitted.predict(X).tolist() == (probabilities[:, 1] > 0.5).astype(int).tolist()


def test_score_is_the_accuracy_on_the_labelled_items(fitted):
    known = PARTIAL >= 0
    expected = np.mean(fitted.predict(X[known]) == LABELS[known])
    assert_allclose(fitted.score(X, PARTIAL), expected, rtol=1e-12)
    weights = np.arange(120) % 4
    weighted = np.average(fitted.predict(X) == LABELS, weights=weights)
    assert_allclose(fitted.score(X, LABELS, sample_weight=weights), weighted, rtol=1e-12)
    assert np.isnan(fitted.score(X, np.full(120, -1)))


# --- intervals --------------------------------------------------------------------------------


def test_intervals_are_quantiles_of_the_draws(fitted):
    (mixture,) = fitted.calibrated_classifiers_[0].mixtures
    scores = TRAINED.decision_function(X)
    blocks = mixture.posterior_.blocks()
    draws = np.concatenate([mixture.posterior_.positive_probability(scores, b) for b in blocks])
    # Draws of curves have equal weights.
    expected = np.quantile(draws, [0.1, 0.9], axis=0, method="hazen")
    lower, upper = fitted.predict_proba_interval(X, 0.8)
    assert_allclose([lower[:, 1], upper[:, 1]], expected, rtol=1e-6)
    assert_allclose([upper[:, 0], lower[:, 0]], 1.0 - expected, rtol=1e-6)


@BOTH_KINDS
def test_intervals_hold_the_mean_and_shrink_with_their_level(mixture):
    fitted = calibrated(FrozenEstimator(TRAINED), mixture).fit(X, PARTIAL)
    mean = fitted.predict_proba(X)
    widths = []
    for level in (0.99, 0.9, 0.5):
        lower, upper = fitted.predict_proba_interval(X, level)
        assert (lower >= 0.0).all()
        assert (upper <= 1.0).all()
        widths.append(upper - lower)
        if level > 0.5:
            assert (lower <= mean + 1e-12).all()
            assert (mean <= upper + 1e-12).all()
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()
    default = fitted.predict_proba_interval(X)
    assert np.array_equal(default[1] - default[0], widths[1])


@pytest.mark.parametrize("level", [0.0, 1.0, np.nan, -1])
def test_the_level_of_an_interval_is_a_probability(fitted, level):
    with pytest.raises(ValueError, match="confidence_level must lie in"):
        fitted.predict_proba_interval(X, level)


# --- what else a frozen classifier answers ----------------------------------------------------


def test_the_scores_of_the_classifier_are_passed_on(fitted):
    assert np.array_equal(fitted.decision_function(X), TRAINED.decision_function(X))
    assert not hasattr(calibrated(TRAINED), "decision_function")
    assert not hasattr(calibrated(clone(TRAINED), cv=2).fit(X, PARTIAL), "decision_function")
    assert not hasattr(calibrated(FrozenEstimator(GaussianNB())), "decision_function")


def test_performance_is_that_of_the_mixture(fitted):
    performance = fitted.performance_
    assert isinstance(performance, PerformanceCurveEstimator)
    (mixture,) = fitted.calibrated_classifiers_[0].mixtures
    alone = PerformanceCurveEstimator.from_mixture(mixture)
    for metric in ("average_precision", "roc_auc", "prevalence"):
        expected = alone.estimate(metric).draws
        assert np.array_equal(performance.estimate(metric).draws, expected)
        assert np.array_equal(fitted.estimate(metric).draws, expected)
        assert np.array_equal(fitted.estimate(metric, label=1).draws, expected)
    assert np.array_equal(fitted.curve("roc").draws, alone.curve("roc").draws)
    few = fitted.curve("roc", n_points=7, confidence_level=0.5)
    assert (len(few.x), few.confidence_level) == (7, 0.5)


def test_questions_that_need_a_threshold_are_for_others(fitted):
    for metric in ("precision", "f1"):
        with pytest.raises(ValueError, match=r"is about a decision: performance_.estimate\("):
            fitted.estimate(metric)
    with pytest.raises(ValueError, match="Unknown curve 'f1'; choose one of precision_recall"):
        fitted.curve("f1")
    with pytest.raises(ValueError, match=r"label=7 is not one of the classes \[0, 1\]"):
        fitted.estimate(label=7)


def test_what_turns_scores_into_the_own_probabilities_of_the_classifier(fitted):
    before = fitted.predicted_before_(TRAINED.decision_function(X))
    assert_allclose(before, TRAINED.predict_proba(X)[:, 1], rtol=1e-9)
    by_probability = calibrated(FrozenEstimator(TRAINED), response_method="predict_proba")
    own = TRAINED.predict_proba(X)[:, 1]
    assert np.array_equal(by_probability.fit(X, PARTIAL).predicted_before_(own), own)
    svc = LinearSVC().fit(*make_items(100, random_state=3))
    assert calibrated(FrozenEstimator(svc)).fit(X, PARTIAL).predicted_before_ is None


def test_the_frozen_classifier_is_not_touched():
    before = TRAINED.coef_.copy()
    fitted = calibrated(FrozenEstimator(TRAINED)).fit(X, PARTIAL)
    assert np.array_equal(TRAINED.coef_, before)
    assert fitted.calibrated_classifiers_[0].estimator.estimator is TRAINED
    assert len(fitted.calibrated_classifiers_) == 1


# --- what it is for ---------------------------------------------------------------------------


@pytest.mark.slow
def test_recalibrated_probabilities_are_better_where_the_classes_became_rare():
    # Trained where half of all items are positive, asked where one in twenty is.
    classifier = LogisticRegression().fit(*make_items(2000, prevalence=0.5, random_state=0))
    shifted, recalibrated, best = [], [], []
    for seed in range(20):
        items, labels = make_items(1500, prevalence=0.05, random_state=100 + seed)
        y = np.where(np.arange(1500) < 150, labels, -1)
        fitted = calibrated(FrozenEstimator(classifier), None).fit(items, y)
        after = fitted.predict_proba(items)[:, 1]
        truth = special.expit(classifier.decision_function(items) + np.log(0.05 / 0.95))
        for losses, p in (
            (shifted, classifier.predict_proba(items)[:, 1]),
            (recalibrated, after),
            (best, truth),
        ):
            losses.append(brier_score_loss(labels, p))
    gain = np.subtract(shifted, recalibrated)
    assert (gain > 0.0).all()
    # The largest part of what was to be gained is gained.
    assert gain.mean() > 0.8 * np.subtract(shifted, best).mean()


def test_threads_leave_the_filters_of_warnings_alone():
    few = np.where(np.arange(120) < 4, LABELS, -1)
    with parallel_backend("threading"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnidentifiedWarning)
        before = [(action, category) for action, _, category, *_ in warnings.filters]
        for _ in range(3):
            calibrated(LogisticRegression(), EXPERTS, cv=2, n_jobs=4).fit(X, PARTIAL)
            calibrated(FrozenEstimator(TRAINED), EXPERTS, n_jobs=4).fit(X, few)
        assert [(action, category) for action, _, category, *_ in warnings.filters] == before


def test_a_warning_points_at_the_call_of_fit():
    few = np.where(np.arange(120) < 2, LABELS, -1)
    with pytest.warns(UnidentifiedWarning) as caught:
        calibrated(FrozenEstimator(TRAINED), EXPERTS).fit(X, few)
    assert {warning.filename for warning in caught} == {__file__}
