"""Bets against a model: fair if it is right, won if it is not."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special, stats

from sklearn_spe.active.sessions._session import reasons_of_selection
from sklearn_spe.active.strategies._strategy import ranks_from_top
from sklearn_spe.checks._label_checks import ModelEProcess

# Curves of a few draws on six items, and what was believed of them.
SCORES = np.array([3.0, 2.0, 1.0, 1.0, 0.0, -1.0])
RANKS = ranks_from_top(SCORES)
P = special.expit(np.array([[0.1], [-0.1], [0.6], [0.1]]) + np.outer([0.2, 1, 2, 0.5], SCORES))
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
NOTHING = {"n_outside": 0, "n_skipped": 0, "n_waiting": 0}


def likelihood(p, labels):
    return np.where(labels == 1, p, 1.0 - p).prod(axis=-1)


def step(model_check, weights, items, labels):
    """Return the wealth and Bayes' weights after labels of some items."""
    items, labels = list(items), np.asarray(labels)
    after = model_check.after(P[:, items], weights, labels, SCORES[items], RANKS[items])
    posterior = weights * likelihood(P[:, items], labels)
    return after, posterior.sum(), posterior / posterior.sum()


# --- fair ------------------------------------------------------------------------------


def test_no_bet_wins_anything_in_the_mean_if_the_model_is_right():
    # Batches that depend on what came before; every labelling is followed.
    def follow(model_check, weights, free, wealth_before):
        if not free:
            return
        size = 2 if len(free) % 2 == 0 else 1
        # The choice depends on the labels so far, through the weights.
        items = sorted(free, key=lambda i: abs(weights @ P[:, i] - 0.5))[:size]
        mean, mass = 0.0, 0.0
        for labels in itertools.product((0, 1), repeat=size):
            after, chance, posterior = step(model_check, weights, items, labels)
            mean = mean + chance * np.exp(after.log_e_values)
            mass += chance
            follow(after, posterior, [i for i in free if i not in items], after.log_e_values)
        assert mass == pytest.approx(1.0)
        assert_allclose(mean, np.exp(wealth_before), rtol=1e-9)

    start = ModelEProcess.of(SCORES)
    follow(start, WEIGHTS, list(range(6)), start.log_e_values)


def test_e_value_is_the_ratio_of_the_predictions():
    # Of a rival who shifts the log-odds of everything by minus one.
    after, chance, _ = step(ModelEProcess.of(SCORES), WEIGHTS, [0, 4], [0, 1])
    shifted = special.expit(special.logit(P[:, [0, 4]]) - 1.0)
    rival = WEIGHTS @ likelihood(shifted, np.array([0, 1]))
    assert np.exp(after.log_e_values[2, 0]) == pytest.approx(rival / chance)
    # A part of the pool without a label of this batch wins and loses nothing.
    unmoved = np.abs(after.log_e_values).max(axis=0) == 0.0
    assert unmoved.any()
    assert not unmoved.all()


def test_the_largest_e_value_so_far_is_kept():
    model_check, weights, largest = ModelEProcess.of(SCORES), WEIGHTS, 0.0
    for item, label in enumerate([0, 0, 1, 1, 1, 0]):
        model_check, _, weights = step(model_check, weights, [item], [label])
        largest = max(largest, model_check.log_e_value)
        assert model_check.largest == largest
        assert model_check.log_e_value == pytest.approx(
            np.log(np.exp(model_check.log_e_values).mean())
        )
    assert model_check.log_e_value < largest


def test_impossible_predictions_and_draws_without_weight_do_no_harm():
    p = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    after = ModelEProcess.of(SCORES).after(
        p, np.array([0.5, 0.5, 0.0]), np.array([1, 1]), SCORES[:2], RANKS[:2]
    )
    assert np.isfinite(after.log_e_values).all()


def pool(seed, n=60, n_draws=40, shift=0.0, where=slice(None)):
    """Return scores, curves, and labels of one of the curves, perhaps of another after all."""
    rng = np.random.default_rng(seed)
    scores = np.sort(rng.normal(size=n))[::-1]
    log_odds = rng.normal(size=(n_draws, 1)) + rng.gamma(4.0, 0.4, (n_draws, 1)) * scores
    truth = log_odds[rng.integers(n_draws)].copy()
    truth[where] += shift
    return scores, special.expit(log_odds), (rng.random(n) < special.expit(truth)).astype(int)


