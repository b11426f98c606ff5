"""Blocks of item-level slack: the law of their coefficients."""

import numpy as np
import pytest

from sklearn_spe.experts._item_slack import ItemSlack, Members, Walk

SIZES = (0.5, 2.0), (0.25, 0.75)
N_DRAWS = 40_000
# Bounds on moments of normal draws at about five standard errors.
FALSE_ALARM = 5.0


def effects_of(block, n_groups, seed):
    rng = np.random.default_rng(seed)
    slack = ItemSlack((block,))
    shift, stretch = slack.effects(slack.draw(rng, N_DRAWS), np.ones(N_DRAWS), np.arange(n_groups))
    assert stretch == 1.0
    return shift


def test_members_are_alike_and_have_nothing_in_common(global_random_seed):
    effect = effects_of(Members("category", *SIZES, np.arange(4), 4), 4, global_random_seed)
    variance = 0.25 * 0.5**2 + 0.75 * 2.0**2
    error = np.sqrt(3.0 * (0.25 * 0.5**4 + 0.75 * 2.0**4) / N_DRAWS)
    covariance = effect @ effect.T / N_DRAWS
    assert np.abs(covariance - variance * np.eye(4)).max() < FALSE_ALARM * error


def test_a_walk_has_mean_zero_and_neighbours_that_are_alike(global_random_seed):
    n = 6
    effect = effects_of(Walk("category", (1.0,), (1.0,), np.arange(n), n), n, global_random_seed)
    np.testing.assert_allclose(effect.mean(axis=0), 0.0, atol=1e-12)
    variance = (effect**2).mean(axis=1)
    assert abs(variance.mean() - 1.0) < FALSE_ALARM * np.sqrt(2.0 / N_DRAWS)
    steps = np.array([((effect - effect[0])[k] ** 2).mean() for k in range(n)])
    # A random walk: the square of a distance grows with the number of steps.
    np.testing.assert_allclose(steps[1:] / steps[1], np.arange(1, n), rtol=0.15)


@pytest.mark.parametrize("kind", [Members, Walk])
def test_moves_leave_the_prior_as_it_is(kind, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    block = kind("category", *SIZES, np.arange(3), 3)
    draws = block.draw(rng, N_DRAWS)
    for _ in range(3):
        draws = block.propose(rng, draws, rng.choice([0.15, 0.8], N_DRAWS))
        draws = block.rescaled(rng, draws)
    share = np.mean(draws.size == 2.0)
    assert abs(share - 0.75) < FALSE_ALARM * np.sqrt(0.75 * 0.25 / N_DRAWS)
    variance = (draws.normal**2).mean(axis=0)
    assert np.abs(variance - 1.0).max() < FALSE_ALARM * np.sqrt(2.0 / N_DRAWS)


def test_columns_that_no_label_touches_come_from_the_prior(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    slack = ItemSlack((Members("groups", *SIZES, np.arange(5), 5),))
    touched, columns = slack.touched(np.array([1, 3]))
    assert [block.n_columns for block in touched.blocks] == [2]
    draws = touched.draw(rng, 200)
    whole = slack.completed(draws, columns, rng)
    np.testing.assert_array_equal(whole.parts[0].normal[:, [1, 3]], draws.parts[0].normal)
    np.testing.assert_array_equal(whole.parts[0].size, draws.parts[0].size)
    # And the items that are touched see the same.
    items = np.array([1, 3])
    for one, two in zip(
        touched.effects(draws, np.ones(200), items),
        slack.effects(whole, np.ones(200), items),
        strict=True,
    ):
        np.testing.assert_allclose(one, two)
