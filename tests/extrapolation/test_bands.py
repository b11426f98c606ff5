"""Bands: chance of the classes, doubt of the method, and what every band promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special

from sklearn_spe import AccuracyExtrapolator, CurveBand
from sklearn_spe.extrapolation._accuracy_curve import AccuracyModel, fewer_classes
from sklearn_spe.extrapolation._accuracy_distributions import (
    ConditionalAccuracyDistribution,
    Points,
)
from sklearn_spe.extrapolation._uncertainty import (
    FAR,
    FAR_ERROR,
    N_DRAWS,
    NEAR_ERROR,
    UncertainModel,
)
from sklearn_spe.extrapolation.methods._registry import METHODS
from tests.extrapolation.pilots import drawn, linear_scores

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::sklearn_spe.exceptions.{name}")
    for name in ("FarExtrapolationWarning", "MisfitWarning", "UnidentifiedWarning")
]
EVERY_METHOD = pytest.mark.parametrize("method", METHODS)
COUNTS = np.array([1, 2, 8, 15, 16, 60, 375, 400, 10**4, 10**9])


@pytest.fixture(scope="module")
def pilot(global_random_seed):
    """Return scores and labels."""
    return drawn(15, 4, seed=global_random_seed)


@pytest.fixture(scope="module")
def fitted(pilot, global_random_seed):
    """Return a function that extrapolates, by default the pilot."""

    def fit(scores=pilot[0], y=pilot[1], **options):
        options = {"n_bootstrap": 4, "random_state": global_random_seed, **options}
        return AccuracyExtrapolator(**options).fit(scores, y)

    return fit


@pytest.fixture(scope="module")
def extrapolator(fitted):
    return fitted()


# --- the band -------------------------------------------------------------------------------------


def test_a_band_is_that_of_the_predictions(extrapolator):
    band = extrapolator.predict_band([60, 2, 60, 15, 1])
    assert isinstance(band, CurveBand)
    assert_array_equal(band.x, [1.0, 2.0, 15.0, 60.0])
    assert_allclose(band.value, extrapolator.predict([1, 2, 15, 60]), rtol=1e-12)
    assert (band.kind, band.confidence_level) == ("bootstrap", 0.9)
    assert (band.x_name, band.y_name) == ("number of classes", "accuracy")
    assert_array_equal(extrapolator.predict_band(60).x, [60.0])


def test_more_classes_are_harder_to_both_ends_of_a_band(extrapolator):
    counts = np.unique(np.geomspace(1, FAR * 15, 80).astype(int))
    for ends in (extrapolator.predict_band(counts).interval(level) for level in (0.5, 0.9)):
        for end in ends:
            # Where a draw would rise it stays, but for a little between fixed numbers.
            assert (np.diff(end) <= 5e-3).all()
            assert end[-1] < end[0]


def test_however_far_the_upper_end_of_a_band_does_not_rise(extrapolator):
    # The accuracy itself never does. Draws are kept from rising at numbers that are always the
    # same, and follow them closely in between.
    fixed, _ = fewer_classes(np.array([10**9]))
    between = np.unique(np.geomspace(1, 10**9, 80))
    for counts, most in ((fixed, 1e-12), (between, 5e-3)):
        for level in (0.5, 0.9):
            upper = extrapolator.predict_band(counts.astype(int)).interval(level)[1]
            assert (np.diff(upper) <= most).all()


def test_without_resamples_there_is_no_band(extrapolator, fitted):
    alone = fitted(n_bootstrap=0)
    assert alone.uncertain_model_ is None
    with pytest.raises(ValueError, match="A band needs resampled classes: fit with n_bootstrap"):
        alone.predict_band(30)
    assert_array_equal(alone.predict(COUNTS), extrapolator.predict(COUNTS))


@EVERY_METHOD
def test_every_method_has_a_band(method, fitted, global_random_seed):
    for scores, y in (
        linear_scores(6, 3, seed=global_random_seed, signal=1000.0),
        linear_scores(6, 3, seed=global_random_seed, signal=-1000.0),
        drawn(2, 8, seed=global_random_seed, noise=1.5),
        drawn(6, 1, seed=global_random_seed),
    ):
        band = fitted(scores, y, method=method, n_bootstrap=2).predict_band([1, 2, 30, 10**6])
        low, high = band.interval()
        assert (low <= band.value).all()
        assert (band.value <= high).all()
        assert np.isfinite(low).all()
        assert np.isfinite(high).all()
        assert low[2] < high[2]


def test_a_perfect_pilot_may_be_less_than_perfect(fitted, global_random_seed):
    # Twelve classes of four items, all right: 0.5 / 49 is the share of half an item.
    low, high = (
        fitted(*linear_scores(seed=global_random_seed, signal=1000.0), n_bootstrap=2)
        .predict_band(12)
        .interval()
    )
    assert high[0] == 1.0
    assert 0.8 < low[0] < 1.0 - 0.25 / 49.0
    low, high = (
        fitted(*linear_scores(seed=global_random_seed, signal=-1000.0), n_bootstrap=2)
        .predict_band(12)
        .interval()
    )
    assert low[0] == 0.0
    assert 0.25 / 49.0 < high[0] < 0.2


# --- the law of the accuracy ----------------------------------------------------------------------


def flat(accuracy, n_tried=10):
    """Return a model with the same accuracy among any number of classes but one."""
    curve = np.append(1.0, np.full(n_tried - 1, accuracy))
    never = ConditionalAccuracyDistribution(Points(np.array([-np.inf])), np.array([1.0 - accuracy]))
    return AccuracyModel(curve, never)


def log_odds(model, counts, system=0):
    # Before draws are kept from rising, which those of a flat curve do half of the time.
    counts = np.array(counts)
    return special.logit(model._draws(counts, model.model.accuracy(counts), 0, system))


@pytest.mark.parametrize("accuracy", [0.3, 0.9])
@pytest.mark.parametrize("n_items", [20.0, 1000.0])
def test_without_other_classes_there_is_the_uncertainty_of_counting_and_of_the_method(
    accuracy, n_items
):
    model = UncertainModel(flat(accuracy), (flat(accuracy),) * 3, n_items)
    ratios = np.array([0.5, 1.0, 2.0, 20.0, FAR, 4.0 * FAR, 1e4 * FAR])
    logits = log_odds(model, (10 * ratios).astype(int))
    errors = (1.0 - accuracy) * n_items
    counting = 1.0 / (errors + 0.5) + 1.0 / (n_items - errors + 0.5)
    doubt = max(NEAR_ERROR, 1.0 / (1.0 + errors)) * np.log(np.maximum(ratios, 1.0))
    doubt += FAR_ERROR * np.log(np.maximum(ratios / FAR, 1.0))
    expected = np.sqrt(counting + doubt**2)
    # The standard deviation of 1000 normal draws.
    tolerance = 4.5 / np.sqrt(2.0 * N_DRAWS)
    assert_allclose(logits.std(axis=0), expected, rtol=tolerance)
    assert (np.diff(logits.std(axis=0)[1:]) > 0.0).all()
    off = logits.mean(axis=0) - special.logit(accuracy)
    assert (np.abs(off) < 4.5 * expected / np.sqrt(N_DRAWS)).all()
    # The method errs in one direction everywhere.
    assert np.corrcoef(logits.T).min() > 0.999


def test_resamples_that_differ_widen_the_band_as_they_do():
    places = np.array([-1.0, -0.5, 0.25, 0.5, 0.75])
    resampled = tuple(flat(special.expit(place)) for place in places)
    model = UncertainModel(flat(0.6), resampled, 1e9)
    logits = log_odds(model, [2, 10])
    # Student's law with four degrees of freedom: the quartiles of many draws.
    scaled = (logits - special.logit(0.6)) / places.std(ddof=1)
    expected = special.stdtrit(4, [0.25, 0.5, 0.75])
    density = np.array([0.27, 0.375, 0.27])
    errors = np.sqrt(np.array([3.0, 4.0, 3.0]) / 16.0 / N_DRAWS) / density
    for column in scaled.T:
        off = np.quantile(column, [0.25, 0.5, 0.75]) - expected
        assert (np.abs(off) < 4.5 * errors).all()


def test_uncertainties_of_two_methods_are_apart_and_chances_of_the_classes_are_shared():
    places = np.array([-1.0, -0.5, 0.25, 0.5, 0.75])
    differing = tuple(flat(special.expit(place)) for place in places)
    shared = UncertainModel(flat(0.6), differing, 1e9)
    assert_allclose(log_odds(shared, [10]), log_odds(shared, [10], system=1), atol=1e-3)
    apart = UncertainModel(flat(0.6), (flat(0.6),) * 5, 100.0)
    first, second = log_odds(apart, [10])[:, 0], log_odds(apart, [10], system=1)[:, 0]
    assert abs(np.corrcoef(first, second)[0, 1]) < 4.5 / np.sqrt(N_DRAWS)


def test_accuracies_of_zero_and_one_are_not_left_out():
    for accuracy in (0.0, 1.0):
        model = UncertainModel(flat(accuracy), (flat(accuracy),) * 3, 50.0)
        distribution = model.distribution(np.array([1, 2, 10, 500]), 0)
        assert_array_equal(distribution.median(), [1.0, accuracy, accuracy, accuracy])
        low, high = distribution.quantile([0.05, 0.95])
        assert (low <= distribution.median()).all()
        assert (distribution.median() <= high).all()
        assert (high[1:] > low[1:]).all()
