"""What users pass: arrays of any kind, rows that belong together, and what is refused."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_spe import (
    AccuracyComparison,
    AccuracyExtrapolator,
    ActiveTestSelector,
    ClassifierAccuracyExtrapolator,
    PerformanceCurveEstimator,
    SemisupervisedCalibratedClassifier,
    SemisupervisedScoreMixture,
    SemisupervisedThresholdClassifier,
    average_accuracy_curve,
    label_log_likelihood,
)
from sklearn_spe.experts import SourceScores
from tests.quick import QUIET, RANKS

pytestmark = QUIET

QUICK = {
    "negative": "norm",
    "positive": "norm",
    "experts": [RANKS],
    "n_draws": 50,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def data(global_random_seed):
    """Scores with labels, of which sixteen are known."""
    rng = np.random.default_rng(global_random_seed)
    truth = np.arange(60) % 2
    scores = rng.standard_normal(60) + truth
    y = np.where(np.arange(60) < 16, truth, -1)
    return scores, truth, y


# --- masks -----------------------------------------------------------------------------


def masked(values):
    """Return an array whose second entry is masked."""
    values = np.asarray(values)
    mask = np.zeros(values.shape, dtype=bool)
    mask[1] = True
    return np.ma.array(values, mask=mask)


def test_masked_labels_of_a_fit_are_those_that_are_marked(data):
    scores, truth, y = data
    by_mask = SemisupervisedScoreMixture(**QUICK).fit(scores, np.ma.array(truth, mask=y < 0))
    by_marker = SemisupervisedScoreMixture(**QUICK).fit(scores, y)
    assert by_mask.posterior_.sample.n_labeled == 16.0
    assert np.array_equal(by_mask.predict_proba(scores), by_marker.predict_proba(scores))


def test_annotators_may_mask_what_they_do_not_know(data):
    scores, truth, _ = data
    selector = ActiveTestSelector(random_state=0, n_draws=50, label_model=quick_mixture())
    items = selector.fit(scores).query(6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.update(items, masked(truth[items]))
    assert selector.n_labels_ == 5


def quick_mixture():
    return SemisupervisedScoreMixture("norm", "norm", experts=[RANKS])


TABLE = np.eye(6) + 0.1 * np.arange(36.0).reshape(6, 6)


@pytest.mark.parametrize(
    "call",
    [
        lambda s, y: SemisupervisedScoreMixture().fit(masked(s), y),
        lambda s, y: SemisupervisedScoreMixture().fit(s, y, masked(np.ones(60))),
        lambda s, y: PerformanceCurveEstimator().fit(masked(s), y),
        lambda s, y: ActiveTestSelector().fit(masked(s)),
        lambda s, y: ActiveTestSelector().fit(masked(np.c_[s, s, s])),
        lambda s, y: ActiveTestSelector().fit(s, features=masked(s)),
        lambda s, y: ActiveTestSelector().fit(s, category=masked(s > 0)),
        lambda s, y: ActiveTestSelector(**{}).fit(s, noisy_labels=masked(s > 0)),
        lambda s, y: calibrated().fit(masked(np.c_[s, s]), y),
        lambda s, y: promised().fit(masked(np.c_[s, s]), y),
        lambda s, y: calibrated().fit(np.c_[s, s], y, sample_weight=masked(np.ones(60))),
        lambda s, y: AccuracyExtrapolator().fit(masked(TABLE), np.arange(6)),
        lambda s, y: AccuracyExtrapolator().fit(TABLE, masked(np.arange(6))),
        lambda s, y: AccuracyExtrapolator().fit(TABLE, np.arange(6), masked(np.ones(6))),
        lambda s, y: average_accuracy_curve(np.arange(6), masked(TABLE)),
        lambda s, y: ClassifierAccuracyExtrapolator(LogisticRegression()).fit(masked(TABLE), y[:6]),
        lambda s, y: SourceScores(masked(s), s > 0),
    ],
)
def test_a_mask_is_refused_where_nothing_can_be_missing(data, call):
    scores, _, y = data
    with pytest.raises(ValueError, match=r"mask|missing"):
        call(scores, y)


def test_masked_indices_are_refused(data):
    scores, truth, _ = data
    selector = ActiveTestSelector(random_state=0, n_draws=50, label_model=quick_mixture())
    items = selector.fit(scores).query(4)
    with pytest.raises(ValueError, match="indices is a masked array"):
        selector.update(masked(items), truth[items])


def frozen(n_features):
    X = np.arange(2.0 * n_features).reshape(2, n_features)
    return FrozenEstimator(LogisticRegression().fit(X, [0, 1]))


def calibrated():
    return SemisupervisedCalibratedClassifier(frozen(2), mixture=quick_mixture())


def promised():
    return SemisupervisedThresholdClassifier(frozen(2), precision=0.5, mixture=quick_mixture())


# --- the index of pandas ---------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda s, t, w: SemisupervisedScoreMixture().fit(s, t),
        lambda s, t, w: SemisupervisedScoreMixture().fit(s, t.to_numpy(), w),
        lambda s, t, w: PerformanceCurveEstimator().fit(s, t),
        lambda s, t, w: ActiveTestSelector().fit(s, t),
        lambda s, t, w: ActiveTestSelector().fit(s, noisy_labels=t),
        lambda s, t, w: ActiveTestSelector().fit(s, category=t),
        lambda s, t, w: ActiveTestSelector().fit(s, features=t),
        lambda s, t, w: calibrated().fit(s.to_frame().assign(b=1.0), t),
        lambda s, t, w: promised().fit(s.to_frame().assign(b=1.0), t),
        lambda s, t, w: calibrated().fit(s.to_frame().assign(b=1.0), t.to_numpy(), w),
        lambda s, t, w: AccuracyExtrapolator().fit(two_columns(s), t),
        lambda s, t, w: AccuracyExtrapolator().fit(two_columns(s), t.to_numpy(), w),
        lambda s, t, w: AccuracyComparison().fit([two_columns(s), two_columns(s)], t),
        lambda s, t, w: average_accuracy_curve(t, two_columns(s)),
        lambda s, t, w: ClassifierAccuracyExtrapolator(LogisticRegression()).fit(two_columns(s), t),
        lambda s, t, w: SourceScores(s, t),
    ],
)
def test_another_order_of_the_labels_is_refused(data, call):
    pd = pytest.importorskip("pandas")
    scores, truth, _ = data
    labels = pd.Series(truth).sort_values()
    with pytest.raises(ValueError, match=r"the same index in another order.*to_numpy"):
        call(pd.Series(scores), labels, pd.Series(np.ones(60), index=labels.index))


def two_columns(scores):
    return scores.to_frame(0).assign(b=0.0).set_axis([0, 1], axis=1)


def test_what_is_asked_of_a_fit_is_aligned_too(data):
    pd = pytest.importorskip("pandas")
    scores, truth, y = data
    labels, scores = pd.Series(truth).sort_values(), pd.Series(scores)
    performance = PerformanceCurveEstimator(SemisupervisedScoreMixture(**QUICK)).fit(scores, y)
    for ask in (performance.score, performance.update, performance.mixture_.score):
        with pytest.raises(ValueError, match="the same index in another order"):
            ask(scores, labels)
    with pytest.raises(ValueError, match="the same index in another order"):
        label_log_likelihood(performance, scores, labels)


def test_polars_has_no_index_and_is_paired_by_position(data):
    pl = pytest.importorskip("polars")
    scores, _, y = data
    mixture = SemisupervisedScoreMixture(**QUICK)
    plain = mixture.fit(scores, y).predict_proba(scores)
    known = [int(label) if label >= 0 else None for label in y]
    of_polars = mixture.fit(pl.Series(scores), pl.Series(known)).predict_proba(pl.Series(scores))
    assert np.array_equal(plain, of_polars)


# --- what is no input at all -----------------------------------------------------------


@pytest.mark.parametrize("X", [None, 3.0, "abc", sparse.eye(3).tocsr(), {"a": [1.0]}], ids=repr)
def test_what_is_no_array_is_no_input(X):
    for estimator in (
        SemisupervisedScoreMixture(),
        PerformanceCurveEstimator(),
        ActiveTestSelector(),
        AccuracyExtrapolator(),
    ):
        several = (PerformanceCurveEstimator, ActiveTestSelector)
        if isinstance(X, dict) and isinstance(estimator, several):
            # A mapping is several systems, or classifiers of more than two classes.
            continue
        if X is None and isinstance(estimator, PerformanceCurveEstimator):
            # Labels alone.
            continue
        with pytest.raises(TypeError, match=r"must be an array|sparse"):
            estimator.fit(X, [0, 1, 1])


@pytest.mark.parametrize("estimator", [None, 3, "mixture"])
def test_what_is_no_estimator_has_no_likelihood(data, estimator):
    scores, truth, _ = data
    with pytest.raises(TypeError, match="estimator must be"):
        label_log_likelihood(estimator, scores, truth)
    with pytest.raises(TypeError, match="estimator must be a classifier"):
        ClassifierAccuracyExtrapolator(estimator).fit(TABLE, np.arange(6))
