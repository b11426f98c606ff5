"""How probable it is that a number lies above a value."""

import numpy as np
import pytest

from sklearn_spe.results._distributions import Proportions, probability_of
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


@pytest.mark.parametrize("n_draws", [3, 7, 49, 1000])
def test_probabilities_are_at_most_one_whatever_the_weights(n_draws, global_random_seed):
    rng = np.random.default_rng([global_random_seed, n_draws])
    for weights in (np.full(n_draws, 1.0 / n_draws), rng.random(n_draws) ** 4):
        always = probability_of(np.ones((n_draws, 3)), weights)
        assert (always == 1.0).all()
        event = np.r_[rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 0.5, 1.0, np.nan], n_draws - 1)]
        met, missed = probability_of(event, weights), probability_of(1.0 - event, weights)
        assert 0.0 <= met <= 1.0
        assert met + missed == pytest.approx(1.0)
        estimate = ScalarEstimate.from_draws("gain", np.full(n_draws, np.nan), weights)
        assert estimate.undefined == 1.0
    assert np.isnan(probability_of(np.full(n_draws, np.nan), weights))


def test_equal_draws_say_for_what_they_are_exact():
    said = {
        n_items: ScalarEstimate.from_draws("recall", [0.9] * 5, np.ones(5), n_items=n_items)
        for n_items in (1.0, 1200.0, np.nan, None)
    }
    assert said[1.0].exactness() == "exact for this one item"
    assert said[1200.0].exactness() == "exact for these 1,200 items"
    assert said[np.nan].exactness() == "exact for these items"
    assert said[None].exactness() == "exact for these scores, whatever the labels"
    assert "for items beyond these: target='population'" in repr(said[1200.0])
    assert said[1200.0].sentence() == ("It finds 90 of 100 positives, exact for these 1,200 items.")
