"""The coarse mixture's posterior is that of brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.experts import CoarseMixture
from sklearn_spe.experts._coarse_mixture import LEAST_STD, PRIORS
from tests.experts.problems import cells_of

N_DRAWS, N_SEEDS, N_CURVES = 50_000, 16, 400


def two_groups(seed, n=60):
    rng = np.random.default_rng([seed, 3])
    return np.r_[rng.normal(-0.5, 0.6, n - n // 4), rng.normal(1.8, 0.5, n // 4)]


def by_importance_sampling(z, power, rng):
    """Return E p(y = 1 | z) under the power posterior, and its standard error.

    Two normal classes, drawn from the prior, weighted by exp(power * mean log density).
    """
    draws = [stats.norm(p.location, p.scale).rvs(N_DRAWS, random_state=rng) for p in PRIORS]
    log_odds, mean, distance, log_std, log_ratio = (d[:, np.newaxis] for d in draws)
    negative = stats.norm.logpdf(z, mean, np.exp(log_std) + LEAST_STD)
    positive = stats.norm.logpdf(z, mean + distance, np.exp(log_std + log_ratio) + LEAST_STD)
    negative += special.log_expit(-log_odds)
    positive += special.log_expit(log_odds)
    weights = special.softmax(power * np.logaddexp(negative, positive).mean(axis=1))
    p = special.expit(positive - negative)
    mean = weights @ p
    return mean, np.sqrt((weights**2) @ (p - mean) ** 2)


@pytest.mark.parametrize("power", [4.0, 16.0])
def test_curves_are_those_of_brute_force(power, global_random_seed):
    cells = cells_of(two_groups(global_random_seed, 24), "margin")
    z = (cells.scores - cells.scores.mean()) / cells.scores.std()
    exact, exact_error = by_importance_sampling(z, power, np.random.default_rng(global_random_seed))
    assert exact_error.max() < 0.02  # else it could not be the judge
    expert = CoarseMixture(N_CURVES, family="norm", n_points=(power,))
    # Draws of a run depend on one another: the error is taken from the scatter over seeds.
    # The first curves are those on the scale of the scores themselves.
    means = np.array(
        [
            special.expit(
                expert.curves(cells, np.random.default_rng([global_random_seed, k]))[:N_CURVES]
            ).mean(axis=0)
            for k in range(N_SEEDS)
        ]
    )
    error = np.hypot(means.std(axis=0, ddof=1) / np.sqrt(N_SEEDS), exact_error)
    # Beyond this a t value of 24 scores lies once in a million.
    far = stats.t(N_SEEDS - 1).isf(1e-6 / 48.0)
    assert (np.abs(means.mean(axis=0) - exact) < far * error + 0.002).all()


def test_where_scores_lie_and_in_which_unit_does_not_matter(global_random_seed):
    scores = two_groups(global_random_seed, 400)
    one, other = (
        CoarseMixture(64).curves(cells_of(s, "margin"), np.random.default_rng(global_random_seed))
        for s in (scores, 40.0 + 0.25 * scores)
    )
    # Units that are powers of two leave all but the last digits as they are; the sampler may
    # decide differently on those once in a while.
    assert np.mean(np.abs(one - other) < 1e-4 * (1.0 + np.abs(one))) > 0.8


def test_more_points_narrow_the_prior(global_random_seed):
    # Two groups without luck. Log-odds far out are as large as they like; probabilities are not.
    even = stats.norm.ppf((np.arange(300) + 0.5) / 300)
    cells = cells_of(np.r_[-0.5 + 0.6 * even, 1.8 + 0.5 * even[::3]], "margin")
    few, many = (
        special.expit(
            CoarseMixture(500, n_points=(n,)).curves(
                cells, np.random.default_rng(global_random_seed)
            )[:500]
        )
        .std(axis=0)
        .mean()
        for n in (2.0, 64.0)
    )
    # The logarithm of their ratio is 1.0 with a standard deviation of 0.15.
    assert many < few


def test_every_number_of_points_has_its_curves_on_both_scales(global_random_seed):
    cells = cells_of(two_groups(global_random_seed), "margin")
    one = CoarseMixture(100, n_points=(8.0,)).curves(
        cells, np.random.default_rng(global_random_seed)
    )
    two = CoarseMixture(100, n_points=(8.0, 16.0)).curves(
        cells, np.random.default_rng(global_random_seed)
    )
    assert len(two) == 2 * len(one)
    # The first powers are drawn alike.
    assert_allclose(two[:100], one[:100])
