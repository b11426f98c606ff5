"""Labels that are drawn with a known number of positives: against enumeration."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.posterior._completions import (
    draw_positives,
    draw_totals,
    log_probability_of_total,
    moments_of_total,
    smallest_type,
)

N_ROWS = 4000
# Standard errors by which a mean over draws may differ from its expectation.
N_ERRORS = 5.0


def distribution_of_total(weights, probability):
    """Return the probability of every number of positives, by convolution."""
    total = np.ones(1)
    for n, p in zip(weights, probability, strict=True):
        total = np.convolve(total, stats.binom.pmf(np.arange(n + 1), int(n), p))
    return total


def expected_positives(weights, probability, share_of_total):
    """Return mean and variance of the positives of each cell, given the law of their number."""
    mean, square = np.zeros((2, len(weights)))
    exact = distribution_of_total(weights, probability)
    of_total = np.divide(share_of_total, exact, out=np.zeros_like(exact), where=exact > 0.0)
    for j, n in enumerate(weights):
        of_others = distribution_of_total(np.delete(weights, j), np.delete(probability, j))
        for k in range(int(n) + 1):
            totals = of_total[k : k + len(of_others)]
            share = stats.binom.pmf(k, int(n), probability[j]) * (of_others @ totals)
            mean[j] += k * share
            square[j] += k**2 * share
    return mean, square - mean**2


def share_of_total(weights, probability, low, high):
    """Return how often each number is drawn: outside the range it is drawn by two moments."""
    exact = distribution_of_total(weights, probability)
    moments = moments_of_total(weights, probability[np.newaxis])
    mass = np.zeros_like(exact)
    for n in range(low, high + 1):
        mass[n] = np.exp(log_probability_of_total(n, n, *moments, weights.sum())[0])
    inside = np.where(mass > 0.0, exact, 0.0)
    return inside + (1.0 - inside.sum()) * mass / mass.sum()


@pytest.mark.parametrize(
    ("weights", "low", "high"),
    [
        (np.ones(8), 3, 3),
        (np.ones(8), 0, 1),
        (np.ones(8), 7, 8),
        (np.array([1.0, 5.0, 2.0, 9.0, 1.0]), 4, 6),
        (np.array([1.0, 5.0, 2.0, 9.0, 1.0]), 16, 16),
        # So many that labels are moved to the total.
        (np.full(12, 60.0), 300, 300),
        (np.full(12, 60.0), 420, 440),
    ],
)
def test_draws_have_the_distribution_given_their_total(weights, low, high, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    probability = rng.uniform(0.05, 0.95, len(weights))
    rows = np.tile(probability, (N_ROWS, 1))
    drawn = draw_positives(rng, weights, rows, (float(low), float(high)))
    total = drawn.sum(axis=1)
    assert ((total >= low) & (total <= high)).all()
    assert ((drawn >= 0.0) & (drawn <= weights)).all()
    of_total = share_of_total(weights, probability, low, high)
    mean, variance = expected_positives(weights, probability, of_total)
    error = N_ERRORS * np.sqrt(variance / N_ROWS) + 1e-9
    # Moved labels are right up to one over the variance.
    _, spread = moments_of_total(weights, probability[np.newaxis])
    allowed = error + weights / (4.0 * spread) * (spread > 64.0)
    assert (np.abs(drawn.mean(axis=0) - mean) <= allowed).all()


def test_without_a_total_labels_are_independent(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    weights, probability = np.array([1.0, 2.5, 3.0]), np.array([0.2, 0.5, 0.9])
    drawn = draw_positives(rng, weights, np.tile(probability, (N_ROWS, 1)))
    whole, part = np.floor(weights), weights - np.floor(weights)
    variance = (whole + part**2) * probability * (1.0 - probability)
    error = N_ERRORS * np.sqrt(variance / N_ROWS)
    assert (np.abs(drawn.mean(axis=0) - weights * probability) <= error).all()


def test_impossible_totals_of_sure_labels_are_reached():
    """Probabilities of exactly 0 and 1 do not stop a known total."""
    probability = np.tile([0.0, 1.0, 0.0, 1.0], (5, 1))
    rng = np.random.default_rng(0)
    for total in range(5):
        drawn = draw_positives(rng, np.ones(4), probability, (float(total), float(total)))
        assert (drawn.sum(axis=1) == total).all()


@pytest.mark.parametrize("largest", [0.02, 0.3, 0.98])
def test_the_probability_of_a_total_is_that_of_a_sum(largest, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    probability = rng.uniform(0.0, largest, 80)
    exact, ones = distribution_of_total(np.ones(80), probability), np.ones(80)
    mean, variance = moments_of_total(ones, probability[np.newaxis])
    # Two moments are right: the third is not. Edgeworth's term of it is .4 times the difference of
    # skewness over 6, at either end.
    smaller = probability if mean[0] <= 40.0 else 1.0 - probability
    third = (smaller * (1.0 - smaller) * (1.0 - 2.0 * smaller)).sum()
    third_of_binomial = variance[0] * (2.0 * variance[0] / smaller.sum() - 1.0)
    allowed = 0.8 / 6.0 * abs(third - third_of_binomial) / variance[0] ** 1.5
    for low, high in product(range(0, 81, 4), repeat=2):
        inside = exact[low : high + 1].sum() if low <= high else 0.0
        if low <= high:
            found = log_probability_of_total(float(low), float(high), mean, variance, 80.0)
            assert np.exp(found[0]) == pytest.approx(inside, abs=allowed)


@pytest.mark.parametrize(("low", "high"), [(3.0, 3.0), (5.0, 30.0), (0.0, 0.0), (50.0, 50.0)])
def test_the_probability_of_a_total_is_mirrored_with_the_classes(low, high, global_random_seed):
    probability = np.random.default_rng(global_random_seed).beta(0.3, 1.0, (4, 50))
    one, other = (
        log_probability_of_total(*ends, *moments_of_total(np.ones(50), p), 50.0)
        for ends, p in (((low, high), probability), ((50.0 - high, 50.0 - low), 1.0 - probability))
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)
    assert np.isfinite(one).all()


def test_totals_far_from_what_is_expected_lie_at_the_near_end(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    mean, variance = np.full(500, 10.0), np.full(500, 8.0)
    totals = draw_totals(rng, 60.0, 90.0, mean, variance, 200.0)
    assert ((totals >= 60.0) & (totals <= 90.0)).all()
    exact = stats.binom.pmf(np.arange(60, 91), 50 * 4, 10.0 / 200.0)
    assert totals.mean() <= 60.0 + 4.0 * (exact @ np.arange(31)) / exact.sum() + 1.0


def test_labels_are_kept_in_a_type_that_holds_them():
    for weights in (np.array([1.0, 255.0]), np.array([3.0, 256.0]), np.array([0.5, 2.0])):
        kept = weights.astype(smallest_type(weights, weights.max()))
        assert kept.tolist() == weights.tolist()
