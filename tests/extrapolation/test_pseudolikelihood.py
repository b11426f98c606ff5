"""The maximum pseudolikelihood: conditions of the optimum, and distributions found again."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special, stats

from sklearn_spe.extrapolation._pilot import Pilot
from sklearn_spe.extrapolation.methods._pseudolikelihood import (
    PROBITS,
    Pseudolikelihood,
)
from tests.extrapolation.pilots import drawn, pilot_of

VALUES = np.concatenate([[0.0], special.ndtr(PROBITS), [1.0]])


def pilot_with(wins, n_wrong):
    """Return a pilot with one item of each number of wins."""
    scores = np.where(np.arange(n_wrong) < np.asarray(wins)[:, np.newaxis], 0.0, 2.0)
    scores = np.column_stack([np.ones(len(scores)), scores])
    return Pilot(scores, np.zeros(len(scores), dtype=int), np.full(len(scores), 1 / len(scores)))


def test_no_value_of_the_grid_would_raise_the_likelihood(global_random_seed):
    scores, y = drawn(20, 5, global_random_seed)
    pilot = pilot_of(scores, y)
    distribution = Pseudolikelihood().fit(pilot, None)
    wins = pilot.wins_and_ties[0]
    values = np.exp(distribution.components.log_values)
    marginal = stats.binom.pmf(wins[:, np.newaxis], 19, values) @ distribution.weights
    gains = (stats.binom.pmf(wins[:, np.newaxis], 19, VALUES) / marginal[:, np.newaxis]).mean(0)
    assert_allclose(distribution.weights.sum(), 1.0, rtol=1e-12)
    # What is left to gain for an item, where no shorter step raises the likelihood any more.
    assert gains.max() <= 1.0 + 1e-6
    # Those with weight are all as good as any.
    heavy = values[distribution.weights > 1e-6]
    nearest = np.abs(VALUES[:, np.newaxis] - heavy).argmin(axis=0)
    assert_allclose(gains[nearest], 1.0, atol=1e-6)


@pytest.mark.parametrize(("wins", "value"), [([0, 0], 0.0), ([9, 9, 9], 1.0)])
def test_items_that_always_lose_or_win_have_that_accuracy(wins, value):
    distribution = Pseudolikelihood().fit(pilot_with(wins, 9), None)
    assert distribution.accuracy(10**6) == value
    assert distribution.accuracy(1) == 1.0


def test_a_mixture_of_two_is_found_again(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    values, n_wrong, n_items = np.array([0.4, 0.95]), 60, 4000
    which = rng.random(n_items) < 0.7
    wins = rng.binomial(n_wrong, values[which.astype(int)])
    distribution = Pseudolikelihood().fit(pilot_with(wins, n_wrong), None)
    # Both are apart: what is below 0.7 is the share of the first, up to its binomial error.
    error = np.sqrt(0.21 / n_items)
    assert abs(distribution(0.7) - 0.3) < 5.0 * error + 1e-3
    # Averages up to the pilot's classes are those of the shares of subsets, up to the fit.
    truth = 0.3 * 0.4 ** np.array([1, 4]) + 0.7 * 0.95 ** np.array([1, 4])
    assert_allclose(distribution.accuracy([2, 5]), truth, atol=5.0 * 0.5 / np.sqrt(n_items))
