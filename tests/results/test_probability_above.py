"""How probable it is that a number lies above a value."""

import numpy as np
import pytest

from sklearn_spe.results._distributions import Proportions
from sklearn_spe.results._estimates import ScalarEstimate


def test_it_is_the_weight_of_the_draws_above(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    draws, weights = rng.integers(-2, 3, 200).astype(float), rng.random(200)
    draws[rng.random(200) < 0.1] = np.nan
    estimate = ScalarEstimate.from_draws("gain", draws, weights)
    known = weights[~np.isnan(draws)].sum()
    expected = (weights[draws > 0.0].sum() + weights[draws == 0.0].sum() / 2.0) / known
    assert estimate.probability_above() == pytest.approx(expected)
    assert estimate.probability_above(-3.0) == pytest.approx(1.0)


def test_what_was_counted_has_no_draws():
    estimate = ScalarEstimate("share", Proportions(np.array([0.3]), 100.0), kind="simulation")
    with pytest.raises(ValueError, match="no draws"):
        estimate.probability_above(0.2)
