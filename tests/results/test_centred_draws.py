"""Laws around an estimate, and laws with infinite draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_spe.results._distributions import CenteredDraws, WeightedDraws
from sklearn_spe.results._estimates import CurveBand, ScalarEstimate

LEVELS = np.linspace(0.0, 1.0, 101)


def random_law(seed, n_draws=40, n_points=3):
    rng = np.random.default_rng(seed)
    draws, weights = rng.normal(size=(n_draws, n_points)), rng.dirichlet(np.ones(n_draws))
    return CenteredDraws(draws, weights, rng.normal(size=n_points))


# --- an estimate in the middle ---------------------------------------------------------


def test_the_centre_stands_for_the_median_and_for_nothing_else(global_random_seed):
    distribution = random_law(global_random_seed)
    plain = WeightedDraws(distribution.draws, distribution.weights)
    assert np.array_equal(distribution.median(), distribution.center)
    assert not np.allclose(distribution.median(), plain.median())
    assert np.array_equal(distribution.quantile(LEVELS), plain.quantile(LEVELS))
    assert np.array_equal(distribution.mean(), plain.mean())
    assert np.array_equal(distribution.std(), plain.std())
    assert distribution.envelope_level(0.9) == plain.envelope_level(0.9)


def test_numbers_and_curves_have_the_value_of_the_centre(global_random_seed):
    distribution = random_law(global_random_seed)
    estimate = ScalarEstimate("x", WeightedDraws(distribution.draws[:, :1], distribution.weights))
    centered = ScalarEstimate(
        "x", CenteredDraws(distribution.draws[:, :1], distribution.weights, distribution.center[:1])
    )
    assert centered.value == distribution.center[0] != estimate.value
    assert centered.interval() == estimate.interval()
    band = CurveBand("x", np.arange(3.0), distribution)
    assert np.array_equal(band.value, distribution.center)
    assert band.at(1.0).value == distribution.center[1]


def test_the_opposite_order_turns_the_centre_too(global_random_seed):
    distribution = random_law(global_random_seed)
    flipped = distribution.reversed()
    assert isinstance(flipped, CenteredDraws)
    assert np.array_equal(flipped.median(), distribution.median()[::-1])
    assert np.array_equal(flipped.quantile(LEVELS), distribution.quantile(LEVELS)[:, ::-1])
    assert np.array_equal(flipped.reversed().median(), distribution.median())


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_between_two_quantities_lies_the_centre_as_the_draws_do(share, global_random_seed):
    distribution = random_law(global_random_seed)
    between = distribution.between(0, 2, share)
    assert isinstance(between, CenteredDraws)
    assert between.n_points == 1
    assert_allclose(
        between.median(), [(1.0 - share) * distribution.center[0] + share * distribution.center[2]]
    )
    assert_allclose(
        between.draws[:, 0],
        (1.0 - share) * distribution.draws[:, 0] + share * distribution.draws[:, 2],
    )


# --- infinite draws --------------------------------------------------------------------


def infinite_law(seed, n_low, n_high=0, n_missing=0, n=20):
    """Return a law of which some draws are infinite and some not defined."""
    rng = np.random.default_rng(seed)
    draws = np.r_[
        np.full(n_low, -np.inf),
        np.full(n_high, np.inf),
        np.full(n_missing, np.nan),
        rng.normal(size=n - n_low - n_high - n_missing),
    ]
    order = rng.permutation(n)
    return WeightedDraws(draws[order][:, np.newaxis], np.full(n, 1.0 / n))


CASES = pytest.mark.parametrize(
    ("n_low", "n_high", "n_missing"),
    [(0, 0, 0), (1, 0, 0), (7, 0, 0), (19, 0, 0), (20, 0, 0), (0, 5, 0), (4, 3, 2), (10, 10, 0)],
)


@CASES
def test_quantiles_with_infinite_draws_rise_and_are_never_missing(
    n_low, n_high, n_missing, global_random_seed
):
    quantiles = infinite_law(global_random_seed, n_low, n_high, n_missing).quantile(LEVELS)[:, 0]
    assert not np.isnan(quantiles).any()
    assert (quantiles[1:] >= quantiles[:-1]).all()


@CASES
def test_as_many_quantiles_are_infinite_as_draws(n_low, n_high, n_missing, global_random_seed):
    distribution = infinite_law(global_random_seed, n_low, n_high, n_missing)
    fine = (np.arange(10_000) + 0.5) / 10_000
    quantiles = distribution.quantile(fine)[:, 0]
    n = 20 - n_missing
    # Each draw stands in the middle of its weight.
    assert_allclose(np.mean(quantiles == -np.inf), n_low / n, atol=1e-3)
    assert_allclose(np.mean(quantiles == np.inf), n_high / n, atol=1e-3)
