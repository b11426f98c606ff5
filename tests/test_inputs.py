"""What users pass: arrays of any kind, rows that belong together, and what is refused."""

import warnings
from decimal import Decimal
from fractions import Fraction

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
from sklearn_spe.inputs._labels import encode_labels, is_unlabeled
from sklearn_spe.inputs._scores import check_frequencies, read_scores
from sklearn_spe.inputs._validation import as_numbers, as_vector, check_aligned
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


# --- numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [1, 2.5],
        (1, 2.5),
        np.array([1, 2.5], dtype=np.float32),
        np.array([1, 2.5], dtype=object),
        [Decimal(1), Decimal("2.5")],
        np.ma.array([1, 2.5], mask=False),
    ],
    ids=["list", "tuple", "float32", "objects", "decimals", "nothing masked"],
)
def test_numbers_in_any_form_are_numbers(values):
    numbers = as_numbers(values, "X")
    assert numbers.dtype == np.float64
    assert numbers.tolist() == [1.0, 2.5]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_missing_numbers_of_a_table_are_nan(library):
    series = pytest.importorskip(library).Series
    assert np.array_equal(as_numbers(series([1.5, None, 2.0]), "X"), [1.5, np.nan, 2.0], True)


def test_missing_whole_numbers_of_pandas_are_nan():
    pd = pytest.importorskip("pandas")
    whole = pd.Series([1, None, 2], dtype="Int64")
    assert np.array_equal(as_numbers(whole, "X"), [1.0, np.nan, 2.0], equal_nan=True)


BIG = 2**53 + 1


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        (None, TypeError, "must be an array.*got None"),
        (3.0, TypeError, r"must be an array.*got 3\.0"),
        ("abc", TypeError, "must be an array.*got 'abc'"),
        ({"a": 1.0}, TypeError, "must be an array.*got {'a'"),
        (sparse.eye(3).tocsr(), TypeError, r"sparse matrix.*X\.toarray"),
        ([[1.0], [2.0, 3.0]], ValueError, "rows of different length"),
        (np.ma.array([1.0, 2.0], mask=[True, False]), ValueError, "masked.*Drop.*fill"),
        ([np.ma.array([1.0, 2.0], mask=[True, False])], ValueError, "masked.*Drop.*fill"),
        (np.array([1j, 2.0]), ValueError, "Complex data not supported"),
        (np.array([1j, 2.0], dtype=object), ValueError, "Complex data not supported"),
        (["0.5", "0.7"], ValueError, r"the text '0\.5'.*to_numeric"),
        ([0.5, "0.7"], ValueError, r"the text '0\.[57]'.*to_numeric"),
        (np.array([0.5, "x"], dtype=object), ValueError, "the text 'x'"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), TypeError, "must hold numbers, got dty"),
        ([{"a": 1}, 2.0], TypeError, "must hold numbers: .*dict"),
        (np.array([BIG, 1]), ValueError, f"whole number {BIG}.*rankdata"),
        (np.array([BIG, 1], dtype=np.uint64), ValueError, f"whole number {BIG}"),
        (np.array([-BIG, 1]), ValueError, f"whole number -{BIG}"),
        (np.array([np.iinfo(np.int64).min, 1]), ValueError, "whole number -9223372036854775808"),
        ([BIG, 0.5], ValueError, f"whole number {BIG}"),
        ([10 * 2**64, 1], ValueError, f"whole number {10 * 2**64}"),
        ([Fraction(10**400, 3)], ValueError, "numbers of float64: .*too large"),
    ],
)
def test_what_would_be_converted_to_something_else_is_refused(values, error, says):
    with pytest.raises(error, match=says):
        as_numbers(values, "X")


def test_whole_numbers_that_float64_holds_are_kept():
    assert as_numbers(np.array([2**53, -(2**53)]), "X").tolist() == [2.0**53, -(2.0**53)]
    # A float says itself how exact it is.
    assert as_numbers([1e300, 2.0], "X").tolist() == [1e300, 2.0]


def test_whole_numbers_beside_floats_of_a_frame_are_seen():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=f"whole number {BIG}"):
        as_numbers(pd.DataFrame({"a": [BIG, 1], "b": [0.5, 0.5]}), "X")


def test_a_vector_has_an_entry_for_each_item():
    with pytest.raises(ValueError, match=r"weight must have shape \(3,\).*got \(2,\)"):
        as_vector([1.0, 2.0], "weight", 3)


