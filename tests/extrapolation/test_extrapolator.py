"""The extrapolator: exact inside the pilot, and a law beyond."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe import AccuracyExtrapolator, average_accuracy_curve
from sklearn_spe.extrapolation import GaussianClasses, Moment, Scores
from sklearn_spe.extrapolation.methods._registry import METHODS
from tests.extrapolation.pilots import drawn, linear_scores, tied_scores

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


def test_a_number_gets_a_number_and_several_get_an_array(fitted):
    extrapolator = fitted()
    for one in (30, 30.0, np.int64(30), np.array(30)):
        assert type(extrapolator.predict(one)) is float
        assert extrapolator.predict(one) == extrapolator.predict([30])[0]
    several = extrapolator.predict([30, 2, 30, 1])
    assert_allclose(several, [extrapolator.predict(k) for k in (30, 2, 30, 1)], rtol=1e-12)
    with pytest.raises(ValueError, match="must not be empty"):
        extrapolator.predict([])


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


# --- labels ---------------------------------------------------------------------------------------


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


# --- conventions ----------------------------------------------------------------------------------


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


def test_the_distribution_function_is_near_to_that_of_the_task(fitted, global_random_seed):
    # Two thousand items against sixty classes: five standard deviations over such pilots.
    task = GaussianClasses(noise=0.7)
    scores, y = task.draw(60, 30, np.random.default_rng(global_random_seed))
    extrapolator = fitted(scores, y)
    u = np.array([0.5, 0.7, 0.9])
    assert_allclose(extrapolator.D_(u), task.distribution(u), atol=0.2)