def labeled(seed, batch=5, n_labels=40, at_random=False, **options):
    """Return the model_check after labels of the most uncertain items, batch by batch."""
    scores, p, labels = pool(seed, **options)
    ranks, free = ranks_from_top(scores), np.arange(len(scores))
    model_check, weights = ModelEProcess.of(scores), np.full(len(p), 1.0 / len(p))
    for _ in range(n_labels // batch):
        mean = weights @ p[:, free]
        at = free[np.argsort(np.abs(mean - 0.5))[:batch]]
        at = np.random.default_rng(seed).permutation(free)[:batch] if at_random else at
        model_check = model_check.after(p[:, at], weights, labels[at], scores[at], ranks[at])
        weights = weights * likelihood(p[:, at], labels[at])
        weights /= weights.sum()
        free = np.setdiff1d(free, at)
    return model_check


@pytest.mark.slow
def test_a_model_that_is_right_is_contradicted_once_in_twenty_times_at_most(global_random_seed):
    # A false alarm comes once in 300,000 runs.
    n = 60
    largest = np.array([labeled([global_random_seed, k]).largest for k in range(n)])
    for wall in (20.0, 5.0, 2.0):
        beyond = (largest >= np.log(wall)).sum()
        assert beyond <= stats.binom.ppf(1.0 - 1e-6, n, 1.0 / wall)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shift", "where"),
    [(-6.0, slice(None)), (-6.0, slice(0, 70)), (6.0, slice(100, 200))],
    ids=["fewer", "fewer at the top", "more at the bottom"],
)
def test_a_model_that_is_wrong_is_contradicted(shift, where, global_random_seed):
    # Curves are few, and none of them is right: in 93 of a hundred pools and more, and so in
    # fewer than 4 of 12 once in 1,000,000 runs. If they were right it were one in twenty.
    how = {"n": 200, "n_labels": 80, "n_draws": 3, "at_random": True}
    seeds = [[global_random_seed, k] for k in range(12)]
    found = [labeled(seed, shift=shift, where=where, **how).largest for seed in seeds]
    assert (np.array(found) >= np.log(20.0)).sum() >= stats.binom.ppf(1e-6, 12, 0.9)


# --- what follows ----------------------------------------------------------------------


def test_the_model_is_believed_by_its_odds():
    start = ModelEProcess.of(SCORES)
    assert start.log_e_value == 0.0
    assert start.model_weight == pytest.approx(1.0 / 1.01)
    for wealth in (1e-6, 20.0, 100.0, 1e9):
        after = replace(start, log_e_values=np.full(start.log_e_values.shape, np.log(wealth)))
        assert after.model_weight == pytest.approx(100.0 / (100.0 + wealth))


@pytest.mark.parametrize("e_value", [1.0, 19.9, 20.1, 1e30, np.inf])
def test_the_verdict_says_misfit_from_twenty_on(e_value):
    start = ModelEProcess.of(SCORES)
    with np.errstate(over="ignore"):
        model_check = replace(start, largest=np.log(e_value))
    reasons = {r.name: r for r in reasons_of_selection(model_check, **NOTHING)}
    assert ("improbable_labels" in reasons) == (e_value > 20.0)
    for reason in reasons.values():
        assert reason.verdict == "misfit"
        assert np.isfinite(reason.value)


def test_what_was_noticed_is_counted_and_is_no_misfit():
    noticed = {"n_outside": 3, "n_skipped": 2, "n_waiting": 5}
    reasons = list(reasons_of_selection(ModelEProcess.of(SCORES), **noticed))
    assert [(r.name, r.verdict, r.value) for r in reasons] == [
        ("outside_design", "ok", 3.0),
        ("skipped_labels", "ok", 2.0),
        ("waiting_labels", "ok", 5.0),
    ]
    assert list(reasons_of_selection(ModelEProcess.of(SCORES), **NOTHING)) == []


# --- parts of the pool -----------------------------------------------------------------


def test_parts_are_the_pool_its_bands_of_ranks_and_its_heavy_ties(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores = np.r_[rng.normal(size=900), np.full(60, 5.0), np.full(40, -5.0)]
    model_check = ModelEProcess.of(scores)
    # Forty of a thousand are not heavy enough.
    assert model_check.ties.tolist() == [5.0]
    assert model_check.log_e_values.shape == (6, 6)
    parts = model_check._parts(scores, ranks_from_top(scores))
    assert parts[0].all()
    assert_array_equal(parts[1:5].sum(axis=0), np.ones(1000))
    assert_array_equal(parts[5], scores == 5.0)
    # The tie at the top shares one rank, and so one band.
    assert len(np.unique(np.argmax(parts[1:5], axis=0)[scores == 5.0])) == 1
    most = ModelEProcess.of(np.repeat(np.arange(10.0), 10))
    assert len(most.ties) == 5


# --- draws stand for a model -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [20, 300])
def test_a_batch_that_is_too_large_for_the_draws_is_no_surprise(n_labels, global_random_seed):
    # The truth is a curve of the model, but none of the few that were drawn from it. A false
    # alarm comes once in 1,000,000 runs.
    n, rng = 150, np.random.default_rng(global_random_seed)
    scores = np.sort(rng.normal(size=600))[::-1]
    ranks = ranks_from_top(scores)

    def curves(size):
        steps = rng.normal(scale=1.0, size=(size, 12))
        wave = np.repeat(np.cumsum(steps, axis=1), 50, axis=1)
        return special.expit(wave + rng.normal(size=(size, 1)) + 1.5 * scores)

    drawn, large = curves(100), 0
    for truth in curves(n):
        items = rng.choice(600, n_labels, replace=False)
        labels = (rng.random(n_labels) < truth[items]).astype(int)
        even = np.full(100, 0.01)
        after = ModelEProcess.of(scores).after(
            drawn[:, items], even, labels, scores[items], ranks[items]
        )
        large += after.largest >= np.log(20.0)
    assert large <= stats.binom.ppf(1.0 - 1e-6, n, 0.05)
