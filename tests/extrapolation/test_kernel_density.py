"""Kernel densities of wrong scores: bandwidths and accuracies against direct computation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, stats

from sklearn_spe.extrapolation import KernelDensity
from sklearn_spe.extrapolation.methods._score_methods import (
    CRITERIA,
    LARGEST_SHARE,
    N_BINS,
    SHARES,
    _bandwidths,
)
from sklearn_spe.extrapolation.methods._tail import split_scores
from tests.extrapolation.pilots import COUNTS, linear_scores, pilot_of

RULES = pytest.mark.parametrize("rule", CRITERIA)


def rows(seed, n_wrong=40):
    """Return rows of normal, skewed, bimodal and heavy-tailed values."""
    rng = np.random.default_rng(seed)
    return np.stack(
        [
            rng.standard_normal(n_wrong),
            5.0 * rng.exponential(size=n_wrong),
            rng.standard_normal(n_wrong) + 8.0 * (np.arange(n_wrong) % 2),
            rng.standard_t(2, n_wrong),
        ]
    )


def unbiased_risk(values, h):
    """Return the integral of the squared density less twice its mean at values left out."""
    n = len(values)
    pairs = values[:, np.newaxis] - values
    squared = stats.norm.pdf(pairs, scale=np.sqrt(2.0) * h).sum() / n**2
    others = stats.norm.pdf(pairs, scale=h).sum() - n * stats.norm.pdf(0.0, scale=h)
    return squared - 2.0 * others / n**2


def biased_risk(values, h):
    """Return the variance term, and the bias term by the roughness of the second derivative."""
    n = len(values)
    d = ((values[:, np.newaxis] - values) / h)[~np.eye(n, dtype=bool)]
    # The fourth derivative of a normal density of variance 2 is the convolution of two second
    # ones of variance 1.
    fourth = (d**4 / 16.0 - 6.0 * d**2 / 8.0 + 3.0 / 4.0) * stats.norm.pdf(d, scale=np.sqrt(2.0))
    return 1.0 / (2.0 * n * h * np.sqrt(np.pi)) + fourth.sum() / (4.0 * n**2 * h)


RISKS = {"ucv": unbiased_risk, "bcv": biased_risk}


def test_the_risk_of_the_test_is_the_integral_of_the_squared_density_and_a_mean(global_random_seed):
    values, h = rows(global_random_seed)[2], 0.7
    squared = integrate.quad(
        lambda x: stats.norm.pdf(x, values, h).mean() ** 2, -10.0, 20.0, limit=200
    )[0]
    left_out = [stats.norm.pdf(v, np.delete(values, i), h).sum() for i, v in enumerate(values)]
    expected = squared - 2.0 * np.sum(left_out) / len(values) ** 2
    assert_allclose(unbiased_risk(values, h), expected, rtol=1e-7)


@RULES
def test_the_bandwidth_minimises_the_criterion_of_cross_validation(rule, global_random_seed):
    values = rows(global_random_seed)
    found = _bandwidths(values, rule)
    for row, h in zip(values, found, strict=True):
        tried = SHARES * LARGEST_SHARE * row.std(ddof=1) * len(row) ** -0.2
        assert np.isclose(tried, h).any()
        # Distances are known to a bin: so are they here.
        width = np.ptp(row) / N_BINS
        binned = width * np.minimum(np.floor((row - row.min()) / width), N_BINS - 1)
        lowest = min(RISKS[rule](binned, other) for other in tried)
        assert_allclose(RISKS[rule](binned, h), lowest, rtol=1e-9)


@RULES
def test_bandwidths_move_with_the_unit_and_not_with_the_origin(rule, global_random_seed):
    found = _bandwidths(rows(global_random_seed), rule)
    assert_allclose(
        _bandwidths(4.0 * rows(global_random_seed) + 64.0, rule), 4.0 * found, rtol=1e-6
    )


@RULES
def test_the_conditional_accuracy_is_the_kernel_distribution_function_at_the_true_score(
    rule, global_random_seed
):
    scores, y = linear_scores(10, 2, global_random_seed)
    distribution = KernelDensity(rule).fit(
        pilot_of(scores, y), np.random.default_rng(global_random_seed)
    )
    own, wrong = split_scores(scores, y)
    bandwidths = _bandwidths(wrong, rule)
    u = np.empty(len(y))
    for i, h in enumerate(bandwidths):
        # A factor times the standard deviation of the values is what scipy takes.
        kernel = stats.gaussian_kde(wrong[i], bw_method=h / wrong[i].std(ddof=1))
        u[i] = kernel.integrate_box_1d(-np.inf, own[i])
    counts = COUNTS[COUNTS <= 1000]
    expected = (u ** (counts[:, np.newaxis] - 1.0)).mean(axis=1)
    assert_allclose(distribution.accuracy(counts), expected, rtol=1e-9)
    grid = np.linspace(0.005, 0.995, 100)
    assert_allclose(distribution(grid), (u <= grid[:, np.newaxis]).mean(axis=1), rtol=1e-12)


def test_items_count_by_their_weights(global_random_seed):
    scores, y = linear_scores(10, 2, global_random_seed)
    weights = np.random.default_rng(global_random_seed).dirichlet(np.ones(20))
    single = [
        KernelDensity().fit(pilot_of(scores[[i]], y[[i]]), None).accuracy(COUNTS) for i in range(20)
    ]
    distribution = KernelDensity().fit(
        pilot_of(scores, y, sample_weight=weights, average="micro"), None
    )
    # Among a thousand million classes hardly anything is left of the last digits of U.
    assert_allclose(distribution.accuracy(COUNTS), weights @ single, rtol=1e-9, atol=1e-12)
