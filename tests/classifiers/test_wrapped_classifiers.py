"""Both estimators that wrap a classifier, among the other tools of scikit-learn."""

import pickle

import numpy as np
import pytest
from joblib import parallel_backend
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from sklearn_spe import SemisupervisedCalibratedClassifier, make_semisupervised_scorer
from tests.classifiers.calibration import data
from tests.classifiers.calibration.data import FAST, LABELS, PARTIAL, QUIET, TRAINED, X, make_items
from tests.classifiers.threshold.data import promising

pytestmark = QUIET


def calibrated(estimator, **parameters):
    """Return a recalibrated classifier of few folds."""
    return data.calibrated(estimator, **{"cv": 2, **parameters})


BOTH = pytest.mark.parametrize("make", [calibrated, promising])
ROWS = np.arange(120)


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


@BOTH
@pytest.mark.parametrize("is_frozen", [True, False])
def test_data_frames_say_the_same_and_their_names_are_kept(make, is_frozen, global_random_seed):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    names = {"height": X[:, 0], "weight": X[:, 1]}
    labels = pd.Series(PARTIAL, index=ROWS + 7)
    items, codes = make_items(100, random_state=global_random_seed)
    results = []
    for frame, y in (
        (pd.DataFrame(names, index=ROWS + 7), labels),
        (pl.DataFrame(names), pl.Series(PARTIAL)),
    ):
        inside = LogisticRegression()
        if is_frozen:
            inside.fit(type(frame)(dict(zip(names, items.T, strict=True))), codes)
            inside = FrozenEstimator(inside)
        fitted = make(inside).fit(frame, y)
        assert fitted.n_features_in_ == 2
        # Names of polars are known to newer versions of scikit-learn.
        known = vars(StandardScaler().fit(frame)).get("feature_names_in_")
        if known is None:
            assert isinstance(frame, pl.DataFrame)
            assert not hasattr(fitted, "feature_names_in_")
        else:
            assert fitted.feature_names_in_.tolist() == known.tolist() == [*names]
            with pytest.raises(ValueError, match="feature names should match"):
                fitted.predict(frame[["weight", "height"]])
        results.append(belief(fitted, frame))
    inside = LogisticRegression()
    if is_frozen:
        inside = FrozenEstimator(inside.fit(items, codes))
    plain = make(inside).fit(X, PARTIAL)
    for result in results:
        for said, expected in zip(result, belief(plain, X), strict=True):
            # Libraries order memory in their own ways: sums of products end in other bits.
            assert_allclose(said, expected, rtol=1e-9, atol=1e-12)


@BOTH
@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_items_give_the_same_answers(make, layout):
    dense = make(FrozenEstimator(TRAINED)).fit(X, PARTIAL)
    thin = make(FrozenEstimator(TRAINED)).fit(layout(X), PARTIAL)
    # Products of sparse matrices differ in their last bits.
    for a, b in zip(belief(thin, layout(X)), belief(dense, X), strict=True):
        assert_allclose(a, b, rtol=1e-6)
    fitted = make(LogisticRegression()).fit(layout(X).tocsr(), PARTIAL)
    assert_same(fitted.predict(layout(X)), fitted.predict(X))


