"""Bets that are done in time: against Brownian motion, and against a sum that drifts."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.design._betting import (
    MIN_LEFT,
    MORE,
    BettingTest,
    Draw,
    FiniteHorizonBets,
    GrowthBets,
)

ALPHA, DISTANCE, N_RUNS, N_DRAWS = 0.1, 0.05, 1000, 200


def largest_capital(drift, seed, share=1.0):
    """Return the largest logarithm of the capital of many gamblers, each by itself, up to H."""
    rng = np.random.default_rng(seed)
    rule = FiniteHorizonBets.start([DISTANCE], [share], ALPHA, N_RUNS)
    # Draws of which so many make up the time that the distance takes.
    variance = N_DRAWS / rule.horizons[0]
    start = np.full(N_RUNS, np.log(share))
    test = BettingTest(rule, start[np.newaxis], start)
    # The most that a bet may lose, for draws that are never further out.
    predicted = Draw(0.0, np.full(N_RUNS, variance), np.sqrt(3.0 * variance))
    for _ in range(round((1.0 - MIN_LEFT) * N_DRAWS)):
        draw = drift + np.sqrt(variance) * rng.uniform(-1.0, 1.0, N_RUNS) * np.sqrt(3.0)
        test = test.after(predicted, draw)
    return test.most


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_a_fair_game_is_won_no_more_often_than_it_may_be(share, global_random_seed):
    won = largest_capital(0.0, [global_random_seed, 0], share) >= -np.log(ALPHA)
    # More often in one of 1,000,000 cases.
    assert won.sum() <= stats.binom.ppf(1.0 - 1e-6, N_RUNS, share * ALPHA)


def test_a_drift_is_detected_more_often_in_time_than_by_the_bets_that_grow_fastest(
    global_random_seed,
):
    # No game is won more often than the best test of its level.
    reached = np.mean(largest_capital(DISTANCE, [global_random_seed, 1]) >= -np.log(ALPHA))
    s, wall = stats.norm.isf(ALPHA / MORE), -np.log(ALPHA)
    best = stats.norm.sf(stats.norm.isf(ALPHA) - s)
    # Bets that grow fastest have won once a Brownian motion with the drift s^2 / 2 has reached
    # the wall.
    grown = stats.norm.sf((wall - s**2 / 2.0) / s) + np.exp(wall) * stats.norm.sf(
        (wall + s**2 / 2.0) / s
    )
    error = 0.5 / np.sqrt(N_RUNS)
    assert grown + 5.0 * error < reached < best + 5.0 * error


def test_who_is_behind_bets_more_and_who_is_done_hardly_any(global_random_seed):
    bets = FiniteHorizonBets.start([DISTANCE], [1.0], ALPHA, 5)
    e_process = np.array([[1e-9, 0.1, 1.0, 5.0, 12.0]])
    sizes = bets.sizes(Draw(0.0, np.full(5, 0.2), 1.0), np.log(e_process))[0]
    assert (np.diff(sizes) < 0.0).all()
    assert (sizes > 0.0).all()
    # However poor: never more than the best bet on a draw of that spread could be.
    assert sizes[0] <= 0.5 / np.sqrt(0.2)


def test_growth_bets_grow_as_fast_as_any_on_small_draws(global_random_seed):
    # A draw of two values: the bet that grows fastest has a closed form, (p a - q b) / (a b).
    rng = np.random.default_rng(global_random_seed)
    gain, loss = rng.uniform(0.5, 1.0, (2, 100))
    p = loss / (gain + loss) + rng.uniform(0.0, 0.02, 100)
    mean = p * gain - (1.0 - p) * loss
    square, cube = (p * (gain - mean) ** k + (1.0 - p) * (-loss - mean) ** k for k in (2, 3))
    best = mean / (gain * loss)
    sizes = GrowthBets().sizes(Draw(mean, square, loss, cube), None)
    # Left out is the fourth moment: an error of the order of the cube of the bet.
    np.testing.assert_allclose(sizes, best, atol=10.0 * best.max() ** 3)


@pytest.mark.parametrize("rule", [GrowthBets(), FiniteHorizonBets.start([0.05], [1.0], 0.1, 1)])
def test_e_value_is_never_lost_and_a_fair_draw_keeps_it(rule):
    test = BettingTest(rule, np.zeros((1, 1)), np.zeros(1))
    predicted = Draw(np.full((1, 1), 0.3), 0.25, 0.5, 0.0)
    ends = [test.after(predicted, np.full((1, 1), y)).log_e_value[0, 0] for y in (-0.5, 0.5)]
    assert np.isfinite(ends).all()
    assert np.mean(np.exp(ends)) == pytest.approx(1.0)
