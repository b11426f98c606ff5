"""Rates of parts by one regression: labels alone in some draws, pairs, the best of many."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._part_regression import SHARE
from tests.quick import QUIET

pytestmark = QUIET
N_PROMPTS, N_LABELED = 120, 40
SYSTEM, PROMPT = np.repeat(["a", "b"], N_PROMPTS), np.tile(np.arange(N_PROMPTS), 2)


def answers(seed, agree):
    """Return labels of two systems, of which some prompts are labeled."""
    rng = np.random.default_rng(seed)
    first = rng.random(N_PROMPTS) < 0.6
    second = np.where(rng.random(N_PROMPTS) < agree, first, rng.random(N_PROMPTS) < 0.6)
    return np.where(PROMPT < N_LABELED, np.r_[first, second].astype(int), -1)


def fitted(y, seed, **structure):
    return PerformanceCurveEstimator(random_state=seed, classes=(0, 1)).fit(None, y, **structure)


@pytest.mark.parametrize("reverse", [False, True])
def test_estimates_that_are_subtracted_are_paired(reverse):
    y = answers(1, agree=0.9)
    y = np.where((SYSTEM == "b") & reverse & (y >= 0), 1 - y, y)
    performance = fitted(y, 0, category=SYSTEM, groups=PROMPT)
    a, b = (performance.of(category=name).estimate("prevalence") for name in "ab")
    difference = performance.difference("prevalence", "a", "b")
    assert np.array_equal((a - b).draws, difference.draws)
    independent = np.hypot(a.standard_error, b.standard_error)
    # Systems that agree have a narrower difference, and opposite ones no narrower one.
    if reverse:
        assert difference.standard_error > 0.95 * independent
    else:
        assert difference.standard_error < 0.85 * independent


def test_a_fifth_of_the_draws_states_the_rates_of_the_labels(global_random_seed):
    # Of a judge that says nothing, and two categories of 20 labels each.
    rng = np.random.default_rng(global_random_seed)
    category = np.arange(400) % 2
    y = np.full(400, -1)
    y[:40] = np.where(category[:40], np.arange(40) % 10 < 9, np.arange(40) % 10 < 3)
    performance = fitted(y, 0, category=category, judges=rng.normal(size=(400, 2)))
    posterior = performance.model_.row_posterior
    shifts = posterior.by_labels.log_odds
    is_pooled = shifts.any(axis=1)
    assert is_pooled.sum() == round(SHARE * len(shifts))
    for part in (0, 1):
        rows = np.flatnonzero((posterior.codes >= 0) & (category == part))
        probability = posterior.probability_in_all_draws(rows)[is_pooled]
        k, n = (y[category == part] == 1).sum(), 20
        beta = stats.beta(k + 0.5, n - k + 0.5)
        assert stats.kstest(probability.mean(axis=1), beta.cdf).pvalue > 1e-6


def test_judges_of_all_items_have_no_draws_of_labels_alone(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    y = np.where(np.arange(300) < 30, rng.random(300) < 0.5, -1).astype(int)
    performance = fitted(y, 0, judges=rng.normal(size=(300, 2)))
    assert performance.model_.row_posterior.by_labels is None


def test_a_system_that_judges_favor_is_found_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n = 2000
    system = np.arange(n) % 2
    truth = (rng.random(n) < 0.6).astype(int)
    judges = truth[:, np.newaxis] + 2.0 * system[:, np.newaxis] + rng.normal(0.0, 0.8, (n, 2))
    y = np.where(np.arange(n) < 120, truth, -1)
    performance = fitted(y, 0, category=system, judges=judges)
    difference = performance.difference("prevalence", 1, 0)
    exact = truth[system == 1].mean() - truth[system == 0].mean()
    low, high = difference.interval(0.99)
    assert low < exact < high


def test_the_best_of_twenty_systems_is_hardly_flattered():
    # Five labels of each: the highest share of labels exceeds its true rate by some .15.
    flattery = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rates = rng.beta(14.0, 6.0, 20)
        truth = (rng.random((20, 100)) < rates[:, np.newaxis]).astype(int)
        y = np.where(np.arange(100) < 5, truth, -1)
        performance = fitted(y.ravel(), seed, category=np.repeat(np.arange(20), 100))
        values = performance.by_category("prevalence").values
        best = int(np.argmax(values))
        flattery.append(values[best] - truth[best].mean())
    # The true rate of one system scatters by .1.
    assert np.mean(flattery) < 3.0 * 0.1 / np.sqrt(6.0)


def test_many_prompts_without_labels_are_few_rows(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    n_prompts = 3000
    system, prompt = np.tile(np.arange(4), n_prompts), np.repeat(np.arange(n_prompts), 4)
    truth = (rng.random(4 * n_prompts) < 0.7).astype(int)
    verdicts = np.where(rng.random((4 * n_prompts, 3)) < 0.8, truth[:, np.newaxis], 0)
    y = np.full(4 * n_prompts, -1)
    labeled = rng.choice(4 * n_prompts, 200, replace=False)
    y[labeled] = truth[labeled]
    performance = fitted(y, 0, category=system, groups=prompt, judges=verdicts.astype(float))
    table = performance.model_.table
    assert table.n_items < 1500
    assert table.weights.sum() == 4 * n_prompts
    for target in ("sample", "population"):
        estimates = performance.by_category("prevalence", target=target).estimates
        for part, estimate in enumerate(estimates):
            low, high = estimate.interval(0.999)
            assert low < truth[system == part].mean() < high