@BOTH
@pytest.mark.parametrize(("is_frozen", "as_array"), [(True, False), (False, True)])
def test_texts_are_items_too(make, is_frozen, as_array, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    words = np.array([["sun", "beach", "surf", "sand"], ["snow", "ski", "ice", "sand"]])
    texts = [" ".join(rng.choice(words[label], 6)) for label in LABELS]
    texts = np.array(texts, dtype=object) if as_array else texts
    inside = make_pipeline(TfidfVectorizer(), LogisticRegression())
    if is_frozen:
        inside = FrozenEstimator(inside.fit(texts[:20], LABELS[:20]))
    fitted = make(inside).fit(texts, PARTIAL)
    assert np.mean(fitted.predict(texts) == LABELS) > 0.9
    assert not hasattr(fitted, "n_features_in_") or fitted.n_features_in_ == 1
    assert fitted.predict(texts[:3]).shape == (3,)


@BOTH
def test_features_that_differ_between_fit_and_predict_are_named(make):
    fitted = make(LogisticRegression()).fit(X, PARTIAL)
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2"):
        fitted.predict(X[:, :1])
    with pytest.raises(ValueError, match=r"Expected 2D array, got an array of shape \(2,\)"):
        fitted.predict(X[0])


# --- sample_weight and other parameters of fit ------------------------------------------------


@BOTH
def test_weights_are_repetitions_for_a_frozen_classifier(make, global_random_seed):
    weights = np.random.default_rng(global_random_seed).integers(0, 4, 120)
    repeated = make(FrozenEstimator(TRAINED)).fit(
        np.repeat(X, weights, axis=0), np.repeat(PARTIAL, weights)
    )
    weighted = make(FrozenEstimator(TRAINED)).fit(X, PARTIAL, sample_weight=weights)
    assert_same(belief(weighted, X), belief(repeated, X))
    plain = make(FrozenEstimator(TRAINED)).fit(X, PARTIAL)
    ones = make(FrozenEstimator(TRAINED)).fit(X, PARTIAL, sample_weight=np.ones(120))
    assert_same(belief(ones, X), belief(plain, X))


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


def assert_cut_to_rows(fitted, weights, emphasis):
    """Check that parameters arrived beside the rows that they belong to."""
    for recorder in recorders(fitted):
        given = recorder.given_
        rows = np.flatnonzero((X[:, None] == given["X"]).all(axis=2).any(axis=1))
        assert 0 < len(rows) < (PARTIAL >= 0).sum()
        assert given["sample_weight"].tolist() == weights[rows].tolist()
        assert list(given["emphasis"]) == [emphasis[row] for row in rows]
        assert given["note"] == "as it is"


@BOTH
@pytest.mark.parametrize("as_list", [True, False])
def test_parameters_of_fit_are_cut_to_the_rows_that_are_trained_on(make, as_list):
    weights = 1.0 + ROWS % 3
    emphasis = (ROWS + 0.5).tolist() if as_list else ROWS + 0.5
    fitted = make(Recorder()).fit(
        X, PARTIAL, sample_weight=weights, emphasis=emphasis, note="as it is"
    )
    assert_cut_to_rows(fitted, weights, emphasis)
    for recorder in recorders(fitted):
        given = recorder.given_
        codes = PARTIAL[(X[:, None] == given["X"]).all(axis=2).any(axis=1)]
        expected = LogisticRegression().fit(given["X"], codes, given["sample_weight"])
        assert np.array_equal(recorder.model_.coef_, expected.coef_)


@BOTH
def test_metadata_are_routed_to_the_classifier_that_asks_for_them(make):
    weights, emphasis = 1.0 + ROWS % 3, ROWS + 0.5
    with config_context(enable_metadata_routing=True):
        inside = Recorder().set_fit_request(sample_weight=True, emphasis=True, note=True)
        fitted = make(inside).fit(
            X, PARTIAL, sample_weight=weights, emphasis=emphasis, note="as it is"
        )
        assert_cut_to_rows(fitted, weights, emphasis)
        ignoring = make(Recorder().set_fit_request(sample_weight=False))
        for recorder in recorders(ignoring.fit(X, PARTIAL, sample_weight=weights)):
            assert recorder.given_["sample_weight"] is None
        with pytest.raises(UnsetMetadataPassedError, match="emphasis"):
            make(Recorder().set_fit_request(sample_weight=False)).fit(X, PARTIAL, emphasis=emphasis)
        with pytest.raises(TypeError, match="unexpected argument"):
            make(Recorder()).fit(X, PARTIAL, nonsense=1)


@BOTH
def test_weights_are_routed_through_a_search(make):
    weights = 1.0 + ROWS % 3
    y = np.where(ROWS < 80, LABELS, -1)
    with config_context(enable_metadata_routing=True):
        inside = Recorder().set_fit_request(sample_weight=True)
        scorer = make_semisupervised_scorer("accuracy").set_score_request(sample_weight=True)
        search = GridSearchCV(
            make(inside).set_fit_request(sample_weight=True),
            {"random_state": [0]},
            scoring=scorer,
            cv=StratifiedKFold(2),
            error_score="raise",
        ).fit(X, y, sample_weight=weights)
        for recorder in recorders(search.best_estimator_):
            rows = (X[:, None] == recorder.given_["X"]).all(axis=2).any(axis=1)
            assert recorder.given_["sample_weight"].tolist() == weights[rows].tolist()
        unrouted = cross_validate(
            make(inside).set_fit_request(sample_weight=True),
            X,
            y,
            scoring=scorer,
            cv=StratifiedKFold(2),
            params={"sample_weight": weights},
            return_estimator=True,
        )
        by_hand = [
            scorer(estimator, X[test], y[test], sample_weight=weights[test])
            for estimator, (_, test) in zip(
                unrouted["estimator"], StratifiedKFold(2).split(X, y), strict=True
            )
        ]
    assert unrouted["test_score"].tolist() == by_hand
    assert search.best_score_ == pytest.approx(np.mean(by_hand))


@BOTH
def test_a_classifier_without_weights_is_fitted_without_them_and_says_so(make):
    class Plain(LogisticRegression):
        def fit(self, X, y):
            return super().fit(X, y)

    weights = 1.0 + ROWS % 3
    with pytest.warns(UserWarning, match="Plain does not take sample_weight; the weights are used"):
        weighted = make(Plain()).fit(X, PARTIAL, sample_weight=weights)
    plain = make(Plain()).fit(X, PARTIAL)
    for first, second in zip(recorders(weighted), recorders(plain), strict=True):
        assert np.array_equal(first.coef_, second.coef_)


@BOTH
def test_a_row_of_weight_zero_has_no_label(make):
    weights = np.ones(120)
    weights[LABELS == 0] = 0.0
    with pytest.raises(ValueError, match="Only one class is labelled, "):
        make(LogisticRegression()).fit(X, LABELS, sample_weight=weights)


# --- pipelines and searches -------------------------------------------------------------------


@BOTH
def test_it_is_a_step_of_a_pipeline_and_holds_one(make):
    outside = make_pipeline(StandardScaler(), make(LogisticRegression()))
    outside.fit(X, PARTIAL)
    assert np.mean(outside.predict(X) == LABELS) > 0.6
    scaled = StandardScaler().fit(X)
    alone = make(LogisticRegression()).fit(scaled.transform(X), PARTIAL)
    assert_same(outside.predict_proba(X), alone.predict_proba(scaled.transform(X)))
    frozen = FrozenEstimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, LABELS))
    inside = make(frozen).fit(X, PARTIAL)
    assert inside.predict(X).shape == (120,)
    assert inside.n_features_in_ == 2


