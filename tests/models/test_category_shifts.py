"""Shifts of categories by their labels alone, in some of the draws."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from sklearn_spe import PerformanceCurveEstimator
from sklearn_spe.models._category_shifts import PRIOR_SIZE, SHARE, drawn_shifts
from sklearn_spe.models._part_regression import MIN_LABELS


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


def test_shifts_have_the_posterior_of_their_labels(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    probability = np.tile(rng.uniform(0.1, 0.9, 200), (4000, 1))
    log_odds = special.logit(probability[0])
    is_positive = rng.random(200) < special.expit(log_odds + 1.0)
    shifts = drawn_shifts(probability, is_positive, np.ones(200), rng)

    # The posterior on a grid, of a normal prior and independent labels.
    grid = np.linspace(-3.0, 5.0, 4001)
    signs = np.where(is_positive, 1.0, -1.0)
    log_density = special.log_expit(signs * (log_odds + grid[:, np.newaxis])).sum(axis=1)
    density = special.softmax(log_density - 0.5 * (grid / PRIOR_SIZE) ** 2)
    mean = density @ grid
    std = np.sqrt(density @ (grid - mean) ** 2)
    assert abs(shifts.mean() - mean) < std * 5.0 / np.sqrt(4000)
    assert abs(shifts.std() / std - 1.0) < 5.0 / np.sqrt(8000)


@pytest.mark.parametrize(("n_positive", "n_labels"), [(0, 10), (1, 7), (5, 5)])
def test_few_labels_of_one_class_have_the_rate_of_their_posterior(
    n_positive, n_labels, global_random_seed
):
    rng = np.random.default_rng(global_random_seed)
    is_positive = np.arange(n_labels) < n_positive
    probability = np.full((4000, n_labels), 0.2)
    log_odds = special.logit(0.2)
    shifts = drawn_shifts(probability, is_positive, np.ones(n_labels), rng)

    grid = np.linspace(-15.0, 15.0, 6001)
    log_density = n_positive * special.log_expit(log_odds + grid)
    log_density += (n_labels - n_positive) * special.log_expit(-log_odds - grid)
    density = special.softmax(log_density - 0.5 * (grid / PRIOR_SIZE) ** 2)
    rates = special.expit(log_odds + grid)
    mean = density @ rates
    std = np.sqrt(density @ (rates - mean) ** 2)
    # Moves that were not accepted leave draws where a symmetric approximation has them.
    drawn = special.expit(log_odds + shifts)
    assert abs(drawn.mean() - mean) < std * (5.0 / np.sqrt(4000) + 0.05)


@pytest.mark.parametrize("label", [0, 1])
def test_labels_that_the_model_is_certain_of_have_finite_shifts(label, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    probability = np.full((50, 8), float(label))
    for labels in (np.full(8, label), np.arange(8) % 2):
        shifts = drawn_shifts(probability, labels == 1, np.ones(8), rng)
        assert np.isfinite(shifts).all()


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
