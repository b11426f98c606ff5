"""Bets that are done in time: against Brownian motion, and against a sum that drifts."""

import numpy as np
import pytest
from scipy import stats

from sklearn_spe.design._betting import MIN_LEFT, MORE, FiniteHorizonBets

ALPHA, DISTANCE, N_RUNS, N_DRAWS = 0.1, 0.05, 1000, 200


def largest_capital(drift, seed, share=1.0):
    """Return the largest logarithm of the capital of many gamblers, each by itself, up to H."""
    rng = np.random.default_rng(seed)
    bets = FiniteHorizonBets.start([DISTANCE], [share], ALPHA, N_RUNS)
    # Draws of which so many make up the time that the distance takes.
    variance = N_DRAWS / bets.horizons[0]
    log_e_value = most = np.full((1, N_RUNS), np.log(share))
    for _ in range(round((1.0 - MIN_LEFT) * N_DRAWS)):
        draw = drift + np.sqrt(variance) * rng.uniform(-1.0, 1.0, N_RUNS) * np.sqrt(3.0)
        bets = bets.before(np.full(N_RUNS, variance))
        # The most that a bet may lose, for draws that are never further out.
        size = np.minimum(bets.sizes(log_e_value), 0.99 / np.sqrt(3.0 * variance))
        log_e_value = log_e_value + np.log1p(size * draw)
        most = np.maximum(most, log_e_value)
        bets = bets.after(draw)
    return most[0]


@pytest.mark.parametrize("share", [1.0, 0.4])
def test_a_fair_game_is_won_no_more_often_than_it_may_be(share, global_random_seed):
    won = largest_capital(0.0, [global_random_seed, 0], share) >= -np.log(ALPHA)
    # More often in one of 1,000,000 cases.
    assert won.sum() <= stats.binom.ppf(1.0 - 1e-6, N_RUNS, share * ALPHA)


def test_a_drift_is_told_more_often_in_time_than_by_the_bets_that_grow_fastest(global_random_seed):
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
    bets = FiniteHorizonBets.start([DISTANCE], [1.0], ALPHA, 5).before(np.full(5, 0.2))
    e_process = np.array([[1e-9, 0.1, 1.0, 5.0, 12.0]])
    sizes = bets.sizes(np.log(e_process))[0]
    assert (np.diff(sizes) < 0.0).all()
    assert (sizes > 0.0).all()
    # However poor: never more than the best bet on a draw of that spread could be.
    assert sizes[0] <= 0.5 / np.sqrt(0.2)