@BOTH
def test_a_search_takes_parameters_of_the_classifier_and_of_the_mixture(make, global_random_seed):
    y = np.where(ROWS < 80, LABELS, -1)
    search = GridSearchCV(
        make(LogisticRegression()),
        {"estimator__C": [1e-6, 1.0], "mixture__prevalence_prior": [(1.0, 1.0)]},
        scoring=make_semisupervised_scorer("accuracy"),
        cv=StratifiedKFold(2, shuffle=True, random_state=global_random_seed),
        error_score="raise",
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert best.score(X, y) == np.mean(best.predict(X[:80]) == LABELS[:80])


@BOTH
def test_without_a_scorer_model_selection_takes_the_accuracy_of_labelled_items(make):
    y = np.where(ROWS < 80, LABELS, -1)
    cv = StratifiedKFold(2)
    own = cross_validate(make(LogisticRegression()), X, y, cv=cv, error_score="raise")
    scored = cross_validate(
        make(LogisticRegression()), X, y, cv=cv, scoring=make_semisupervised_scorer("accuracy")
    )
    assert own["test_score"].tolist() == scored["test_score"].tolist()


def test_the_reliability_of_calibrated_probabilities_is_drawn_by_scikit_learn():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt
    from sklearn.calibration import CalibrationDisplay, calibration_curve

    fitted = calibrated(FrozenEstimator(TRAINED)).fit(X, PARTIAL)
    display = CalibrationDisplay.from_estimator(fitted, X, LABELS, n_bins=4)
    true, predicted = calibration_curve(LABELS, fitted.predict_proba(X)[:, 1], n_bins=4)
    assert np.array_equal(display.prob_true, true)
    assert np.array_equal(display.prob_pred, predicted)
    plt.close("all")


# --- the same bits, or nothing ----------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("is_frozen", [True, False])
def test_workers_and_pickles_change_no_bit(make, is_frozen):
    inside = FrozenEstimator(TRAINED) if is_frozen else LogisticRegression()
    one = make(inside).fit(X, PARTIAL)
    with parallel_backend("threading"):
        two = make(inside, n_jobs=2).fit(X, PARTIAL)
        assert_same(belief(two, X), belief(one, X))
    again = pickle.loads(pickle.dumps(one))
    assert_same(belief(again, X), belief(one, X))
    assert again.verdict_ == one.verdict_


def test_processes_change_no_bit(global_random_seed):
    items, labels = make_blobs(90, centers=3, cluster_std=3.0, random_state=global_random_seed)
    y = np.where(np.arange(90) < 45, labels, -1)
    one = calibrated(LogisticRegression(), cv=2).fit(items, y)
    with parallel_backend("loky"):
        two = calibrated(LogisticRegression(), cv=2, n_jobs=2).fit(items, y)
    assert_same(belief(two, items), belief(one, items))


@BOTH
@pytest.mark.parametrize("generator", [np.random.RandomState, np.random.default_rng])
def test_the_same_random_state_gives_the_same_bits(make, generator, global_random_seed):
    mixture = clone(FAST).set_params(random_state=None)
    one, two = (
        make(LogisticRegression(), mixture=mixture, random_state=generator(global_random_seed)).fit(
            X, PARTIAL
        )
        for _ in range(2)
    )
    assert_same(belief(one, X), belief(two, X))


@BOTH
def test_fit_returns_itself_and_changes_neither_parameters_nor_data(make):
    data = [X.copy(), PARTIAL.copy(), np.ones(120)]
    for array in data:
        array.flags.writeable = False
    estimator = make(LogisticRegression())
    before = repr(estimator.get_params())
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    assert estimator.fit(*data) is estimator
    assert repr(estimator.get_params()) == before
    assert not hasattr(estimator.estimator, "coef_")
    assert np.array_equal(data[1], PARTIAL)


FAILING = {
    "no label": (X, np.full(120, -1), "y holds no label"),
    "unknown label": (X, np.where(PARTIAL == 1, 2, PARTIAL), r"y holds \[2\], not among"),
    "lengths": (X[:60], PARTIAL, "inconsistent numbers of samples"),
    "missing features": (np.full_like(X, np.nan), PARTIAL, "Input X contains NaN"),
    "other features": (np.column_stack([X, X]), PARTIAL, "X has 4 features"),
}


@BOTH
@pytest.mark.parametrize(("rows", "y", "message"), FAILING.values(), ids=FAILING)
def test_a_fit_that_fails_changes_nothing(make, rows, y, message):
    fitted = make(FrozenEstimator(TRAINED)).fit(X, PARTIAL)
    before, names = belief(fitted, X), set(vars(fitted))
    with pytest.raises(ValueError, match=message):
        fitted.fit(rows, y)
    assert set(vars(fitted)) == names
    assert_same(belief(fitted, X), before)
