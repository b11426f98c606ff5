"""Numbers and curves with intervals, and the weighted draws below them."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe import CurveBand, ScalarEstimate
from sklearn_spe.exceptions import FewDrawsWarning
from sklearn_spe.results._distributions import WeightedDraws

FEW = pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FewDrawsWarning")
LEVELS = np.linspace(0.01, 0.99, 99)


def scalar(draws, weights=None, **fields):
    weights = np.ones(len(draws)) if weights is None else weights
    return ScalarEstimate.from_draws("number", draws, weights, **fields)


def gaussian_process(rng, n_draws=400, n_points=25):
    """Return smooth random curves, and weights."""
    x = np.linspace(0.0, 1.0, n_points)
    covariance = np.exp(-0.5 * ((x[:, np.newaxis] - x) / 0.15) ** 2) + 1e-9 * np.eye(n_points)
    curves = rng.normal(size=(n_draws, n_points)) @ np.linalg.cholesky(covariance).T
    return x, curves, rng.gamma(2.0, 1.0, n_draws)


def share_inside(draws, weights, lower, upper):
    """Return the weight of the draws that lie between lower and upper at all points."""
    outside = (draws < lower - 1e-12) | (draws > upper + 1e-12)
    return weights[~outside.any(axis=1)].sum() / weights.sum()


# --- quantiles -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_quantiles_of_equal_weights_are_those_of_numpy(n):
    draws = np.random.default_rng(n).normal(size=(n, 3))
    distribution = WeightedDraws(draws, np.full(n, 1.0 / n))
    expected = np.quantile(draws, LEVELS, axis=0, method="hazen")
    assert_allclose(distribution.quantile(LEVELS), expected, atol=1e-12)


def test_weighted_quantiles_follow_those_of_repeated_data(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, repeats = rng.normal(size=30), rng.integers(1, 9, 30)
    distribution = WeightedDraws(draws[:, np.newaxis], repeats / repeats.sum())
    repeated = np.repeat(draws, repeats)
    # In the middle of the weight of a draw both are this draw; between, the weighted
    # quantile joins these points by straight lines, so that it can be off by one gap.
    order = np.argsort(draws)
    middles = (np.cumsum(repeats[order]) - repeats[order] / 2.0) / repeats.sum()
    at_middles = np.quantile(repeated, middles, method="hazen")
    assert_allclose(at_middles, draws[order], atol=1e-12)
    assert_allclose(distribution.quantile(middles)[:, 0], draws[order], atol=1e-12)
    between = distribution.quantile(LEVELS)[:, 0]
    assert_allclose(between, np.interp(LEVELS, middles, draws[order]), atol=1e-12)
    error = np.abs(between - np.quantile(repeated, LEVELS, method="hazen"))
    assert error.max() <= np.diff(np.sort(draws)).max() + 1e-12


def test_weighted_quantiles_split_the_weight(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, weights = np.round(rng.normal(size=50), 1), rng.dirichlet(np.ones(50))
    quantiles = WeightedDraws(draws[:, np.newaxis], weights).quantile(LEVELS)[:, 0]
    below = np.array([weights[draws < q].sum() for q in quantiles])
    above = np.array([weights[draws > q].sum() for q in quantiles])
    assert (below <= LEVELS + weights.max() / 2.0 + 1e-12).all()
    assert (above <= 1.0 - LEVELS + weights.max() / 2.0 + 1e-12).all()


def test_undefined_draws_are_left_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, weights = rng.normal(size=(40, 2)), rng.dirichlet(np.ones(40))
    draws[::3, 0] = np.nan
    distribution = WeightedDraws(draws, weights)
    kept = ~np.isnan(draws[:, 0])
    alone = WeightedDraws(draws[kept, :1], weights[kept] / weights[kept].sum())
    assert_allclose(distribution.quantile(LEVELS)[:, 0], alone.quantile(LEVELS)[:, 0], atol=1e-12)
    assert_allclose(distribution.mean()[0], alone.mean()[0], atol=1e-12)
    assert_allclose(distribution.std()[0], alone.std()[0], atol=1e-12)
    complete = WeightedDraws(draws[:, 1:], weights)
    assert_allclose(distribution.quantile(LEVELS)[:, 1], complete.quantile(LEVELS)[:, 0], atol=0.0)


def test_moments_are_those_of_repeated_data(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, repeats = rng.gamma(2.0, 1.0, 60), rng.integers(1, 5, 60)
    estimate = scalar(draws, repeats)
    repeated = np.repeat(draws, repeats)
    assert_allclose(estimate.mean(), repeated.mean(), rtol=1e-12)
    assert_allclose(estimate.standard_error, repeated.std(), rtol=1e-12)


# --- intervals -------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.99])
def test_interval_holds_its_level_of_the_draws(level, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, weights = rng.normal(size=500), rng.dirichlet(np.ones(500))
    low, high = scalar(draws, weights).interval(level)
    held = weights[(draws >= low) & (draws <= high)].sum()
    assert abs(held - level) <= 2.0 * weights.max()


def test_band_is_at_each_point_the_interval_of_a_number(global_random_seed):
    x, curves, weights = gaussian_process(np.random.default_rng(global_random_seed))
    band = CurveBand.from_draws("process", x, curves, weights)
    lower, upper = band.interval(0.8)
    for j in range(len(x)):
        number = scalar(curves[:, j], weights)
        assert (lower[j], upper[j]) == number.interval(0.8)
        assert band.value[j] == number.value
        # A mean near zero is what is left of summands near one.
        assert_allclose(band.mean()[j], number.mean(), rtol=1e-12, atol=1e-12)


# --- the simultaneous band -------------------------------------------------------------


def narrowest_level(draws, weights, wanted):
    """Return by brute force the smallest pointwise level whose band holds enough whole draws."""
    distribution = WeightedDraws(draws, weights / weights.sum())
    levels = np.linspace(wanted, 1.0, 2001)
    for level in levels:
        lower, upper = distribution.quantile([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        if share_inside(draws, weights, lower, upper) >= wanted - 1e-12:
            return level
    return 1.0


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_envelope_holds_its_level_of_whole_curves_and_hardly_more(level, global_random_seed):
    x, curves, weights = gaussian_process(np.random.default_rng(global_random_seed))
    band = CurveBand.from_draws("process", x, curves, weights)
    held = share_inside(curves, weights, *band.envelope(level))
    assert held >= level - 1e-12
    assert held <= level + weights.max() / weights.sum()
    # The pointwise band of the same level holds far fewer.
    assert share_inside(curves, weights, *band.interval(level)) < level - 0.1


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_envelope_is_the_narrowest_pointwise_band_that_holds_enough(level, global_random_seed):
    _, curves, weights = gaussian_process(
        np.random.default_rng(global_random_seed), n_draws=120, n_points=8
    )
    distribution = WeightedDraws(curves, weights / weights.sum())
    grid_step = (1.0 - level) / 2000
    assert (
        abs(distribution.envelope_level(level) - narrowest_level(curves, weights, level))
        <= grid_step
    )


def test_band_that_is_nowhere_defined_is_nan():
    band = CurveBand.from_draws("none", [0, 1], np.full((5, 2), np.nan), np.ones(5))
    assert np.isnan(band.envelope(0.9)).all()
    assert "nan" in repr(band)


@FEW
def test_draws_that_are_not_defined_are_counted():
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    column = np.array([0.5, np.nan, 0.7, np.nan])
    number = ScalarEstimate.from_draws("number", column, weights)
    band = CurveBand.from_draws("c", [0, 1], np.column_stack([column, np.ones(4)]), weights)
    assert number.undefined == pytest.approx(0.6)
    assert "undefined in 60%" in repr(number)
    assert_allclose(band.undefined, [0.6, 0.0], atol=1e-12)
    told = CurveBand.from_draws("c", [0], column[:, np.newaxis], weights, undefined=0.1)
    assert_allclose(told.undefined, [0.1])


# --- at and to_frame -------------------------------------------------------------------


def test_at_a_point_is_the_point_and_between_points_on_straight_lines(global_random_seed):
    x, curves, weights = gaussian_process(np.random.default_rng(global_random_seed))
    band = CurveBand.from_draws("process", x, curves, weights, undefined=x / 10.0)
    for j in (0, 1, 13, len(x) - 1):
        number = band.at(x[j])
        assert_allclose(number.draws, curves[:, j], atol=0.0)
        assert number.undefined == band.undefined[j]
    middle = 0.3 * x[4] + 0.7 * x[5]
    expected = np.stack([np.interp(middle, x, curve) for curve in curves])
    assert_allclose(band.at(middle).draws, expected, atol=1e-12)
    assert_allclose(band.at(middle).weights, band.weights, atol=0.0)


@pytest.mark.parametrize("x", [-0.01, 1.01, np.nan, np.inf])
def test_at_outside_the_curve_is_an_error(x):
    band = CurveBand.from_draws("c", [0.0, 1.0], np.zeros((2, 2)), np.ones(2), x_name="recall")
    with pytest.raises(ValueError, match=r"recall (from 0 to 1|must lie in)"):
        band.at(x)


# --- values ----------------------------------------------------------------------------


def test_float_of_an_estimate_is_its_value_the_median():
    estimate = scalar([3.0, 1.0, 2.0])
    assert float(estimate) == estimate.value == 2.0


@pytest.mark.parametrize("copied", [lambda v: v, lambda v: pickle.loads(pickle.dumps(v))])
def test_results_are_frozen_and_their_arrays_read_only(copied):
    band = CurveBand.from_draws("c", np.arange(3.0), np.zeros((4, 3)), np.ones(4))
    band.envelope()
    band, estimate = copied(band), copied(scalar([1.0, 2.0]))
    for array in (band.x, band.draws, band.weights, band.undefined, estimate.draws):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0
    with pytest.raises(AttributeError):
        band.x = np.zeros(3)
    with pytest.raises(AttributeError):
        estimate.name = "other"


# --- levels that draws do not hold ---------------------------------------------------------------


@pytest.mark.parametrize(("n_draws", "highest"), [(1000, 0.998), (25, 0.92), (20, 0.9)])
def test_levels_that_leave_out_less_than_a_draw_are_said(n_draws, highest):
    draws, weights = np.arange(float(n_draws)), np.ones(n_draws)
    estimate = ScalarEstimate.from_draws("x", draws, weights)
    band = CurveBand.from_draws("c", [0.0], draws[:, np.newaxis], weights)
    beyond = (1.0 + highest) / 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inside = estimate.interval(highest)
        band.interval(highest), band.envelope(highest)
    needed = int(np.ceil(2.0 / (1.0 - beyond) * (1.0 - 1e-9)))
    for ask in (estimate.interval, band.interval, band.envelope):
        with pytest.warns(FewDrawsWarning, match=f"from {highest:g} on.*n_draws={needed} or more"):
            ask(beyond)
    more = ScalarEstimate.from_draws("x", np.arange(float(needed)), np.ones(needed))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert more.interval(beyond)[0] > 0.0
    assert inside[0] > 0.0
