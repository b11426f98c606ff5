"""Random effects: columns of items, and the distribution of what they add."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_spe.engine._random_effects import Columns, EffectDraws, Members, RandomEffects, Walk

SIZES = (0.5, 2.0), (0.25, 0.75)
N_DRAWS = 40_000
CODES = np.array([0, 2, 1, 2, 0, 3])
# Bounds on moments of normal draws at about five standard errors.
FAR = 5.0


def drawn(effects, rng, n=N_DRAWS):
    """Return draws of effects from their prior."""
    sizes, _ = effects.draw_sizes(rng, n)
    return tuple(
        EffectDraws(size, rng.standard_normal((n, own.n_columns)))
        for own, size in zip(effects.effects, sizes.T, strict=True)
    )


def added(effect, n_groups, seed):
    effects, rng = RandomEffects((effect,)), np.random.default_rng(seed)
    shift, stretch = effects.at(drawn(effects, rng), np.ones(N_DRAWS), np.arange(n_groups))
    assert stretch == 0.0
    return shift


EFFECTS = {
    "members": Members("a", *SIZES, CODES, 4),
    "walk": Walk("a", *SIZES, CODES, 4),
    "columns": Columns("a", *SIZES, np.sin(np.outer(np.arange(6.0), [3.0, 5.0]))),
}
EVERY_EFFECT = pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS)


@EVERY_EFFECT
def test_effects_are_columns_times_coefficients(effect, global_random_seed):
    rng, items = np.random.default_rng(global_random_seed), np.array([4, 1, 1, 5])
    coefficients = rng.normal(size=(7, effect.n_columns))
    assert_allclose(
        effect.effect(coefficients, items), effect.columns(items) @ coefficients.T, atol=1e-12
    )
    whole = effect.effect(coefficients, slice(None))
    assert_allclose(whole[items], effect.effect(coefficients, items), atol=1e-12)


@EVERY_EFFECT
def test_columns_that_items_do_not_touch_are_zero_for_them(effect):
    items = np.array([0, 1, 3])
    untouched = np.setdiff1d(np.arange(effect.n_columns), effect.touched(items))
    assert_array_equal(effect.columns(items)[:, untouched], 0.0)


def test_members_are_alike_and_have_nothing_in_common(global_random_seed):
    effect = added(Members("category", *SIZES, np.arange(4), 4), 4, global_random_seed)
    variance = 0.25 * 0.5**2 + 0.75 * 2.0**2
    error = np.sqrt(3.0 * (0.25 * 0.5**4 + 0.75 * 2.0**4) / N_DRAWS)
    assert np.abs(effect @ effect.T / N_DRAWS - variance * np.eye(4)).max() < FAR * error


def test_a_walk_has_mean_zero_and_neighbors_that_are_alike(global_random_seed):
    n = 6
    effect = added(Walk("category", (1.0,), (1.0,), np.arange(n), n), n, global_random_seed)
    assert_allclose(effect.mean(axis=0), 0.0, atol=1e-12)
    variance = (effect**2).mean(axis=1)
    assert abs(variance.mean() - 1.0) < FAR * np.sqrt(2.0 / N_DRAWS)
    steps = np.array([((effect - effect[0])[k] ** 2).mean() for k in range(n)])
    # A random walk: the square of a distance grows with the number of steps.
    assert_allclose(steps[1:] / steps[1], np.arange(1, n), rtol=0.15)


def test_a_walk_backwards_is_a_walk():
    n = 5
    walk = Walk("category", (1.0,), (1.0,), np.arange(n), n)
    columns = walk.columns(np.arange(n))
    covariance = columns @ columns.T
    assert_allclose(covariance, covariance[::-1, ::-1], atol=1e-12)


def test_effects_add_up_by_what_they_move_and_in_their_unit(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    items, n = np.arange(6), 50
    effects = RandomEffects(
        (
            Members("one", (0.5,), (1.0,), CODES, 4),
            Members("slope", (0.3,), (1.0,), CODES, 4, on="stretch"),
            Members("unit", (2.0,), (1.0,), CODES, 4, scaled=True),
        )
    )
    draws, spread = drawn(effects, rng, n), rng.uniform(0.5, 3.0, n)
    shift, stretch = effects.at(draws, spread, items)
    one, slope, unit = (own.normal[:, CODES].T for own in draws)
    assert_allclose(shift, 0.5 * one + 2.0 * spread * unit)
    assert_allclose(stretch, 0.3 * slope)
    # Without one of them the others stay.
    rest, kept, number = effects.without("unit")
    assert (kept, number) == ([0, 1], 2)
    shift, stretch = rest.at(tuple(draws[k] for k in kept), spread, items)
    assert_allclose(shift, 0.5 * one)
    assert_allclose(stretch, 0.3 * slope)


def test_without_effects_nothing_is_added():
    none = RandomEffects()
    assert none.draw_sizes(np.random.default_rng(0), 5)[0].shape == (5, 0)
    assert none.at((), np.ones(5), np.arange(3)) == (0.0, 0.0)
