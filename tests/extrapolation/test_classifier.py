"""A classifier and its data: which scores are taken, and whether training again says the same."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_spe import (
    AccuracyExtrapolator,
    average_accuracy_curve,
)
from tests.extrapolation.data import Guess, NearestMean, clouds, extrapolated, line

# A small pilot may have few errors, or errors of few classes: so says its verdict.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
Y = np.repeat(np.arange(16), 8)
NAMES = np.array([f"class {i:02d}" for i in range(16)])
COUNTS = np.array([1, 2, 4, 8, 16, 17, 64, 400])
LDA = LinearDiscriminantAnalysis


@pytest.fixture(scope="module")
def X(global_random_seed):
    return clouds(seed=global_random_seed)[0]


@pytest.fixture(scope="module")
def fitted_on(global_random_seed):
    """Return a function that fits an extrapolator with the one seed."""
    return partial(extrapolated, random_state=global_random_seed)


# --- scores ---------------------------------------------------------------------------------------


def test_without_training_again_it_is_the_extrapolator_on_cross_validated_scores(
    fitted_on, X, global_random_seed
):
    folds = StratifiedKFold(4)
    fitted = fitted_on(LDA(), X, Y, "blend", cv=4, retrain=False)
    scores = cross_val_predict(LDA(), X, Y, cv=folds, method="decision_function")
    expected = AccuracyExtrapolator(n_bootstrap=0, random_state=global_random_seed).fit(scores, Y)
    assert_allclose(fitted.predict(COUNTS), expected.predict(COUNTS), rtol=1e-9)
    curve = fitted.scores_extrapolator_.accuracy_curve_
    assert_allclose(curve, expected.accuracy_curve_, rtol=1e-12)
    assert fitted.retrained_curve_ is None
    assert fitted.gap_ is None
    assert fitted.seed_ == expected.seed_
    same = fitted_on(LDA(), X, Y, "blend", cv=folds, retrain=False)
    assert_allclose(same.predict(COUNTS), fitted.predict(COUNTS), rtol=1e-9)


@pytest.mark.parametrize(
    ("response_method", "method"),
    [
        ("auto", "decision_function"),
        ("decision_function", "decision_function"),
        ("predict_log_proba", "predict_log_proba"),
        ("predict_proba", "predict_proba"),
    ],
)
def test_scores_come_from_the_response_that_is_asked_for(response_method, method, fitted_on, X):
    fitted = fitted_on(LDA(), X, Y, retrain=False, response_method=response_method)
    scores = cross_val_predict(LDA(), X, Y, cv=2, method=method)
    expected = average_accuracy_curve(Y, scores)
    assert_allclose(fitted.scores_extrapolator_.accuracy_curve_, expected, rtol=1e-12)


@pytest.mark.parametrize("response_method", ["auto", "predict_joint_log_proba"])
def test_naive_bayes_scores_by_joint_log_probabilities(response_method, fitted_on, X):
    fitted = fitted_on(GaussianNB(), X, Y, retrain=False, response_method=response_method)
    scores = np.empty((len(Y), 16))
    for train, test in StratifiedKFold(2).split(X, Y):
        scores[test] = GaussianNB().fit(X[train], Y[train]).predict_joint_log_proba(X[test])
    expected = AccuracyExtrapolator("moment", n_bootstrap=0).fit(scores, Y)
    assert_allclose(fitted.predict(COUNTS[:7]), expected.predict(COUNTS[:7]), rtol=1e-9)


@pytest.mark.parametrize("n_classes", [3, 16])
def test_scores_of_pairs_are_not_scores_of_classes(n_classes, fitted_on, X):
    # Three classes have three pairs, too.
    rows = np.isin(Y, np.arange(n_classes))
    with pytest.raises(ValueError, match=r"decision_function_shape|pairs"):
        fitted_on(SVC(decision_function_shape="ovo"), X[rows], Y[rows], retrain=False)


def test_a_classifier_without_scores_is_an_error(fitted_on, X):
    with pytest.raises(TypeError, match="no decision_function, no predict_joint_log_proba"):
        fitted_on(Guess(), X, Y)
    with pytest.raises(
        TypeError, match="has no predict_log_proba, which are needed for scores of classes"
    ):
        fitted_on(NearestMean(), X, Y, response_method="predict_log_proba")


# --- training again -------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [NearestMean(), NearestCentroid(), GaussianNB()], ids=str)
def test_a_marginal_classifier_is_as_accurate_as_its_scores_tell(
    estimator, fitted_on, global_random_seed
):
    data, y = clouds(24, 12, seed=global_random_seed)
    fitted = fitted_on(estimator, data, y, n_repeats=12)
    errors = np.sqrt(fitted.retrained_curve_.variances())
    assert (np.abs(fitted.gap_) < 4.5 * errors).all()
    assert "not_marginal" not in [reason.name for reason in fitted.verdict_.reasons]


def test_a_classifier_that_weighs_classes_against_each_other_is_reported(
    fitted_on, global_random_seed
):
    # Linear scores of all classes mask those in the middle of the line; of two they do not.
    data, y = line(seed=global_random_seed)
    fitted = fitted_on(RidgeClassifier(), data, y)
    curve = fitted.retrained_curve_
    assert curve.sizes[0] == 2
    assert curve.mean()[0] > 0.95
    by_scores = fitted.scores_extrapolator_.predict(curve.sizes)
    assert_allclose(fitted.gap_, curve.mean() - by_scores, rtol=1e-12)
    assert fitted.gap_[0] > 0.1
    assert abs(fitted.gap_[-1]) < 1e-12
    reason = fitted.verdict_.reasons[-1]
    assert (reason.name, reason.verdict) == ("not_marginal", "ok")
    assert reason.value == np.abs(fitted.gap_).max()
    assert_allclose(fitted.predict(2), curve.decreasing(curve.mean())[1], rtol=1e-12)
    assert "not_marginal" not in [r.name for r in fitted.scores_extrapolator_.verdict_.reasons]


# --- frozen classifiers ---------------------------------------------------------------------------


def test_a_frozen_classifier_is_not_trained_again(fitted_on, X):
    frozen = FrozenEstimator(LDA().fit(X[::2], Y[::2]))
    with pytest.raises(ValueError, match=r"cannot be retrained .* pass retrain=False"):
        fitted_on(frozen, X[1::2], Y[1::2])


@pytest.mark.parametrize(
    "labels", [np.arange(16), NAMES, np.arange(16)[::-1] * 10], ids=["int", "str", "other int"]
)
def test_the_scores_of_a_frozen_classifier_are_its_own(labels, fitted_on, X):
    y = labels[Y]
    frozen = FrozenEstimator(LDA().fit(X[::2], y[::2]))
    fitted = fitted_on(frozen, X[1::2], y[1::2], retrain=False)
    expected = average_accuracy_curve(
        y[1::2], frozen.decision_function(X[1::2]), labels=frozen.classes_
    )
    assert_allclose(fitted.scores_extrapolator_.accuracy_curve_, expected, rtol=1e-12)
    assert_allclose(fitted.predict(16), frozen.score(X[1::2], y[1::2]), rtol=1e-9)


# --- data -----------------------------------------------------------------------------------------


def test_data_are_whatever_the_classifier_takes(fitted_on, X):
    pd = pytest.importorskip("pandas")
    estimator = make_pipeline(StandardScaler(with_mean=False), LogisticRegression())
    options = {"n_sizes": 2, "n_repeats": 1}
    expected = fitted_on(estimator, X, Y, **options).predict(COUNTS[:7])
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for data in (frame, X.tolist(), sparse.coo_array(X)):
        same = fitted_on(estimator, data, Y, **options)
        assert_allclose(same.predict(COUNTS[:7]), expected, rtol=1e-6)
    index = np.arange(len(Y)) + 7
    frame, series = frame.set_index(index), pd.Series(Y, index=index)
    same = fitted_on(estimator, frame.set_index(series.index), series, **options)
    assert_array_equal(same.predict(COUNTS[:7]), expected)


@pytest.mark.parametrize(
    ("estimator", "y", "options", "error", "message"),
    [
        (LDA(), Y % 2, {}, ValueError, "2 class.* at least 3 are needed to extrapolate"),
        (LDA(), Y * 0, {}, ValueError, "y holds 1 class"),
        (LDA(), Y[:-1], {}, ValueError, "inconsistent numbers of samples"),
        (LDA(), Y, {"n_sizes": 1}, ValueError, "n_sizes must be at least 2"),
        (LDA(), Y, {"n_repeats": 0}, ValueError, "n_repeats must be at least 1"),
        (LDA(), Y, {"n_repeats": 1.5}, TypeError, "n_repeats must be a whole number"),
        (LDA(), Y, {"response_method": "predict"}, ValueError, "response_method must be one of"),
        (LDA(), Y, {"method": "mean"}, ValueError, "method must be one of auto"),
        (LDA(), Y, {"n_bootstrap": 1}, ValueError, "n_bootstrap must be 0"),
    ],
)
def test_what_does_not_fit_together_is_named(estimator, y, options, error, message, fitted_on, X):
    with pytest.raises(error, match=message):
        fitted_on(estimator, X, y, **options)
