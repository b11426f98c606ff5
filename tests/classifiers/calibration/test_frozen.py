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
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.estimators._performance import performance_of
from sklearn_spe.exceptions import UnidentifiedWarning
from sklearn_spe.inputs import _workers
from sklearn_spe.posterior._registry import CURVES
from tests.classifiers.calibration.data import make_items
from tests.quick import QUIET

pytestmark = QUIET
BOTH_KINDS = pytest.mark.parametrize("kind", ["fast", "experts"])


@pytest.fixture(scope="module")
def fitted(rows):
    return rows.calibrated(FrozenEstimator(rows.trained), rows.experts).fit(rows.X, rows.partial)


# --- what the probabilities are ---------------------------------------------------------------


# The classifier, its response, and the kind of its scores.
RESPONSES = {
    "log-odds": (LogisticRegression(), "decision_function", "log_odds"),
    "margin": (LinearSVC(), "decision_function", "margin"),
    "naive Bayes": (GaussianNB(), "predict_proba", "auto"),
    "votes": (RandomForestClassifier(20, random_state=0), "predict_proba", "auto"),
}


@BOTH_KINDS
@pytest.mark.parametrize("name", RESPONSES)
def test_the_probabilities_are_those_of_a_mixture_of_the_scores(rows, kind, name):
    classifier, method, score_kind = RESPONSES[name]
    classifier, mixture = clone(classifier).fit(*rows.others()), getattr(rows, kind)
    scores = getattr(classifier, method)(rows.X)
    scores = scores[:, 1] if scores.ndim == 2 else scores
    alone = clone(mixture).set_params(score_kind=score_kind).fit(scores, rows.partial)
    fitted = rows.calibrated(FrozenEstimator(classifier), mixture).fit(rows.X, rows.partial)
    # Scores are rounded to forty bits.
    assert_allclose(fitted.predict_proba(rows.X), alone.predict_proba(scores), rtol=1e-6)
    assert fitted.verdict_ == alone.verdict_


def test_scores_are_log_odds_only_if_they_are_those_of_the_probabilities(rows):
    def kind_of(classifier, **parameters):
        fitted = rows.calibrated(FrozenEstimator(classifier), rows.experts, **parameters).fit(
            rows.X, rows.partial
        )
        (pair,) = fitted.calibrated_classifiers_
        return pair.mixtures[0].score_kind

    class Doubled(LogisticRegression):
        def decision_function(self, X):
            return 2.0 * super().decision_function(X)

        def predict_proba(self, X):
            return np.column_stack([special.expit(-self._own(X)), special.expit(self._own(X))])

        def _own(self, X):
            return super().decision_function(X)

    assert kind_of(rows.trained) == "log_odds"
    assert kind_of(rows.trained, response_method="predict_proba") == "auto"
    assert kind_of(Doubled().fit(*rows.others())) == "auto"


def test_scores_may_come_from_probabilities(rows):
    own = rows.calibrated(FrozenEstimator(rows.trained), response_method="predict_proba").fit(
        rows.X, rows.partial
    )
    scores = rows.trained.predict_proba(rows.X)[:, 1]
    alone = clone(rows.quick).fit(scores, rows.partial)
    assert_allclose(own.predict_proba(rows.X), alone.predict_proba(scores), rtol=1e-6)


def test_score_is_the_accuracy_on_the_labeled_items(rows, fitted):
    known = rows.partial >= 0
    expected = np.mean(fitted.predict(rows.X[known]) == rows.labels[known])
    assert_allclose(fitted.score(rows.X, rows.partial), expected, rtol=1e-12)
    weights = np.arange(120) % 4
    weighted = np.average(fitted.predict(rows.X) == rows.labels, weights=weights)
    assert_allclose(fitted.score(rows.X, rows.labels, sample_weight=weights), weighted, rtol=1e-12)
    assert np.isnan(fitted.score(rows.X, np.full(120, -1)))


# --- intervals --------------------------------------------------------------------------------


def test_intervals_are_quantiles_of_the_draws(rows, fitted):
    (mixture,) = fitted.calibrated_classifiers_[0].mixtures
    scores = rows.trained.decision_function(rows.X)
    blocks = mixture.posterior_.blocks()
    draws = np.concatenate([mixture.posterior_.positive_probability(scores, b) for b in blocks])
    # Draws of curves have equal weights.
    expected = np.quantile(draws, [0.1, 0.9], axis=0, method="hazen")
    lower, upper = fitted.predict_proba_interval(rows.X, 0.8)
    # Between sixteen points a cell they are interpolated.
    assert_allclose([lower[:, 1], upper[:, 1]], expected, atol=5e-3)
    assert_allclose([upper[:, 0], lower[:, 0]], [1.0 - lower[:, 1], 1.0 - upper[:, 1]])


@BOTH_KINDS
def test_intervals_agree_with_the_mean_and_shrink_with_their_level(rows, kind):
    mixture = getattr(rows, kind)
    fitted = rows.calibrated(FrozenEstimator(rows.trained), mixture).fit(rows.X, rows.partial)
    mean = fitted.predict_proba(rows.X)
    (judge,) = fitted.calibrated_classifiers_[0].mixtures
    widths = []
    for level in (0.99, 0.9, 0.5):
        lower, upper = fitted.predict_proba_interval(rows.X, level)
        assert (lower >= 0.0).all()
        assert (upper <= 1.0).all()
        widths.append(upper - lower)
        # A tail may pull the mean out of the interval, but by Markov's inequality no further:
        # all but a tail, and half of the draw at which it ends, is at least the lower end.
        inside = 1.0 - (1.0 - level) / 2.0 - judge.posterior_.weights.max() / 2.0
        assert (lower * inside <= mean + 1e-12).all()
        assert ((1.0 - upper) * inside <= 1.0 - mean + 1e-12).all()
    assert (widths[0] > widths[1]).all()
    assert (widths[1] > widths[2]).all()
    default = fitted.predict_proba_interval(rows.X)
    assert np.array_equal(default[1] - default[0], widths[1])


