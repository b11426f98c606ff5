"""Means of the population behind the items: closed forms, groups, proxies, and what they share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = [*QUIET, pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.FewLabelsWarning")]

N_DRAWS = 20_000
# The largest distance of the distribution of so many draws from their own, in 1 of 10,000 cases.
FAR = stats.kstwobign.isf(1e-4) / np.sqrt(N_DRAWS)
# Draws of a rate repeat the curves of an expert, of which there are some hundreds.
FAR_OF_RATES = stats.kstwobign.isf(1e-4) / np.sqrt(400)


def population(seed=0, label_range=None):
    return MeanEstimator(
        target="population", label_range=label_range, n_draws=N_DRAWS, random_state=seed
    )


def distance(draws, distribution):
    """Return the distance of Kolmogorov and Smirnov."""
    return stats.kstest(draws, distribution.cdf).statistic


@pytest.mark.parametrize(("n_passed", "n"), [(9, 10), (0, 10), (30, 200)])
def test_rates_of_further_items_have_jeffreys_posterior(n_passed, n, global_random_seed):
    y = np.arange(n) < n_passed
    mean = population(global_random_seed, (0, 1)).fit(None, y.astype(float))
    posterior = stats.beta(n_passed + 0.5, n - n_passed + 0.5)
    # The largest probability of a curve is less than one.
    levels = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
    assert_allclose(np.quantile(mean.draws_[:, 0], levels), posterior.ppf(levels), atol=0.02)
    low, high = mean.estimate().interval()
    # What no label rules out lies inside.
    assert low == 0.0 if n_passed == 0 else low > 0.0
    assert high == 1.0 if n_passed == n else high < 1.0


def test_unlabeled_items_without_proxies_say_nothing_of_further_ones(global_random_seed):
    y = np.r_[np.arange(30) < 12, np.full(500, np.nan)]
    alone, more = (population(global_random_seed).fit(None, part) for part in (y[:30], y))
    posterior = stats.beta(12.5, 18.5)
    assert distance(alone.draws_[:, 0], posterior) < FAR_OF_RATES
    assert distance(more.draws_[:, 0], posterior) < FAR_OF_RATES


def test_a_proxy_of_two_values_has_a_mixture_of_beta_posteriors(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    proxy = np.repeat([0.0, 1.0], [300, 100])
    y = np.full(400, np.nan)
    y[:15], y[300:320] = np.arange(15) < 3, np.arange(20) < 18
    # The labels were drawn with known probabilities.
    chances = np.repeat([15 / 300, 20 / 100], [300, 100])
    draws = population(global_random_seed).fit(proxy, y, inclusion_proba=chances).draws_[:, 0]
    share = rng.beta(100, 300, N_DRAWS)
    expected = share * rng.beta(18.5, 2.5, N_DRAWS) + (1 - share) * rng.beta(3.5, 12.5, N_DRAWS)
    assert stats.ks_2samp(draws, expected).statistic < FAR_OF_RATES


def test_measurements_have_students_interval(global_random_seed):
    y = np.random.default_rng(global_random_seed).normal(size=200)
    estimate = population(global_random_seed).fit(None, y).estimate()
    error = stats.sem(y)
    assert_allclose(estimate.value, y.mean(), atol=0.1 * error)
    assert_allclose(estimate.standard_error, error, rtol=0.1)
    expected = stats.t(199, y.mean(), error).interval(0.9)
    assert_allclose(estimate.interval(0.9), expected, atol=0.2 * error)


def test_a_proxy_leaves_the_variance_of_predictions_and_of_residuals(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n, n_labeled, noise = 1000, 100, 0.5
    proxy = rng.normal(size=n)
    truth = proxy + noise * rng.normal(size=n)
    y = np.where(np.arange(n) < n_labeled, truth, np.nan)
    estimate = population(global_random_seed).fit(proxy, y).estimate()
    # Of the residuals' standard deviation 100 labels leave a relative error of 7%.
    expected = np.sqrt(proxy.var() / n + noise**2 / n_labeled)
    assert_allclose(estimate.standard_error, expected, rtol=0.4)
    complete = population(global_random_seed).fit(proxy, truth).estimate()
    assert_allclose(complete.standard_error, stats.sem(truth), rtol=0.1)


@pytest.mark.parametrize("values", ["passed", "measured"])
def test_items_of_a_group_count_as_one(values, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = rng.normal(size=100) if values == "measured" else (np.arange(100) < 40).astype(float)
    repeated, groups = np.repeat(y, 4), np.repeat(np.arange(100), 4)
    once = population(global_random_seed).fit(None, y).estimate()
    often = population(global_random_seed).fit(None, repeated, groups=groups).estimate()
    assert_allclose(often.standard_error, once.standard_error, rtol=0.1)
    assert_allclose(often.value, once.value, atol=0.2 * once.standard_error)


def test_systems_on_the_same_questions_are_paired(global_random_seed):
    # Of 220 questions one system alone is right in 30, the other in 12, both in 150.
    a = np.repeat([1.0, 1.0, 0.0, 0.0], [30, 150, 12, 28])
    b = np.repeat([0.0, 1.0, 1.0, 0.0], [30, 150, 12, 28])
    means = population(global_random_seed).fit(
        None,
        np.r_[a, b],
        category=np.repeat(["A", "B"], 220),
        groups=np.tile(np.arange(220), 2),
    )
    gain = means.difference("A", "B")
    assert_allclose(gain.value, 18 / 220, atol=0.005)
    # The bootstrap of questions; each rate has a prior of one label besides.
    assert_allclose(gain.standard_error, stats.sem(a - b), rtol=0.1)
    assert gain.probability_above(0.0) > 0.99
    assert_allclose(gain.interval(), [0.036, 0.127], atol=0.01)


def test_proxies_are_of_no_use_where_all_labels_are_known(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    # Labels 1 and 2 are numbers, of which the proxies are no scores.
    y = 1.0 + (np.arange(60) < 40)
    for proxy in (rng.integers(0, 2, 60).astype(float), rng.normal(size=60)):
        alone, beside = (population(global_random_seed).fit(X, y).draws_ for X in (None, proxy))
        assert_allclose(alone, beside)


def test_a_part_that_is_all_has_the_mean_of_all(global_random_seed):
    y = np.r_[np.arange(40) % 3 == 0, np.full(100, np.nan)]
    proxy = np.arange(140) % 2.0
    for target in ("sample", "population"):
        means = MeanEstimator(target=target, n_draws=N_DRAWS, random_state=global_random_seed)
        draws = means.fit(proxy, y, category=np.zeros(140, dtype=int)).draws_
        assert stats.ks_2samp(*draws.T).statistic < 2.0 * FAR


def test_labels_alone_have_one_rate_in_both_estimators(global_random_seed):
    y = np.arange(200) < 150
    mean = population(global_random_seed).fit(None, y.astype(float)).estimate()
    share = PerformanceCurveEstimator(
        target="population", n_draws=N_DRAWS, random_state=global_random_seed
    )
    share = share.fit(None, y.astype(int)).estimate("prevalence")
    assert np.array_equal(mean.draws, share.draws)
    assert mean.interval() == share.interval()


def test_equal_measurements_have_no_interval():
    with pytest.raises(ValueError, match="by label_range, such as"):
        population().fit(None, np.full(10, 2.5))
    with pytest.raises(ValueError, match="at least 5, drawn at random"):
        population().fit(None, np.r_[1.5, 2.25, np.nan])


@pytest.mark.parametrize("kind", ["grades", "measurements", "rate"])
def test_one_fit_answers_for_the_sample_and_for_the_population(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values = {
        "grades": rng.integers(1, 6, 200).astype(float),
        "measurements": rng.normal(size=200),
        "rate": rng.integers(0, 2, 200).astype(float),
    }[kind]
    proxy = np.round(values + rng.normal(size=200), 1)
    y = np.where(np.arange(200) < 60, values, np.nan)
    category = np.arange(200) % 2

    of_target = {
        target: MeanEstimator(target=target, n_draws=400, random_state=0).fit(
            proxy, y, category=category
        )
        for target in ("sample", "population")
    }
    for asked, means in of_target.items():
        for target, expected in of_target.items():
            assert_array_equal(means.estimate(target=target).draws, expected.estimate().draws)
            assert_array_equal(
                means.by_category(target=target).intervals(), expected.by_category().intervals()
            )
            assert_array_equal(
                means.difference(0, 1, target=target).draws, expected.difference(0, 1).draws
            )
        assert_array_equal(means.draws_, of_target[asked].draws_)
