"""Both estimators that wrap a classifier, among the other tools of scikit-learn."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_spe import SemisupervisedCalibratedClassifier, make_semisupervised_scorer
from sklearn_spe.exceptions import IgnoredWeightsWarning
from tests.quick import QUIET

pytestmark = QUIET


@pytest.fixture(scope="module", params=["calibrated", "promising"])
def make(rows, request):
    """Return a function that makes a recalibrated classifier of few folds, or one that promises."""
    if request.param == "calibrated":
        return partial(rows.calibrated, cv=2)
    return rows.promising


@pytest.fixture(scope="module")
def of_frozen(make, rows):
    """Return a fit of a classifier that was trained before."""
    return make(FrozenEstimator(rows.trained)).fit(rows.X, rows.partial)


@pytest.fixture(scope="module")
def of_new(make, rows):
    """Return a fit of a classifier that is trained in it."""
    return make(LogisticRegression()).fit(rows.X, rows.partial)


ROWS = np.arange(120)
# A search that trains on one half and scores the other, once.
HALVES = StratifiedShuffleSplit(1, test_size=0.5, random_state=0)


def belief(fitted, X):
    """Return what a fitted estimator of either kind says of items, and what it believes."""
    said = [fitted.predict_proba(X)[:, 1], fitted.predict(X)]
    if isinstance(fitted, SemisupervisedCalibratedClassifier):
        return [*said, *fitted.predict_proba_interval(X)]
    return [*said, fitted.threshold_, fitted.goal_probability_, fitted.performance_.curve().draws]


def assert_same(first, second):
    for a, b in zip(first, second, strict=True):
        assert np.array_equal(a, b)


# --- what X may be ----------------------------------------------------------------------------


def test_a_classifier_may_be_trained_on_sparse_items(make, rows):
    thin = sparse.csr_array(rows.X)
    fitted = make(LogisticRegression()).fit(thin, rows.partial)
    assert_same(fitted.predict(thin), fitted.predict(rows.X))


@pytest.mark.parametrize(("is_frozen", "as_array"), [(True, False), (False, True)])
def test_texts_are_items_too(make, rows, is_frozen, as_array, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    words = np.array([["sun", "beach", "surf", "sand"], ["snow", "ski", "ice", "sand"]])
    texts = [" ".join(rng.choice(words[label], 6)) for label in rows.labels]
    texts = np.array(texts, dtype=object) if as_array else texts
    inside = make_pipeline(TfidfVectorizer(), LogisticRegression())
    if is_frozen:
        inside = FrozenEstimator(inside.fit(texts[:20], rows.labels[:20]))
    fitted = make(inside).fit(texts, rows.partial)
    assert np.mean(fitted.predict(texts) == rows.labels) > 0.9
    assert not hasattr(fitted, "n_features_in_") or fitted.n_features_in_ == 1
    assert fitted.predict(texts[:3]).shape == (3,)


def test_features_that_differ_between_fit_and_predict_are_named(make, rows, of_new):
    fitted = of_new
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2"):
        fitted.predict(rows.X[:, :1])
    with pytest.raises(ValueError, match=r"Expected 2D array, got an array of shape \(2,\)"):
        fitted.predict(rows.X[0])


# --- sample_weight and other parameters of fit ------------------------------------------------


def test_weights_are_repetitions_for_a_frozen_classifier(make, rows, global_random_seed, of_frozen):
    weights = np.random.default_rng(global_random_seed).integers(0, 4, 120)
    repeated = make(FrozenEstimator(rows.trained)).fit(
        np.repeat(rows.X, weights, axis=0), np.repeat(rows.partial, weights)
    )
    weighted = make(FrozenEstimator(rows.trained)).fit(rows.X, rows.partial, sample_weight=weights)
    assert_same(belief(weighted, rows.X), belief(repeated, rows.X))
    ones = make(FrozenEstimator(rows.trained)).fit(rows.X, rows.partial, sample_weight=np.ones(120))
    assert_same(belief(ones, rows.X), belief(of_frozen, rows.X))


class Recorder(ClassifierMixin, BaseEstimator):
    """A logistic regression that remembers what its `fit` was given."""

    def fit(self, X, y, sample_weight=None, emphasis=None, note=None):
        self.given_ = {"X": X, "sample_weight": sample_weight, "emphasis": emphasis, "note": note}
        self.model_ = LogisticRegression().fit(X, y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


def recorders(fitted):
    """Return the classifiers inside."""
    if hasattr(fitted, "estimator_"):
        return [fitted.estimator_]
    return [pair.estimator for pair in fitted.calibrated_classifiers_]


def trained_on(recorder, rows):
    """Return the places of the items that a classifier was trained on."""
    return np.flatnonzero((rows.X[:, None] == recorder.given_["X"]).all(axis=2).any(axis=1))


def assert_cut_to_rows(fitted, rows, weights, emphasis):
    """Check that parameters arrived beside the rows that they belong to."""
    for recorder in recorders(fitted):
        given, own = recorder.given_, trained_on(recorder, rows)
        assert 0 < len(own) < len(rows.labeled)
        assert given["sample_weight"].tolist() == weights[own].tolist()
        assert list(given["emphasis"]) == [emphasis[row] for row in own]
        assert given["note"] == "as it is"


@pytest.mark.parametrize("as_list", [True, False])
def test_parameters_of_fit_are_cut_to_the_rows_that_are_trained_on(make, rows, as_list):
    weights = 1.0 + ROWS % 3
    emphasis = (ROWS + 0.5).tolist() if as_list else ROWS + 0.5
    fitted = make(Recorder()).fit(
        rows.X, rows.partial, sample_weight=weights, emphasis=emphasis, note="as it is"
    )
    assert_cut_to_rows(fitted, rows, weights, emphasis)
    for recorder in recorders(fitted):
        given = recorder.given_
        codes = rows.partial[trained_on(recorder, rows)]
        expected = LogisticRegression().fit(given["X"], codes, given["sample_weight"])
        assert np.array_equal(recorder.model_.coef_, expected.coef_)


def test_metadata_are_routed_to_the_classifier_that_asks_for_them(make, rows):
    weights, emphasis = 1.0 + ROWS % 3, ROWS + 0.5
    with config_context(enable_metadata_routing=True):
        inside = Recorder().set_fit_request(sample_weight=True, emphasis=True, note=True)
        fitted = make(inside).fit(
            rows.X, rows.partial, sample_weight=weights, emphasis=emphasis, note="as it is"
        )
        assert_cut_to_rows(fitted, rows, weights, emphasis)
        ignoring = make(Recorder().set_fit_request(sample_weight=False))
        for recorder in recorders(ignoring.fit(rows.X, rows.partial, sample_weight=weights)):
            assert recorder.given_["sample_weight"] is None
        with pytest.raises(UnsetMetadataPassedError, match="emphasis"):
            make(Recorder().set_fit_request(sample_weight=False)).fit(
                rows.X, rows.partial, emphasis=emphasis
            )
        with pytest.raises(TypeError, match="unexpected argument"):
            make(Recorder()).fit(rows.X, rows.partial, nonsense=1)


def test_weights_are_routed_through_a_search(make, rows):
    weights = 1.0 + ROWS % 3
    y = np.where(ROWS < 80, rows.labels, -1)
    with config_context(enable_metadata_routing=True):
        inside = Recorder().set_fit_request(sample_weight=True)
        scorer = make_semisupervised_scorer("accuracy").set_score_request(sample_weight=True)
        search = GridSearchCV(
            make(inside).set_fit_request(sample_weight=True),
            {"random_state": [rows.seed]},
            scoring=scorer,
            cv=HALVES,
            error_score="raise",
        ).fit(rows.X, y, sample_weight=weights)
        for recorder in recorders(search.best_estimator_):
            own = trained_on(recorder, rows)
            assert recorder.given_["sample_weight"].tolist() == weights[own].tolist()
        unrouted = cross_validate(
            make(inside).set_fit_request(sample_weight=True),
            rows.X,
            y,
            scoring=scorer,
            cv=HALVES,
            params={"sample_weight": weights},
            return_estimator=True,
        )
        by_hand = [
            scorer(estimator, rows.X[test], y[test], sample_weight=weights[test])
            for estimator, (_, test) in zip(
                unrouted["estimator"], HALVES.split(rows.X, y), strict=True
            )
        ]
    assert unrouted["test_score"].tolist() == by_hand
    assert search.best_score_ == pytest.approx(np.mean(by_hand))


def test_a_classifier_without_weights_is_fitted_without_them_and_says_so(make, rows):
    class Plain(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X, y)

    weights = 1.0 + ROWS % 3
    with pytest.warns(IgnoredWeightsWarning, match="Plain does not accept sample_weight"):
        weighted = make(Plain()).fit(rows.X, rows.partial, sample_weight=weights)
    plain = make(Plain()).fit(rows.X, rows.partial)
    for first, second in zip(recorders(weighted), recorders(plain), strict=True):
        assert np.array_equal(first.coef_, second.coef_)


# --- pipelines and searches -------------------------------------------------------------------


def test_it_is_a_step_of_a_pipeline_and_holds_one(make, rows):
    outside = make_pipeline(StandardScaler(), make(LogisticRegression()))
    outside.fit(rows.X, rows.partial)
    scaled = StandardScaler().fit(rows.X)
    alone = make(LogisticRegression()).fit(scaled.transform(rows.X), rows.partial)
    for method in ("predict", "predict_proba"):
        assert_same(
            getattr(outside, method)(rows.X), getattr(alone, method)(scaled.transform(rows.X))
        )
    frozen = FrozenEstimator(
        make_pipeline(StandardScaler(), LogisticRegression()).fit(rows.X, rows.labels)
    )
    inside = make(frozen).fit(rows.X, rows.partial)
    assert inside.predict(rows.X).shape == (120,)
    assert inside.n_features_in_ == 2


def test_a_search_takes_parameters_of_the_classifier_and_of_the_mixture(make, rows):
    y = np.where(ROWS < 80, rows.labels, -1)
    search = GridSearchCV(
        make(LogisticRegression()),
        {"estimator__C": [1e-6, 1.0], "mixture__prevalence_prior": [(1.0, 1.0)]},
        scoring=make_semisupervised_scorer("accuracy"),
        cv=HALVES,
        error_score="raise",
    ).fit(rows.X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert best.score(rows.X, y) == np.mean(best.predict(rows.X[:80]) == rows.labels[:80])


def test_the_reliability_of_calibrated_probabilities_is_drawn_by_scikit_learn(rows):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt
    from sklearn.calibration import CalibrationDisplay, calibration_curve

    fitted = rows.calibrated(FrozenEstimator(rows.trained)).fit(rows.X, rows.partial)
    display = CalibrationDisplay.from_estimator(fitted, rows.X, rows.labels, n_bins=4)
    true, predicted = calibration_curve(rows.labels, fitted.predict_proba(rows.X)[:, 1], n_bins=4)
    assert np.array_equal(display.prob_true, true)
    assert np.array_equal(display.prob_pred, predicted)
    plt.close("all")


# --- the same bits, or nothing ----------------------------------------------------------------


FAILING = {
    "no label": (lambda X, y: (X, np.full(120, -1)), "y holds no label"),
    "unknown label": (lambda X, y: (X, np.where(y == 1, 2, y)), r"y holds \[2\], not among"),
    "lengths": (lambda X, y: (X[:60], y), "inconsistent numbers of samples"),
    "missing features": (lambda X, y: (np.full_like(X, np.nan), y), "Input X contains NaN"),
    "other features": (lambda X, y: (np.column_stack([X, X]), y), "X has 4 features"),
}


@pytest.mark.parametrize(("spoil", "message"), FAILING.values(), ids=FAILING)
def test_a_fit_that_fails_changes_nothing(of_frozen, rows, spoil, message):
    before, names = belief(of_frozen, rows.X), set(vars(of_frozen))
    with pytest.raises(ValueError, match=message):
        of_frozen.fit(*spoil(rows.X, rows.partial))
    assert set(vars(of_frozen)) == names
    assert_same(belief(of_frozen, rows.X), before)
