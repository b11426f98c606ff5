"""The extrapolator: exact inside the pilot, and a law beyond."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.exceptions import FarExtrapolationWarning
from sklearn_spe.extrapolation import GaussianClasses, Moment, Scores
from sklearn_spe.extrapolation.methods._registry import METHODS
from tests.extrapolation.pilots import COUNTS, drawn, linear_scores, tied_scores

# Kernels do not fit squared distances, and say so.
EVERY_METHOD = pytest.mark.parametrize(
    "method",
    [
        pytest.param(
            name,
            marks=pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning"),
        )
        for name in METHODS
    ],
)
# A small pilot may have few errors, or errors of few classes: so says its verdict.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
Y = np.repeat(np.arange(15), 4)
FAR = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FarExtrapolationWarning")


@pytest.fixture(scope="module")
def X(global_random_seed):
    return drawn(15, 4, global_random_seed)[0]


@pytest.fixture(scope="module")
def fitted(X, global_random_seed):
    """Return a function that extrapolates, by default from X."""

    def fit(scores=X, y=Y, method="auto", **options):
        options = {"n_bootstrap": 0, "random_state": global_random_seed, **options}
        return AccuracyExtrapolator(method, **options).fit(scores, y)

    return fit


# --- the curve ------------------------------------------------------------------------------------


@EVERY_METHOD
def test_up_to_the_classes_that_were_tried_the_curve_is_exact(method, fitted, global_random_seed):
    scores, y = tied_scores(12, 60, global_random_seed)
    average = "macro" if method == "moment" else "micro"
    extrapolator = fitted(scores, y, method, average=average)
    expected = average_accuracy_curve(y, scores, average=average)
    assert_array_equal(extrapolator.predict(np.arange(1, 13)), expected)
    assert_array_equal(extrapolator.accuracy_curve_, expected)


@EVERY_METHOD
def test_one_class_more_costs_no_more_than_a_distribution_allows(
    method, fitted, global_random_seed
):
    # E[U^(k-1)] - E[U^k] is at most the largest u^(k-1) (1 - u).
    for scores, y in (drawn(15, 4, global_random_seed), linear_scores(15, 4, global_random_seed)):
        extrapolator = fitted(scores, y, method)
        at, after = extrapolator.predict([15, 16])
        most = (1.0 - 1.0 / 15.0) ** 14 / 15.0
        assert 0.0 <= at - after <= most * extrapolator.model_.scale + 1e-12


@FAR
@EVERY_METHOD
def test_accuracies_fall_within_zero_and_one_for_any_number_of_classes(method, fitted):
    extrapolator = fitted(method=method)
    counts = np.unique(np.geomspace(1, 10**9, 200).astype(int))
    accuracies = extrapolator.predict(counts)
    assert (np.diff(accuracies) <= 1e-12).all()
    assert ((accuracies >= 0.0) & (accuracies <= 1.0)).all()
    assert extrapolator.asymptotic_accuracy_ <= accuracies[-1] + 1e-12


@FAR
def test_beyond_the_pilot_the_curve_is_that_of_the_distribution_up_to_a_factor(fitted):
    extrapolator = fitted()
    counts = np.array([15, 16, 40, 10**4])
    distribution = extrapolator.D_.accuracy(counts)
    expected = extrapolator.accuracy_curve_[-1] * distribution / distribution[0]
    assert_allclose(extrapolator.predict(counts), expected, rtol=1e-12)


@FAR
@pytest.mark.parametrize("method", [Moment(), Moment(knots="uniform")], ids=str)
def test_the_asymptotic_accuracy_is_the_limit(method, fitted, global_random_seed):
    # The nearest knot is a millionth from 1: what is right among k classes by it is 1e6 / k.
    extrapolator = fitted(*linear_scores(15, 4, global_random_seed), method)
    limit = extrapolator.predict(10**15)
    assert_allclose(limit, extrapolator.asymptotic_accuracy_, atol=1e-8)


@FAR
@pytest.mark.parametrize("method", ["moment", "kde"])
def test_the_asymptotic_accuracy_is_the_limit_of_a_perfect_pilot_too(
    method, fitted, global_random_seed
):
    # No spline is needed, and no kernel reaches as far as from a wrong score to a true one.
    extrapolator = fitted(*linear_scores(15, 4, global_random_seed, signal=1e4), method)
    assert_allclose(extrapolator.predict(10**18), 1.0, rtol=1e-12)
    assert_allclose(extrapolator.asymptotic_accuracy_, 1.0, rtol=1e-12)


@FAR
def test_numbers_of_classes_that_no_integer_holds_are_answered(fitted):
    extrapolator = fitted(method="moment")
    expected = extrapolator.asymptotic_accuracy_
    for n_classes in (2**62, 2**63, 1e19, 1e300, np.uint64(2**63)):
        assert_allclose(extrapolator.predict(n_classes), expected, atol=1e-9)


@EVERY_METHOD
@FAR
def test_pilots_at_the_ends_stay_there(method, fitted, global_random_seed):
    perfect = fitted(*linear_scores(seed=global_random_seed, signal=1000.0), method)
    assert_allclose(perfect.predict([2, 12]), 1.0, rtol=1e-12)
    assert perfect.predict(24) > 0.9
    hopeless = fitted(*linear_scores(seed=global_random_seed, signal=-1000.0), method)
    assert_array_equal(hopeless.predict([1, 2, 12, 13, 1000]), [1.0, 0.0, 0.0, 0.0, 0.0])
    assert hopeless.asymptotic_accuracy_ == 0.0


def test_a_number_gets_a_number_and_several_get_an_array(fitted):
    extrapolator = fitted()
    for one in (30, 30.0, np.int64(30), np.array(30)):
        assert type(extrapolator.predict(one)) is float
        assert extrapolator.predict(one) == extrapolator.predict([30])[0]
    several = extrapolator.predict([30, 2, 30, 1])
    assert_allclose(several, [extrapolator.predict(k) for k in (30, 2, 30, 1)], rtol=1e-12)
    with pytest.raises(ValueError, match="must not be empty"):
        extrapolator.predict([])


@pytest.mark.parametrize(
    ("n_classes", "error", "message"),
    [
        (0, ValueError, "whole numbers of at least 1, got 0"),
        ([3, 1.5], ValueError, "got 1.5"),
        (np.nan, ValueError, "got nan"),
        (np.inf, ValueError, "asymptotic_accuracy_"),
        ("many", TypeError, "n_classes must be a"),
        (None, TypeError, "got None"),
        ([[1, 2]], ValueError, "n_classes must be a"),
    ],
)
def test_numbers_of_classes_that_there_are_not_are_named(n_classes, error, message, fitted):
    extrapolator = fitted(method="moment", n_bootstrap=2)
    for ask in (extrapolator.predict, extrapolator.predict_band):
        with pytest.raises(error, match=message):
            ask(n_classes)


# --- what is known of the pilot -------------------------------------------------------------------


def test_the_histogram_of_wins_holds_the_curve(fitted, global_random_seed):
    scores, y = tied_scores(12, 60, global_random_seed)
    extrapolator = fitted(scores, y)
    histogram = extrapolator.wins_histogram_
    assert histogram.shape == (12,)
    assert (histogram >= 0.0).all()
    assert_allclose(histogram.sum(), 1.0, rtol=1e-12)
    # Against one wrong class an item is right by its share of wins; against all by all of them.
    assert_allclose(extrapolator.predict(2), histogram @ np.arange(12) / 11, rtol=1e-12)
    assert_allclose(extrapolator.predict(12), histogram[-1], rtol=1e-12)


def test_a_tie_is_an_error_in_part(fitted):
    # A win, a tie of two, a tie of four, and a loss.
    scores = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]]
    extrapolator = fitted(scores, [0, 0, 0, 0], "moment", classes=np.arange(4))
    assert_allclose(extrapolator.n_errors_, 0.0 + 1 / 2 + 3 / 4 + 1.0, rtol=1e-14)
    assert_allclose(extrapolator.predict(4), 1.0 - extrapolator.n_errors_ / 4.0, rtol=1e-14)


def test_items_of_unequal_weight_are_worth_fewer(fitted, global_random_seed):
    weights = np.where(np.arange(60) % 2 == 0, 1.0, 3.0)
    scores, y = linear_scores(12, 5, global_random_seed)
    extrapolator = AccuracyExtrapolator("moment", average="micro", n_bootstrap=0)
    extrapolator.fit(scores, y, weights)
    assert_allclose(extrapolator.n_items_, 120.0**2 / (30 * 1.0 + 30 * 9.0), rtol=1e-12)
    expected = average_accuracy_curve(y, scores, sample_weight=weights, average="micro")
    assert_allclose(extrapolator.accuracy_curve_, expected, rtol=1e-13)
    assert_allclose(fitted(scores, y).n_items_, 60.0, rtol=1e-12)


@EVERY_METHOD
def test_equal_weights_change_nothing(method, X, global_random_seed):
    extrapolator = AccuracyExtrapolator(method, n_bootstrap=0, random_state=global_random_seed)
    plain = extrapolator.fit(X, Y).predict(COUNTS[:9])
    weighted = clone(extrapolator).fit(X, Y, np.full(60, 4.0)).predict(COUNTS[:9])
    assert_allclose(weighted, plain, rtol=1e-9)


# --- labels ---------------------------------------------------------------------------------------


def test_classes_are_the_sorted_ones_of_y_or_those_that_are_named(fitted, X, global_random_seed):
    names = np.array([f"class {i:02d}" for i in range(15)])
    plain = fitted()
    assert_array_equal(plain.classes_, np.arange(15))
    assert (plain.n_classes_, plain.n_features_in_) == (15, 15)
    order = np.random.default_rng(global_random_seed).permutation(15)
    named = fitted(X[:, order], names[Y], classes=names[order])
    assert_array_equal(named.classes_, names[order])
    assert_array_equal(named.accuracy_curve_, plain.accuracy_curve_)


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_the_columns_of_a_data_frame_are_named_by_their_classes(
    dtype, fitted, X, global_random_seed
):
    pd = pytest.importorskip("pandas")
    names = np.array([f"class {i:02d}" for i in range(15)])
    order = np.random.default_rng(global_random_seed).permutation(15)
    frame = pd.DataFrame(X[:, order], columns=names[order])
    y = pd.Series(names[Y], dtype=dtype)
    extrapolator = fitted(frame, y, "moment")
    assert_array_equal(extrapolator.classes_, names[order])
    assert_array_equal(extrapolator.feature_names_in_, names[order])
    assert_array_equal(extrapolator.accuracy_curve_, fitted(method="moment").accuracy_curve_)
    # y need not hold each of them.
    kept = Y != 3
    extrapolator = fitted(frame[kept], y[kept], "moment")
    expected = average_accuracy_curve(Y[kept], X[kept], labels=np.arange(15))
    assert_array_equal(extrapolator.accuracy_curve_, expected)


def test_the_columns_of_a_data_frame_are_named_by_numbers_of_classes(fitted, X, global_random_seed):
    pd = pytest.importorskip("pandas")
    order = np.random.default_rng(global_random_seed).permutation(15)
    extrapolator = fitted(pd.DataFrame(X[:, order], columns=order), Y, "moment")
    assert_array_equal(extrapolator.classes_, order)
    assert_array_equal(extrapolator.accuracy_curve_, fitted(method="moment").accuracy_curve_)


def test_names_of_columns_that_are_no_classes_are_names_only(fitted, X):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"score {i}" for i in range(15)])
    extrapolator = fitted(frame, Y, "moment")
    assert_array_equal(extrapolator.classes_, np.arange(15))
    assert_array_equal(extrapolator.accuracy_curve_, fitted(method="moment").accuracy_curve_)


def test_far_beyond_the_pilot_is_reported(fitted):
    extrapolator = fitted(method="moment", n_bootstrap=2)
    for ask in (extrapolator.predict, extrapolator.predict_band):
        ask(25 * 15)
        with pytest.warns(FarExtrapolationWarning, match="376 classes are .* 25 times the 15"):
            ask([3, 25 * 15 + 1])
    with pytest.warns(FarExtrapolationWarning) as caught:
        extrapolator.predict(10**6)
    assert caught[0].filename == __file__


# --- conventions ----------------------------------------------------------------------------------


def test_before_a_fit_nothing_is_known():
    for ask in (AccuracyExtrapolator().predict, AccuracyExtrapolator().predict_band):
        with pytest.raises(NotFittedError):
            ask(10)


def test_a_fit_that_failed_is_no_fit(X):
    extrapolator = AccuracyExtrapolator()
    with pytest.raises(ValueError, match="inconsistent numbers"):
        extrapolator.fit(X, Y[:-1])
    with pytest.raises(NotFittedError):
        extrapolator.predict(10)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "mean"}, ValueError, "method must be one of auto, moment"),
        ({"method": Scores}, TypeError, "method must be a name or a Method"),
        ({"average": "weighted"}, ValueError, "average must be one of macro, micro"),
        ({"confidence_level": 1.0}, ValueError, r"confidence_level must lie in \(0, 1\)"),
        ({"confidence_level": "high"}, TypeError, "confidence_level must be a number"),
        ({"n_bootstrap": 1}, ValueError, "n_bootstrap must be 0, for no bands, or at least 2"),
        ({"n_bootstrap": -1}, ValueError, "n_bootstrap must be at least 0"),
        ({"n_bootstrap": 2.5}, TypeError, "n_bootstrap must be a whole number"),
        ({"random_state": "seed"}, ValueError, "random_state must be None, an int"),
        ({"classes": np.arange(14)}, ValueError, "each of the 15 columns"),
    ],
)
def test_bad_parameters_are_named_by_fit(options, error, message, X):
    extrapolator = AccuracyExtrapolator(**options)
    with pytest.raises(error, match=message):
        extrapolator.fit(X, Y)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: (X.T, Y), r"transpose them, X\.T"),
        (lambda X: (np.where(X.max() > X, X, np.nan), Y), "got NaN in row"),
        (lambda X: (np.where(X.max() > X, X, np.inf), Y), r"got \+inf in row"),
        (
            lambda X: (X, Y + 0.5 * (Y == 3) - Y * (Y == 4)),
            "y holds 14 classes, but there are 15 columns",
        ),
        (lambda X: (X[:, :1], Y * 0), "a column for each of at least two classes"),
    ],
)
def test_bad_tables_are_named(spoil, message, X):
    with pytest.raises(ValueError, match=message):
        AccuracyExtrapolator().fit(*spoil(X))


def test_a_clone_is_not_fitted_and_gives_the_same(fitted, X):
    extrapolator = fitted(method=Scores(n_folds=3), average="macro")
    twin = clone(extrapolator)
    assert not hasattr(twin, "model_")
    assert twin.get_params() == extrapolator.get_params()
    assert twin.get_params()["method"] == Scores(n_folds=3)
    assert_array_equal(twin.fit(X, Y).predict(COUNTS[:9]), extrapolator.predict(COUNTS[:9]))
    assert extrapolator.method_ == Scores(n_folds=3)


@FAR
def test_a_pickle_answers_the_same(fitted):
    extrapolator = fitted(n_bootstrap=3)
    twin = pickle.loads(pickle.dumps(extrapolator))
    assert_array_equal(twin.predict(COUNTS), extrapolator.predict(COUNTS))
    assert twin.verdict_ == extrapolator.verdict_
    for one, other in zip(
        twin.predict_band(COUNTS).interval(),
        extrapolator.predict_band(COUNTS).interval(),
        strict=True,
    ):
        assert_array_equal(one, other)


def test_fitting_leaves_what_is_passed_as_it_is(X, global_random_seed):
    scores, y, weights = X.copy(), Y.copy(), np.ones(60)
    for array in (scores, y, weights):
        array.flags.writeable = False
    AccuracyExtrapolator(n_bootstrap=2, random_state=global_random_seed).fit(scores, y, weights)
    assert_array_equal(scores, X)


def test_the_distribution_function_is_near_to_that_of_the_task(fitted, global_random_seed):
    # Two thousand items against sixty classes: five standard deviations over such pilots.
    task = GaussianClasses(noise=0.7)
    scores, y = task.draw(60, 30, np.random.default_rng(global_random_seed))
    extrapolator = fitted(scores, y)
    u = np.array([0.5, 0.7, 0.9])
    assert_allclose(extrapolator.D_(u), task.distribution(u), atol=0.2)