# --- masks -----------------------------------------------------------------------------


@pytest.mark.parametrize("names", [[0, 1], [False, True], ["ham", "spam"], [0.0, 1.0]], ids=str)
def test_a_masked_label_is_not_labeled(data, names):
    _, truth, y = data
    labels = np.array(names)[truth]
    known = y >= 0
    masked = np.ma.array(labels, mask=~known)
    codes, classes = encode_labels(masked)
    expected, _ = encode_labels(np.where(known, labels.astype(object), None))
    assert codes.tolist() == expected.tolist()
    assert classes.tolist() == names
    assert is_unlabeled(masked).tolist() == (~known).tolist()


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


def test_one_index_or_none_is_no_contradiction():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"score": [0.3, 0.1, 0.2]}, index=list("cab"))
    check_aligned(X=X, y=pd.Series([1, 0, 1], index=list("cab")), sample_weight=None)
    check_aligned(X=X, y=np.array([1, 0, 1]), sample_weight=[1, 1, 1])
    # An index may name rows twice, and have several levels.
    levels = pd.MultiIndex.from_tuples([("a", 0), ("a", 0), ("b", 1)])
    check_aligned(X=X.set_index(levels), y=pd.Series([1, 0, 1], index=levels))
    # Lengths are checked by others.
    check_aligned(X=X, y=pd.Series([1, 0]))


@pytest.mark.parametrize(
    ("index", "how"),
    [
        (["a", "b", "c"], "the same index in another order: row 0 is 'c' in X but 'a' in y"),
        (["c", "a", "d"], "different indexes: row 2 is 'b' in X but 'd' in y"),
        (None, "different indexes: row 0 is 'c' in X but 0 in y"),
    ],
)
def test_another_index_is_refused_with_both_remedies(index, how):
    pd = pytest.importorskip("pandas")
    X = pd.Series([0.3, 0.1, 0.2], index=list("cab"))
    with pytest.raises(ValueError, match=rf"{how}.*y\.reindex\(X\.index\).*y\.to_numpy\(\)"):
        check_aligned(X=X, y=pd.Series([1, 0, 1], index=index))


def test_an_index_may_miss_a_label():
    pd = pytest.importorskip("pandas")
    X = pd.Series([0.3, 0.1], index=pd.Index([pd.NA, 1], dtype=object))
    check_aligned(X=X, y=X.copy())
    with pytest.raises(ValueError, match="different indexes: row 0 is <NA> in X but 2 in y"):
        check_aligned(X=X, y=pd.Series([0, 1], index=pd.Index([2, 1], dtype=object)))


def test_each_of_several_inputs_is_compared():
    pd = pytest.importorskip("pandas")
    X, category = pd.Series([1.0, 2.0]), pd.Series(["a", "b"], index=[1, 0])
    with pytest.raises(ValueError, match="X and category have the same index in another order"):
        check_aligned(X=X, y=[0, 1], category=category)


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


def test_logits_of_two_classes_are_to_be_subtracted():
    logits = np.array([[2.0, -1.0], [0.5, 3.0]])
    with pytest.raises(ValueError, match=r"the logits of one classifier.*X\[:, 1\] - X\[:, 0\]"):
        read_scores(SemisupervisedScoreMixture(), logits, reset=True)


def test_weights_are_real_numbers_that_can_be_counted():
    with pytest.raises(ValueError, match="Complex data"):
        check_frequencies(np.array([1j, 1.0]), 2)
    with pytest.raises(ValueError, match=r"exceed 2\*\*53.*Divide"):
        check_frequencies([1e300, 1.0], 2)


@pytest.mark.parametrize("estimator", [None, 3, "mixture"])
def test_what_is_no_estimator_has_no_likelihood(data, estimator):
    scores, truth, _ = data
    with pytest.raises(TypeError, match="estimator must be"):
        label_log_likelihood(estimator, scores, truth)
    with pytest.raises(TypeError, match="estimator must be a classifier"):
        ClassifierAccuracyExtrapolator(estimator).fit(TABLE, np.arange(6))


@pytest.mark.parametrize("read", [encode_labels, is_unlabeled])
def test_a_class_is_no_list(read):
    with pytest.raises(TypeError, match="must be a number, a string or a boolean"):
        read([1, 0, -1], classes=[[0], [1, 2]])
