"""Further items like those of a part: rates and differences against closed forms, enumerated."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import MeanEstimator, PerformanceCurveEstimator
from tests.quick import QUIET

pytestmark = QUIET
RATES = (0.5, 0.8, 0.9, 0.95, 0.99)
# Draws of rows; the error of a probability that is counted over them is at most 1 / 40.
N_DRAWS = 400
FAR = 4.5 * 0.5 / np.sqrt(N_DRAWS)


def fitted(y, seed, *, category, **structure):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        performance = PerformanceCurveEstimator(target="population", random_state=seed)
        return performance.fit(None, y, category=category, **structure)


def jeffreys_ahead(k, n):
    """Return P(first > second) for all pairs of passes of two parts of n, (n + 1, n + 1)."""
    grid = (np.arange(4000) + 0.5) / 4000
    quantiles = stats.beta.ppf(grid[:, np.newaxis], k + 0.5, n - k + 0.5)
    return np.array([stats.beta.cdf(quantiles, j + 0.5, n - j + 0.5).mean(axis=0) for j in k]).T


def paired_ahead(ahead, behind):
    """Return P(first > second) where so many cases are passed by one of two parts alone."""
    return stats.beta.sf(0.5, ahead + 1.0, behind + 1.0)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_the_rates_of_parts_of_all_outcomes_have_jeffreys_posterior(n, global_random_seed):
    # Two parts for each number of passes, all labeled: so each outcome of two or three parts.
    passes = np.tile(np.arange(n + 1), 2)
    y = (np.arange(n) < passes[:, np.newaxis]).astype(int).ravel()
    performance = fitted(y, global_random_seed, category=np.repeat(np.arange(len(passes)), n))
    table = performance.by_category("prevalence")

    for k, estimate in zip(passes, table.estimates, strict=True):
        posterior = stats.beta(k + 0.5, n - k + 0.5)
        assert stats.kstest(estimate.draws, posterior.cdf).pvalue > 1e-6
        low, high = estimate.interval()
        # An end that no label of the part rules out is next to its edge.
        assert low < 0.005 if k == 0 else low > 0.005
        assert high > 0.995 if k == n else high < 0.995

    # No other outcome moves the order of two parts.
    exact = jeffreys_ahead(np.arange(n + 1), n)[np.ix_(passes, passes)]
    np.fill_diagonal(exact, 0.5)
    assert_allclose(table.ranking_proba, exact, atol=FAR)


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("rate", RATES)
def test_rates_are_covered_and_equal_parts_seldom_called_different(n, rate):
    k = np.arange(n + 1)
    mass = stats.binom.pmf(k, n, rate)
    low, high = (stats.beta.ppf(level, k + 0.5, n - k + 0.5) for level in (0.05, 0.95))
    is_covered = (np.where(k == 0, 0.0, low) <= rate) & (rate <= np.where(k == n, 1.0, high))
    # Jeffreys' intervals of discrete outcomes cover .90 on average over rates.
    assert mass[is_covered].sum() > 0.83
    ahead = jeffreys_ahead(k, n)
    is_different = (ahead > 0.95) | (ahead < 0.05)
    # Twice the level, and what outcomes of ten that are as few add to it.
    assert (np.outer(mass, mass) * is_different).sum() < 0.12


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_equal_parts_with_the_same_cases_are_seldom_called_different(n, rate, correlation):
    discordant = rate * (1.0 - rate) * (1.0 - correlation)
    ahead, behind = np.indices((n + 1, n + 1))
    is_possible = ahead + behind <= n
    shares = [discordant, discordant, 1.0 - 2.0 * discordant]
    counts = np.stack([ahead, behind, np.maximum(n - ahead - behind, 0)], axis=-1)
    mass = np.where(
        is_possible, stats.multinomial.pmf(counts, ahead + behind + counts[..., 2], shares), 0.0
    )
    probability = paired_ahead(ahead, behind)
    assert mass[(probability > 0.95) | (probability < 0.05)].sum() < 0.1


@pytest.mark.parametrize("n_parts", [2, 3])
def test_differences_of_the_same_cases_have_one_case_on_each_side(n_parts, global_random_seed):
    # The cases that only the first, or only the second part passes, of ten; a third passes none.
    n, outcomes = 10, [(0, 0), (1, 0), (3, 1), (4, 0), (5, 2)]
    for ahead, behind in outcomes:
        first = np.r_[np.ones(ahead), np.zeros(behind), np.ones(6 - ahead), np.zeros(4 - behind)]
        second = np.r_[np.zeros(ahead), np.ones(behind), np.ones(6 - ahead), np.zeros(4 - behind)]
        y = np.r_[first, second, np.zeros(n)][: n * n_parts].astype(int)
        performance = fitted(
            y,
            global_random_seed,
            category=np.repeat(list("ABC"[:n_parts]), n),
            groups=np.tile(np.arange(n), n_parts),
        )
        difference = performance.difference("prevalence", "A", "B")
        exact = paired_ahead(ahead, behind)
        assert_allclose(difference.probability_above(0.0), exact, atol=FAR)
        table = performance.by_category("prevalence")
        assert_allclose(table.ranking_proba[0, 1], exact, atol=FAR)
        # A rate by itself has half labels, whatever the other parts are.
        k = first.sum()
        posterior = stats.beta(k + 0.5, n - k + 0.5)
        assert stats.kstest(table.estimates[0].draws, posterior.cdf).pvalue > 1e-6


def test_all_doors_say_that_one_failure_of_ten_proves_nothing(global_random_seed):
    passed = np.r_[np.ones(10), np.ones(9), 0.0].astype(int)
    prompt, case = np.repeat(["old", "new"], 10), np.tile(np.arange(10), 2)
    rng = np.random.default_rng(global_random_seed)
    scores = rng.normal(size=20)
    verdicts = (rng.random((20, 2)) < 0.6).astype(float)
    fits = [
        PerformanceCurveEstimator(target="population", random_state=global_random_seed).fit(
            X, passed, category=prompt, **structure
        )
        for X, structure in (
            (None, {}),
            (None, {"groups": case}),
            (scores, {}),
            (None, {"judges": verdicts}),
        )
    ]
    for performance in fits:
        old = performance.of(category="old").estimate("prevalence")
        low, high = old.interval()
        # Jeffreys' end is .829, and draws have an error.
        assert_allclose(low, 0.829, atol=0.05)
        assert high > 0.995
        gain = performance.difference("prevalence", "old", "new")
        assert 0.68 < gain.probability_above(0.0) < 0.9
    means = MeanEstimator(target="population", random_state=global_random_seed)
    means.fit(None, passed, category=prompt)
    assert np.array_equal(
        means.estimate(category="old").draws,
        fits[0].of(category="old").estimate("prevalence").draws,
    )


def test_labels_of_one_group_count_by_how_they_agree(global_random_seed):
    # Twelve groups of three labels: all of a group agree, or groups do not matter.
    groups = np.repeat(np.arange(12), 3)
    for labels, n, k in (
        (np.repeat(np.arange(12) < 12, 3), 12, 12),
        (np.repeat(np.arange(12) < 9, 3), 12, 9),
        (np.arange(36) % 3 > 0, 36, 24),
    ):
        performance = fitted(
            labels.astype(int), global_random_seed, category=np.zeros(36, int), groups=groups
        )
        draws = performance.estimate("prevalence").draws
        posterior = stats.beta(k + 0.5, n - k + 0.5)
        assert_allclose(draws.mean(), posterior.mean(), atol=0.3 * posterior.std())
        if n == 12:
            assert_allclose(draws.std(), posterior.std(), rtol=0.25)


def test_rates_at_a_threshold_have_half_labels_on_each_side(global_random_seed):
    # Nine of ten positives and two of twelve negatives lie above the threshold.
    scores = np.r_[np.linspace(1.0, 2.0, 9), -1.0, 1.05, 1.15, np.linspace(-3.0, -2.0, 10)]
    y = np.r_[np.ones(10), np.zeros(12)].astype(int)
    performance = PerformanceCurveEstimator(target="population", random_state=global_random_seed)
    performance.fit(scores, y, category=np.arange(22) % 2)
    for metric, yes, no in (("recall", 9, 1), ("false_positive_rate", 2, 10)):
        draws = performance.estimate(metric, threshold=0.0).draws
        assert stats.kstest(draws, stats.beta(yes + 0.5, no + 0.5).cdf).pvalue > 1e-6
    # Below all scores, and above, nothing is to be learned.
    for threshold, rate in ((-9.0, 1.0), (9.0, 0.0)):
        with pytest.warns(UserWarning, match="threshold"):
            estimate = performance.estimate("recall", threshold=threshold)
        assert (estimate.draws == rate).all()


def test_two_systems_that_score_alike_are_not_told_apart(global_random_seed):
    scores = np.random.default_rng(global_random_seed).normal(size=40)
    y = (np.arange(40) < 20).astype(int)
    scores[:20] += 3.0
    performance = PerformanceCurveEstimator(target="population", random_state=global_random_seed)
    performance.fit({"old": scores, "new": scores}, y)
    gain = performance.difference("recall", "old", "new", threshold=1.5)
    assert 0.3 < gain.probability_above(0.0) < 0.7
