"""Laws of results: counted probabilities, and what becomes of several laws."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import CurveBand
from sklearn_spe.inference._draws import picked
from sklearn_spe.results._distributions import Proportions, WeightedDraws

LEVELS = np.linspace(0.01, 0.99, 25)
SHARES = np.array([0.0, 0.03, 0.5, 1.0])


def random_law(seed, n_draws=40, n_points=3):
    rng = np.random.default_rng(seed)
    return WeightedDraws(rng.normal(size=(n_draws, n_points)), rng.dirichlet(np.ones(n_draws)))


# --- counted probabilities --------------------------------------------------------------------


@pytest.mark.parametrize("n_draws", [1.0, 37.5, 1000.0])
def test_a_counted_probability_has_the_posterior_under_the_prior_of_jeffreys(n_draws):
    distribution = Proportions(SHARES, n_draws)
    reference = stats.beta(SHARES * n_draws + 0.5, n_draws - SHARES * n_draws + 0.5)
    # An interval holds the share itself, were it 0 or 1.
    expected = np.array([reference.ppf(level) for level in LEVELS])
    below, above = np.less(LEVELS, 0.5), np.greater(LEVELS, 0.5)
    expected[np.ix_(below, SHARES == 0.0)] = 0.0
    expected[np.ix_(above, SHARES == 1.0)] = 1.0
    assert_allclose(distribution.quantile(LEVELS), expected, rtol=1e-6, atol=1e-12)
    assert_allclose(distribution.std(), reference.std(), rtol=1e-9)
    assert distribution.quantile(0.3).shape == (1, 4)
    # The best guess is what was counted.
    assert distribution.median().tolist() == distribution.mean().tolist() == SHARES.tolist()


def test_the_interval_of_a_counted_probability_covers_it(global_random_seed):
    # Over all shares alike the posterior under Jeffreys' prior covers at nearly its level.
    rng = np.random.default_rng(global_random_seed)
    truth = rng.beta(0.5, 0.5, 4000)
    hits = rng.binomial(50, truth)
    lower, upper = Proportions(hits / 50.0, 50.0).quantile([0.1, 0.9])
    covered = np.mean((lower <= truth) & (truth <= upper))
    # A normal is beyond 5 once in a million; 50 trials leave a bias of about 0.01.
    assert abs(covered - 0.8) < 5.0 * np.sqrt(0.8 * 0.2 / 4000) + 0.01


def test_a_band_of_counted_probabilities_holds_together_by_bonferroni():
    distribution = Proportions(SHARES, 100.0)
    assert distribution.envelope_level(0.9) == pytest.approx(1.0 - 0.1 / 4.0)
    band = CurveBand("goal", np.arange(4.0), distribution)
    assert np.array_equal(band.envelope(0.9), band.interval(1.0 - 0.1 / 4.0))
    assert distribution.n_points == 4


# --- the opposite order, and between ----------------------------------------------------------


@pytest.mark.parametrize("counted", [False, True])
def test_a_distribution_in_the_opposite_order_is_the_same_distribution(counted, global_random_seed):
    distribution = (
        Proportions(SHARES, 30.0) if counted else random_law(global_random_seed, n_points=4)
    )
    flipped = distribution.reversed()
    assert np.array_equal(flipped.quantile(LEVELS), distribution.quantile(LEVELS)[:, ::-1])
    assert np.array_equal(flipped.mean(), distribution.mean()[::-1])
    assert np.array_equal(flipped.std(), distribution.std()[::-1])
    assert np.array_equal(flipped.reversed().quantile(LEVELS), distribution.quantile(LEVELS))


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_between_two_quantities_lies_the_mean_of_their_draws(share, global_random_seed):
    distribution = random_law(global_random_seed)
    expected = (1.0 - share) * distribution.draws[:, 0] + share * distribution.draws[:, 2]
    assert_allclose(distribution.between(0, 2, share).draws[:, 0], expected, rtol=1e-12)
    assert np.array_equal(distribution.between(0, 2, share).weights, distribution.weights)
    counted = Proportions(SHARES, 30.0).between(1, 2, share)
    assert_allclose(counted.shares, (1.0 - share) * 0.03 + share * 0.5)
    assert counted.n_draws == 30.0


# --- several laws -----------------------------------------------------------------------------


def test_pooled_distributions_are_a_mixture_with_equal_parts(global_random_seed):
    distributions = [random_law([global_random_seed, k], n_draws=20 + k) for k in range(3)]
    pooled = WeightedDraws.pooled(distributions)
    assert pooled.weights.sum() == pytest.approx(1.0)
    assert_allclose(
        pooled.mean(),
        np.mean([distribution.mean() for distribution in distributions], axis=0),
        rtol=1e-12,
    )
    # The variance of a mixture: that within, and that between.
    within = np.mean([distribution.std() ** 2 for distribution in distributions], axis=0)
    between = np.var([distribution.mean() for distribution in distributions], axis=0)
    assert_allclose(pooled.std() ** 2, within + between, rtol=1e-12)
    for x in (-0.5, 0.0, 0.7):
        below = [distribution.weights @ (distribution.draws <= x) for distribution in distributions]
        assert_allclose(pooled.weights @ (pooled.draws <= x), np.mean(below, axis=0), rtol=1e-12)


def test_the_average_of_independent_quantities_is_known_better_than_each(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    distributions = [
        WeightedDraws(rng.normal(k, 1.0, (4000, 1)), np.full(4000, 1 / 4000)) for k in range(4)
    ]
    average = WeightedDraws.average(distributions)
    assert_allclose(
        average.mean(), np.mean([distribution.mean() for distribution in distributions]), rtol=1e-9
    )
    # The mean of four has half the standard deviation; that of a sample has an error of 1 / 90,
    # beyond five of which it is once in a million.
    assert average.std()[0] == pytest.approx(0.5, rel=5.0 / np.sqrt(2 * 4000))


def test_quantities_that_are_not_defined_are_left_out_of_an_average():
    distributions = [
        WeightedDraws([[1.0, np.nan], [2.0, np.nan]], [0.5, 0.5]),
        WeightedDraws([[3.0, np.nan], [np.nan, 8.0]], [0.5, 0.5]),
    ]
    average = WeightedDraws.average(distributions)
    assert average.draws.tolist()[0][0] == 2.0
    assert average.draws.tolist()[1] == [2.0, 8.0]
    assert np.isnan(average.draws[0, 1])


@pytest.mark.parametrize("n", [1, 5, 1000])
def test_a_draw_is_picked_as_often_as_its_weight(n, global_random_seed):
    weights = np.random.default_rng(global_random_seed).dirichlet(np.ones(12))
    counts = np.bincount(picked(weights, n), minlength=12)
    assert counts.sum() == n
    assert (np.abs(counts - n * weights) <= 1.0 + 1e-9).all()


# --- differences ------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_ends_of_a_difference_agree_with_those_of_its_terms(global_random_seed, level, sign):
    rng = np.random.default_rng([global_random_seed, 7])
    weights = rng.dirichlet(np.ones(200))
    # Heavy tails, correlated or not, and an edge that no draw reaches.
    draws = sign * rng.standard_t(2, size=(200, 6)) * [1.0, 1.0, 5.0, 1.0, 1.0, 0.1]
    first = WeightedDraws(draws[:, :3], weights).reaching(np.array([sign * 99.0, np.nan, np.nan]))
    second = WeightedDraws(draws[:, 3:] + 0.5 * draws[:, :3], weights)

    difference = first.combined(second, np.subtract)
    low, high = difference.interval(level)
    (a_low, a_high), (b_low, b_high) = first.interval(level), second.interval(level)
    assert (low >= a_low - b_high - 1e-12).all()
    assert (high <= a_high - b_low + 1e-12).all()
    # Every end of one term is possible with some value of the other and of the difference.
    assert (low <= np.minimum(a_low - b_low, a_high - b_high) + 1e-12).all()
    assert (high >= np.maximum(a_low - b_low, a_high - b_high) - 1e-12).all()
    # Draws that agree with their terms keep their own quantiles.
    plain = WeightedDraws(draws[:, [0]], weights)
    by_itself = plain.combined(plain, np.subtract).interval(level)
    assert_allclose(by_itself, 0.0)

    # A sum is the difference from the negated term.
    negated = WeightedDraws(-second.draws, weights)
    assert_allclose(first.combined(negated, np.add).interval(level), [low, high])
    assert_allclose(difference.scaled(3.0).interval(level), 3.0 * np.array([low, high]))
    assert_allclose(difference.reversed().interval(level), np.array([low, high])[:, ::-1])
    again = pickle.loads(pickle.dumps(difference))
    assert_allclose(again.interval(level), [low, high])
