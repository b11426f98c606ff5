"""The prior that positives score higher, and draws from a mixture."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe.families import Norm
from sklearn_spe.mixtures._mixture_posterior import draw_items
from sklearn_spe.mixtures._two_class import log_order_prior, order_score
from tests.mixtures.data import (
    ALARM,
    EVERY_PAIR,
    LOCATION,
    NORMALS,
    PRIOR,
    RESOLUTION,
    SPREAD,
    one_draw,
    some_u,
)
from tests.mixtures.priors import draw_parameters

# --- the order prior -------------------------------------------------------------------


def some_moments(seed, n=50):
    rng = np.random.default_rng(seed)
    return rng.normal(size=n), rng.gamma(2.0, 0.5, n), rng.normal(size=n), rng.gamma(2.0, 0.5, n)


def test_order_prior_of_both_namings_adds_up_to_two(global_random_seed):
    mean_0, std_0, mean_1, std_1 = some_moments(global_random_seed)
    log_factor = log_order_prior(mean_0, std_0, mean_1, std_1)
    log_swapped = log_order_prior(mean_1, std_1, mean_0, std_0)
    assert_allclose(np.exp(log_factor) + np.exp(log_swapped), 2.0, rtol=1e-12)


def test_order_prior_falls_from_two_over_one_with_the_distance_in_the_wrong_order():
    mean_0 = np.array([-1e3, 0.0, 0.01, 0.1, 1.0, 10.0, 1e3])
    moments = mean_0, np.ones(7), np.zeros(7), np.ones(7)
    log_factor = log_order_prior(*moments)
    assert_allclose(np.exp(log_factor[1]), 1.0, rtol=1e-9)
    assert 1.9 < np.exp(log_factor[0]) <= 2.0
    assert (np.diff(log_factor) <= 0.0).all()
    assert (np.diff(log_factor[1:4]) < 0.0).all()
    assert np.isfinite(log_factor).all()
    assert np.isfinite(order_score(*moments)).all()


def test_slope_of_the_order_prior_is_its_derivative(global_random_seed):
    moments, step = some_moments(global_random_seed), 1e-5
    for argument, slope in enumerate(order_score(*moments)):
        ends = [
            log_order_prior(*(v + k * step * (i == argument) for i, v in enumerate(moments)))
            for k in (-1.0, 1.0)
        ]
        assert_allclose(slope, (ends[1] - ends[0]) / (2.0 * step), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("distance", [10.0, 1e2, 5e2, 7e2, 1e3, 1e5, 1e9, 1e14])
def test_slope_of_the_order_prior_is_right_however_wrong_the_order(distance):
    # Far out the factor is that of the normal density: its log falls with half the square.
    slopes = order_score(np.array([distance]), *np.ones((3, 1)) * [[1.0], [0.0], [1.0]])
    z = 20.0 * distance / np.sqrt(2.0)
    assert_allclose(slopes[2], 20.0 / np.sqrt(2.0) * z, rtol=2.0 / z**2 + 1e-6)


# --- draws -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prior_draws(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    u = draw_parameters(NORMALS, rng, 4000)
    return u, rng


def test_prevalence_of_prior_draws_is_beta(prior_draws):
    prevalence = NORMALS.values(prior_draws[0])[0][:, 0]
    assert stats.kstest(prevalence, stats.beta(PRIOR.a, PRIOR.b).cdf).pvalue > ALARM


def test_a_class_of_prior_draws_picked_blindly_has_the_prior_without_order(prior_draws):
    # The order prior of a pair of classes and of the swapped pair add up to two.
    u, rng = prior_draws
    _, *classes = NORMALS.values(u)
    picked = rng.integers(0, 2, len(u)), np.arange(len(u))
    means, stds = (np.stack([c[i][:, 0] for c in classes])[picked] for i in (0, 1))
    assert stats.kstest(means, stats.norm(LOCATION, 3.0 * SPREAD).cdf).pvalue > ALARM
    prior = Norm().std_prior
    distribution = stats.gamma(prior.shape, scale=SPREAD * prior.scale)
    below = distribution.cdf(RESOLUTION)
    assert (
        stats.kstest(stds, lambda s: (distribution.cdf(s) - below) / (1.0 - below)).pvalue > ALARM
    )


def test_positives_of_prior_draws_are_higher_as_often_as_the_order_prior_says(
    prior_draws, global_random_seed
):
    u, _ = prior_draws
    _, negative, positive = NORMALS.values(u)
    higher = np.mean(positive[0] > negative[0])
    # Both namings of a pair are equally probable without the order prior.
    rng = np.random.default_rng([global_random_seed, 1])
    n = 200_000
    means, stds = np.sort(rng.normal(scale=3.0, size=(2, n)), axis=0), rng.gamma(2.0, 0.5, (2, n))
    chance = np.exp(log_order_prior(means[0], stds[0], means[1], stds[1])) / 2.0
    expected = chance.mean()
    error = np.sqrt(expected * (1.0 - expected) / len(u) + chance.var() / n)
    assert abs(higher - expected) < -stats.norm.ppf(ALARM / 2.0) * error


@EVERY_PAIR
def test_drawn_scores_and_labels_follow_the_mixture(mixture, global_random_seed):
    u = some_u(mixture)[0]
    scores, labels = draw_items(mixture, u, np.random.default_rng(global_random_seed), 2000)
    prevalence, negative, positive = one_draw(mixture, u)
    assert stats.binomtest(int(labels.sum()), 2000, prevalence).pvalue > ALARM
    for label, family, values in ((0, mixture.negative, negative), (1, mixture.positive, positive)):
        own = scores[labels == label]
        assert stats.kstest(own, lambda s, f=family, v=values: 1.0 - f.sf(s, *v)).pvalue > ALARM
