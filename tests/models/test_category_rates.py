"""Rates of categories by their labels alone, in some of the draws."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._category_rates import MIN_LABELS, SHARE, drawn_rates


def judged(rng, n_labeled=(40, 30), rates=(0.8, 0.5), n_items=150):
    """Return verdicts that are right in 8 of 10, all labels, those that are known, and systems."""
    system = np.repeat(np.arange(len(rates)), n_items)
    labels = (rng.random(len(system)) < np.asarray(rates)[system]).astype(int)
    verdicts = np.where(rng.random(len(system)) < 0.8, labels, 1 - labels)
    known = np.full(len(system), -1)
    for code, n in enumerate(n_labeled):
        items = rng.choice(np.flatnonzero(system == code), n, replace=False)
        known[items] = labels[items]
    return verdicts, labels, known, system


def fitted(verdicts, known, system, seed):
    performance = PerformanceCurveEstimator(random_state=seed, classes=[0, 1])
    return performance.fit(None, known, category=system, judges={"judge": verdicts})


def rates_of_labeled(posterior, rows, counts):
    """Return the mean probability of rows in all draws, (n_draws,)."""
    blocks = [posterior.probability(block, rows) for block in posterior.blocks()]
    return np.concatenate(blocks) @ counts / counts.sum()


def test_drawn_rates_are_those_of_the_beta_distribution(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rates = drawn_rates(7.0, 3.0, np.full(4000, 0.4), rng)
    law = stats.beta(7.4, 3.6)
    # Of the mean and of the variance of a bounded share, five standard errors of 4,000 draws.
    assert abs(rates.mean() - law.mean()) < 5.0 * law.std() / np.sqrt(4000)
    assert stats.kstest(rates, law.cdf).statistic < 2.5 / np.sqrt(4000)


def test_a_fifth_of_the_draws_has_the_rates_of_the_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng)
    model = fitted(verdicts, known, system, global_random_seed).model_
    posterior = model.posterior
    is_pooled = (posterior.by_labels.log_odds != 0.0).any(axis=1)
    assert is_pooled.sum() == np.ceil(SHARE * posterior.n_draws)
    for code in (0, 1):
        rows = np.flatnonzero((model.table.category.codes == code) & (posterior.codes >= 0))
        counts = posterior.counts[rows]
        drawn = rates_of_labeled(posterior, rows, counts)[is_pooled]
        n, n_positive = counts.sum(), counts[posterior.codes[rows] == 1].sum()
        assert (n, n_positive) == (
            (known >= 0)[system == code].sum(),
            known[(system == code) & (known >= 0)].sum(),
        )
        # Between no further label and one more of either class.
        law = stats.beta(n_positive + 0.5, n - n_positive + 0.5)
        error = 5.0 * law.std() / np.sqrt(is_pooled.sum()) + 0.5 / n
        assert abs(drawn.mean() - law.mean()) < error


@pytest.mark.parametrize("n_labeled", [(40, MIN_LABELS - 1), (40, 0)])
def test_a_category_with_few_labels_keeps_the_rate_of_the_model(n_labeled, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng, n_labeled)
    model = fitted(verdicts, known, system, global_random_seed).model_
    shifts = model.posterior.by_labels
    assert set(shifts.column[model.table.category.codes == 1]) == {-1}
    assert shifts.log_odds.shape[1] == 1


def test_one_category_has_the_rate_of_the_model(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng)
    posterior = fitted(verdicts, known, 0 * system, global_random_seed).model_.row_posterior
    assert posterior.by_labels is None


def test_a_known_number_of_positives_is_not_left_to_labels_alone(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, labels, known, system = judged(rng)
    performance = PerformanceCurveEstimator(random_state=global_random_seed, classes=[0, 1])
    performance.fit(
        None,
        known,
        category=system,
        judges={"judge": verdicts},
        known_positives=int(labels.sum()),
    )
    assert performance.model_.posterior.by_labels is None


def test_a_judge_that_flatters_one_system_is_found_out(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, labels, known, system = judged(rng, (150, 150), n_items=400)
    # The judge passes nine of ten answers of the second system, right or wrong.
    verdicts = np.where(system == 1, (rng.random(len(system)) < 0.9).astype(int), verdicts)
    difference = fitted(verdicts, known, system, global_random_seed).difference("prevalence", 0, 1)
    truth = labels[system == 0].mean() - labels[system == 1].mean()
    error = np.sqrt(2.0 * 0.25 / 150.0)
    assert abs(difference.value - truth) < 5.0 * error


def test_probabilities_keep_their_order_within_a_category(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng)
    model = fitted(verdicts, known, system, global_random_seed).model_
    posterior = model.posterior
    block = posterior.blocks()[0]
    log_odds = posterior.by_labels.log_odds[block.rows]
    with_labels = posterior.probability(block)
    without = replace(posterior, by_labels=None).probability(block)
    shift = np.log(with_labels / (1 - with_labels)) - np.log(without / (1 - without))
    assert_allclose(shift, log_odds[:, model.table.category.codes], atol=1e-6)


def test_labels_that_agree_with_a_certain_model_have_its_rate(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    certain = np.ones(50)
    assert np.allclose(drawn_rates(6.0, 0.0, certain, rng), 1.0)
    assert np.allclose(drawn_rates(0.0, 6.0, 1.0 - certain, rng), 0.0)
