"""Shifts of categories by their labels alone, in some of the draws."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._category_shifts import MIN_LABELS, SHARE, shift_to


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


@pytest.mark.parametrize("label", [0, 1])
def test_labels_that_the_model_is_certain_of_have_finite_shifts(label, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    probability = np.full((50, 8), float(label))
    rates = rng.beta(0.5, 8.5, 50)
    shifts = shift_to(probability, np.ones(8), np.abs(label - rates))
    assert np.isfinite(shifts).all()


def test_categories_of_scores_have_the_rates_of_their_labels(global_random_seed):
    # In a fifth of the draws: Beta distributions with half a label on each side.
    rng = np.random.default_rng(global_random_seed)
    category = np.repeat([0, 1], 300)
    scores = rng.normal(size=600)
    labels = (rng.random(600) < special.expit(scores + 2.0 * category)).astype(int)
    known = np.where(rng.random(600) < 0.2, labels, -1)
    performance = PerformanceCurveEstimator(random_state=global_random_seed, classes=[0, 1])
    posterior = performance.fit(scores, known, category=category).model_.posterior
    is_pooled = (posterior.by_labels.log_odds != 0.0).any(axis=1)
    assert is_pooled.mean() == SHARE
    for code in (0, 1):
        rows = np.flatnonzero((category == code) & (posterior.codes >= 0))
        drawn = rates_of_labeled(posterior, rows, posterior.counts[rows])[is_pooled]
        beta = stats.beta(labels[rows].sum() + 0.5, len(rows) - labels[rows].sum() + 0.5)
        assert abs(drawn.mean() - beta.mean()) < 5.0 * beta.std() / np.sqrt(is_pooled.sum())


def test_a_fifth_of_the_draws_has_shifts_of_the_labels(global_random_seed):
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
        labels = known[(system == code) & (known >= 0)]
        assert (n, n_positive) == (len(labels), labels.sum())
        # At the mode the mean probability is the share of the labels, but for the prior.
        error = 5.0 * np.sqrt(0.25 / n / is_pooled.sum()) + 2.0 / n
        assert abs(drawn.mean() - n_positive / n) < error


@pytest.mark.parametrize("n_labeled", [(40, MIN_LABELS - 1), (40, 0)])
def test_a_category_with_few_labels_keeps_the_rate_of_the_model(n_labeled, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng, n_labeled)
    model = fitted(verdicts, known, system, global_random_seed).model_
    shifts = model.posterior.by_labels.log_odds
    assert shifts[:, 0].any()
    assert not shifts[:, 1].any()


def test_one_category_has_the_rate_of_the_model(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    verdicts, _, known, system = judged(rng)
    posterior = fitted(verdicts, known, 0 * system, global_random_seed).model_.row_posterior
    assert posterior.by_labels is None


# Bets on labels win now and then by chance.
@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.MisfitWarning")
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


@pytest.mark.filterwarnings("ignore::sklearn_spe.exceptions.UnidentifiedWarning")
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