# --- what else a frozen classifier answers ----------------------------------------------------


def test_the_scores_of_the_classifier_are_passed_on(rows, fitted):
    assert np.array_equal(fitted.decision_function(rows.X), rows.trained.decision_function(rows.X))
    assert not hasattr(rows.calibrated(rows.trained), "decision_function")
    assert not hasattr(
        rows.calibrated(clone(rows.trained), cv=2).fit(rows.X, rows.partial), "decision_function"
    )
    assert not hasattr(rows.calibrated(FrozenEstimator(GaussianNB())), "decision_function")


def test_performance_is_that_of_the_mixture(fitted):
    performance = fitted.performance_
    assert isinstance(performance, PerformanceCurveEstimator)
    (mixture,) = fitted.calibrated_classifiers_[0].mixtures
    alone = performance_of(mixture)
    for metric in ("average_precision", "roc_auc", "prevalence"):
        expected = alone.estimate(metric).draws
        assert np.array_equal(performance.estimate(metric).draws, expected)
        assert np.array_equal(fitted.estimate(metric).draws, expected)
        assert np.array_equal(fitted.estimate(metric, pos_label=1).draws, expected)
    for curve in ("roc", CURVES["roc"]):
        assert np.array_equal(fitted.curve(curve).draws, alone.curve("roc").draws)
    few = fitted.curve("roc", n_points=7, confidence_level=0.5)
    assert (len(few.x), few.confidence_level) == (7, 0.5)


@BOTH_KINDS
def test_the_error_of_its_probabilities_is_that_of_scikit_learn(rows, kind):
    labeled = rows.calibrated(FrozenEstimator(rows.trained), getattr(rows, kind))
    predicted = labeled.fit(rows.X, rows.labels).predict_proba(rows.X)
    for name, score in (("brier_score", brier_score_loss), ("log_loss", log_loss)):
        for label in (0, 1):
            estimate = labeled.estimate(name, pos_label=label)
            expected = score(rows.labels == label, predicted[:, label])
            assert_allclose([estimate.value, *estimate.interval()], expected, rtol=1e-9)
        # Of the scores themselves there is none: they are log-odds.
        with pytest.raises(ValueError, match=f"'{name}' needs predicted probabilities"):
            labeled.performance_.estimate(name)


def test_questions_that_need_a_threshold_are_for_others(fitted):
    for metric in ("precision", "f1"):
        with pytest.raises(ValueError, match=r"metric of decisions: use performance_.estimate\("):
            fitted.estimate(metric)
    with pytest.raises(ValueError, match=r"must be one of precision_recall.*got 'f1'"):
        fitted.curve("f1")
    with pytest.raises(ValueError, match=r"pos_label=7 is not one of the classes \[0, 1\]"):
        fitted.estimate(pos_label=7)


def test_what_turns_scores_into_the_own_probabilities_of_the_classifier(rows, fitted):
    before = fitted.predicted_before_(rows.trained.decision_function(rows.X))
    assert_allclose(before, rows.trained.predict_proba(rows.X)[:, 1], rtol=1e-9)
    by_probability = rows.calibrated(FrozenEstimator(rows.trained), response_method="predict_proba")
    own = rows.trained.predict_proba(rows.X)[:, 1]
    assert np.array_equal(by_probability.fit(rows.X, rows.partial).predicted_before_(own), own)
    svc = LinearSVC().fit(*rows.others())
    assert rows.calibrated(FrozenEstimator(svc)).fit(rows.X, rows.partial).predicted_before_ is None


# --- what it is for ---------------------------------------------------------------------------


@pytest.mark.slow
def test_recalibrated_probabilities_are_better_where_the_classes_became_rare(rows):
    # Trained where half of all items are positive, asked where one in twenty is.
    train = make_items(2000, prevalence=0.5, random_state=[rows.seed, 20])
    classifier = LogisticRegression().fit(*train)
    shifted, recalibrated, best = [], [], []
    for repeat in range(6):
        items, labels = make_items(1500, prevalence=0.05, random_state=[rows.seed, 21, repeat])
        y = np.where(np.arange(1500) < 150, labels, -1)
        fitted = rows.calibrated(FrozenEstimator(classifier), rows.experts).fit(items, y)
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


def test_threads_leave_the_filters_of_warnings_alone(rows, monkeypatch):
    monkeypatch.setattr(_workers, "WORTH_PROCESSES", 0.0)
    few = np.where(np.arange(120) < 4, rows.labels, -1)
    with parallel_backend("threading"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnidentifiedWarning)
        before = [(action, category) for action, _, category, *_ in warnings.filters]
        for _ in range(2):
            rows.calibrated(LogisticRegression(), rows.experts, cv=2, n_jobs=4).fit(
                rows.X, rows.partial
            )
            rows.calibrated(FrozenEstimator(rows.trained), rows.experts, n_jobs=4).fit(rows.X, few)
        assert [(action, category) for action, _, category, *_ in warnings.filters] == before
